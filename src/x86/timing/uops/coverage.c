/* The part of the instruction set that the uop tables have. */
#include "x86/timing/uops/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/row-walk.h"
#include "x86/timing/uops/form.h"
#include "x86/timing/uops/uop.h"

enum { CORES = 16 };

enum { ROW_SEEN = 1, ROW_MEASURED = 2 };

struct coverage {
	unsigned cores;
	struct x86_forms forms[CORES];
	uint8_t *row[CORES];   /* by row: ROW_... */
	uint8_t *class;
};

static void visit(void *owner, const struct x86_inst *inst)
{
	struct coverage *c = owner;

	c->class[inst->row] = inst->class;
	for (unsigned i = 0; i < c->cores; i++) {
		c->row[i][inst->row] |= ROW_SEEN;
		if (x86_form_find(&c->forms[i], inst, X86_FORM_ALL))
			c->row[i][inst->row] |= ROW_MEASURED;
	}
}

static const char *const class_names[] = {
	[X86_CLASS_NOTHING] = "nothing", [X86_CLASS_MOVE] = "move",
	[X86_CLASS_ADDRESS] = "address", [X86_CLASS_ARITHMETIC] = "arithmetic",
	[X86_CLASS_SHIFT] = "shift", [X86_CLASS_MULTIPLY] = "multiply",
	[X86_CLASS_DIVIDE] = "divide", [X86_CLASS_STACK] = "stack",
	[X86_CLASS_STRING] = "string", [X86_CLASS_BRANCH] = "branch",
	[X86_CLASS_FENCE] = "fence", [X86_CLASS_SYSTEM] = "system",
	[X86_CLASS_X87] = "x87", [X86_CLASS_MMX] = "MMX",
	[X86_CLASS_VECTOR] = "vector", [X86_CLASS_STATE] = "state",
};

static void print_core(const struct coverage *c, unsigned core, FILE *stream)
{
	unsigned defaults[ARRAY_SIZE(class_names)] = { 0 };
	unsigned measured = 0, sum = 0;

	for (unsigned i = 0; i < x86_rows(); i++) {
		uint8_t how = c->row[core][i];

		measured += how >> 1;
		if (how == ROW_SEEN) {
			defaults[c->class[i]]++;
			sum++;
		}
	}
	fprintf(stream, "%s: %u forms; of %u rows %u have one, %u the default "
		"of their class:", x86_uop_core_at(core)->name,
		c->forms[core].count, measured + sum, measured, sum);
	for (unsigned i = 0; i < ARRAY_SIZE(class_names); i++)
		if (defaults[i])
			fprintf(stream, " %s %u", class_names[i], defaults[i]);
	fputc('\n', stream);
}

int x86_uop_coverage_print(FILE *stream, struct error *error)
{
	struct coverage *c = xcalloc(1, sizeof *c);
	int status = 0;

	c->class = xcalloc(x86_rows(), 1);
	for (; c->cores < CORES && x86_uop_core_at(c->cores) && !status;
	     c->cores++) {
		c->row[c->cores] = xcalloc(x86_rows(), 1);
		status = x86_forms_create(&c->forms[c->cores],
					  x86_uop_core_at(c->cores), error);
	}
	if (!status)
		status = x86_rows_walk(visit, c, error);
	if (!status)
		fputs("\nUop tables of the timing model's cores:\n", stream);
	for (unsigned i = 0; i < c->cores; i++) {
		if (!status)
			print_core(c, i, stream);
		x86_forms_free(&c->forms[i]);
		free(c->row[i]);
	}
	free(c->class);
	free(c);
	return status;
}
