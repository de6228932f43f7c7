/* What went wrong, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/listing/listing.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/memory/memory.h"

/* A group's lines as one. */
static void one_line(char *text)
{
	char *to = text;
	bool blank = true;

	for (const char *from = text; *from; from++) {
		char c = *from;

		if (c == '\n' && from[1])
			c = ';';
		if (c == ';' && to > text && to[-1] == ' ')
			to--;
		if (c == ' ' || c == '\t' || c == '\n') {
			if (!blank)
				*to++ = ' ';
			blank = true;
			continue;
		}
		*to++ = c;
		blank = c == ';';
		if (blank)
			*to++ = ' ';
	}
	while (to > text && (to[-1] == ' ' || to[-1] == ';'))
		to--;
	*to = '\0';
}

/* "source:12: text: ", when the kernel has lines. */
static void source_line(const struct evg_kernel *kernel, uint32_t address,
			char *text, size_t size)
{
	const struct evg_lines *lines = kernel->program->lines;
	const struct evg_line_row *row =
		evg_lines_find(lines, kernel->code_offset + 8 * address);
	const char *file, *source;
	size_t length = 0;

	*text = '\0';
	if (!row)
		return;
	file = lines->files[row->file - 1];
	if (strrchr(file, '/'))
		file = strrchr(file, '/') + 1;
	source = evg_lines_source(lines, row->file, row->line, &length);
	for (; length && (*source == ' ' || *source == '\t'); length--)
		source++;
	snprintf(text, size, "%s:%" PRIu32 ": %.*s: ", file, row->line,
		 (int)(length < 100 ? length : 100), source ? source : "");
}

/* "kernel 'k': source:12: c[i] = a[i]: code address 0x12: text" of a static
 * instruction. */
static void write_place(const struct evg_wavefront *wavefront, uint32_t line,
			char *text, size_t size)
{
	const struct evg_ndrange *ndrange = wavefront->group->ndrange;
	const struct evg_kernel *kernel = ndrange->launch.kernel;
	uint32_t address = ndrange->code->lines[line].address;
	char instruction[512], source[200];

	evg_code_line_format(instruction, sizeof instruction,
			     &ndrange->code->lines[line]);
	one_line(instruction);
	source_line(kernel, address, source, sizeof source);
	snprintf(text, size, "kernel '%s': %scode address 0x%" PRIx32 ": %s",
		 kernel->name, source, address, instruction);
}

/* Static-instruction index of the one that faulted. */
static uint32_t fault_line(const struct evg_wavefront *wavefront)
{
	const struct evg_cf_plan *cf =
	    &wavefront->plan->cf[wavefront->progress.started];

	if (wavefront->fault.control)
		return cf->cf->line;
	if (cf->alu)
		return cf->alu->groups[wavefront->fault.group].code->line;
	if (cf->fetch_count)
		return cf->fetches[wavefront->progress.position - 1]
		    .fetch->line;
	return cf->cf->line;
}

/* Global id of a lane. */
static void work_item(const struct evg_wavefront *wavefront, unsigned lane,
		      uint32_t id[3])
{
	const struct evg_work_group *group = wavefront->group;
	const struct evg_launch *launch = &group->ndrange->launch;
	const uint32_t *local =
		group->ndrange->local_ids +
		3 * EVG_WAVEFRONT_SIZE * (size_t)wavefront->index + lane;

	for (int d = 0; d < 3; d++)
		id[d] = group->id[d] * launch->local_size[d] +
			local[d * EVG_WAVEFRONT_SIZE] +
			launch->global_offset[d];
}

static void name_argument(const struct evg_wavefront *wavefront, uint32_t index,
			  const char *before, char *text, size_t size)
{
	const struct evg_argument *argument =
		&wavefront->group->ndrange->launch.kernel->arguments[index];

	snprintf(text, size, "%sargument %" PRIu32 " '%s' (%s)", before, index,
		 argument->name, argument->type_name);
}

/* The argument, from 1, whose pointer the access was through, if the compiler
 * knew: " through argument 2 'c' (float*)". 0 and "": it did not. */
static uint32_t own_argument(const struct evg_wavefront *wavefront,
			     uint32_t line, char *text, size_t size)
{
	const struct evg_ndrange *ndrange = wavefront->group->ndrange;
	const struct evg_kernel *kernel = ndrange->launch.kernel;
	const struct evg_line_row *row = evg_lines_find(
		kernel->program->lines,
		kernel->code_offset + 8 * ndrange->code->lines[line].address);

	*text = '\0';
	if (!row || !row->argument || row->argument > kernel->argument_count)
		return 0;
	name_argument(wavefront, row->argument - 1, " through ", text, size);
	return row->argument;
}

