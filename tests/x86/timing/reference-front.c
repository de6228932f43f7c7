/* The slow core: predecoder, decoders, microcode. */
#include "x86/timing/reference-state.h"

static bool taken(const struct ref_instruction *i)
{
	return i->input->next != i->input->address + i->input->inst->length;
}

/* The first instruction that has not been decoded (or predecoded). */
static unsigned first_not(const struct reference *r, bool decoded)
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
	unsigned next = first_not(r, false), found = 0, stall = 0;
	struct ref_instruction *i = &r->instruction[next];

	if (next == r->count || r->now < r->predecode_free ||
	    next - first_not(r, true) + f->predecode_width >
		    f->instruction_queue)
		return;
	if (!r->block_known)
		r->block = i->input->address / f->predecode_bytes;
	r->block_known = true;
	for (; next < r->count && found < f->predecode_width; next++, found++) {
		i = &r->instruction[next];
		if ((i->input->address + i->input->inst->length - 1) /
			    f->predecode_bytes != r->block)
			break;
		i->predecoded = r->now;
		if (i->input->inst->traits & X86_LENGTH_PREFIX)
			stall += f->length_prefix_stall;
		if (taken(i)) {
			r->block = i->input->next / f->predecode_bytes;
			r->predecode_free = r->now + 1 + stall;
			return;
		}
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

static bool room(const struct reference *r, unsigned slots)
{
	return ref_queue_used(r) + slots <= r->figure.uop_queue;
}

static bool arrived(const struct reference *r, unsigned n)
{
	return n < r->count && r->instruction[n].predecoded != NEVER &&
	       r->instruction[n].predecoded + r->figure.predecode_delay <=
		       r->now;
}

static void sequencer(struct reference *r, struct ref_instruction *i)
{
	unsigned part = i->queue_slots - i->delivered;

	if (part > r->figure.microcode_width)
		part = r->figure.microcode_width;
	if (!room(r, part))
		return;
	i->delivered += part;
	i->decoded = r->now;
	if (i->delivered < i->queue_slots)
		return;
	i->whole = true;
	r->microcode = false;
	r->decode_free = r->now + 1 + r->figure.microcode_switch / 2;
}

static bool fusible(const struct ref_instruction *a,
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
	if (form->fuses_with && arrived(r, n + 1) && fusible(i, i + 1)) {
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

void ref_decode(struct reference *r)
{
	unsigned decoders = r->figure.decoders;

	if (r->now < r->decode_free)
		return;
	if (r->microcode) {
		sequencer(r, &r->instruction[first_not(r, true)]);
		return;
	}
	for (unsigned position = 0; position < decoders; position++) {
		unsigned n = first_not(r, true);
		struct ref_instruction *i = &r->instruction[n];
		enum verdict verdict = judge(r, n, position);

		if (verdict == STOP)
			return;
		if (i->form->microcode_uops) {
			unsigned first = i->form->decoder_uops;

			if (first > i->queue_slots)
				first = i->queue_slots;
			if (!room(r, first))
				return;
			i->delivered = first;
			i->decoded = r->now;
			r->microcode = true;
			r->decode_free = r->now + 1 +
					 (r->figure.microcode_switch + 1) / 2;
			return;
		}
		if (!room(r, i->queue_slots))
			return;
		i->delivered = i->queue_slots;
		i->decoded = r->now;
		i->whole = true;
		if (i->form->complex_decoder || i->form->decoder_uops > 1)
			decoders = 1 + i->form->simple_left;
		if (i->form->ends_decoding && r->figure.pop_ends_group)
			decoders = 0;
		if (verdict == PAIR) {
			i->fuses = true;
			i[1].fused = i[1].whole = true;
			i[1].decoded = r->now;
			i[1].issue_slots = i[1].queue_slots = 0;
			i++;
		}
		if (taken(i))
			return;
	}
}
