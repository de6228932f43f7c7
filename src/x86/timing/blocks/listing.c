#include "x86/timing/blocks/listing.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/isa/disasm.h"
#include "x86/timing/blocks/internal.h"

enum {
	PAGE = 4096,
	COURSES = 4096, /* that are kept for the chain, at most */
	/* A limit is named that takes this share of the block's cycles; a
	 * renamer that starves, from this share of its slots on. */
	BINDING_PERCENT = 95, STARVED_PERCENT = 20,
};

struct block_listing *block_listing_create(const struct x86_block *block,
					   const struct x86_block_time *time)
{
	struct block_listing *listing = xcalloc(1, sizeof *listing);

	listing->block = block;
	listing->time = time;
	listing->row = xcalloc(time->instructions, sizeof *listing->row);
	listing->course = xcalloc(COURSES, sizeof *listing->course);
	return listing;
}

void block_listing_free(struct block_listing *listing)
{
	free(listing->row);
	free(listing->course);
	free(listing);
}

/* ---- What is collected ---- */

/* The courses kept begin with a whole execution. */
static uint64_t first_kept(const struct block_listing *listing)
{
	const struct x86_block_time *time = listing->time;
	uint64_t copies = COURSES / time->instructions;
	uint64_t least = copies * time->instructions;

	return time->until - time->from < least ? time->from
						: time->until - least;
}

static void keep(struct block_listing *listing,
		 const struct x86_core_retired *what, uint64_t started,
		 uint64_t done)
{
	struct listing_course *course;

	if (what->number < first_kept(listing) || listing->courses == COURSES)
		return;
	course = &listing->course[listing->courses++];
	*course = (struct listing_course){
		.inst = what->inst, .started = started, .done = done,
		.uops = what->uops,
	};
	for (unsigned i = 0; i < what->uops && i < LISTING_UOPS; i++)
		course->dispatched[i] = what->uop[i].dispatched;
}

void block_listing_retired(void *owner, const struct x86_core_retired *what)
{
	struct block_listing *listing = owner;
	const struct x86_block_time *time = listing->time;
	uint64_t started = what->issued, done = what->issued;
	struct listing_row *row;

	if (what->number + 1 == time->from)
		listing->began = listing->retired = what->retired;
	if (what->number < time->from || what->number >= time->until)
		return;
	row = &listing->row[what->number % time->instructions];
	row->inst = what->inst;
	row->fused = what->fused;
	for (unsigned i = 0; i < what->uops && i < LISTING_UOPS; i++) {
		if (what->uop[i].dispatched > started)
			started = what->uop[i].dispatched;
		if (what->uop[i].done > done)
			done = what->uop[i].done;
		if (what->uop[i].port < LISTING_PORTS)
			row->port[what->uop[i].port]++;
	}
	row->cycles += what->retired - listing->retired;
	row->waits += started - what->issued;
	row->takes += done > started ? done - started : 0;
	listing->retired = what->retired;
	keep(listing, what, started, done);
}

/* ---- In words ---- */

static double executions(const struct block_listing *listing)
{
	return (double)(listing->time->until - listing->time->from) /
	       listing->time->instructions;
}

static double port_uops(const struct block_listing *listing, unsigned port)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < listing->time->instructions; i++)
		sum += listing->row[i].port[port];
	return (double)sum / executions(listing);
}

static bool binds(const struct block_listing *listing, double cycles)
{
	return 100 * cycles >= BINDING_PERCENT * listing->time->cycles;
}

static void print_busy_ports(const struct block_listing *listing, bool *any,
			     FILE *stream)
{
	unsigned busy = 0;

	for (unsigned i = 0; i < LISTING_PORTS; i++) {
		if (!binds(listing, port_uops(listing, i)))
			continue;
		fprintf(stream, "%s%u", busy++ ? ", " : *any ? "; port "
							     : "port ", i);
	}
	if (busy)
		fputs(", with a uop in each cycle", stream);
	*any |= busy > 0;
}

/* Cycles of one execution that the chain takes; 0: it breaks off. */
static double chain_cycles(const struct block_listing *listing)
{
	if (100 * listing->chained <
		    (uint64_t)BINDING_PERCENT * listing->chain_room ||
	    listing->chain_copies < 1)
		return 0;
	return (double)listing->chained / listing->chain_copies;
}

static void print_limits(const struct block_listing *listing, FILE *stream)
{
	const struct x86_block_time *time = listing->time;
	double chain = chain_cycles(listing);
	bool any = false;

	fputs("limited by: ", stream);
	if (binds(listing, chain)) {
		fprintf(stream, "a chain of dependent instructions, %.3g cycles "
				"of an execution", chain);
		any = true;
	}
	print_busy_ports(listing, &any, stream);
	if (binds(listing, time->slots / time->width)) {
		fprintf(stream, "%sthe renamer, whose %u slots are used in each "
				"cycle", any ? "; " : "", time->width);
		any = true;
	}
	if (100 * time->starved >= STARVED_PERCENT) {
		fprintf(stream, "%sthe front end: %.0f %% of the renamer's slots "
				"find no uop", any ? "; " : "",
			100 * time->starved);
		any = true;
	}
	fputs(any ? "\n" : "no single resource: units that stay busy, "
			   "dependences through memory, or several "
			   "together\n", stream);
}

static void print_row(const struct block_listing *listing, unsigned index,
		      FILE *stream)
{
	const struct listing_row *row = &listing->row[index];
	size_t offset = row->inst->address % PAGE;
	double count = executions(listing), chain = chain_cycles(listing);
	char ports[120] = "", text[128];
	int length = 0;

	if (!x86_disasm(true, row->inst->address, listing->block->code + offset,
			listing->block->size - offset, text, sizeof text))
		snprintf(text, sizeof text, "?");
	fprintf(stream, "%8.2f %7.2f %7.2f ", (double)row->cycles / count,
		(double)row->waits / count, (double)row->takes / count);
	if (chain > 0 && row->chain)
		fprintf(stream, "%7.2f  ",
			(double)row->chain / listing->chain_copies);
	else
		fprintf(stream, "%7s  ", "");
	for (unsigned i = 0; i < LISTING_PORTS; i++)
		if (row->port[i] && length < 100)
			length += snprintf(ports + length,
					   sizeof ports - (size_t)length,
					   "%s%u:%.2f", length ? " " : "", i,
					   (double)row->port[i] / count);
	fprintf(stream, "%-32s  %s\n", row->fused ? "(fused)" :
						     length ? ports : "-",
		text);
}

void block_listing_write(struct block_listing *listing, FILE *stream)
{
	const struct x86_block_time *time = listing->time;

	listing_find_chain(listing);
	fprintf(stream, "%.4g cycles, %.4g slots of the renamer, %u "
			"instruction%s\n", time->cycles, time->slots,
		time->instructions, time->instructions == 1 ? "" : "s");
	print_limits(listing, stream);
	fprintf(stream, "%8s %7s %7s %7s  %-32s  %s\n", "cycles", "waits",
		"takes", "chain", "ports", "instruction");
	for (unsigned i = 0; i < time->instructions; i++)
		print_row(listing, i, stream);
	fputs("ports busy:", stream);
	for (unsigned i = 0; i < LISTING_PORTS; i++)
		if (port_uops(listing, i) > 0)
			fprintf(stream, " %u:%.0f%%", i,
				100 * port_uops(listing, i) / time->cycles);
	fputc('\n', stream);
}