/* Which argument points into the block that the address is in or near: ",
 * argument 2 'c' (float*)"; "" if it is number `own`, from 1. */
static void near_argument(const struct evg_wavefront *wavefront, uint32_t own,
			  char *text, size_t size)
{
	const struct evg_ndrange *ndrange = wavefront->group->ndrange;
	const struct evg_kernel *kernel = ndrange->launch.kernel;
	const struct evg_constants *constants =
		&ndrange->constants[kernel->program->convention ==
				     EVG_CONVENTION_CAL];
	uint32_t start, value;
	uint64_t end;

	*text = '\0';
	if (!evg_memory_nearest(wavefront->global.memory,
				wavefront->fault.address, &start, &end))
		return;
	for (uint32_t i = 0; i < kernel->argument_count; i++) {
		const struct evg_argument *row = &kernel->arguments[i];

		if (row->kind != EVG_ARGUMENT_POINTER || row->size != 4 ||
		    row->address_space == EVG_LOCAL ||
		    row->offset + sizeof value > constants->size)
			continue;
		memcpy(&value, constants->bytes + row->offset, sizeof value);
		if (value < start || value >= end)
			continue;
		if (i + 1 == own) {
			*text = '\0';
			return;
		}
		if (!*text)
			name_argument(wavefront, i, ", ", text, size);
	}
}

static void cause(const struct evg_wavefront *wavefront, uint32_t line,
		  char *text, size_t size)
{
	const struct evg_fault *fault = &wavefront->fault;
	char nearest[256], through[128], of[128];
	uint32_t own;

	switch (fault->kind) {
	case EVG_FAULT_READ:
	case EVG_FAULT_WRITE:
		evg_memory_describe(wavefront->global.memory, fault->address,
				    nearest, sizeof nearest);
		own = own_argument(wavefront, line, through, sizeof through);
		near_argument(wavefront, own, of, sizeof of);
		snprintf(text, size,
			 "%s of %" PRIu32 " bytes%s at global address 0x%08" PRIx32
			 " is not inside a block%s: %s%s",
			 fault->kind == EVG_FAULT_READ ? "read" : "write",
			 fault->bytes, through, fault->address,
			 fault->kind == EVG_FAULT_READ ? ""
						       : " that can be written",
			 nearest, of);
		break;
	case EVG_FAULT_LOCAL:
		snprintf(text, size,
			 "access of %" PRIu32 " bytes at local address "
			 "0x%" PRIx32 ": the work-group has %" PRIu32
			 " bytes of local memory",
			 fault->bytes, fault->address, wavefront->local.size);
		break;
	case EVG_FAULT_ALIGNMENT:
		snprintf(text, size,
			 "access of %" PRIu32 " bytes at local address "
			 "0x%" PRIx32 " is not aligned",
			 fault->bytes, fault->address);
		break;
	case EVG_FAULT_CONSTANT:
		snprintf(text, size,
			 "read of %" PRIu32 " bytes at 0x%" PRIx32
			 " of the kernel's arguments, which have %" PRIu32
			 " bytes",
			 fault->bytes, fault->address,
			 wavefront->buffers.constants[fault->bank].size);
		break;
	case EVG_FAULT_REGISTER:
		snprintf(text, size,
			 "relative index %" PRId32 " is not below %" PRIu32,
			 (int32_t)fault->address, fault->bytes);
		break;
	case EVG_FAULT_QUEUE:
		snprintf(text, size, "the LDS output queue is empty");
		break;
	case EVG_FAULT_STACK:
		snprintf(text, size, "the control-flow stack overflows: the "
			 "kernel declares %" PRIu32 " entries",
			 fault->bytes);
		break;
	case EVG_FAULT_TARGET:
		snprintf(text, size, "the jump table leads to address %" PRIu32
			 ", where no control-flow instruction begins",
			 fault->address);
		break;
	case EVG_FAULT_BANK:
		snprintf(text, size, "constant buffer %" PRIu32 ", which has "
			 "nothing bound to it", fault->address);
		break;
	case EVG_FAULT_UNBOUND:
		snprintf(text, size, "nothing is bound to %s %" PRIu32,
			 fault->text, fault->address);
		break;
	case EVG_FAULT_SCRATCH:
		snprintf(text, size,
			 "scratch dword %" PRIu32 " of a work-item: the kernel "
			 "has %" PRIu32 " bytes of scratch memory each",
			 fault->address, fault->bytes);
		break;
	case EVG_FAULT_GDS:
		snprintf(text, size,
			 "access of %" PRIu32 " bytes at GDS address 0x%" PRIx32
			 ": it is not aligned, or beyond the GDS's %d bytes",
			 fault->bytes, fault->address, EVG_GDS_SIZE);
		break;
	case EVG_FAULT_SYNC:
		snprintf(text, size, "resource %" PRIu32
			 ": expected a number below %d",
			 fault->address, EVG_SYNC_RESOURCES);
		break;
	case EVG_FAULT_TRAP:
	case EVG_FAULT_NONE:
		snprintf(text, size, "%s", fault->text ? fault->text : "");
		break;
	}
}

