/* The inputs that an instruction waits for, and the latencies: those of the
 * row, at the places of a description. */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "x86/timing/uops/build.h"

enum { CARRY = 1, OTHER_FLAGS = 0x8d4 /* PF AF ZF SF OF */ };

uint8_t x86_operand_place(const struct x86_uop_core *core,
			  const struct x86_operand *operand)
{
	if (operand->high && core->high_apart)
		return (uint8_t)(X86_PLACE_HIGH + operand->location);
	return operand->location;
}

bool x86_stack_engine(const struct x86_inst *inst)
{
	switch (inst->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		return true;
	default:
		return inst->branch == X86_BRANCH_CALL ||
		       inst->branch == X86_BRANCH_INDIRECT_CALL ||
		       inst->branch == X86_BRANCH_RETURN;
	}
}

/* ---- The matrix ---- */

static unsigned add(uint8_t *list, unsigned *count, unsigned place)
{
	for (unsigned i = 0; i < *count; i++)
		if (list[i] == place)
			return i;
	if (*count == X86_BUILD_PLACES)
		return X86_BUILD_PLACES - 1;
	list[*count] = (uint8_t)place;
	return (*count)++;
}

static void add_input(struct x86_latencies *l, unsigned place)
{
	add(l->input, &l->inputs, place);
}

static void add_output(struct x86_latencies *l, unsigned place)
{
	add(l->output, &l->outputs, place);
}

/* Whether the place is followed. Statuses and controls that every
 * floating-point instruction touches are renamed, or nothing waits for them. */
static bool followed(const struct x86_inst *inst, unsigned location)
{
	if (location < X86_AT_X87_CONTROL)
		return true;
	if (location != X86_AT_X87_STATUS)
		return false;
	switch (inst->mnemonic) {
	case ZYDIS_MNEMONIC_FCOM:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FUCOM:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FUCOMPP:
	case ZYDIS_MNEMONIC_FICOM:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FTST:
	case ZYDIS_MNEMONIC_FXAM:
	case ZYDIS_MNEMONIC_FPREM:
	case ZYDIS_MNEMONIC_FPREM1:
	case ZYDIS_MNEMONIC_FNSTSW:
		return true;
	default:
		return false;
	}
}

static const struct x86_operand *high_operand(const struct x86_inst *inst,
					      unsigned location, bool write)
{
	const struct x86_operand *high = NULL;

	for (int i = 0; i < inst->operand_count + inst->hidden_count; i++) {
		const struct x86_operand *operand = &inst->operand[i];

		if (operand->kind != X86_OPERAND_REGISTER ||
		    operand->location != location ||
		    !(write ? operand->write : operand->read))
			continue;
		if (!operand->high)
			return NULL;
		high = operand;
	}
	return high;
}

/* Whether a register only makes addresses, which loads and stores wait for. */
static bool only_address(const struct x86_inst *inst, unsigned location)
{
	bool address = false;

	for (int i = 0; i < inst->operand_count + inst->hidden_count; i++)
		if (inst->operand[i].kind == X86_OPERAND_REGISTER &&
		    inst->operand[i].location == location &&
		    inst->operand[i].read)
			return false;
	for (unsigned i = 0; i < inst->memory_count; i++)
		address |= inst->memory[i].base == location ||
			   inst->memory[i].index == location;
	return address;
}

static void collect(struct x86_latencies *l, const struct x86_uop_core *core,
		    const struct x86_inst *inst)
{
	uint32_t flags = inst->flags_written & ~inst->flags_undefined;

	for (unsigned at = 0; at < X86_LOCATION_COUNT; at++) {
		const struct x86_operand *high;
		bool stack = at == X86_AT_GENERAL + 4 &&
			     x86_stack_engine(inst);

		if (!followed(inst, at))
			continue;
		high = inst->written >> at & 1 ? high_operand(inst, at, true)
					       : NULL;
		/* POP RSP writes it, too. */
		if (inst->written >> at & 1 &&
		    !(stack && !(inst->operand_count && inst->operand[0].write &&
				 inst->operand[0].location == at)))
			add_output(l, high ? x86_operand_place(core, high)
					   : at);
		high = inst->read >> at & 1 ? high_operand(inst, at, false)
					    : NULL;
		if (inst->read >> at & 1 && !only_address(inst, at) &&
		    !(stack && !(inst->operand_count && inst->operand[0].read &&
				 inst->operand[0].location == at)))
			add_input(l, high ? x86_operand_place(core, high) : at);
	}
	if (flags & CARRY)
		add_output(l, X86_PLACE_CARRY);
	if (flags & OTHER_FLAGS)
		add_output(l, X86_PLACE_FLAGS);
	if (inst->flags_read & CARRY)
		add_input(l, X86_PLACE_CARRY);
	if (inst->flags_read & OTHER_FLAGS)
		add_input(l, X86_PLACE_FLAGS);
	for (unsigned i = 0; i < inst->memory_count; i++) {
		if (inst->memory[i].read)
			add_input(l, X86_INPUT_MEMORY + i);
		if (inst->memory[i].write)
			add_output(l, X86_OUTPUT_MEMORY + i);
	}
}

