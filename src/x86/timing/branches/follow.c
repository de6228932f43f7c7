#include "x86/timing/branches/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/branches/writer.h"

enum { WAYS = 1 << 12, NO_BRANCH = 0xff };

struct thread {
	uint32_t process, thread;
	bool known;
	uint64_t next;  /* address of the next instruction */
	uint64_t since; /* instructions since its last branch */
};

/* A decoded way out of a block. */
struct way {
	uint64_t word; /* 0: none */
	struct branch_step step;
	struct branch_hint hint;
	uint8_t instructions;
	bool branch, simple; /* simple: conditional, or a direct jump */
	/* The follower's version when this was known: the branch before went to
	 * this block; 0: never. */
	uint64_t version;
};

struct branch_follower {
	struct branch_writer *writer;
	struct thread *list;
	size_t count, capacity;
	size_t last;      /* of the thread that ran last */
	uint64_t moves;   /* moves from one process to another, + 1 */
	uint64_t whose;   /* owner of the run: process << 32 | thread */
	bool counted;     /* the run's first count has come */
	uint64_t retired; /* instructions of the cpu, by its last count */
	struct way ways[WAYS];
};

struct branch_follower *branch_follower_create(FILE *stream)
{
	struct branch_follower *follower = xcalloc(1, sizeof *follower);

	follower->writer = branch_writer_create(stream);
	follower->last = SIZE_MAX;
	follower->moves = 1;
	return follower;
}

void branch_follower_free(struct branch_follower *follower)
{
	if (!follower)
		return;
	branch_writer_free(follower->writer);
	free(follower->list);
	free(follower);
}

void branch_follower_forget(struct branch_follower *follower)
{
	memset(follower->ways, 0, sizeof follower->ways);
}

void branch_follower_end(struct branch_follower *follower,
			 uint64_t instructions)
{
	branch_writer_end(follower->writer, instructions);
}

static size_t find(struct branch_follower *follower, uint32_t process,
		   uint32_t thread)
{
	size_t last = follower->last;

	if (last < follower->count &&
	    follower->list[last].process == process &&
	    follower->list[last].thread == thread)
		return last;
	for (size_t i = 0; i < follower->count; i++)
		if (follower->list[i].process == process &&
		    follower->list[i].thread == thread)
			return i;
	ARRAY_GROW(follower->list, follower->count, follower->capacity);
	follower->list[follower->count] = (struct thread){
		.process = process,
		.thread = thread,
	};
	return follower->count++;
}

/* Continues a thread. Another thread may have run meanwhile. Or a signal,
 * another program, or a return from a signal moved this thread elsewhere. */
static void enter(struct branch_follower *follower, uint64_t rip)
{
	uint32_t process = (uint32_t)(follower->whose >> 32);
	uint32_t number = (uint32_t)follower->whose;
	size_t index = find(follower, process, number);
	struct thread *thread = &follower->list[index];

	if (!thread->known || thread->next != rip) {
		branch_writer_enter(follower->writer, process, number, rip,
				    thread->since);
		thread->since = 0;
		thread->known = true;
	} else if (index != follower->last) {
		branch_writer_switch(follower->writer, process, number);
	}
	if (follower->last < follower->count &&
	    follower->list[follower->last].process != process)
		follower->moves++;
	follower->last = index;
}

