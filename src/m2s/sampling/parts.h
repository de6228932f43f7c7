/* Parts of a program that are simulated in detail, each from a checkpoint of its own:
 * one functional run saves them (--x86-save-parts), others simulate one each
 * (--x86-load-part), beside each other or again with another machine. The file
 * PREFIX.parts between them is text:
 *
 *	m2s-parts 1
 *	kind sample
 *	length 1000
 *	instructions 40123456
 *	part 12996488 13996488 13998488 1
 *	...
 *
 * What chose the parts (sample or phases), the instructions that are measured of each,
 * and those of the whole run. Of each part, all counted from the program's start: the
 * instruction of its checkpoint, which is in PREFIX.N.ckpt, N from 0 on; the first one
 * that is simulated in detail; the first one that is measured; and the number of
 * intervals for which the part stands. */
#ifndef M2S_M2S_SAMPLING_PARTS_H
#define M2S_M2S_SAMPLING_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "m2s/sampling/plan.h"
#include "stats/stats.h"

struct sampling_part {
	uint64_t checkpoint, begin, start, intervals;
};

/* The part with this number, counted from 0. False: the plan has no more. The plan
 * warms by a number of instructions, and knows no markers. */
bool sampling_part_of(const struct sampling_plan *plan, uint64_t number,
		      struct sampling_part *part);

/* The head of a file, and one row. The length that is measured of each part. */
uint64_t sampling_parts_write(const struct sampling_plan *plan,
			      uint64_t instructions, FILE *stream);
void sampling_part_write(const struct sampling_part *part, FILE *stream);

/* One part of a file. */
struct sampling_loaded {
	char *file;        /* PREFIX.parts */
	char *checkpoint;  /* PREFIX.N.ckpt */
	struct sampling_part part;
	uint64_t number, count, length, instructions;
	bool phases;
};

/* Reads "PREFIX:N"; the caller calls sampling_loaded_free(). NULL and *error. */
struct sampling_loaded *sampling_part_read(const char *text,
					   struct error *error);
void sampling_loaded_free(struct sampling_loaded *loaded); /* may be NULL */
/* The checkpoint has been loaded, and is at this instruction. -1 and *error if the
 * part's is another. */
int sampling_part_check(const struct sampling_loaded *loaded,
			uint64_t instructions, struct error *error);
/* What is simulated behind the checkpoint. */
void sampling_part_plan(const struct sampling_loaded *loaded,
			struct sampling_plan *plan);
/* The instruction, counted from the program's start, at which the run ends. */
uint64_t sampling_part_end(const struct sampling_loaded *loaded);
/* Section "Part" of the x86 report. */
void sampling_part_register(const struct sampling_loaded *count,
			    struct stats *stats);

#endif
