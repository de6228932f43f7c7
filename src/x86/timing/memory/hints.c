/* Prefetch instructions: loads that nobody waits for. */
#include "x86/timing/memory/frames.h"
#include "x86/timing/memory/internal.h"
#include "x86/timing/uops/uop.h"

static bool asks(const struct x86_caches *memory, unsigned hint)
{
	return memory->hints &&
	       (hint != X86_HINT_STORE || memory->hint_stores);
}

/* Pages that have not been touched get no frame by this. */
static bool has_page(const struct x86_caches *memory, uint64_t address)
{
	uint64_t page = address >> memory->page_shift, frame;

	return !memory->table || x86_frames_has(memory->table, page, &frame) ||
	       x86_frames_is_large(memory->table, page);
}

static bool goes_to_second(const struct x86_caches *memory, unsigned hint)
{
	return hint == X86_HINT_FAR && memory->hints > 1 && memory->second;
}

/* Whether one of the last ones was for this line. */
static bool is_repeated(const struct x86_caches *memory, uint64_t line)
{
	for (unsigned i = 0; i < memory->history.size; i++)
		if (memory->history.line[i] == line + 1)
			return true;
	return false;
}

static void note(struct x86_caches *memory, uint64_t line)
{
	if (memory->history.size)
		memory->history.line[memory->history.count++ %
				     memory->history.size] = line + 1;
}

static uint64_t line_of(const struct x86_caches *memory, uint64_t address)
{
	return address & ~(memory->line - 1);
}

bool x86_caches_hint(struct x86_caches *memory,
		     struct x86_core_request *request, bool known,
		     uint64_t physical, struct entry *entry)
{
	uint64_t line = line_of(memory, request->address);

	if (!asks(memory, request->hint))
		return false;
	if (is_repeated(memory, line) || !has_page(memory, request->address)) {
		memory->counts.hints_dropped++;
		return false;
	}
	request->soon = true;
	*entry = (struct entry){
		.memory = memory,
		.kind = request->hint == X86_HINT_STORE ? MEMSYS_STORE
							: MEMSYS_LOAD,
		.silent = true,
		.second = goes_to_second(memory, request->hint),
		.instruction = request->instruction,
		.address = { request->address },
		.physical = { physical },
		.size = { request->size },
		.parts = 1,
	};
	if (!known || module_distance(memory->data, physical) > entry->second)
		return true;
	if (entry->kind == MEMSYS_LOAD && !entry->second)
		module_hit(memory->data, MEMSYS_LOAD, request->instruction,
			   physical, request->size);
	note(memory, line);
	return false;
}

void x86_caches_hinted(struct x86_caches *memory,
		       const struct x86_core_request *request)
{
	memory->counts.hints++;
	note(memory, line_of(memory, request->address));
}

void x86_caches_warm_hint(struct x86_caches *memory, uint64_t instruction,
			  uint64_t address, unsigned hint)
{
	if (!asks(memory, hint) || !has_page(memory, address))
		return;
	if (goes_to_second(memory, hint))
		x86_caches_warm_second(memory, instruction, address);
	else
		x86_caches_warm(memory, instruction, address,
				hint == X86_HINT_STORE, false);
}
