/* Templates: the uops of an instruction in a core, once for all equal
 * descriptions. */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/uops/build.h"
#include "x86/emu/step.h"
#include "x86/timing/uops/divide.h"

struct x86_templates {
	const struct x86_uop_core *core;
	const struct x86_divider *divider; /* or NULL */
	struct x86_forms forms;
	struct x86_pools pools; /* in use: they replace the table */
	/* A hash table with open addresses. */
	struct x86_template **entry;
	unsigned count, size;
};

struct x86_templates *x86_templates_create(const char *core,
					   struct error *error)
{
	const struct x86_uop_core *found = x86_uop_core_find(core);
	struct x86_templates *t;

	if (!found) {
		error_set(error, "no uop table for the core \"%s\"", core);
		return NULL;
	}
	t = xcalloc(1, sizeof *t);
	t->core = found;
	t->divider = x86_divider_find(core);
	if (x86_forms_create(&t->forms, found, error)) {
		free(t);
		return NULL;
	}
	t->size = 1024;
	t->entry = xcalloc(t->size, sizeof *t->entry);
	return t;
}

struct x86_templates *
x86_templates_create_pools(const struct x86_pools *pools)
{
	struct x86_templates *t = xcalloc(1, sizeof *t);

	t->core = &x86_classic_core;
	t->pools = *pools;
	t->size = 1024;
	t->entry = xcalloc(t->size, sizeof *t->entry);
	return t;
}

struct x86_templates *x86_templates_for(const char *core,
					const struct x86_pools *pools,
					struct error *error)
{
	return pools->used ? x86_templates_create_pools(pools)
			   : x86_templates_create(core, error);
}

void x86_templates_free(struct x86_templates *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->size; i++)
		if (t->entry[i]) {
			free((void *)(uintptr_t)t->entry[i]->uop);
			free(t->entry[i]);
		}
	free(t->entry);
	x86_forms_free(&t->forms);
	free(t);
}

/* ---- Keeping each once ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *byte = data;

	while (size--)
		hash = (hash ^ *byte++) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t hash_of(const struct x86_template *t)
{
	struct x86_template plain = *t;

	plain.uop = NULL;
	return mix(mix(UINT64_C(0xcbf29ce484222325), &plain, sizeof plain),
		   t->uop, t->uop_count * sizeof t->uop[0]);
}

static bool equal(const struct x86_template *a, const struct x86_template *b)
{
	struct x86_template x = *a, y = *b;

	x.uop = y.uop = NULL;
	return !memcmp(&x, &y, sizeof x) &&
	       !memcmp(a->uop, b->uop, a->uop_count * sizeof a->uop[0]);
}

static struct x86_template **place_for(const struct x86_templates *t,
				       const struct x86_template *template)
{
	unsigned at = (unsigned)hash_of(template) & (t->size - 1);

	while (t->entry[at] && !equal(t->entry[at], template))
		at = (at + 1) & (t->size - 1);
	return &t->entry[at];
}

static void grow(struct x86_templates *t)
{
	struct x86_template **old = t->entry;
	unsigned size = t->size;

	t->size *= 2;
	t->entry = xcalloc(t->size, sizeof *t->entry);
	for (unsigned i = 0; i < size; i++)
		if (old[i])
			*place_for(t, old[i]) = old[i];
	free(old);
}

static const struct x86_template *keep(struct x86_templates *t,
				       const struct x86_template *template)
{
	size_t bytes = template->uop_count * sizeof template->uop[0];
	struct x86_template **place = place_for(t, template), *made;
	struct x86_uop *uop;

	if (*place)
		return *place;
	made = xmalloc(sizeof *made);
	uop = xcalloc(1, bytes + 1);
	memcpy(made, template, sizeof *made); /* with its padding */
	memcpy(uop, template->uop, bytes);
	made->uop = uop;
	*place = made;
	if (++t->count * 2 > t->size)
		grow(t);
	return made;
}

/* ---- Making one ---- */

