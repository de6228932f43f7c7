/* A compressed file as a stream of bytes. Internal to x86/timing/branches. */
#ifndef M2S_X86_TIMING_BRANCHES_BYTES_H
#define M2S_X86_TIMING_BRANCHES_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

#include "base/error.h"

struct branch_bytes {
	char *path;
	FILE *stream;
	z_stream zip;
	uint64_t before;   /* uncompressed bytes before the buffer */
	size_t at, size;
	bool ended, failed; /* `failed`: `why` is set */
	struct error why;
	uint8_t buffer[1 << 16], zipped[1 << 16];
};

int branch_bytes_open(struct branch_bytes *bytes, const char *path,
		      struct error *error);
void branch_bytes_close(struct branch_bytes *bytes);
/* Reads more of the file into the buffer, which has been used up. False at the
 * end or, with `failed` set, where the file is damaged or cut off. */
bool branch_bytes_fill(struct branch_bytes *bytes);
/* Sets the error "file: byte N (uncompressed): message", or keeps the file's
 * earlier error. Returns -1. */
int branch_bytes_error(const struct branch_bytes *bytes, struct error *error,
		       const char *message);

/* Reads the next byte. -1 at the end, or when the file is damaged. */
static inline int branch_bytes_get(struct branch_bytes *bytes)
{
	if (bytes->at == bytes->size && !branch_bytes_fill(bytes))
		return -1;
	return bytes->buffer[bytes->at++];
}

#endif
