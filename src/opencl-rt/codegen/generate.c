#include "opencl-rt/codegen/generate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"
#include "opencl-rt/codegen/table/table.h"

/* Fetches side by side need many registers. Where there are not so many, the
 * instructions stay in the order of the source. */
static const char *order_and_allocate(struct machine *machine)
{
	struct machine before;
	const char *why;

	machine_copy(&before, machine);
	machine_arrange(machine);
	why = machine_allocate(machine);
	if (!why) {
		machine_free(&before);
		return NULL;
	}
	machine_free(machine);
	*machine = before;
	return machine_allocate(machine);
}

static char *finish(struct selection *selection, struct codegen_facts *facts,
		    struct error *error)
{
	const char *why = NULL;
	char *text = NULL;

	machine_simplify_flow(&selection->machine);
	machine_reuse(&selection->machine);
	machine_join_accesses(&selection->machine);
	machine_drop_unused(&selection->machine);
	machine_predicate(&selection->machine);
	machine_join_copies(&selection->machine);
	why = order_and_allocate(&selection->machine);
	if (facts->table_size)
		table_mark(&selection->machine, facts->table_size,
			   &facts->first_table);
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
		text = finish(selection, facts, error);
	facts->local_size = selection->machine.local_size;
	facts->scratch_size = selection->machine.scratch_size;
	facts->structured = !selection->unstructured;
	select_free(selection);
	free(selection);
	return text;
}