static void set_stack(struct x86_template *t, const struct x86_inst *inst)
{
	bool visible = false;

	for (unsigned i = 0; i < inst->operand_count; i++)
		visible |= inst->operand[i].kind == X86_OPERAND_REGISTER &&
			   inst->operand[i].location == 4;
	if (!x86_stack_engine(inst)) {
		t->stack_explicit = ((inst->read | inst->written) & X86_AT(4));
		return;
	}
	for (unsigned i = 0; i < inst->memory_count; i++) {
		const struct x86_memory *m = &inst->memory[i];

		if (m->pushed)
			t->stack_change = (int16_t)-(int)m->size;
		else if (m->base == 4 && m->read && !m->write &&
			 (inst->branch == X86_BRANCH_RETURN ||
			  i || inst->memory_count == 1) &&
			 inst->mnemonic != ZYDIS_MNEMONIC_PUSH &&
			 inst->branch != X86_BRANCH_INDIRECT_CALL)
			t->stack_change = (int16_t)m->size;
		else if (m->base == 4 || m->index == 4)
			visible = true;
	}
	if (inst->branch == X86_BRANCH_RETURN && inst->operand_count)
		t->stack_change = (int16_t)(t->stack_change + inst->immediate);
	t->stack_explicit = visible;
}

static void set_branch(struct x86_template *t, const struct x86_inst *inst)
{
	/* 70 ... 7f, 0f 80 ... 8f */
	if (inst->branch == X86_BRANCH_CONDITIONAL &&
	    (inst->map == X86_MAP_0F || (inst->opcode & 0xf0) == 0x70)) {
		t->conditional_jump = true;
		t->condition = inst->opcode & 15;
	}
}

static void set_divide(struct x86_template *t,
		       const struct x86_divider *divider,
		       const struct x86_inst *inst)
{
	if (!(inst->traits & X86_DIVIDES) || !divider)
		return;
	t->divider = divider;
	t->divide_times = 1;
	if (inst->class == X86_CLASS_DIVIDE) {
		bool is_signed = inst->mnemonic == ZYDIS_MNEMONIC_IDIV;

		if (inst->operand[0].size == 1)
			t->divide = X86_DIVIDE_BYTE;
		else if (inst->operand[0].size < 8)
			t->divide = is_signed ? X86_DIVIDE_INTEGER_SIGNED
					      : X86_DIVIDE_INTEGER;
		else
			t->divide = is_signed ? X86_DIVIDE_LONG_SIGNED
					      : X86_DIVIDE_LONG;
		return;
	}
	t->divide = x86_takes_root(inst->mnemonic) ? X86_DIVIDE_ROOT
						   : X86_DIVIDE_FRACTION;
	if (inst->class == X86_CLASS_VECTOR && inst->operand[0].size == 32)
		t->divide_times = 2;
}

/* Whether all latencies of the row are 0: the instruction waits for nothing. */
static bool waits_for_nothing(const struct x86_form_line *line)
{
	const char *text = line->latencies;

	if (!*text)
		return false;
	while ((text = strchr(text, ':')))
		if (*++text != '0')
			return false;
	return true;
}

/* Whether this is the row of a move that the renamer performs, without a
 * uop. */
static bool is_eliminated(const struct x86_inst *inst,
			  const struct x86_form *form)
{
	return !*form->line->ports && inst->operand_count == 2 &&
	       inst->operand[0].kind == X86_OPERAND_REGISTER &&
	       inst->operand[1].kind == X86_OPERAND_REGISTER &&
	       inst->class != X86_CLASS_NOTHING &&
	       waits_for_nothing(form->line);
}

/* FXCH whose row has no uops. */
static void set_exchange(struct x86_template *t, const struct x86_build *b)
{
	if (b->inst->mnemonic != ZYDIS_MNEMONIC_FXCH || *b->line->ports)
		return;
	t->exchanges = true;
	t->move_from = X86_AT_ST;
	t->move_to = b->inst->operand[b->inst->operand_count > 1 ? 1 : 0]
			     .location;
}

/* Intel's cores do not forward stores under a mask (optimization manual, "Masked
 * loads and stores"; InstLatx64: 12 to 17 cycles for a pair of VMASKMOV). */
