#include "opencl-rt/codegen/generate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"

/* The passes compare every instruction of a straight stretch with the others:
 * longer ones would take minutes. */
enum { STRETCH = 2000 };

static bool is_too_long(const struct machine *machine)
{
	unsigned first = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		if (machine->insts[i].kind >= MACHINE_IF)
			first = i + 1;
		if (i - first > STRETCH && i >= first)
			return true;
	}
	return false;
}

static char *finish(struct selection *selection, struct error *error)
{
	const char *why = NULL;
	char *text = NULL;

	if (is_too_long(&selection->machine)) {
		error_set(error, "more than %d instructions in a row",
			  STRETCH);
		return NULL;
	}
	machine_simplify_flow(&selection->machine);
	machine_reuse(&selection->machine);
	machine_join_accesses(&selection->machine);
	machine_drop_unused(&selection->machine);
	machine_predicate(&selection->machine);
	machine_join_copies(&selection->machine);
	machine_arrange(&selection->machine);
	why = machine_allocate(&selection->machine);
	if (!why)
		text = machine_write(&selection->machine,
				     selection->kernel->name, &why);
	if (!text)
		error_set(error, "%s", why);
	return text;
}

char *codegen_generate(LLVMValueRef function, const struct evg_kernel *kernel,
		       struct codegen_facts *facts, struct error *error)
{
	struct selection *selection = xcalloc(1, sizeof *selection);
	char *text = NULL;

	selection->function = function;
	selection->kernel = kernel;
	selection->layout =
		LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
	select_function(selection);
	if (select_refused(selection))
		error_set(error, "%s", selection->why);
	else
		text = finish(selection, error);
	facts->local_size = selection->machine.local_size;
	facts->scratch_size = selection->machine.scratch_size;
	facts->structured = !selection->unstructured;
	select_free(selection);
	free(selection);
	return text;
}
