#include "x86/timing/branches/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/branches/bytes.h"
#include "x86/timing/branches/cbp.h"
#include "x86/timing/branches/format.h"

struct branch_reader {
	struct branch_bytes bytes;
	struct cbp_reader *cbp; /* a trace of the championship; else NULL */
	const char *wrong;      /* the message for what is impossible */
	bool ended;
	uint64_t branches, instructions, last_target;
	struct branch_threads threads;
	size_t thread;
	struct branch_paths paths;
	/* In the present item of outcomes. */
	uint64_t outcomes_left;
	uint8_t outcome_byte;
	unsigned outcome_bits;
};

static int get_byte(struct branch_reader *reader)
{
	int byte = branch_bytes_get(&reader->bytes);

	if (byte < 0)
		reader->wrong = "the trace is cut off";
	return byte;
}

static bool get_number(struct branch_reader *reader, uint64_t *number)
{
	*number = 0;
	for (unsigned i = 0; i < BRANCH_NUMBER_BYTES; i++) {
		int byte = get_byte(reader);

		if (byte < 0)
			return false;
		*number |= (uint64_t)(byte & 127) << 7 * i;
		if (byte < 128)
			return true;
	}
	reader->wrong = "a number of more than 64 bits";
	return false;
}

static bool get_thread(struct branch_reader *reader)
{
	uint64_t process, thread;

	if (!get_number(reader, &process) || !get_number(reader, &thread))
		return false;
	if (process > UINT32_MAX || thread > UINT32_MAX) {
		reader->wrong = "a thread's number above 2^32";
		return false;
	}
	reader->thread = branch_threads_find(&reader->threads,
					     (uint32_t)process,
					     (uint32_t)thread);
	return true;
}

static struct branch_thread *own_thread(struct branch_reader *reader)
{
	if (reader->thread < reader->threads.count)
		return &reader->threads.list[reader->thread];
	reader->wrong = "no thread has been named yet";
	return NULL;
}

static bool get_jump(struct branch_reader *reader)
{
	struct branch_thread *thread = own_thread(reader);
	uint64_t executed, start;

	if (!thread || !get_number(reader, &executed) ||
	    !get_number(reader, &start))
		return false;
	thread->instructions += executed;
	thread->start = branch_unzigzag(start, thread->start);
	return true;
}

static bool get_path(struct branch_reader *reader)
{
	struct branch_thread *thread = own_thread(reader);
	struct branch_path path = { 0 };
	int kind, length;
	uint64_t address, target;

	if (!thread)
		return false;
	kind = get_byte(reader);
	length = get_byte(reader);
	if (!get_number(reader, &path.instructions) ||
	    !get_number(reader, &address))
		return false;
	if (kind > BRANCH_RETURN || !length || length > BRANCH_MOST_LENGTH) {
		reader->wrong = "no such kind of branch, or length of an "
				"instruction";
		return false;
	}
	path.start = thread->start;
	path.process = thread->process;
	path.kind = (uint8_t)kind;
	path.length = (uint8_t)length;
	path.address = branch_unzigzag(address, path.start);
	if (kind < BRANCH_INDIRECT_JUMP) {
		if (!get_number(reader, &target))
			return false;
		path.target = branch_unzigzag(target, path.address);
	}
	branch_paths_put(&reader->paths, &path);
	return true;
}

static bool get_outcomes(struct branch_reader *reader)
{
	if (!get_number(reader, &reader->outcomes_left))
		return false;
	if (!reader->outcomes_left ||
	    reader->outcomes_left > BRANCH_MOST_OUTCOMES) {
		reader->wrong = "an impossible number of outcomes";
		return false;
	}
	reader->outcome_bits = 0;
	return true;
}

static bool get_end(struct branch_reader *reader)
{
	uint64_t branches;

	if (!get_number(reader, &branches) ||
	    !get_number(reader, &reader->instructions))
		return false;
	reader->ended = true;
	if (branches == reader->branches && branch_bytes_get(&reader->bytes) < 0)
		return !reader->bytes.failed;
	reader->wrong = "the end is not where it says";
	return false;
}

static bool get_item(struct branch_reader *reader)
{
	switch (get_byte(reader)) {
	case BRANCH_ITEM_END:
		return get_end(reader);
	case BRANCH_ITEM_THREAD:
		return get_thread(reader);
	case BRANCH_ITEM_JUMP:
		return get_jump(reader);
	case BRANCH_ITEM_PATH:
		return get_path(reader);
	case BRANCH_ITEM_OUTCOMES:
		return get_outcomes(reader);
	case -1:
		return false;
	default:
		reader->wrong = "no such item";
		return false;
	}
}

