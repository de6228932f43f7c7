#include "x86/linux/checkpoint/file.h"

#include "base/memory.h"
#include "config.h"
#include "x86/linux/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include <zlib.h>

#define MAGIC "m2s-ckpt"
#define BYTE_ORDER_MARK UINT32_C(0x01020304)

struct file_header {
	char magic[8];
	uint32_t version, byte_order, layout, zero;
	uint64_t length;
	char made_by[28];
	uint32_t sum;
};
_Static_assert(sizeof(struct file_header) == 64, "as the comment says");

struct section_header {
	char tag[4];
	uint32_t stored_sum;
	uint64_t stored, content;
	uint32_t zero, sum;
};
_Static_assert(sizeof(struct section_header) == 32, "as the comment says");

/* deflate cannot do better than 1032:1. */
enum { DEFLATE_BEST = 1032 };

static uint32_t sum_of(const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(0, bytes, size);
}

/* ---- Writing ---- */

static int write_all(struct checkpoint_writer *writer, const void *bytes,
		     size_t size, off_t at)
{
	const uint8_t *from = bytes;

	while (size) {
		ssize_t done = pwrite(writer->file, from, size, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return error_set(writer->archive.error,
					 "%s: cannot write the checkpoint: %s",
					 writer->path,
					 strerror(done < 0 ? errno : ENOSPC));
		from += done;
		size -= (size_t)done;
		at += done;
	}
	return 0;
}

int writer_open(struct checkpoint_writer *writer, const char *path,
		uint32_t layout, struct error *error)
{
	*writer = (struct checkpoint_writer){
		.path = path, .layout = layout,
		.archive.error = error,
		.written = sizeof(struct file_header),
		.memory = -1,
	};
	if (output_open(&writer->output, path, NULL, error))
		return -1;
	writer->file = fileno(writer->output.stream);
	/* The header is written last. */
	if (lseek(writer->file, 0, SEEK_CUR) < 0)
		writer->file = writer->memory =
			memfd_create("checkpoint", MFD_CLOEXEC);
	if (writer->file >= 0)
		return 0;
	error_set(error, "%s: cannot write the checkpoint: %s", path,
		  strerror(errno));
	return output_close(&writer->output, -1, NULL);
}

/* Writes the sections that were collected in memory, because the output is a
 * pipe. */
static int write_out(struct checkpoint_writer *writer)
{
	off_t at = 0;

	while (at < (off_t)writer->written) {
		ssize_t done = sendfile(fileno(writer->output.stream),
					writer->memory, &at,
					writer->written - (uint64_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return error_set(writer->archive.error,
					 "%s: cannot write the checkpoint: %s",
					 writer->path, strerror(errno));
	}
	return 0;
}

void writer_begin(struct checkpoint_writer *writer, const char *tag)
{
	struct archive *archive = &writer->archive;

	archive->size = archive->at = 0;
	snprintf(archive->section, sizeof archive->section, "%s", tag);
}

int writer_end(struct checkpoint_writer *writer)
{
	struct archive *archive = &writer->archive;
	struct section_header header = { .content = archive->size };
	uLongf stored = compressBound((uLong)archive->size);

	if (archive->failed)
		return -1;
	if (stored > writer->stored_capacity) {
		writer->stored_capacity = stored;
		writer->stored = xrealloc(writer->stored, stored);
	}
	if (compress2(writer->stored, &stored,
		      archive->size ? archive->bytes : (const uint8_t *)"",
		      (uLong)archive->size, Z_BEST_SPEED) != Z_OK)
		return error_set(archive->error, "%s: zlib cannot compress a "
				 "section of %zu bytes", writer->path,
				 archive->size);
	memcpy(header.tag, archive->section, sizeof header.tag);
	header.stored = stored;
	header.stored_sum = sum_of(writer->stored, stored);
	header.sum = sum_of(&header, offsetof(struct section_header, sum));
	if (write_all(writer, &header, sizeof header,
		      (off_t)writer->written) ||
	    write_all(writer, writer->stored, stored,
		      (off_t)(writer->written + sizeof header)))
		return -1;
	writer->written += sizeof header + stored;
	return 0;
}

static int finish_file(struct checkpoint_writer *writer)
{
	struct file_header header = {
		.magic = MAGIC, .version = CHECKPOINT_VERSION,
		.byte_order = BYTE_ORDER_MARK, .layout = writer->layout,
		.length = writer->written, .made_by = PACKAGE_VERSION,
	};

	header.sum = sum_of(&header, offsetof(struct file_header, sum));
	if (write_all(writer, &header, sizeof header, 0))
		return -1;
	/* The name must not lead to a file that a crash leaves empty. */
	if (fsync(writer->file) != 0 && errno != EINVAL && errno != EROFS)
		return error_set(writer->archive.error, "%s: cannot write the "
				 "checkpoint: %s", writer->path,
				 strerror(errno));
	return writer->memory < 0 ? 0 : write_out(writer);
}

int writer_close(struct checkpoint_writer *writer, bool keep)
{
	int result = keep && !writer->archive.failed ? finish_file(writer) : -1;

	if (writer->memory >= 0)
		close(writer->memory);
	result = output_close(&writer->output, result, writer->archive.error);
	free(writer->stored);
	archive_free(&writer->archive);
	return result;
}

/* ---- Reading ---- */

int reader_open(struct checkpoint_reader *reader, const uint8_t *bytes,
		uint64_t size, uint32_t layout, bool unchecked,
		struct error *error)
{
	struct file_header header;
	uint32_t sum;

	*reader = (struct checkpoint_reader){
		.bytes = bytes, .size = size, .at = sizeof header,
		.unchecked = unchecked,
		.archive = { .loading = true, .error = error },
	};
	if (size < sizeof header.magic || memcmp(bytes, MAGIC, 8))
		return error_set(error, "this is not a checkpoint: it does "
				 "not begin with \"" MAGIC "\"");
	if (size < sizeof header)
		return error_set(error, "the checkpoint is truncated: it has "
				 "%" PRIu64 " bytes, its header alone takes "
				 "%zu", size, sizeof header);
	memcpy(&header, bytes, sizeof header);
	if (header.version != CHECKPOINT_VERSION &&
	    header.version != __builtin_bswap32(CHECKPOINT_VERSION))
		return error_set(error, "the format of the checkpoint is "
				 "version %" PRIu32 ", expected version %d: "
				 "load it with the m2s that wrote it",
				 header.version, CHECKPOINT_VERSION);
	if (header.byte_order != BYTE_ORDER_MARK)
		return error_set(error, "the byte order mark of the "
				 "checkpoint is 0x%08" PRIx32 ", expected "
				 "0x%08" PRIx32 ": it was written on another "
				 "kind of machine", header.byte_order,
				 BYTE_ORDER_MARK);
	sum = sum_of(&header, offsetof(struct file_header, sum));
	if (sum != header.sum && !unchecked)
		return error_set(error, "the header of the checkpoint is "
				 "damaged: its checksum is 0x%08" PRIx32
				 ", expected 0x%08" PRIx32, sum, header.sum);
	header.made_by[sizeof header.made_by - 1] = 0;
	if (header.layout != layout && !unchecked)
		return error_set(error, "the checkpoint was written by another "
					"m2s (%s), whose state has other "
					"fields: load it with that m2s",
				 header.made_by);
	if (header.length != size && !unchecked)
		return error_set(error, "the checkpoint has %" PRIu64
				 " bytes, expected %" PRIu64 ": it is %s",
				 size, header.length,
				 size < header.length
					 ? "truncated"
					 : "followed by something else");
	return 0;
}

const char *reader_peek(struct checkpoint_reader *reader, char tag[5])
{
	tag[0] = tag[4] = 0;
	if (reader->size - reader->at >= sizeof(struct section_header))
		memcpy(tag, reader->bytes + reader->at, 4);
	return tag;
}

/* Decompresses exactly header->content bytes. */
static int expand(struct checkpoint_reader *reader,
		  const struct section_header *header)
{
	struct archive *archive = &reader->archive;
	const uint8_t *from = reader->bytes + reader->at;
	uLongf size = (uLongf)header->content;
	uLong stored = (uLong)header->stored;
	int result;

	if (archive->capacity < header->content + 1) {
		archive->capacity = (size_t)header->content + 1;
		free(archive->bytes);
		archive->bytes = xmalloc(archive->capacity);
	}
	result = uncompress2(archive->bytes, &size, from, &stored);
	if (result != Z_OK || size != header->content ||
	    stored != header->stored)
		return error_set(archive->error, "section %s at byte %" PRIu64
				 " does not decompress into %" PRIu64
				 " bytes: the checkpoint is damaged",
				 archive->section, reader->at,
				 header->content);
	archive->size = size;
	return 0;
}

int reader_next(struct checkpoint_reader *reader, const char *tag)
{
	struct archive *archive = &reader->archive;
	struct section_header header;
	uint64_t left = reader->size - reader->at;
	uint32_t sum;
	int result;

	snprintf(archive->section, sizeof archive->section, "%s", tag);
	archive->size = archive->at = 0;
	if (archive->failed)
		return -1;
	if (left < sizeof header)
		return error_set(archive->error, "the checkpoint ends at byte "
				 "%" PRIu64 ", expected section %s",
				 reader->size, tag);
	memcpy(&header, reader->bytes + reader->at, sizeof header);
	sum = sum_of(&header, offsetof(struct section_header, sum));
	if (sum != header.sum && !reader->unchecked)
		return error_set(archive->error, "the header of section %s at "
				 "byte %" PRIu64 " is damaged: its checksum "
				 "is 0x%08" PRIx32 ", expected 0x%08" PRIx32,
				 tag, reader->at, sum, header.sum);
	if (memcmp(header.tag, tag, sizeof header.tag))
		return error_set(archive->error, "section %.4s at byte %"
				 PRIu64 ", expected section %s", header.tag,
				 reader->at, tag);
	left -= sizeof header;
	if (header.stored > left)
		return error_set(archive->error, "section %s at byte %" PRIu64
				 " has %" PRIu64 " bytes, but only %" PRIu64
				 " follow", tag, reader->at, header.stored,
				 left);
	if (header.content / DEFLATE_BEST > header.stored)
		return error_set(archive->error, "section %s at byte %" PRIu64
						 ": its %" PRIu64 " bytes "
						 "cannot decompress into %"
						 PRIu64 ": the checkpoint is "
						 "damaged", tag, reader->at,
				 header.stored, header.content);
	reader->at += sizeof header;
	sum = sum_of(reader->bytes + reader->at, header.stored);
	if (sum != header.stored_sum && !reader->unchecked)
		return error_set(archive->error, "section %s at byte %" PRIu64
				 " is damaged: its checksum is 0x%08" PRIx32
				 ", expected 0x%08" PRIx32, tag, reader->at,
				 sum, header.stored_sum);
	result = expand(reader, &header);
	reader->at += header.stored;
	return result;
}

void reader_close(struct checkpoint_reader *reader)
{
	archive_free(&reader->archive);
}