/* ---- What the row says ---- */

struct places {
	uint8_t place[4];
	unsigned count;
};

/* The places of a name with a letter of its own. */
static struct places letter_of(const struct x86_inst *inst, char name,
			       bool input)
{
	struct places p = { .count = 1 };
	uint32_t flags;

	switch (name) {
	case 'f':
		flags = input ? inst->flags_read : 0;
		/* Flags that may keep their value are read, too. */
		if (!flags)
			flags = inst->flags_written & ~inst->flags_undefined;
		p.count = 0;
		if (flags & CARRY)
			p.place[p.count++] = X86_PLACE_CARRY;
		if (flags & OTHER_FLAGS)
			p.place[p.count++] = X86_PLACE_FLAGS;
		return p;
	case 'm':
	case 'n':
		p.place[0] = (uint8_t)((input ? X86_INPUT_MEMORY
					      : X86_OUTPUT_MEMORY) +
				       (name == 'n'));
		if (!input && p.place[0] == X86_OUTPUT_MEMORY &&
		    inst->memory_count > 1 && !inst->memory[0].write)
			p.place[0]++;
		return p;
	case 'a':
		p.count = 0;
		if (inst->memory[0].base != X86_NO_REGISTER)
			p.place[p.count++] = inst->memory[0].base;
		if (inst->memory[0].scale)
			p.place[p.count++] = inst->memory[0].index;
		return p;
	case 's':
		p.place[0] = X86_AT_ST;
		return p;
	default:
		p.count = 0;
		return p;
	}
}

/* The places of a name such as "0", "ax" or "f" in the description. `input`: as
 * an input. */
static struct places places_of(const struct x86_uop_core *core,
			       const struct x86_inst *inst, const char *name,
			       bool input)
{
	static const char registers[16][3] = {
		"ax", "cx", "dx", "bx", "sp", "bp", "si", "di",
	};
	struct places p = { .count = 1 };
	unsigned operand = (unsigned)(name[0] - '0');

	if (operand <= 9) {
		if (operand >= inst->operand_count ||
		    inst->operand[operand].kind != X86_OPERAND_REGISTER)
			return (struct places){ .count = 0 };
		p.place[0] = x86_operand_place(core, &inst->operand[operand]);
		return p;
	}
	if (name[1] == '>' || name[1] == ':')
		return letter_of(inst, name[0], input);
	if (!strncmp(name, "x0", 2)) {
		p.place[0] = X86_AT_VECTOR;
		return p;
	}
	if (!strncmp(name, "ah", 2)) {
		p.place[0] = core->high_apart ? X86_PLACE_HIGH : 0;
		return p;
	}
	for (unsigned i = 0; i < 8; i++)
		if (!strncmp(name, registers[i], 2)) {
			p.place[0] = (uint8_t)i;
			return p;
		}
	p.count = 0;
	return p;
}

static int find(const uint8_t *list, unsigned count, unsigned place)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i] == place)
			return (int)i;
	return -1;
}

/* Two operands may be one place: the longer latency counts. */
static void join(int16_t *old, int latency)
{
	if (*old == X86_LATENCY_UNKNOWN || latency > *old)
		*old = (int16_t)latency;
}

static void read_row(struct x86_latencies *l, const struct x86_uop_core *core,
		     const struct x86_inst *inst, const char *text)
{
	while (*text) {
		const char *to = strchr(text, '>') + 1;
		const char *value = strchr(to, ':') + 1;
		struct places in = places_of(core, inst, text, true);
		struct places out = places_of(core, inst, to, false);
		/* L: a plain load, without extra latency. 0: no dependency. */
		int latency = *value == 'L' ? 0 : atoi(value);
		bool none = *value != 'L' && !latency;

		for (unsigned i = 0; i < in.count; i++)
			for (unsigned o = 0; o < out.count; o++) {
				/* A false dependency is an input, too. */
				unsigned at = add(l->input, &l->inputs,
						  in.place[i]);
				int found = find(l->output, l->outputs,
						 out.place[o]);

				if (found >= 0)
					join(&l->latency[at][found],
					     none ? -2 : latency);
			}
		text = value + strcspn(value, " ");
		text += strspn(text, " ");
	}
}

/* ---- What it does not say ---- */

