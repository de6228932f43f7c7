/* From a row of measurements to micro-operations.
 *
 * A row says which ports an instruction's uops use, and how long each output
 * takes from each input, but not which uop does what. The rules here are the
 * simplest that have these latencies:
 *
 * - What uses only load ports loads, as many of them store as there is store
 *   data.
 * - Outputs that wait for the same inputs come from one uop; others from others
 *   as long as there are any. Its latency to an output is the smallest measured
 *   one. An input that takes longer goes into a uop in front, which takes the
 *   difference (ADC: the sources meet before the carry comes in). CPUs work like
 *   that where it is known.
 * - The rest takes up its ports and waits for nothing, unless there are no
 *   outputs, or the instruction jumps.
 *
 * Loads are fused with the uop that uses them, addresses with data of stores,
 * until as many issue slots are left as were measured. */
#include "x86/timing/uops/build.h"

#include <string.h>

static uint8_t load_class(const struct x86_inst *inst)
{
	uint8_t class = inst->class == X86_CLASS_X87 ? X86_LOAD_X87 :
			inst->class == X86_CLASS_MMX ? X86_LOAD_MMX :
						       X86_LOAD_GENERAL;

	for (unsigned i = 0; i < inst->operand_count; i++) {
		const struct x86_operand *operand = &inst->operand[i];

		if ((operand->kind != X86_OPERAND_REGISTER &&
		     operand->kind != X86_OPERAND_MEMORY) ||
		    inst->class != X86_CLASS_VECTOR)
			continue;
		if (operand->size == 32)
			return X86_LOAD_YMM;
		if (operand->kind == X86_OPERAND_REGISTER &&
		    operand->location >= X86_AT_VECTOR &&
		    operand->location < X86_AT_VECTOR + 16)
			class = X86_LOAD_XMM;
	}
	return class;
}

static void add_address(struct x86_uop *uop, const struct x86_memory *memory)
{
	if (memory->base != X86_NO_REGISTER)
		x86_build_add_source(uop, memory->base);
	if (memory->index != X86_NO_REGISTER)
		x86_build_add_source(uop, memory->index);
}

/* The n-th memory operand that is read, or written; the count goes round. */
static unsigned memory_at(const struct x86_inst *inst, bool write, unsigned n)
{
	unsigned count = 0;

	for (unsigned i = 0; i < inst->memory_count; i++)
		count += write ? inst->memory[i].write : inst->memory[i].read;
	if (!count)
		return 0;
	n %= count;
	for (unsigned i = 0; i < inst->memory_count; i++)
		if ((write ? inst->memory[i].write : inst->memory[i].read) &&
		    !n--)
			return i;
	return 0;
}

/* ---- Loads ---- */

/* Whether an output is the loaded value alone. */
static bool is_loaded(const struct x86_latencies *l, unsigned o, bool computes)
{
	bool loaded = false;

	if (l->output[o] >= X86_OUTPUT_MEMORY)
		return false;
	for (unsigned i = 0; i < l->inputs; i++) {
		if (l->latency[i][o] < 0)
			continue;
		if (l->input[i] < X86_INPUT_MEMORY) {
			if (computes)
				return false;
			continue;
		}
		if (computes && l->latency[i][o])
			return false;
		loaded = true;
	}
	return loaded;
}

static void build_loads(struct x86_build *b, struct x86_latencies *l,
			const struct x86_build_ports *loads, bool computes)
{
	for (unsigned n = 0; n < loads->count; n++) {
		unsigned memory = memory_at(b->inst, false, n);
		const struct x86_memory *m = &b->inst->memory[memory];
		struct x86_uop *uop =
		    x86_build_add_uop(b, X86_UOP_LOAD, loads->ports[n]);
		int in = -1;

		uop->memory = (uint8_t)memory;
		uop->load = load_class(b->inst);
		if (m->size == 32)
			uop->port_cycles = b->core->wide_access_cycles;
		add_address(uop, m);
		x86_build_add_result(uop, X86_INPUT_MEMORY + memory, 0);
		for (unsigned i = 0; i < l->inputs; i++)
			if (l->input[i] == X86_INPUT_MEMORY + memory)
				in = (int)i;
		for (unsigned o = 0; o < l->outputs && in >= 0; o++)
			if (is_loaded(l, o, computes) &&
			    l->latency[in][o] >= 0)
				x86_build_add_result(uop, l->output[o],
						     l->latency[in][o]);
	}
	for (unsigned o = 0; o < l->outputs && loads->count; o++)
		if (is_loaded(l, o, computes))
			for (unsigned i = 0; i < l->inputs; i++)
				l->latency[i][o] = -1;
}

/* ---- Stores ---- */

static void build_stores(struct x86_build *b, const struct x86_latencies *l,
			 const struct x86_build_roles *roles, bool computes)
{
	for (unsigned n = 0; n < roles->address.count; n++) {
		unsigned memory = memory_at(b->inst, true, n);
		struct x86_uop *uop = x86_build_add_uop(
		    b, X86_UOP_STORE_ADDRESS, roles->address.ports[n]);

		uop->memory = (uint8_t)memory;
		add_address(uop, &b->inst->memory[memory]);
	}
	for (unsigned n = 0; n < roles->data.count; n++) {
		unsigned memory = memory_at(b->inst, true, n), o;
		struct x86_uop *uop = x86_build_add_uop(b, X86_UOP_STORE_DATA,
							roles->data.ports[n]);
		bool produced = false;

		uop->memory = (uint8_t)memory;
		if (b->inst->memory[memory].size == 32)
			uop->port_cycles = b->core->wide_access_cycles;
		for (o = 0; o < l->outputs; o++)
			if (l->output[o] == X86_OUTPUT_MEMORY + memory)
				break;
		for (unsigned u = 0; u < b->count && computes; u++)
			for (unsigned r = 0; r < b->uop[u].result_count; r++)
				produced |= b->uop[u].result[r].place ==
					    X86_OUTPUT_MEMORY + memory;
		if (produced) {
			x86_build_add_source(uop, X86_OUTPUT_MEMORY + memory);
			continue;
		}
		for (unsigned i = 0; i < l->inputs && o < l->outputs; i++)
			if (l->latency[i][o] >= 0)
				x86_build_add_source(uop, l->input[i]);
	}
}

