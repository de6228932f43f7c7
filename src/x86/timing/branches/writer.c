#include "x86/timing/branches/writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/timing/branches/format.h"

enum {
	BUFFER = 1 << 16,
	/* of compression; the data left to compress are nearly random */
	LEVEL = 1,
	GZIP = 15 + 16, /* zlib's word for the largest window, in gzip format */
};


struct branch_writer {
	FILE *stream;
	z_stream zip;
	size_t size;
	uint8_t buffer[BUFFER], zipped[BUFFER];
	uint64_t outcomes[BRANCH_MOST_OUTCOMES / 64];
	unsigned outcome_count;
	uint64_t word; /* the newest outcomes, less than a word */
	uint64_t branches, last_target, described;
	struct branch_threads threads;
	size_t thread; /* thread of the last item */
	size_t entered;
	struct branch_paths paths;
};

struct branch_writer *branch_writer_create(FILE *stream)
{
	struct branch_writer *writer = xcalloc(1, sizeof *writer);

	writer->stream = stream;
	writer->thread = SIZE_MAX;
	if (deflateInit2(&writer->zip, LEVEL, Z_DEFLATED, GZIP, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		abort(); /* no memory */
	memcpy(writer->buffer, BRANCH_TRACE_MAGIC,
	       sizeof BRANCH_TRACE_MAGIC - 1);
	writer->size = sizeof BRANCH_TRACE_MAGIC - 1;
	return writer;
}

static void compress_buffer(struct branch_writer *writer, int flush)
{
	writer->zip.next_in = writer->buffer;
	writer->zip.avail_in = (uInt)writer->size;
	do {
		writer->zip.next_out = writer->zipped;
		writer->zip.avail_out = BUFFER;
		deflate(&writer->zip, flush);
		fwrite(writer->zipped, 1, BUFFER - writer->zip.avail_out,
		       writer->stream);
	} while (!writer->zip.avail_out);
	writer->size = 0;
}

static void put_byte(struct branch_writer *writer, uint8_t byte)
{
	writer->buffer[writer->size++] = byte;
	if (writer->size == BUFFER)
		compress_buffer(writer, Z_NO_FLUSH);
}

static void put_number(struct branch_writer *writer, uint64_t number)
{
	for (; number > 127; number >>= 7)
		put_byte(writer, (uint8_t)(number | 128));
	put_byte(writer, (uint8_t)number);
}

/* Writes the collected outcomes. */
static void put_outcomes(struct branch_writer *writer)
{
	unsigned count = writer->outcome_count;

	if (!count)
		return;
	put_byte(writer, BRANCH_ITEM_OUTCOMES);
	put_number(writer, count);
	if (count % 64)
		writer->outcomes[count / 64] = writer->word;
	for (unsigned i = 0; i < (count + 7) / 8; i++)
		put_byte(writer,
			 (uint8_t)(writer->outcomes[i / 8] >> i % 8 * 8));
	writer->word = 0;
	writer->outcome_count = 0;
}

static void put_item(struct branch_writer *writer, enum branch_item item)
{
	put_outcomes(writer);
	put_byte(writer, (uint8_t)item);
}

static void end_word(struct branch_writer *writer)
{
	writer->outcomes[writer->outcome_count / 64 - 1] = writer->word;
	writer->word = 0;
	if (writer->outcome_count == BRANCH_MOST_OUTCOMES)
		put_outcomes(writer);
}

static inline void put_bit(struct branch_writer *writer, bool bit)
{
	unsigned at = writer->outcome_count++;

	writer->word |= (uint64_t)bit << at % 64;
	if (at % 64 == 63)
		end_word(writer);
}

static void choose_thread(struct branch_writer *writer)
{
	const struct branch_thread *thread =
		&writer->threads.list[writer->entered];

	writer->thread = writer->entered;
	put_item(writer, BRANCH_ITEM_THREAD);
	put_number(writer, thread->process);
	put_number(writer, thread->thread);
}

void branch_writer_switch(struct branch_writer *writer, uint32_t process,
			  uint32_t thread)
{
	writer->entered =
		branch_threads_find(&writer->threads, process, thread);
}

void branch_writer_enter(struct branch_writer *writer, uint32_t process,
			 uint32_t thread, uint64_t address, uint64_t executed)
{
	struct branch_thread *own;

	branch_writer_switch(writer, process, thread);
	own = &writer->threads.list[writer->entered];
	if (writer->thread != writer->entered)
		choose_thread(writer);
	put_item(writer, BRANCH_ITEM_JUMP);
	put_number(writer, executed);
	put_number(writer, branch_zigzag(address, own->start));
	own->instructions += executed;
	own->start = address;
}

static inline bool is_same(const struct branch_path *path,
			   const struct branch_step *step)
{
	return path->address == step->branch.address &&
	       path->target == step->branch.target &&
	       path->kind == step->branch.kind &&
	       path->length == step->length &&
	       path->instructions == step->instructions;
}

static struct branch_path *new_path(struct branch_writer *writer,
				    const struct branch_thread *thread,
				    const struct branch_step *step)
{
	struct branch_path path = {
		.start = thread->start,
		.address = step->branch.address,
		.target = step->branch.target,
		.instructions = step->instructions,
		.process = thread->process,
		.kind = (uint8_t)step->branch.kind,
		.length = step->length,
	};

	writer->described++;
	put_item(writer, BRANCH_ITEM_PATH);
	put_byte(writer, path.kind);
	put_byte(writer, path.length);
	put_number(writer, path.instructions);
	put_number(writer, branch_zigzag(path.address, path.start));
	if (path.kind < BRANCH_INDIRECT_JUMP)
		put_number(writer, branch_zigzag(path.target, path.address));
	return branch_paths_put(&writer->paths, &path);
}

/* The path of a branch. Describes the path if it is new. */
static struct branch_path *find_path(struct branch_writer *writer,
				     const struct branch_thread *thread,
				     const struct branch_step *step)
{
	struct branch_path *path = branch_paths_find(
		&writer->paths, thread->process, thread->start);

	return path && is_same(path, step) ? path
					   : new_path(writer, thread, step);
}

static void put_target(struct branch_writer *writer, uint64_t target)
{
	put_item(writer, BRANCH_ITEM_TARGET);
	put_number(writer, branch_zigzag(target, writer->last_target));
	writer->last_target = target;
}

void branch_writer_add(struct branch_writer *writer,
		       const struct branch_step *step, struct branch_hint *hint)
{
	struct branch_thread *thread = &writer->threads.list[writer->entered];
	struct branch_path *path = writer->paths.list + hint->path - 1;

	if (writer->thread != writer->entered)
		choose_thread(writer);
	if (hint->path - 1 >= writer->paths.count ||
	    path->start != thread->start || path->process != thread->process ||
	    !is_same(path, step)) {
		path = find_path(writer, thread, step);
		hint->path = (uint32_t)(path - writer->paths.list) + 1;
	}
	writer->branches++;
	if (path->kind < BRANCH_CALL) {
		put_bit(writer, step->taken);
		thread->instructions += path->instructions;
		thread->start = step->next;
		return;
	}
	if (path->kind < BRANCH_INDIRECT_JUMP ||
	    branch_expect(thread, path) == step->next) {
		put_bit(writer, true);
	} else {
		put_bit(writer, false);
		put_target(writer, step->next);
	}
	branch_went(thread, path, step->taken, step->next);
}

uint64_t branch_writer_described(const struct branch_writer *writer)
{
	return writer->described;
}

void branch_writer_add_known(struct branch_writer *writer, uint64_t taken,
			     unsigned count, uint64_t instructions,
			     uint64_t next)
{
	struct branch_thread *thread = &writer->threads.list[writer->entered];

	if (!count)
		return;
	if (writer->thread != writer->entered)
		choose_thread(writer);
	writer->branches += count;
	thread->instructions += instructions;
	thread->start = next;
	while (count) {
		unsigned at = writer->outcome_count % 64;
		unsigned some = count < 64 - at ? count : 64 - at;

		writer->word |= (some < 64 ? taken & ((1ull << some) - 1)
					   : taken) << at;
		taken = some < 64 ? taken >> some : 0;
		count -= some;
		writer->outcome_count += some;
		if (at + some == 64)
			end_word(writer);
	}
}

void branch_writer_end(struct branch_writer *writer, uint64_t instructions)
{
	put_item(writer, BRANCH_ITEM_END);
	put_number(writer, writer->branches);
	put_number(writer, instructions);
	compress_buffer(writer, Z_FINISH);
}

void branch_writer_free(struct branch_writer *writer)
{
	if (!writer)
		return;
	deflateEnd(&writer->zip);
	free(writer->threads.list);
	branch_paths_clear(&writer->paths);
	free(writer);
}
