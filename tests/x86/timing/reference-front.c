/* The slow core: predecoder, decoders, microcode, who delivers. */
#include "x86/timing/reference-state.h"

bool ref_taken(const struct ref_instruction *i)
{
	return i->input->next != i->input->address + i->input->inst->length;
}

unsigned ref_first_not(const struct reference *r, bool decoded)
{
	for (unsigned n = 0; n < r->count; n++)
		if (decoded ? !r->instruction[n].whole
			    : r->instruction[n].predecoded == NEVER)
			return n;
	return r->count;
}

void ref_predecode(struct reference *r)
{
	const struct x86_core_figures *f = &r->figure;
	unsigned next = ref_first_not(r, false), found = 0, stall = 0;
	unsigned prefixes = 0;
	struct ref_instruction *i = &r->instruction[next];

	if (r->source != REF_DECODERS || r->to_cache)
		return;
	if (next == r->count || r->now < r->predecode_free ||
	    next - ref_first_not(r, true) + f->predecode_width >
		    f->instruction_queue)
		return;
	if (!r->block_known && ref_cache_holds(r, i->input->address)) {
		r->to_cache = true;
		return;
	}
	if (!r->block_known)
		r->block = i->input->address / f->predecode_bytes;
	r->block_known = true;
	for (; next < r->count && found < f->predecode_width; next++, found++) {
		i = &r->instruction[next];
		if ((i->input->address + i->input->inst->length - 1) /
			    f->predecode_bytes != r->block)
			break;
		i->predecoded = r->now;
		if (i->input->inst->traits & X86_LENGTH_PREFIX &&
		    (f->length_prefix_moves ||
		     i->input->inst->class != X86_CLASS_MOVE))
			prefixes++;
		stall = prefixes * f->length_prefix_stall;
		if (prefixes > 1 && f->length_prefix_once)
			stall = f->length_prefix_stall;
		if (i->input->inst->branch != X86_BRANCH_NONE &&
		    ref_cache_holds(r, i->input->next))
			r->to_cache = true;
		if (ref_taken(i)) {
			r->block = i->input->next / f->predecode_bytes;
			r->predecode_free = r->now + 1 + stall;
			return;
		}
		if (r->to_cache)
			return;
	}
	r->predecode_free = r->now + 1 + stall;
	if (next == r->count)
		return;
	i = &r->instruction[next];
	if ((i->input->address + i->input->inst->length - 1) /
		    f->predecode_bytes == r->block)
		return;
	if (found == f->predecode_width &&
	    (i->input->address + i->input->inst->opcode_offset) /
		    f->predecode_bytes == r->block)
		r->predecode_free++;
	r->block++;
}

unsigned ref_queue_slot(const struct ref_instruction *i, unsigned issue_slot)
{
	unsigned pairs = i->issue_slots - i->queue_slots;

	return issue_slot < 2 * pairs ? issue_slot / 2 : issue_slot - pairs;
}

unsigned ref_queue_used(const struct reference *r)
{
	unsigned used = 0;

	for (unsigned n = 0; n < r->count; n++) {
		const struct ref_instruction *i = &r->instruction[n];
		unsigned gone = 0;

		/* A slot is free when all of it has been issued. */
		for (unsigned s = 0; s < i->renamed; s++)
			gone += s + 1 == i->issue_slots ||
				ref_queue_slot(i, s + 1) !=
					ref_queue_slot(i, s);
		used += i->delivered - gone;
	}
	return used;
}

bool ref_room(const struct reference *r, unsigned slots)
{
	return ref_queue_used(r) + slots <= r->figure.uop_queue;
}

static bool arrived(const struct reference *r, unsigned n)
{
	return n < r->count && r->instruction[n].predecoded != NEVER &&
	       r->instruction[n].predecoded + r->figure.predecode_delay <=
		       r->now;
}

void ref_delivered(struct reference *r, unsigned n, bool pair)
{
	struct ref_instruction *i = &r->instruction[n];

	i->whole = true;
	i->by = r->source;
	if (pair) {
		i->fuses = true;
		i[1].fused = i[1].whole = true;
		i[1].decoded = i->decoded;
		i[1].by = i->by;
		i[1].issue_slots = i[1].queue_slots = 0;
	}
	if (r->source != REF_DECODERS)
		i->predecoded = i[pair].predecoded = i->decoded;
	ref_loop_note(r, n, pair);
}

/* Cycles of the switches to microcode and back. */
static unsigned there_and_back(const struct reference *r)
{
	return r->source == REF_CACHE ? r->figure.microcode_switch_cache
				      : r->figure.microcode_switch;
}

static void begin_microcode(struct reference *r, unsigned n)
{
	struct ref_instruction *i = &r->instruction[n];
	unsigned first = i->form->decoder_uops;

	if (first > i->queue_slots)
		first = i->queue_slots;
	if (!ref_room(r, first))
		return;
	i->delivered = first;
	i->decoded = r->now;
	r->microcode = true;
	r->decode_free = r->now + 1 + (there_and_back(r) + 1) / 2;
	if (r->source == REF_DECODERS)
		ref_cache_fill(r, n, false);
}

