#include "opencl-rt/codegen/generate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"
#include "opencl-rt/codegen/table/table.h"

/* Fetches side by side need many registers. Where there are not so many, the
 * instructions stay in the order of the source. */
static const char *order_and_allocate(struct machine *machine,
				      struct stage_watch *watch)
{
	struct machine before;
	const char *why;

	machine_copy(&before, machine);
	machine_arrange(machine);
	stage_end(watch, machine, STAGE_ORDER);
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
	struct machine *machine = &selection->machine;
	struct stage_watch watch = {
		.kernel = selection->kernel->name,
		.print_after = facts->print_after,
	};
	const char *why = NULL;
	char *text = NULL;

	machine->report = facts->schedule_report;
	stage_end(&watch, machine, STAGE_SELECT);
	machine_simplify_flow(machine);
	stage_end(&watch, machine, STAGE_FLOW);
	machine_reuse(machine);
	stage_end(&watch, machine, STAGE_REUSE);
	machine_join_accesses(machine);
	stage_end(&watch, machine, STAGE_JOIN);
	machine_drop_unused(machine);
	stage_end(&watch, machine, STAGE_UNUSED);
	machine_predicate(machine);
	stage_end(&watch, machine, STAGE_PREDICATE);
	machine_join_copies(machine);
	stage_end(&watch, machine, STAGE_COPIES);
	why = order_and_allocate(machine, &watch);
	if (!why)
		stage_end(&watch, machine, STAGE_REGISTERS);
	if (*watch.fault)
		why = watch.fault;
	if (facts->table_size)
		table_mark(&selection->machine, facts->table_size,
			   &facts->first_table);
	if (!why)
		text = machine_write(&selection->machine,
				     selection->kernel->name, &facts->lines,
				     &why);
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
