/* The declarations that the writer and the reader of branch traces share.
 * doc/branch-traces.md describes the format. Internal to
 * x86/timing/branches. */
#ifndef M2S_X86_TIMING_BRANCHES_FORMAT_H
#define M2S_X86_TIMING_BRANCHES_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "x86/timing/predict/direction.h"

#define BRANCH_TRACE_MAGIC "m2s-branches 1\n"

enum branch_item {
	BRANCH_ITEM_END,
	BRANCH_ITEM_THREAD,
	BRANCH_ITEM_JUMP,
	BRANCH_ITEM_PATH,
	BRANCH_ITEM_OUTCOMES,
	BRANCH_ITEM_TARGET,
};

enum {
	BRANCH_MOST_OUTCOMES = 32768, /* of one item */
	/* return addresses in the ring of a thread */
	BRANCH_RETURNS = 64,
	BRANCH_NUMBER_BYTES = 10,     /* at most, of a number */
	BRANCH_MOST_LENGTH = 15,      /* bytes, of an instruction */
};

/* A path: the instructions from a branch's target up to the next branch. */
struct branch_path {
	/* `target` is that of a direct branch */
	uint64_t start, address, target;
	/* The last target of an indirect branch, 0 at first. */
	uint64_t last;
	uint64_t instructions;
	uint32_t process;
	uint8_t kind, length;
};

/* Paths by process and start. A new path replaces an older one. */
struct branch_paths {
	struct branch_path *list;
	size_t count, capacity;
	uint32_t *slots; /* index + 1; 0: none */
	size_t slot_count;
};

struct branch_path *branch_paths_find(const struct branch_paths *paths,
				      uint32_t process, uint64_t start);
/* Adds or replaces a path. Pointers to other paths become invalid. */
struct branch_path *branch_paths_put(struct branch_paths *paths,
				     const struct branch_path *path);
void branch_paths_clear(struct branch_paths *paths);

/* The state of a thread, which writer and reader update alike. */
struct branch_thread {
	uint32_t process, thread;
	uint64_t start;        /* start of its present path */
	uint64_t instructions; /* instructions before the present path */
	uint64_t returns[BRANCH_RETURNS];
	unsigned top;
};

struct branch_threads {
	struct branch_thread *list;
	size_t count, capacity;
};

/* The index of a thread. A new thread is added. */
size_t branch_threads_find(struct branch_threads *threads, uint32_t process,
			   uint32_t thread);

/* The target that writer and reader expect of a branch without a direct
 * target. */
static inline uint64_t branch_expect(const struct branch_thread *thread,
				     const struct branch_path *path)
{
	return path->kind == BRANCH_RETURN ? thread->returns[thread->top]
					   : path->last;
}

/* Updates the state after the branch. */
static inline void branch_went(struct branch_thread *thread,
			       struct branch_path *path, bool taken,
			       uint64_t next)
{
	uint64_t behind = path->address + path->length;

	if (path->kind == BRANCH_RETURN) {
		thread->top = (thread->top + BRANCH_RETURNS - 1) %
			      BRANCH_RETURNS;
	} else if (path->kind == BRANCH_CALL ||
		   path->kind == BRANCH_INDIRECT_CALL) {
		thread->top = (thread->top + 1) % BRANCH_RETURNS;
		thread->returns[thread->top] = behind;
	}
	if (path->kind >= BRANCH_INDIRECT_JUMP)
		path->last = next;
	thread->instructions += path->instructions;
	thread->start = taken ? next : behind;
}

static inline uint64_t branch_zigzag(uint64_t to, uint64_t from)
{
	uint64_t difference = to - from;

	return difference << 1 ^ (difference >> 63 ? UINT64_MAX : 0);
}

static inline uint64_t branch_unzigzag(uint64_t number, uint64_t from)
{
	return from + (number >> 1 ^ (number & 1 ? UINT64_MAX : 0));
}

#endif