static void sequencer(struct reference *r, unsigned n)
{
	struct ref_instruction *i = &r->instruction[n];
	unsigned part = i->queue_slots - i->delivered;

	if (part > r->figure.microcode_width)
		part = r->figure.microcode_width;
	if (!ref_room(r, part))
		return;
	i->delivered += part;
	i->decoded = r->now;
	if (i->delivered < i->queue_slots)
		return;
	r->microcode = false;
	r->decode_free = r->now + 1 + there_and_back(r) / 2;
	ref_delivered(r, n, false);
}

bool ref_fusible(const struct ref_instruction *a,
		 const struct ref_instruction *b)
{
	return b->form->conditional_jump &&
	       b->input->address ==
		       a->input->address + a->input->inst->length &&
	       a->form->fuses_with & 1u << b->form->condition;
}

/* What the decoder at this position makes of instruction n. */
enum verdict { STOP, ALONE, PAIR };

static enum verdict judge(const struct reference *r, unsigned n,
			  unsigned position)
{
	const struct ref_instruction *i = &r->instruction[n];
	const struct x86_template *form = i->form;
	enum verdict verdict = ALONE;

	if (!arrived(r, n))
		return STOP;
	if (form->fuses_with && arrived(r, n + 1) && ref_fusible(i, i + 1)) {
		verdict = PAIR;
	} else if (form->fuses_with && !r->figure.fusible_last) {
		if (position + 1 == r->figure.decoders)
			return STOP;
		if (!arrived(r, n + 1) && n + 1 < r->count)
			return STOP;
	}
	if (position > 0 && (form->complex_decoder || form->microcode_uops ||
			     form->decoder_uops > 1))
		return STOP;
	return verdict;
}

static void decode(struct reference *r)
{
	unsigned decoders = r->figure.decoders;

	for (unsigned position = 0; position < decoders; position++) {
		unsigned n = ref_first_not(r, true);
		struct ref_instruction *i = &r->instruction[n];
		enum verdict verdict = judge(r, n, position);

		if (verdict == STOP)
			return;
		if (i->form->microcode_uops) {
			begin_microcode(r, n);
			return;
		}
		if (!ref_room(r, i->queue_slots))
			return;
		i->delivered = i->queue_slots;
		i->decoded = r->now;
		ref_cache_fill(r, n, verdict == PAIR);
		ref_delivered(r, n, verdict == PAIR);
		if (i->form->complex_decoder || i->form->decoder_uops > 1)
			decoders = 1 + i->form->simple_left;
		if (i->form->ends_decoding && r->figure.pop_ends_group)
			decoders = 0;
		if (r->source != REF_DECODERS ||
		    ref_taken(&r->instruction[n + (verdict == PAIR)]))
			return;
	}
}

static void decoders_again(struct reference *r, unsigned n)
{
	r->source = REF_DECODERS;
	r->to_cache = false;
	r->block = r->instruction[n].input->address /
		   r->figure.predecode_bytes;
	r->block_known = true;
	r->predecode_free = r->now;
}

/* Slots of instruction n, as many as fit; whether all of it is there. */
static bool part_of(struct reference *r, unsigned n, unsigned *left)
{
	struct ref_instruction *i = &r->instruction[n];

	while (*left && i->delivered < i->queue_slots && ref_room(r, 1)) {
		i->delivered++;
		i->decoded = r->now;
		--*left;
	}
	if (i->delivered < i->queue_slots)
		return false;
	ref_delivered(r, n, i->form->fuses_with && n + 1 < r->count &&
				    ref_fusible(i, i + 1));
	return true;
}

static void from_cache(struct reference *r)
{
	unsigned left = r->figure.cache_width;
	uint64_t window = NEVER;

	while (left) {
		unsigned n = ref_first_not(r, true);
		struct ref_instruction *i = &r->instruction[n];
		uint64_t address;

		if (n == r->count)
			return;
		address = i->input->address;
		if (window != NEVER && address / 32 != window)
			return;
		if (!(address >= r->open_first && address < r->open_end) &&
		    !ref_cache_open(r, address)) {
			if (window == NEVER)
				decoders_again(r, n);
			return;
		}
		window = address / 32;
		if (i->form->microcode_uops) {
			if (left == r->figure.cache_width)
				begin_microcode(r, n);
			return;
		}
		if (!part_of(r, n, &left))
			return;
		if (ref_taken(&r->instruction[ref_first_not(r, true) - 1])) {
			r->open_end = 0;
			return;
		}
	}
}

static void from_loop(struct reference *r)
{
	unsigned left = 2 * r->figure.issue_width;

	while (left) {
		unsigned n = ref_first_not(r, true);

		if (n == r->count)
			return;
		if (r->instruction[n].input->address !=
		    r->instruction[r->loop_first + r->loop_at]
			    .input->address) {
			r->mark = r->mark_before = n;
			r->mark_branch = false;
			r->open_end = 0;
			if (ref_cache_holds(r,
					    r->instruction[n].input->address))
				r->source = REF_CACHE;
			else
				decoders_again(r, n);
			return;
		}
		if (!part_of(r, n, &left))
			return;
	}
}

void ref_front(struct reference *r)
{
	unsigned n = ref_first_not(r, true);

	if (r->now < r->decode_free)
		return;
	if (r->microcode) {
		sequencer(r, n);
		return;
	}
	if (r->to_cache && n == ref_first_not(r, false)) {
		r->to_cache = false;
		r->source = REF_CACHE;
		r->open_end = 0;
	}
	if (r->source == REF_DECODERS)
		decode(r);
	else if (r->source == REF_CACHE)
		from_cache(r);
	else
		from_loop(r);
}