static void fill_output(struct x86_latencies *l, const struct x86_inst *inst,
			unsigned o)
{
	int at;

	/* The address registers of string instructions are stepped. */
	if (inst->class == X86_CLASS_STRING && l->output[o] < 16) {
		at = find(l->input, l->inputs, l->output[o]);
		if (at < 0)
			at = (int)add(l->input, &l->inputs, l->output[o]);
		for (unsigned i = 0; i < l->inputs; i++)
			l->latency[i][o] = -2;
		l->latency[at][o] = 1;
		return;
	}
	/* Stored data of MOVS and STOS go straight to memory. */
	if (inst->class == X86_CLASS_STRING &&
	    l->output[o] >= X86_OUTPUT_MEMORY) {
		for (unsigned i = 0; i < l->inputs; i++)
			l->latency[i][o] = inst->memory_count > 1
				? (l->input[i] >= X86_INPUT_MEMORY ? 0 : -2)
				: (l->input[i] == 0 ? 0 : -2);
		return;
	}
	/* Takes the latency of another output, preferably of a register. */
	for (unsigned other = 0; other < l->outputs; other++) {
		bool said = false;

		if (other == o || l->output[other] >= X86_OUTPUT_MEMORY)
			continue;
		for (unsigned i = 0; i < l->inputs; i++)
			said |= l->latency[i][other] != X86_LATENCY_UNKNOWN;
		if (!said)
			continue;
		for (unsigned i = 0; i < l->inputs; i++)
			l->latency[i][o] = l->latency[i][other];
		return;
	}
}

static bool mentioned_input(const struct x86_latencies *l, unsigned i)
{
	for (unsigned o = 0; o < l->outputs; o++)
		if (l->latency[i][o] != X86_LATENCY_UNKNOWN)
			return true;
	return false;
}

static void fill(struct x86_latencies *l, const struct x86_inst *inst)
{
	bool memory;

	for (unsigned o = 0; o < l->outputs; o++) {
		bool said = false;

		for (unsigned i = 0; i < l->inputs; i++)
			said |= l->latency[i][o] != X86_LATENCY_UNKNOWN;
		if (!said)
			fill_output(l, inst, o);
	}
	for (unsigned i = 0; i < l->inputs; i++) {
		if (mentioned_input(l, i))
			continue;
		memory = l->input[i] >= X86_INPUT_MEMORY;
		for (unsigned o = 0; o < l->outputs; o++) {
			int most = memory ? 0 : 1;

			if (inst->class == X86_CLASS_STRING &&
			    l->output[o] < 16 && l->output[o] != l->input[i] &&
			    (l->output[o] == 6 || l->output[o] == 7))
				continue;
			for (unsigned k = 0; k < l->inputs; k++)
				if (l->latency[k][o] > most)
					most = l->latency[k][o];
			l->latency[i][o] = (int16_t)most;
		}
	}
}

/* General registers and flags, or vector and MMX registers. */
static bool is_integer(unsigned place)
{
	return place < X86_AT_VECTOR || place == X86_PLACE_CARRY ||
	       place == X86_PLACE_FLAGS;
}

static bool is_vector(unsigned place)
{
	return (place >= X86_AT_VECTOR && place < X86_AT_VECTOR + 16) ||
	       (place >= X86_AT_MM && place < X86_AT_MM + 8);
}

static bool is_mmx(unsigned place)
{
	return place >= X86_AT_MM && place < X86_AT_MM + 8;
}

/* From one kind of register to the other uops.info measures a round trip, and
 * gives what is left when the way back takes one cycle: an upper bound (ASPLOS
 * 2019). Where MOVD takes 4 cycles there and back (InstLatx64), as
 * on Nehalem and Skylake, the way back takes 2. */
static void shorten_crossings(struct x86_latencies *l,
			      const struct x86_uop_core *core)
{
	for (unsigned i = 0; i < l->inputs; i++)
		for (unsigned o = 0; o < l->outputs; o++) {
			unsigned from = l->input[i], to = l->output[o];
			int excess = 0;

			if ((is_integer(from) && is_vector(to)) ||
			    (is_vector(from) && is_integer(to)))
				excess = core->crossing_excess;
			else if (is_vector(from) && is_vector(to) &&
				 is_mmx(from) != is_mmx(to))
				excess = core->mmx_excess;
			if (l->latency[i][o] > excess)
				l->latency[i][o] =
					(int16_t)(l->latency[i][o] - excess);
		}
}

void x86_latencies_of(struct x86_latencies *l, const struct x86_uop_core *core,
		      const struct x86_inst *inst,
		      const struct x86_form_line *line)
{
	*l = (struct x86_latencies){ 0 };
	for (unsigned i = 0; i < X86_BUILD_PLACES; i++)
		for (unsigned o = 0; o < X86_BUILD_PLACES; o++)
			l->latency[i][o] = X86_LATENCY_UNKNOWN;
	collect(l, core, inst);
	read_row(l, core, inst, line->latencies);
	fill(l, inst);
	shorten_crossings(l, core);
	/* -1 means no dependency from here on. */
	for (unsigned i = 0; i < l->inputs; i++)
		for (unsigned o = 0; o < l->outputs; o++)
			if (l->latency[i][o] < 0)
				l->latency[i][o] = -1;
}
