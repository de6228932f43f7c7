/* Writes AMD's binary container around machine code, for the reader's tests. */
#ifndef M2S_TESTS_EVERGREEN_CAL_WRITER_H
#define M2S_TESTS_EVERGREEN_CAL_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "evergreen/kernel/kernel.h"

struct cal_data {
	unsigned number;
	const void *bytes; /* NULL ends a list */
	size_t size;
};

struct cal_kernel {
	const char *name;
	const char *metadata;     /* the whole text */
	const uint8_t *code;
	uint32_t code_size;
	uint32_t registers, stack, argument_constants;
	uint32_t encoding;        /* of the code in the dictionary: 9 Cypress */
	/* Loop and boolean constants; NULL: no notes and no .data. */
	const struct evg_flow_constants *flow;
	/* Constant data of the file, given with any kernel; NULL: none. */
	const struct cal_data *data;
};

/* One file with `count` kernels for a device (0x3f1 Cypress); to be freed with
 * free(). */
uint8_t *cal_write(const struct cal_kernel *kernels, unsigned count,
		   uint16_t machine, size_t *size);

#endif