static void decode(struct way *way, uint64_t word)
{
	static const uint8_t kinds[] = {
		[X86_BRANCH_NONE] = NO_BRANCH,
		[X86_BRANCH_CONDITIONAL] = BRANCH_CONDITIONAL,
		[X86_BRANCH_JUMP] = BRANCH_JUMP,
		[X86_BRANCH_CALL] = BRANCH_CALL,
		[X86_BRANCH_INDIRECT_JUMP] = BRANCH_INDIRECT_JUMP,
		[X86_BRANCH_INDIRECT_CALL] = BRANCH_INDIRECT_CALL,
		[X86_BRANCH_RETURN] = BRANCH_RETURN,
		[X86_BRANCH_FAR] = BRANCH_INDIRECT_JUMP,
	};
	struct x86_log_exit exit = x86_log_exit(word);
	uint8_t kind = kinds[exit.branch];

	*way = (struct way){
		.word = word,
		.instructions = exit.instructions,
		.branch = kind != NO_BRANCH,
		.simple = kind < BRANCH_CALL,
		.step = {
			.branch = { exit.address,
				    kind < BRANCH_INDIRECT_JUMP ? exit.target
								: 0,
				    (enum branch_kind)kind },
			.length = exit.length,
			.taken = kind != BRANCH_CONDITIONAL ||
				 (word & X86_LOG_MASK) == X86_LOG_EXIT_0,
			.next = (word & X86_LOG_MASK) == X86_LOG_EXIT_0
					? exit.target
					: exit.behind,
		},
	};
}

/* Known branches that are not yet in the trace. */
struct pending {
	uint64_t taken, instructions, next;
	unsigned count;
};

static void add_pending(struct branch_follower *follower,
			struct pending *pending)
{
	branch_writer_add_known(follower->writer, pending->taken,
				pending->count, pending->instructions,
				pending->next);
	*pending = (struct pending){ 0 };
}

static void add_other(struct branch_follower *follower, struct way *way,
		      uint64_t instructions)
{
	way->step.instructions = instructions;
	branch_writer_add(follower->writer, &way->step, &way->hint);
	way->version = 0;
	if (way->simple && instructions == way->instructions)
		way->version = branch_writer_described(follower->writer) +
			       follower->moves;
}

/* Follows words up to one that is not that of a block's end, as most are. */
static const uint64_t *follow_exits(struct branch_follower *follower,
				    const uint64_t *at, const uint64_t *end)
{
	struct thread *thread = &follower->list[follower->last];
	uint64_t since = thread->since, retired = follower->retired;
	uint64_t version = branch_writer_described(follower->writer) +
			   follower->moves;
	struct pending pending = { 0 };

	while (at < end && (*at & X86_LOG_MASK) <= X86_LOG_JUMP) {
		uint64_t word = *at++;
		struct way *way = &follower->ways[(word ^ word >> 5) % WAYS];

		__builtin_prefetch(at + 64);
		if (way->word != word)
			decode(way, word);
		retired += way->instructions;
		if (way->version == version && !since) {
			pending.taken |= (uint64_t)way->step.taken
					 << pending.count++;
			pending.instructions += way->instructions;
			pending.next = way->step.next;
			if (pending.count == 64)
				add_pending(follower, &pending);
			continue;
		}
		since += way->instructions;
		if ((word & X86_LOG_MASK) == X86_LOG_JUMP)
			way->step.next = *at++;
		if (!way->branch)
			continue;
		add_pending(follower, &pending);
		add_other(follower, way, since);
		version = branch_writer_described(follower->writer) +
			  follower->moves;
		since = 0;
	}
	add_pending(follower, &pending);
	thread->since = since;
	follower->retired = retired;
	return at;
}

static void count(struct branch_follower *follower, uint64_t retired)
{
	if (follower->counted)
		follower->list[follower->last].since +=
			retired - follower->retired;
	follower->counted = true;
	follower->retired = retired;
}

void branch_follow(struct branch_follower *follower, const uint64_t *words,
		   size_t count_all)
{
	const uint64_t *at = words, *end = words + count_all;

	while (at < end) {
		switch (*at & X86_LOG_MASK) {
		case X86_LOG_COUNT:
			count(follower, at[1]);
			break;
		case BRANCH_LOG_RUN:
			follower->whose = at[1];
			follower->counted = false;
			break;
		case BRANCH_LOG_FROM:
			enter(follower, at[1]);
			break;
		case BRANCH_LOG_UNTIL:
			follower->list[follower->last].next = at[1];
			break;
		default:
			at = follow_exits(follower, at, end);
			continue;
		}
		at += 2;
	}
}
