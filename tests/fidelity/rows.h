/* What the rows of the fidelity table share. */
#ifndef M2S_TESTS_FIDELITY_ROWS_H
#define M2S_TESTS_FIDELITY_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "fidelity/device.h"

struct table;

/* What a row proves. An input repeats what the model was told: a figure that
 * its configuration contains, a rule fed with the model's own latency, or a row
 * that was in view when a parameter was chosen. An outcome is independent of
 * every parameter; an application is an outcome that is a whole kernel. Rows by
 * hand are kernels whose published code is not known, in our own assembly. */
enum kind_id { KIND_INPUT, KIND_OUTCOME, KIND_APPLICATION, KIND_HAND,
	       KIND_LIBRARY };

/* One line of a table. Both values are one number under one stated condition:
 * of a published range the value that its source gives for the best case, of
 * two for the same kernel the one in its table. `from`: of inputs, the parameter
 * or rule that tells it; else NULL. */
void table_row(struct table *table, enum kind_id kind, const char *quantity,
	       double published, const char *unit, const char *source,
	       const char *from, double simulated);
/* Whether rows whose name begins so are wanted: measuring them costs time. */
bool table_wants(const struct table *table, const char *group);
/* The same of one row, for those that take long. */
bool table_wants_row(const struct table *table, const char *quantity);
/* Whether rows that can be measured with less data should be, to see what a
 * change brings. */
bool table_is_short(const struct table *table);
const struct device_options *table_options(const struct table *table);

void rows_alu(struct table *table);
void rows_local(struct table *table);
void rows_occupancy(struct table *table);
void rows_copy(struct table *table);
void rows_cache(struct table *table);
void rows_texture(struct table *table);
void rows_atomic(struct table *table);
void rows_local_atomic(struct table *table);
void rows_histogram(struct table *table);
void rows_hiding(struct table *table);
void rows_gemm(struct table *table);
void rows_application(struct table *table);
void rows_hand(struct table *table);
void rows_gravity(struct table *table);
void rows_product(struct table *table);
void rows_product_double(struct table *table);
void rows_reduction(struct table *table);
void rows_fft(struct table *table);
void rows_stencil(struct table *table);
void rows_sort(struct table *table);
void rows_search(struct table *table);
void rows_chain(struct table *table);
void rows_double_double(struct table *table);
void rows_native(struct table *table);

/* Text of a kernel in the making; text_end gives the program. */
struct text {
	char *bytes;
	size_t size;
	FILE *file;
};

void text_begin(struct text *text);
void text_add(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
struct evg_program *text_end(struct text *text);

/* Cycles of a launch on a device of its own. */
uint64_t cycles_of(const struct table *table, const struct evg_config *config,
		   const struct launch *launch);
/* The same for a kernel without buffers, which is freed. All its code is there,
 * as that of a loop that has run before: rates are told by kernels of different
 * lengths. */
uint64_t cycles_of_code(const struct table *table, struct evg_program *program,
			uint32_t wavefronts, uint32_t local_memory);

/* Clocks of the device to units of the table. */
double gigabytes(const struct table *table, double bytes, double cycles);

#endif
