/* The slow core: uop cache and loop buffer. */
#include "x86/timing/reference-state.h"

/* ---- Uop cache ---- */

static int find(const struct reference *r, uint64_t address)
{
	for (unsigned n = 0; n < r->lines; n++)
		if (r->line[n].used && r->line[n].first == address)
			return (int)n;
	return -1;
}

bool ref_cache_holds(const struct reference *r, uint64_t address)
{
	return find(r, address) >= 0;
}

bool ref_cache_open(struct reference *r, uint64_t address)
{
	int n = find(r, address);

	if (n < 0)
		return false;
	r->line[n].used = ++r->clock;
	r->open_first = r->line[n].first;
	r->open_end = r->line[n].end;
	return true;
}

static void keep(struct reference *r, uint64_t first, uint64_t end)
{
	int old = find(r, first), oldest = -1;
	unsigned in_set = 0;

	if (old >= 0)
		r->line[old].used = 0;
	for (unsigned n = 0; n < r->lines; n++) {
		if (!r->line[n].used || r->line[n].first / 32 %
					r->figure.cache_sets !=
				first / 32 % r->figure.cache_sets)
			continue;
		in_set++;
		if (oldest < 0 || r->line[n].used < r->line[oldest].used)
			oldest = (int)n;
	}
	if (in_set == r->figure.cache_ways)
		r->line[oldest].used = 0;
	r->line[r->lines++] = (struct ref_line){ first, end, ++r->clock };
}

/* Makes lines of what has been collected of a window. */
static void finish(struct reference *r)
{
	struct ref_line line[64];
	unsigned lines = 0, uops = 0, branches = 0;
	bool closed = true, good = true;

	for (unsigned n = 0; n < r->units; n++) {
		const struct ref_unit *u = &r->unit[n];

		if (closed || u->microcode ||
		    uops + u->uops > r->figure.cache_line_uops ||
		    branches + u->branch > r->figure.cache_branches) {
			line[lines++].first = u->first;
			uops = branches = 0;
		}
		line[lines - 1].end = u->end;
		uops += u->uops;
		branches += u->branch;
		closed = u->microcode || u->unconditional;
		if (u->uops > r->figure.cache_line_uops && !u->microcode)
			good = false;
		if (r->figure.jump_erratum && u->branch &&
		    u->first / 32 != u->end / 32)
			good = false;
	}
	if (lines > r->figure.cache_lines)
		good = false;
	for (unsigned n = 0; n < lines && good; n++)
		keep(r, line[n].first, line[n].end);
	for (unsigned n = 0; n < r->lines && !good; n++)
		if (r->figure.cache_pairs && r->line[n].first / 32 ==
						     (r->unit[0].first / 32 ^ 1))
			r->line[n].used = 0;
	r->units = 0;
}

void ref_cache_fill(struct reference *r, unsigned n, bool pair)
{
	const struct ref_instruction *i = &r->instruction[n], *last = i + pair;
	struct ref_unit unit = {
		.first = i->input->address,
		.end = last->input->address + last->input->inst->length,
		.uops = i->queue_slots + i->form->wide_immediate,
		.branch = last->input->inst->branch != X86_BRANCH_NONE,
		.microcode = i->form->microcode_uops,
	};

	unit.unconditional = unit.branch && last->input->inst->branch !=
						    X86_BRANCH_CONDITIONAL;
	r->branches |= unit.branch;
	if (!r->figure.cache_sets || !r->branches)
		return;
	if (r->units && (r->unit[r->units - 1].end != unit.first ||
			 r->unit[0].first / 32 != unit.first / 32))
		finish(r);
	r->unit[r->units++] = unit;
	if (ref_taken(last))
		finish(r);
}

/* ---- Loop buffer ---- */

static unsigned times(const struct reference *r, unsigned slots)
{
	if (!r->figure.loop_unroll || slots > 28)
		return 1;
	return slots <= 4 ? 8 : slots == 5 ? 6 : slots == 6 ? 5 :
	       slots <= 8 ? 4 : slots <= 12 ? 3 : 2;
}

/* Slots of the instructions from a to b; of a loop that cannot be held 0. */
static unsigned loop_slots(const struct reference *r, unsigned a, unsigned b)
{
	unsigned slots = 0, taken = 0;
	int stack = 0;

	for (unsigned n = a; n <= b; n++) {
		const struct ref_instruction *i = &r->instruction[n];
		unsigned kind = i->input->inst->branch;

		slots += i->queue_slots;
		taken += ref_taken(i);
		stack += i->form->stack_change;
		if (i->form->microcode_uops || kind == X86_BRANCH_CALL ||
		    kind == X86_BRANCH_INDIRECT_CALL || kind == X86_BRANCH_FAR ||
		    kind == X86_BRANCH_RETURN ||
		    (r->figure.cache_sets && i->by == REF_DECODERS))
			return 0;
	}
	return stack || taken > r->figure.loop_branches ||
	       slots > r->figure.loop_slots || b - a >= 128 ? 0 : slots;
}

static bool equal(const struct reference *r, unsigned a, unsigned b,
		  unsigned count)
{
	for (unsigned n = 0; n < count; n++)
		if (r->instruction[a + n].input->address !=
		    r->instruction[b + n].input->address)
			return false;
	return true;
}

void ref_loop_note(struct reference *r, unsigned n, bool pair)
{
	unsigned last = n + pair, count = last + 1 - r->mark;
	const struct x86_core_input *branch = r->instruction[last].input;

	if (!r->figure.loop_slots)
		return;
	if (r->source == REF_LOOP) {
		r->loop_at += 1 + pair;
		if (r->loop_at < r->loop_count)
			return;
		r->loop_at = 0;
		if (++r->loop_turn % times(r, loop_slots(r, r->loop_first,
				r->loop_first + r->loop_count - 1)) == 0)
			r->instruction[n].ends_group = true;
		return;
	}
	if (branch->next > branch->address)
		return;
	if (r->mark_branch && r->mark - r->mark_before == count &&
	    branch->next == r->instruction[r->mark - 1].input->next &&
	    equal(r, r->mark_before, r->mark, count) &&
	    loop_slots(r, r->mark, last)) {
		r->source = REF_LOOP;
		r->instruction[n].ends_group = true;
		r->loop_first = r->mark;
		r->loop_count = count;
		r->loop_at = r->loop_turn = 0;
		/* What the predecoder has found is given up. */
		for (unsigned k = last + 1; k < r->count; k++)
			r->instruction[k].predecoded = NEVER;
		return;
	}
	r->mark_before = r->mark;
	r->mark = last + 1;
	r->mark_branch = true;
}
