#include "x86/timing/branches/writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/timing/branches/format.h"

enum {
	BUFFER = 1 << 16,
	LEVEL = 1,    /* of compression: what is left is hard to compress */
	GZIP = 15 + 16, /* zlib's word for the largest window, in gzip format */
	RECENT = 1 << 12,
};


struct branch_writer {
	FILE *stream;
	z_stream zip;
	size_t size;
	uint8_t buffer[BUFFER], zipped[BUFFER];
	uint8_t outcomes[BRANCH_MOST_OUTCOMES / 8];
	unsigned outcome_count;
	uint64_t branches, last_target;
	struct branch_threads threads;
	size_t thread; /* that the last item was of */
	size_t entered;
	struct branch_paths paths;
	uint32_t recent[RECENT]; /* by start: where in the list */
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

/* Ends the outcomes that have been collected. */
static void put_outcomes(struct branch_writer *writer)
{
	unsigned count = writer->outcome_count;

	if (!count)
		return;
	put_byte(writer, BRANCH_ITEM_OUTCOMES);
	put_number(writer, count);
	for (unsigned i = 0; i < (count + 7) / 8; i++)
		put_byte(writer, writer->outcomes[i]);
	memset(writer->outcomes, 0, (count + 7) / 8);
	writer->outcome_count = 0;
}

static void put_item(struct branch_writer *writer, enum branch_item item)
{
	put_outcomes(writer);
	put_byte(writer, (uint8_t)item);
}

static void put_bit(struct branch_writer *writer, bool bit)
{
	unsigned at = writer->outcome_count++;

	writer->outcomes[at / 8] |= (uint8_t)(bit << at % 8);
	if (writer->outcome_count == BRANCH_MOST_OUTCOMES)
		put_outcomes(writer);
}

static void choose_thread(struct branch_writer *writer)
{
	const struct branch_thread *thread =
		&writer->threads.list[writer->entered];

	if (writer->thread == writer->entered)
		return;
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
	choose_thread(writer);
	put_item(writer, BRANCH_ITEM_JUMP);
	put_number(writer, executed);
	put_number(writer, branch_zigzag(address, own->start));
	own->instructions += executed;
	own->start = address;
}

static bool is_same(const struct branch_path *path,
		    const struct branch_step *step)
{
	return path->address == step->branch.address &&
	       path->target == step->branch.target &&
	       path->kind == step->branch.kind &&
	       path->length == step->length &&
	       path->instructions == step->instructions;
}

static struct branch_path *find_path(struct branch_writer *writer,
				     const struct branch_thread *thread)
{
	uint64_t start = thread->start;
	uint32_t *recent = &writer->recent[(start ^ start >> 12) % RECENT];
	struct branch_path *path;

	if (*recent < writer->paths.count) {
		path = &writer->paths.list[*recent];
		if (path->start == start && path->process == thread->process)
			return path;
	}
	path = branch_paths_find(&writer->paths, thread->process, start);
	if (path)
		*recent = (uint32_t)(path - writer->paths.list);
	return path;
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

	put_item(writer, BRANCH_ITEM_PATH);
	put_byte(writer, path.kind);
	put_byte(writer, path.length);
	put_number(writer, path.instructions);
	put_number(writer, branch_zigzag(path.address, path.start));
	if (path.kind < BRANCH_INDIRECT_JUMP)
		put_number(writer, branch_zigzag(path.target, path.address));
	return branch_paths_put(&writer->paths, &path);
}

void branch_writer_add(struct branch_writer *writer,
		       const struct branch_step *step)
{
	struct branch_thread *thread = &writer->threads.list[writer->entered];
	struct branch_path *path;
	bool expected = step->taken;

	choose_thread(writer);
	path = find_path(writer, thread);
	if (!path || !is_same(path, step))
		path = new_path(writer, thread, step);
	if (path->kind >= BRANCH_INDIRECT_JUMP)
		expected = branch_expect(thread, path) == step->next;
	put_bit(writer, expected);
	if (path->kind >= BRANCH_INDIRECT_JUMP && !expected) {
		put_item(writer, BRANCH_ITEM_TARGET);
		put_number(writer,
			   branch_zigzag(step->next, writer->last_target));
		writer->last_target = step->next;
	}
	branch_went(thread, path, step->taken, step->next);
	writer->branches++;
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