static bool is_masked_store(const struct x86_uop_core *core,
			    const struct x86_inst *inst)
{
	switch (inst->mnemonic) {
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		return core->defaults <= 2 && inst->memory[0].write;
	default:
		return false;
	}
}

static const struct x86_form_line *default_line(const struct x86_uop_core *core,
						const struct x86_inst *inst,
						struct x86_form_line *line)
{
	static const struct {
		uint8_t latency;
		const char *ports[5];
	} defaults[] = {
#define DEFAULT(class, latency, ...) \
		[X86_CLASS_##class] = { latency, { __VA_ARGS__ } },
#include "x86/timing/uops/defaults.def"
#undef DEFAULT
	};
	static __thread char ports[64], latencies[16];
	const char *compute = defaults[inst->class].ports[core->defaults];
	/* One issue slot for each uop that computes, at least one. Loads and
	 * addresses are fused. */
	unsigned slots = *compute ? (unsigned)atoi(compute) : 0;
	unsigned n = 0;

	slots = *compute && !slots ? 1 : slots;
	n += (unsigned)snprintf(ports, sizeof ports, "%s", compute);
	for (unsigned i = 0; i < inst->memory_count; i++) {
		/* By column: Nehalem; Sandy Bridge; Haswell, without and with
		 * an index; K10; Zen 2. */
		static const char *const loads[] = {
			"p2", "p23", "p23", "p34", "p45",
		}, *const stores[] = {
			"p3+p4", "p23+p4", "p237+p4", "p5+p6", "p6+p7",
		};
		const char *load = loads[core->defaults];
		const char *store = core->defaults == 2 &&
				    inst->memory[i].scale ? "p23+p4"
							  : stores[core->defaults];

		if (inst->memory[i].read) {
			n += (unsigned)snprintf(ports + n, sizeof ports - n,
						"%s%s", n ? "+" : "", load);
			slots += !*compute;
		}
		if (inst->memory[i].write) {
			n += (unsigned)snprintf(ports + n, sizeof ports - n,
						"%s%s", n ? "+" : "", store);
			slots++;
		}
	}
	slots = slots ? slots : 1;
	/* Every input takes the class's latency. */
	snprintf(latencies, sizeof latencies, "%s", "");
	*line = (struct x86_form_line){
		.slots = (uint8_t)slots,
		.decoder = (uint8_t)(slots <= 4 ? slots : 1),
		.microcode = (uint8_t)(slots <= 4 ? 0 : slots - 1),
		.left = slots > 1 ? 0 : X86_ANY_DECODER,
		.ports = ports, .latencies = latencies,
		.divider = inst->class == X86_CLASS_DIVIDE ? 10 : 0,
	};
	return line;
}

static uint8_t default_latency(const struct x86_inst *inst)
{
	static const uint8_t latency[] = {
#define DEFAULT(class, latency, ...) [X86_CLASS_##class] = latency,
#include "x86/timing/uops/defaults.def"
#undef DEFAULT
	};

	return latency[inst->class];
}

static const struct x86_template *make_classic(struct x86_templates *templates,
					       const struct x86_inst *inst)
{
	struct x86_build *b = xcalloc(1, sizeof *b);
	const struct x86_template *result;
	struct x86_template t;

	memset(&t, 0, sizeof t); /* padding, too: it is compared */
	b->core = templates->core;
	b->inst = inst;
	x86_build_classic(b, &t, &templates->pools);
	t.hint = x86_hint_of(inst);
	set_branch(&t, inst);
	x86_template_complete(&t, b->uop);
	result = keep(templates, &t);
	free(b);
	return result;
}

const struct x86_template *x86_template_make(struct x86_templates *templates,
					     const struct x86_inst *inst)
{
	const struct x86_forms *forms = &templates->forms;
	const struct x86_form *form, *variant = NULL;
	const struct x86_template *result;
	bool same = x86_form_same_registers(inst);
	struct x86_form_line line, merged;
	struct x86_template t;
	struct x86_build *b;

	if (templates->pools.used)
		return make_classic(templates, inst);
	b = xcalloc(1, sizeof *b);
	memset(&t, 0, sizeof t); /* padding, too: it is compared */
	form = x86_form_find(forms, inst, X86_FORM_ALL);
	b->core = templates->core;
	b->inst = inst;
	if (!form) {
		b->line = default_line(b->core, inst, &line);
		t.form = X86_NO_FORM;
	} else {
		variant = same ? x86_form_find(forms, inst, X86_FORM_SAME) :
			  x86_form_indexed(inst) ?
			  x86_form_find(forms, inst, X86_FORM_INDEXED) : NULL;
		t.form = (uint16_t)(form - forms->form);
		b->line = variant ? variant->line : form->line;
		if (same && variant && waits_for_nothing(variant->line) &&
		    !is_eliminated(inst, form))
			t.zero_idiom = true;
		if (!same && is_eliminated(inst, form)) {
			t.eliminable = true;
			t.vector_move = inst->class == X86_CLASS_VECTOR;
			t.move_to = x86_operand_place(b->core,
						      &inst->operand[0]);
			t.move_from = x86_operand_place(b->core,
							&inst->operand[1]);
			variant = x86_form_find(forms, inst, X86_FORM_SAME);
			/* The real move. An unmeasured one may use any port. */
			merged = *form->line;
			merged.ports = variant ? variant->line->ports
					       : default_line(b->core, inst,
							      &line)->ports;
			merged.latencies = "1>0:1";
			b->line = &merged;
		}
	}
	x86_build_uops(b);
	/* A register stays what it is. */
	for (unsigned i = 0; form && same && i < b->count; i++)
		if (is_eliminated(inst, form) && !*b->line->ports)
			b->uop[i].result_count = 0;
	if (!form)
		for (unsigned i = 0; i < b->count; i++)
			for (unsigned r = 0; r < b->uop[i].result_count; r++)
				if (b->uop[i].kind == X86_UOP_COMPUTE)
					b->uop[i].result[r].latency =
						default_latency(inst);
	x86_build_domain(b);
	t.decoder_uops = b->line->decoder;
	t.microcode_uops = b->line->microcode;
	t.complex_decoder = b->line->left != X86_ANY_DECODER ||
			    b->line->microcode;
	/* Measurements of zero idioms alone show four a cycle, where a row says
	 * that the instruction needs the first decoder (InstLatx64: VPSUBQ and
	 * PCMPGTQ of one register, Haswell 0.28). */
	t.complex_decoder &= !(t.zero_idiom && b->line->decoder == 1);
	t.simple_left = (uint8_t)(b->line->left < 0 ? 3 : b->line->left);
	/* POP of rsp and r12, whose register number differs only by the prefix:
	 * uiCA, section 4.1.1. */
	t.ends_decoding = inst->mnemonic == ZYDIS_MNEMONIC_POP &&
			  inst->operand_count &&
			  inst->operand[0].kind == X86_OPERAND_REGISTER &&
			  inst->operand[0].location % 8 == 4;
	t.complex_decoder |= t.ends_decoding;
	t.wide_immediate = inst->immediate_bytes == 8;
	t.fuses_with = b->line->fuses;
	set_branch(&t, inst);
	t.slots = (uint8_t)b->slots;
	t.slots_fused = (uint8_t)(b->line->decoder + b->line->microcode);
	t.retire_slots = b->line->slots;
	t.serializing = inst->traits & X86_SERIALIZING;
	t.locked = inst->traits & X86_LOCKED;
	t.masked = is_masked_store(b->core, inst);
	t.hint = x86_hint_of(inst);
	x86_build_caching(&t, inst);
	set_stack(&t, inst);
	set_divide(&t, templates->divider, inst);
	t.divide_less_half = b->line->divider & X86_LESS_HALF;
	set_exchange(&t, b);
	t.minimum_cycles = b->line->cycles;
	t.uop_count = (uint8_t)b->count;
	t.uop = b->uop;
	x86_template_complete(&t, b->uop);
	result = keep(templates, &t);
	free(b);
	return result;
}

const char *x86_form_name(const struct x86_templates *templates, unsigned form)
{
	return form < templates->forms.count ? templates->forms.form[form].name
					     : NULL;
}
