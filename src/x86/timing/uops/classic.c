/* Instructions of a core with pools of functional units: one rule for all.
 *
 * Each memory operand has its address computed by the pool EffAddr. A load waits
 * for the address, what computes for the loaded data, a store for both. PUSH, POP
 * and their like add to rsp by themselves. Nothing is fused, and each uop has a slot
 * of its own. Which pool computes says classic.def. */
#include <Zydis/Zydis.h>
#include <ctype.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/uops/build.h"

const struct x86_uop_core x86_classic_core = {
	.name = "classic", .wide_access_cycles = 1,
};

static const struct classic_row {
	const char *prefix;
	uint8_t pool;
} x87[] = {
#define CLASSIC(prefix, pool) { prefix, X86_POOL_##pool },
#define CLASSIC_X87
#include "x86/timing/uops/classic.def"
#undef CLASSIC_X87
}, vector[] = {
#include "x86/timing/uops/classic.def"
};

static enum x86_pool by_name(const struct classic_row *rows, size_t count,
			     const char *name, enum x86_pool other)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].pool;
	return other;
}

/* Sums and differences; the rest of the class is logic. */
static bool adds(const char *name)
{
	static const char *const names[] = {
		"add", "adc", "sub", "sbb", "inc", "dec", "neg", "cmp", "xadd",
		"da", "aa",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static enum x86_pool pool_of(const struct x86_inst *inst)
{
	const char *text = ZydisMnemonicGetString(inst->mnemonic);
	char name[32] = "";

	for (size_t i = 0; text && text[i] && i + 1 < sizeof name; i++)
		name[i] = (char)tolower((unsigned char)text[i]);
	switch (inst->class) {
	case X86_CLASS_ADDRESS:
		return X86_POOL_EFF_ADDR;
	case X86_CLASS_MULTIPLY:
		return X86_POOL_INT_MULT;
	case X86_CLASS_DIVIDE:
		return X86_POOL_INT_DIV;
	case X86_CLASS_ARITHMETIC:
		return adds(name) ? X86_POOL_INT_ADD : X86_POOL_LOGIC;
	case X86_CLASS_MOVE:
	case X86_CLASS_SHIFT:
		return X86_POOL_LOGIC;
	case X86_CLASS_X87:
		return by_name(x87, ARRAY_SIZE(x87), name,
			       X86_POOL_FLOAT_SIMPLE);
	case X86_CLASS_MMX:
	case X86_CLASS_VECTOR:
		return by_name(vector, ARRAY_SIZE(vector),
			       name + (name[0] == 'v'), X86_POOL_XMM_LOGIC);
	default:
		return X86_POOL_INT_ADD;
	}
}

static uint8_t load_class(const struct x86_inst *inst, unsigned memory)
{
	if (inst->class == X86_CLASS_X87)
		return X86_LOAD_X87;
	if (inst->class == X86_CLASS_MMX)
		return X86_LOAD_MMX;
	if (inst->class != X86_CLASS_VECTOR)
		return X86_LOAD_GENERAL;
	return inst->memory[memory].size == 32 ? X86_LOAD_YMM : X86_LOAD_XMM;
}

static struct x86_uop *add_unit(struct x86_build *b,
				const struct x86_pools *pools,
				enum x86_pool pool)
{
	struct x86_uop *uop =
		x86_build_add_uop(b, X86_UOP_COMPUTE, 1u << pool);

	uop->port_cycles = (uint8_t)pools->pool[pool].issue;
	return uop;
}

/* Uops after which no more compute: two addresses and loads, and two. */
enum { X86_CLASSIC_COMPUTES = 6 };

enum {
	STACK_POINTER = X86_AT_GENERAL + 4,
	ADDRESS_PLACE = X86_BUILD_INTERNAL, /* + 1: the second's */
	RESULT_PLACE = X86_BUILD_INTERNAL + 2,
};

/* Addresses and loads. */
static void build_reads(struct x86_build *b, const struct x86_pools *pools)
{
	const struct x86_inst *inst = b->inst;

	for (unsigned i = 0; i < inst->memory_count; i++) {
		const struct x86_memory *m = &inst->memory[i];
		struct x86_uop *uop = add_unit(b, pools, X86_POOL_EFF_ADDR);

		if (m->base != X86_NO_REGISTER)
			x86_build_add_source(uop, m->base);
		if (m->index != X86_NO_REGISTER)
			x86_build_add_source(uop, m->index);
		x86_build_add_result(
			uop, ADDRESS_PLACE + i,
			(int)pools->pool[X86_POOL_EFF_ADDR].latency);
		if (!m->read)
			continue;
		uop = x86_build_add_uop(b, X86_UOP_LOAD, 1u << X86_POOL_CACHE);
		uop->memory = i & 1;
		uop->load = load_class(inst, i) & 15;
		x86_build_add_source(uop, ADDRESS_PLACE + i);
		x86_build_add_result(uop, X86_INPUT_MEMORY + i, 0);
	}
}

/* The register that a move loads, without anything that computes; NULL: none. */
static const struct x86_operand *only_loads(const struct x86_inst *inst)
{
	if (inst->memory_count != 1 || !inst->memory[0].read ||
	    inst->memory[0].write || inst->flags_read ||
	    inst->flags_written || !inst->operand_count ||
	    inst->operand[0].kind != X86_OPERAND_REGISTER ||
	    inst->operand[0].read)
		return NULL;
	if (inst->class == X86_CLASS_STACK)
		return &inst->operand[0];
	if (inst->operand_count != 2 ||
	    inst->operand[1].kind != X86_OPERAND_MEMORY)
		return NULL;
	if (inst->class == X86_CLASS_MOVE)
		return &inst->operand[0];
	return (inst->class == X86_CLASS_VECTOR ||
		inst->class == X86_CLASS_MMX) && pool_of(inst) ==
			X86_POOL_XMM_LOGIC ? &inst->operand[0] : NULL;
}

/* Whether memory is written from a register, or an immediate, unchanged. */
static bool only_stores(const struct x86_inst *inst)
{
	return inst->memory_count == 1 && inst->memory[0].write &&
	       !inst->memory[0].read && !inst->flags_read &&
	       !inst->flags_written &&
	       (inst->class == X86_CLASS_MOVE || inst->class == X86_CLASS_STACK);
}

static void build_computes(struct x86_build *b, const struct x86_latencies *l,
			   const struct x86_pools *pools)
{
	enum x86_pool pool = pool_of(b->inst);
	unsigned latency = pools->pool[pool].latency, o = 0;

	/* As many uops as the results need. */
	do {
		struct x86_uop *uop = add_unit(b, pools, pool);

		for (unsigned i = 0; i < l->inputs; i++)
			x86_build_add_source(uop, l->input[i]);
		while (o < l->outputs && uop->result_count < X86_UOP_RESULTS) {
			unsigned place = l->output[o++];

			x86_build_add_result(uop, place >= X86_OUTPUT_MEMORY
							  ? RESULT_PLACE
							  : place,
					     (int)latency);
		}
	} while (o < l->outputs && b->count < X86_CLASSIC_COMPUTES);
}

static void build_writes(struct x86_build *b, const struct x86_latencies *l,
			 bool plain)
{
	for (unsigned i = 0; i < b->inst->memory_count; i++) {
		struct x86_uop *uop;

		if (!b->inst->memory[i].write)
			continue;
		uop = x86_build_add_uop(b, X86_UOP_STORE_DATA,
					1u << X86_POOL_CACHE);
		uop->memory = i & 1;
		x86_build_add_source(uop, ADDRESS_PLACE + i);
		if (!plain)
			x86_build_add_source(uop, RESULT_PLACE);
		for (unsigned k = 0; plain && k < l->inputs; k++)
			x86_build_add_source(uop, l->input[k]);
	}
}

void x86_build_classic(struct x86_build *b, struct x86_template *t,
		       const struct x86_pools *pools)
{
	const struct x86_inst *inst = b->inst;
	const struct x86_form_line line = { .ports = "", .latencies = "" };
	const struct x86_operand *loaded = only_loads(inst);
	bool plain = only_stores(inst), stack = x86_stack_engine(inst);
	struct x86_latencies l;

	b->line = &line;
	x86_latencies_of(&l, b->core, inst, &line);
	build_reads(b, pools);
	if (loaded)
		x86_build_add_result(&b->uop[b->count - 1],
				     x86_operand_place(b->core, loaded), 0);
	else if (inst->class != X86_CLASS_NOTHING && !plain &&
		 (!stack || l.outputs || inst->branch != X86_BRANCH_NONE))
		build_computes(b, &l, pools);
	if (stack) {
		struct x86_uop *uop = add_unit(b, pools, X86_POOL_INT_ADD);

		x86_build_add_source(uop, STACK_POINTER);
		x86_build_add_result(
			uop, STACK_POINTER,
			(int)pools->pool[X86_POOL_INT_ADD].latency);
	}
	build_writes(b, &l, plain);
	for (unsigned i = 0; i < b->count; i++)
		b->uop[i].slot = (uint8_t)i;
	t->form = X86_NO_FORM;
	t->slots = (uint8_t)(b->count ? b->count : 1);
	t->slots_fused = t->retire_slots = t->slots;
	t->decoder_uops = 1; /* each decoder decodes whole instructions */
	t->simple_left = 255;
	t->serializing = inst->traits & X86_SERIALIZING;
	t->locked = inst->traits & X86_LOCKED;
	t->uop_count = (uint8_t)b->count;
	t->uop = b->uop;
}