void evg_fault_describe(const struct evg_wavefront *wavefront, uint32_t line,
			char **place, char **text)
{
	const struct evg_fault *fault = &wavefront->fault;
	const uint32_t *group = wavefront->group->id;
	char where[800], why[512];
	uint32_t id[3];

	write_place(wavefront, line, where, sizeof where);
	cause(wavefront, line, why, sizeof why);
	work_item(wavefront, fault->lane, id);
	*place = xstrdup(where);
	*text = xasprintf("work-group (%" PRIu32 ", %" PRIu32 ", %" PRIu32
			  "), work-item (%" PRIu32 ", %" PRIu32 ", %" PRIu32
			  "): %s",
			  group[0], group[1], group[2], id[0], id[1], id[2],
			  why);
}

void evg_fault_report(const struct evg_wavefront *wavefront,
		      struct error *error)
{
	char *place, *text;

	evg_fault_describe(wavefront, fault_line(wavefront), &place, &text);
	error_set(error, "%s: %s", place, text);
	free(place);
	free(text);
}

void evg_fault_limit(const struct evg_wavefront *wavefront, uint64_t most,
		     struct error *error)
{
	const struct evg_work_group *group = wavefront->group;
	const struct evg_cf_plan *cf =
	    &wavefront->plan->cf[wavefront->progress.pc];
	char where[800];

	write_place(wavefront, cf->cf->line, where, sizeof where);
	error_set(error,
		  "%s: work-group (%" PRIu32 ", %" PRIu32 ", %" PRIu32
		  ") has not ended after %" PRIu64 " wavefront instructions, "
		  "the most that it may execute (--evg-max-group-inst; 0: no "
		  "limit)",
		  where, group->id[0], group->id[1], group->id[2], most);
}

void evg_fault_barrier(const struct evg_wavefront *waiting,
		       const struct evg_wavefront *ended, struct error *error)
{
	const struct evg_work_group *group = waiting->group;
	char where[800];

	write_place(waiting, waiting->progress.barrier_line, where,
		    sizeof where);
	error_set(error,
		  "%s: barrier that not every wavefront reaches: in work-group "
		  "(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") wavefront %" PRIu32
		  " waits and wavefront %" PRIu32 " has ended",
		  where, group->id[0], group->id[1], group->id[2],
		  waiting->index, ended->index);
}

void evg_fault_sync(const struct evg_ndrange *ndrange, uint64_t done,
		    uint64_t resident, struct error *error)
{
	for (unsigned n = 0; n < EVG_SYNC_RESOURCES; n++) {
		const struct evg_sync_resource *resource =
			&ndrange->sync.resources[n];
		const struct evg_wavefront *first =
			resource->barrier.first ? resource->barrier.first
						: resource->semaphore.first;
		uint64_t left = ndrange->group_count - done - resident;
		char where[800];

		if (!first)
			continue;
		write_place(first, first->progress.barrier_line, where,
			    sizeof where);
		error_set(error,
			  "%s: in work-group (%" PRIu32 ", %" PRIu32
			  ", %" PRIu32 ") wavefront %" PRIu32 " waits and "
			  "nothing can release it any more: resource %u%s has "
			  "count %" PRId32 ", %" PRIu32 " wavefronts wait at "
			  "it as a barrier and %" PRIu32 " as a semaphore; "
			  "%" PRIu64 " of %" PRIu64 " work-groups have ended, "
			  "%" PRIu64 " are under way%s",
			  where, first->group->id[0], first->group->id[1],
			  first->group->id[2], first->index, n,
			  resource->initialised || !resource->barrier.first
				  ? ""
				  : ", which no INIT has set,",
			  resource->count, resource->barrier.count,
			  resource->semaphore.count, done,
			  ndrange->group_count, resident,
			  left ? ", and the device holds no more" : "");
		return;
	}
	error_set(error, "kernel '%s': no wavefront waits",
		  ndrange->launch.kernel->name);
}
