/* The container of a checkpoint: a header and sections.
 *
 *	offset size  header
 *	     0    8  "m2s-ckpt"
 *	     8    4  version of the format (CHECKPOINT_VERSION)
 *	    12    4  byte order: 0x01020304 as the machine writes it
 *	    16    4  CRC-32 of the list of all fields (checkpoint/fields.def):
 *	             versions of m2s with other fields refuse each other's
 *	    20    4  0
 *	    24    8  length of the whole file
 *	    32   28  version of m2s that wrote it, zero-terminated
 *	    60    4  CRC-32 of the bytes before
 *
 *	offset size  section
 *	     0    4  tag
 *	     4    4  CRC-32 of the stored bytes
 *	     8    8  stored bytes, which follow the section's header
 *	    16    8  bytes of the content when decompressed (zlib)
 *	    24    4  0
 *	    28    4  CRC-32 of the bytes before
 *
 * A file is written under a temporary name and renamed when it is whole
 * (base/output.h). */
#ifndef M2S_X86_LINUX_CHECKPOINT_FILE_H
#define M2S_X86_LINUX_CHECKPOINT_FILE_H

#include "base/output.h"
#include "x86/linux/checkpoint/archive.h"

enum { CHECKPOINT_VERSION = 1 };

struct checkpoint_writer {
	struct archive archive; /* the section being filled */
	struct output output;
	const char *path;
	/* Receives the sections: the output, or if the output is a pipe,. */
	int file;
	int memory;             /* a file in memory; else -1 */
	uint64_t written;
	uint8_t *stored;        /* buffer for compressed bytes */
	size_t stored_capacity;
	uint32_t layout;
};

/* Creates the file. 0, or -1 and *error. After success the caller must call
 * writer_close(). */
int writer_open(struct checkpoint_writer *writer, const char *path,
		uint32_t layout, struct error *error);
/* Empties the archive for the next section. */
void writer_begin(struct checkpoint_writer *writer, const char *tag);
/* Writes the section. -1 and *error when it cannot be written, or when filling
 * it has failed. */
int writer_end(struct checkpoint_writer *writer);
/* Closes the file. With `keep` the file gets its name; else it is removed. 0,
 * or -1 and *error. */
int writer_close(struct checkpoint_writer *writer, bool keep);

struct checkpoint_reader {
	struct archive archive; /* the section being read */
	const uint8_t *bytes;
	uint64_t size, at;
	bool unchecked;         /* checksums are not compared */
};

/* Checks the header; `bytes` must outlive the reader. 0, or -1 and *error. */
int reader_open(struct checkpoint_reader *reader, const uint8_t *bytes,
		uint64_t size, uint32_t layout, bool unchecked,
		struct error *error);
/* The tag of the next section; "" at the end of the file. */
const char *reader_peek(struct checkpoint_reader *reader, char tag[5]);
/* Reads the next section, which must have this tag, into the archive. 0, or -1
 * and *error. */
int reader_next(struct checkpoint_reader *reader, const char *tag);
void reader_close(struct checkpoint_reader *reader);

#endif
