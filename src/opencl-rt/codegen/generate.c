#include "opencl-rt/codegen/generate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"

static char *finish(struct selection *selection, struct error *error)
{
	const char *why = NULL;
	char *text = NULL;

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
		       uint32_t *local_size, bool *structured,
		       struct error *error)
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
	*local_size = selection->machine.local_size;
	*structured = !selection->unstructured;
	select_free(selection);
	free(selection);
	return text;
}
