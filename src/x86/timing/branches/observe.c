#include "x86/timing/branches/observe.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/emu/step.h"
#include "x86/timing/branches/writer.h"

enum { RECORDS = 1024 };

struct thread {
	uint32_t process, thread;
	bool known;
	uint64_t next;  /* where it goes on */
	uint64_t since; /* its last branch: instructions */
};

struct branch_observer {
	struct branch_writer *writer;
	struct x86_ring *ring;
	struct thread *list;
	size_t count, capacity;
	size_t last;    /* that ran */
	uint64_t instructions;
};

struct branch_observer *branch_observer_create(FILE *stream)
{
	struct branch_observer *observer = xcalloc(1, sizeof *observer);

	observer->writer = branch_writer_create(stream);
	observer->ring = x86_ring_create(RECORDS);
	observer->last = SIZE_MAX;
	return observer;
}

static size_t find(struct branch_observer *observer, uint32_t process,
		   uint32_t thread)
{
	for (size_t i = 0; i < observer->count; i++)
		if (observer->list[i].process == process &&
		    observer->list[i].thread == thread)
			return i;
	ARRAY_GROW(observer->list, observer->count, observer->capacity);
	observer->list[observer->count] = (struct thread){
		.process = process,
		.thread = thread,
	};
	return observer->count++;
}

/* A signal, another program, or a return from a signal moved it elsewhere; or
 * another thread has run meanwhile. */
static struct thread *enter(struct branch_observer *observer, uint32_t process,
			    uint32_t thread, uint64_t rip)
{
	size_t index = observer->last;
	struct thread *own;

	if (index >= observer->count ||
	    observer->list[index].thread != thread ||
	    observer->list[index].process != process)
		index = find(observer, process, thread);
	own = &observer->list[index];
	if (!own->known || own->next != rip) {
		branch_writer_enter(observer->writer, process, thread, rip,
				    own->since);
		own->since = 0;
		own->known = true;
	} else if (index != observer->last) {
		branch_writer_switch(observer->writer, process, thread);
	}
	observer->last = index;
	return own;
}

static void add_branch(struct branch_observer *observer,
		       const struct x86_record *record, uint64_t instructions)
{
	static const enum branch_kind kinds[] = {
		[X86_BRANCH_CONDITIONAL] = BRANCH_CONDITIONAL,
		[X86_BRANCH_JUMP] = BRANCH_JUMP,
		[X86_BRANCH_CALL] = BRANCH_CALL,
		[X86_BRANCH_INDIRECT_JUMP] = BRANCH_INDIRECT_JUMP,
		[X86_BRANCH_INDIRECT_CALL] = BRANCH_INDIRECT_CALL,
		[X86_BRANCH_RETURN] = BRANCH_RETURN,
		[X86_BRANCH_FAR] = BRANCH_INDIRECT_JUMP,
	};
	const struct x86_inst *inst = record->inst;
	enum branch_kind kind = kinds[inst->branch];
	struct branch_step step = {
		.branch = { inst->address,
			    kind < BRANCH_INDIRECT_JUMP ? inst->target : 0,
			    kind },
		.length = inst->length,
		.taken = kind != BRANCH_CONDITIONAL || record->taken,
		.next = record->next,
		.instructions = instructions,
	};

	branch_writer_add(observer->writer, &step);
}

static void consume(struct branch_observer *observer, struct thread *thread)
{
	struct x86_ring *ring = observer->ring;
	uint64_t since = thread->since, tail = ring->tail;

	for (; tail != ring->head; tail++) {
		const struct x86_record *record =
			&ring->record[tail & ring->mask];

		since += !record->unfinished;
		if (record->inst->branch != X86_BRANCH_NONE) {
			add_branch(observer, record, since);
			since = 0;
		}
		thread->next = record->next;
	}
	thread->since = since;
	ring->tail = tail;
}

enum x86_stop branch_observer_run(struct branch_observer *observer,
				  uint32_t process, uint32_t thread,
				  struct x86_cpu *cpu, uint64_t instructions)
{
	struct thread *own = enter(observer, process, thread, cpu->rip);
	uint64_t before = x86_instructions(cpu), done = 0;
	enum x86_stop stop = X86_STOP_QUANTUM;

	while (stop == X86_STOP_QUANTUM && done < instructions) {
		stop = x86_observe(cpu, observer->ring, instructions - done, 0);
		consume(observer, own);
		done = x86_instructions(cpu) - before;
	}
	observer->instructions += done;
	return stop;
}

void branch_observer_end(struct branch_observer *observer)
{
	branch_writer_end(observer->writer, observer->instructions);
}

void branch_observer_free(struct branch_observer *observer)
{
	if (!observer)
		return;
	branch_writer_free(observer->writer);
	x86_ring_free(observer->ring);
	free(observer->list);
	free(observer);
}
