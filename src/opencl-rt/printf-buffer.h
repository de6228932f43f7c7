/* The output of a kernel's printf in device memory.
 *
 * The buffer, whose address the driver passes behind the kernel's arguments,
 * is an array of dwords:
 *
 *	0  dwords of records that kernels wanted to write so far (atomic)
 *	1  dwords there is room for
 *	2  records ...
 *	   PRINTF_RECORD_MAX dwords more: whoever finds no room writes there
 *
 * A record is the dwords
 *
 *	0  length of the record in dwords
 *	1  address of the format, a string in the program's text
 *	2  work-group: x + groups.x * (y + groups.y * z)
 *	3  work-item in it, likewise
 *	4  for each argument: PRINTF_TAG, then its elements, each in as many
 *	   dwords as it fills, at least one (low dword first, zeros above)
 *
 * The records of one work-item lie in the order in which it wrote them. The
 * order among work-items is undefined. A string is its address. The buffer is
 * all zeros, except for dword 1, when a kernel starts. */
#ifndef M2S_OPENCL_RT_PRINTF_BUFFER_H
#define M2S_OPENCL_RT_PRINTF_BUFFER_H

#include <stdint.h>

enum {
	PRINTF_BUFFER_SIZE = 1 << 20, /* bytes of records */
	PRINTF_HEADER = 2,            /* dwords */
	PRINTF_RECORD_HEADER = 4,     /* dwords */
	PRINTF_RECORD_MAX = 1024,     /* dwords */
	/* In constant buffer 0, behind work_dim and the global offset. */
	PRINTF_ADDRESS_OFFSET = 16,
};

enum printf_kind {
	PRINTF_INTEGER,
	PRINTF_FLOAT,
	PRINTF_POINTER,
	/* A string's own bytes with a NUL in the last dword; kernels of AMD's
	 * compiler only. */
	PRINTF_TEXT,
};

/* bytes of an element: 1, 2, 4 or 8; count: 1 to 16 */
#define PRINTF_TAG(kind, bytes, count)                                         \
	((uint32_t)(kind) | (uint32_t)(bytes) << 8 | (uint32_t)(count) << 16)
#define PRINTF_TAG_KIND(tag) ((tag) & 0xff)
#define PRINTF_TAG_BYTES(tag) ((tag) >> 8 & 0xff)
#define PRINTF_TAG_COUNT(tag) ((tag) >> 16)

#endif
