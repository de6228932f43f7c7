/* Functional warming: accesses of instructions that are not simulated. They take
 * no time, no event happens, and nothing is counted but pages' first touches. */
#include "memsys/warm.h"
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/internal.h"

bool x86_caches_can_warm(const struct x86_caches *memory)
{
	return module_can_warm(memory->data) && module_can_warm(memory->code);
}

/* A walk that ends at once. False: nothing is mapped there. */
static bool walk(struct x86_caches *memory,
		 const struct x86_pages_question *question)
{
	enum x86_frame_answer answer;
	uint64_t frame;
	bool writable, large;

	module_warm(memory->data, MEMSYS_LOAD, 0,
		    x86_caches_table_entry(memory, question->address));
	do {
		answer = x86_caches_frame(memory, question->address,
					  question->store, &frame, &writable,
					  &large);
		memory->counts.faults += answer == X86_FRAME_FIRST ||
					 answer == X86_FRAME_COPIED;
	} while (answer == X86_FRAME_FIRST || answer == X86_FRAME_COPIED);
	if (answer == X86_FRAME_NONE)
		return false;
	x86_caches_learn(memory, question, frame, writable, large);
	return true;
}

/* False: nothing is mapped there. */
static bool translate(struct x86_caches *memory,
		      struct x86_pages_question *question)
{
	return x86_pages_look_up(&memory->pages, question) != PAGES_WALK ||
	       (walk(memory, question) &&
		x86_pages_look_up(&memory->pages, question) != PAGES_WALK);
}

void x86_caches_warm(struct x86_caches *memory, uint64_t instruction,
		     uint64_t address, bool store, bool code)
{
	struct x86_pages_question question = {
		.address = address,
		.shift = memory->page_shift,
		.code = code,
		.store = store,
	};

	if (translate(memory, &question))
		module_warm(code ? memory->code : memory->data,
			    store ? MEMSYS_STORE : MEMSYS_LOAD, instruction,
			    question.physical);
}

void x86_caches_warm_second(struct x86_caches *memory, uint64_t instruction,
			    uint64_t address)
{
	struct x86_pages_question question = {
		.address = address, .shift = memory->page_shift,
	};

	if (translate(memory, &question))
		module_warm(memory->second, MEMSYS_LOAD, instruction,
			    question.physical);
}