static bool get_outcome(struct branch_reader *reader, bool *outcome)
{
	if (!reader->outcome_bits) {
		int byte = get_byte(reader);

		if (byte < 0)
			return false;
		reader->outcome_byte = (uint8_t)byte;
		reader->outcome_bits = 8;
	}
	*outcome = reader->outcome_byte & 1;
	reader->outcome_byte >>= 1;
	reader->outcome_bits--;
	reader->outcomes_left--;
	return true;
}

/* Reads the target of a branch without a direct target. */
static bool get_next(struct branch_reader *reader, bool expected,
		     struct branch_thread *thread,
		     const struct branch_path *path, uint64_t *next)
{
	uint64_t target;

	if (expected) {
		*next = branch_expect(thread, path);
		return true;
	}
	if (reader->outcomes_left) {
		reader->wrong = "a target is missing";
		return false;
	}
	if (get_byte(reader) != BRANCH_ITEM_TARGET) {
		if (!reader->wrong)
			reader->wrong = "a target is missing";
		return false;
	}
	if (!get_number(reader, &target))
		return false;
	*next = reader->last_target =
		branch_unzigzag(target, reader->last_target);
	return true;
}

static bool get_branch(struct branch_reader *reader, struct branch_event *event)
{
	struct branch_thread *thread = own_thread(reader);
	struct branch_path *path =
		thread ? branch_paths_find(&reader->paths, thread->process,
					   thread->start)
		       : NULL;
	bool outcome;

	if (!path) {
		reader->wrong = "a branch that has not been described";
		return false;
	}
	if (!get_outcome(reader, &outcome))
		return false;
	*event = (struct branch_event){
		.branch = { path->address, path->target,
			    (enum branch_kind)path->kind },
		.behind = path->address + path->length,
		.instruction = thread->instructions + path->instructions,
		.process = thread->process,
		.thread = thread->thread,
		.taken = true,
		.next = path->target,
	};
	if (path->kind == BRANCH_CONDITIONAL)
		event->taken = outcome;
	if (!event->taken)
		event->next = event->behind;
	else if (path->kind >= BRANCH_INDIRECT_JUMP &&
		 !get_next(reader, outcome, thread, path, &event->next))
		return false;
	branch_went(thread, path, event->taken, event->next);
	reader->branches++;
	return true;
}

long branch_reader_read(struct branch_reader *reader,
			struct branch_event *events, size_t most,
			struct error *error)
{
	size_t count = 0;

	if (reader->cbp)
		return cbp_read(reader->cbp, events, most, error);
	while (count < most && !reader->ended) {
		bool branch = reader->outcomes_left;
		bool fine = branch ? get_branch(reader, &events[count])
				   : get_item(reader);

		if (!fine)
			return branch_bytes_error(&reader->bytes, error,
						  reader->wrong);
		count += branch;
	}
	return (long)count;
}

uint64_t branch_reader_instructions(const struct branch_reader *reader)
{
	return reader->cbp ? cbp_instructions(reader->cbp)
			   : reader->instructions;
}

/* Finds out the format. 0, or -1 and *error. */
static int look_at_format(struct branch_reader *reader, struct error *error)
{
	static const char magic[] = BRANCH_TRACE_MAGIC;
	struct branch_bytes *bytes = &reader->bytes;

	if (!branch_bytes_fill(bytes))
		return branch_bytes_error(bytes, error, "it is empty");
	if (bytes->size >= sizeof magic - 1 &&
	    !memcmp(bytes->buffer, magic, sizeof magic - 1)) {
		bytes->at = sizeof magic - 1;
		return 0;
	}
	if (bytes->size >= 12 && !memcmp(bytes->buffer, magic, 12))
		return error_set(error, "%s: a branch trace of another version "
				 "of m2s", bytes->path);
	reader->cbp = cbp_create(bytes);
	return 0;
}

struct branch_reader *branch_reader_open(const char *path, struct error *error)
{
	struct branch_reader *reader = xcalloc(1, sizeof *reader);

	if (branch_bytes_open(&reader->bytes, path, error) ||
	    look_at_format(reader, error)) {
		branch_reader_free(reader);
		return NULL;
	}
	return reader;
}

void branch_reader_free(struct branch_reader *reader)
{
	if (!reader)
		return;
	cbp_free(reader->cbp);
	branch_bytes_close(&reader->bytes);
	free(reader->threads.list);
	branch_paths_clear(&reader->paths);
	free(reader);
}