/* Drops sources that no uop of the row loads. */
static void drop_missing(struct x86_build *b)
{
	uint32_t there = 0;

	for (unsigned i = 0; i < b->count; i++) {
		struct x86_uop *uop = &b->uop[i];
		unsigned kept = 0;

		for (unsigned s = 0; s < uop->source_count; s++) {
			uint8_t place = uop->source[s];

			if (place < X86_PLACE_INTERNAL ||
			    there >> (place - X86_PLACE_INTERNAL) & 1)
				uop->source[kept++] = place;
		}
		memset(uop->source + kept, 0, uop->source_count - kept);
		uop->source_count = (uint8_t)kept;
		for (unsigned r = 0; r < uop->result_count; r++)
			if (uop->result[r].place >= X86_PLACE_INTERNAL)
				there |= 1u << (uop->result[r].place -
						X86_PLACE_INTERNAL);
	}
}

/* Whether uop number `at` reads an architectural place that an earlier uop of
 * the instruction writes. */
static bool is_late(const struct x86_build *b, unsigned at, unsigned place)
{
	if (place >= X86_PLACE_INTERNAL)
		return false;
	for (unsigned i = 0; i < at; i++)
		for (unsigned r = 0; r < b->uop[i].result_count; r++)
			if (b->uop[i].result[r].place == place)
				return true;
	return false;
}

static unsigned free_internal(const struct x86_build *b)
{
	unsigned next = X86_BUILD_INTERNAL;

	for (unsigned i = 0; i < b->count; i++)
		for (unsigned r = 0; r < b->uop[i].result_count; r++)
			if (b->uop[i].result[r].place >= next)
				next = b->uop[i].result[r].place + 1u;
	return next;
}

/* A uop in front of all: uops from number `first` on, of this kind or (-1) any,
 * find what is in `place` before the instruction so many cycles later, and
 * whatever earlier uops of the instruction write there. False: no room. */
static bool rename_source(struct x86_build *b, uint8_t place, unsigned first,
			  int kind, unsigned cycles)
{
	unsigned name = free_internal(b);

	if (name >= X86_PLACE_COUNT || b->count == X86_BUILD_UOPS)
		return false;
	for (unsigned u = first; u < b->count; u++)
		for (unsigned n = 0; n < b->uop[u].source_count; n++)
			if (b->uop[u].source[n] == place &&
			    (kind < 0 || b->uop[u].kind == kind))
				b->uop[u].source[n] = (uint8_t)name;
	memmove(&b->uop[1], &b->uop[0], b->count++ * sizeof b->uop[0]);
	b->uop[0] = (struct x86_uop){
		.slot = b->uop[1].slot, .port_cycles = 1,
		.source_count = 1, .source = { place },
		.result_count = 1, .result = { { (uint8_t)name,
						 (uint8_t)cycles } },
	};
	return true;
}

/* All uops read what was there before the instruction (XCHG). */
static void read_before(struct x86_build *b)
{
	for (unsigned i = 1; i < b->count; i++)
		for (unsigned s = 0; s < b->uop[i].source_count; s++) {
			uint8_t place = b->uop[i].source[s];

			if (is_late(b, i, place) &&
			    rename_source(b, place, i, -1, 0))
				i++;
		}
}

/* The measured latency of a gather's data has the time in which its loads
 * follow each other at their ports. */
static void take_off_loads(const struct x86_build *b, struct x86_latencies *l,
			   const struct x86_build_ports *loads)
{
	int others;

	if (!loads->count || !b->inst->memory[0].vector)
		return;
	others = (int)(loads->count - 1) / __builtin_popcount(loads->ports[0]);
	for (unsigned i = 0; i < l->inputs; i++)
		for (unsigned o = 0; o < l->outputs; o++)
			if (l->input[i] == X86_INPUT_MEMORY &&
			    l->latency[i][o] > others)
				l->latency[i][o] =
					(int16_t)(l->latency[i][o] - others);
}

void x86_build_uops(struct x86_build *b)
{
	struct x86_latencies latencies;
	struct x86_build_roles roles;
	bool computes;

	b->count = 0;
	x86_build_roles_of(b, &roles);
	x86_latencies_of(&latencies, b->core, b->inst, b->line);
	computes = roles.compute.count;
	take_off_loads(b, &latencies, &roles.load);
	build_loads(b, &latencies, &roles.load, computes);
	x86_build_computes(b, &latencies, &roles.compute);
	build_stores(b, &latencies, &roles, computes);
	drop_missing(b);
	x86_build_slots(b, &latencies);
	if (b->inst->memory_count && b->inst->memory[0].vector &&
	    b->core->index_cycles)
		rename_source(b, b->inst->memory[0].index, 0, X86_UOP_LOAD,
			      b->core->index_cycles);
	read_before(b);
}
