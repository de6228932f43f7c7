/* Every row of the instruction tables in every core: a template that makes
 * sense, with as many uops, ports and slots as its row of the uop table. */
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "x86/emu/row-walk.h"
#include "x86/timing/uops/form.h"
#include "x86/timing/uops/uop.h"

struct walk {
	struct x86_templates *templates;
	struct x86_forms forms;
	unsigned seen, faults, sums;
	int last; /* row with a fault */
};

static void fault(struct walk *walk, const struct x86_inst *inst,
		  const struct x86_template *t, const char *what)
{
	/* Each row once. */
	if (walk->last != inst->row && walk->faults++ < 10) {
		fprintf(stderr, "%s: %s\n", x86_row_name(inst->row), what);
		x86_template_print(t, stderr);
	}
	walk->last = inst->row;
}

static bool produced(const struct x86_template *t, unsigned before,
		     unsigned place)
{
	for (unsigned i = 0; i < before; i++)
		for (unsigned r = 0; r < t->uop[i].result_count; r++)
			if (t->uop[i].result[r].place == place)
				return true;
	return false;
}

static void check_order(struct walk *walk, const struct x86_inst *inst,
			const struct x86_template *t)
{
	unsigned slot = 0;

	if (!t->uop_count || !t->slots)
		fault(walk, inst, t, "no uop");
	for (unsigned i = 0; i < t->uop_count; i++) {
		const struct x86_uop *uop = &t->uop[i];

		if (uop->slot != slot && uop->slot != slot + 1)
			fault(walk, inst, t, "slots are not in order");
		slot = uop->slot;
		if (uop->kind != X86_UOP_COMPUTE &&
		    uop->memory >= inst->memory_count)
			fault(walk, inst, t, "accesses no memory operand");
		for (unsigned s = 0; s < uop->source_count; s++)
			if (uop->source[s] >= X86_PLACE_INTERNAL &&
			    !produced(t, i, uop->source[s]))
				fault(walk, inst, t,
				      "waits for what comes later");
	}
	if (slot + 1 != t->slots)
		fault(walk, inst, t, "another number of slots");
}

/* General and vector registers that are written come from some uop, but where
 * so many are written that none is waited for (VZEROUPPER), and where the
 * stack engine does it. */
static void check_results(struct walk *walk, const struct x86_inst *inst,
			  const struct x86_template *t)
{
	uint64_t written = inst->written & (X86_AT(X86_AT_ST) - 1);
	unsigned results = 0;

	if (__builtin_popcountll(written) > X86_UOP_RESULTS)
		return;
	/* A register that is moved to itself stays what it is. */
	if (x86_form_same_registers(inst) && t->uop_count == 1 &&
	    !t->uop[0].ports && !t->uop[0].result_count)
		return;
	if (t->stack_change || inst->branch == X86_BRANCH_FAR)
		written &= ~X86_AT(4);
	for (unsigned at = 0; at < X86_AT_ST; at++)
		if (written >> at & 1)
			results += produced(t, t->uop_count, at) ||
				   (at < 4 && produced(t, t->uop_count,
						       X86_PLACE_HIGH + at));
	if (results != (unsigned)__builtin_popcountll(written) &&
	    inst->class != X86_CLASS_STATE && inst->class != X86_CLASS_SYSTEM)
		fault(walk, inst, t, "a result comes from nowhere");
}

static int compare_ports(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* The ports of a row's uops, sorted. */
static unsigned ports_of(const char *text, uint16_t *ports)
{
	unsigned count = 0;

	while (*text) {
		unsigned times = 1;
		uint16_t mask = 0;

		if (*text != 'p')
			times = (unsigned)strtoul(text, (char **)&text, 10);
		text += *text == '*';
		for (text++; *text && *text != '+'; text++)
			mask |= (uint16_t)(1u << (*text <= '9' ?
						  *text - '0' :
						  *text - 'a' + 10));
		text += *text == '+';
		while (times--)
			ports[count++] = mask;
	}
	qsort(ports, count, sizeof *ports, compare_ports);
	return count;
}

static void check_sums(struct walk *walk, const struct x86_inst *inst,
		       const struct x86_template *t)
{
	const struct x86_form *form = x86_form_find(&walk->forms, inst,
						    X86_FORM_ALL);
	const struct x86_form *variant = NULL;
	uint16_t expected[256], got[256];
	unsigned count, uops = 0, pairs = 0;

	if (x86_form_same_registers(inst))
		variant = x86_form_find(&walk->forms, inst, X86_FORM_SAME);
	else if (x86_form_indexed(inst))
		variant = x86_form_find(&walk->forms, inst, X86_FORM_INDEXED);
	if (t->eliminable || !form) {
		if (!form && t->form != X86_NO_FORM)
			fault(walk, inst, t, "has a form that is none");
		return;
	}
	form = variant ? variant : form;
	count = ports_of(form->line->ports, expected);
	for (unsigned i = 0; i < t->uop_count; i++) {
		if (t->uop[i].ports)
			got[uops++] = t->uop[i].ports;
		pairs += i && t->uop[i].slot == t->uop[i - 1].slot &&
			 (t->uop[i - 1].ports || !t->uop[i - 1].source_count);
	}
	qsort(got, uops, sizeof got[0], compare_ports);
	if (uops != count || memcmp(got, expected, uops * sizeof got[0]))
		fault(walk, inst, t, form->line->ports);
	if (t->retire_slots != form->line->slots ||
	    t->decoder_uops != form->line->decoder ||
	    t->microcode_uops != form->line->microcode)
		fault(walk, inst, t, form->name);
	/* More slots only where no pair can be fused any more. */
	if (t->slots != form->line->slots &&
	    (t->slots < form->line->slots || t->slots != uops - pairs))
		fault(walk, inst, t, "other slots");
	walk->sums++;
}

static void visit(void *owner, const struct x86_inst *inst)
{
	struct walk *walk = owner;
	const struct x86_template *t = x86_template_make(walk->templates,
							 inst);

	walk->seen++;
	check_order(walk, inst, t);
	check_results(walk, inst, t);
	check_sums(walk, inst, t);
}

static void test_core(const char *core)
{
	struct walk walk = {
		.templates = x86_templates_create(core, NULL), .last = -1,
	};
	struct error error;

	CU_ASSERT_PTR_NOT_NULL_FATAL(walk.templates);
	CU_ASSERT_EQUAL_FATAL(x86_forms_create(&walk.forms,
					       x86_uop_core_find(core),
					       &error), 0);
	CU_ASSERT_EQUAL(x86_rows_walk(visit, &walk, &error), 0);
	printf("# %s: %u instructions, %u with a form, %u faults\n", core,
	       walk.seen, walk.sums, walk.faults);
	CU_ASSERT_EQUAL(walk.faults, 0);
	CU_ASSERT(walk.seen > x86_rows());
	/* The K10 has neither SSSE3 nor AVX. */
	CU_ASSERT(walk.sums > walk.seen / 3);
	x86_forms_free(&walk.forms);
	x86_templates_free(walk.templates);
}

static void test_rows(void)
{
	for (unsigned i = 0; x86_uop_core_at(i); i++)
		test_core(x86_uop_core_at(i)->name);
}

static CU_TestInfo tests[] = {
	{ "every row of the instruction tables in every core", test_rows },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "uop tables", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
