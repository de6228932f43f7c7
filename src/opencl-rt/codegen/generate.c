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

	if (machine->without >> STAGE_ORDER & 1)
		return machine_allocate(machine);
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

/* The passes of their stages. */
static const struct {
	enum stage stage;
	void (*run)(struct machine *machine);
} passes[] = {
	{ STAGE_SELECT, NULL },
	{ STAGE_FLOW, machine_simplify_flow },
	{ STAGE_REUSE, machine_reuse },
	{ STAGE_JOIN, machine_join_accesses },
	{ STAGE_UNUSED, machine_drop_unused },
	{ STAGE_PREDICATE, machine_predicate },
	{ STAGE_COPIES, machine_join_copies },
};

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
	machine->without = facts->without;
	for (size_t i = 0; i < ARRAY_SIZE(passes); i++) {
		if (passes[i].run &&
		    !(facts->without >> passes[i].stage & 1))
			passes[i].run(machine);
		stage_end(&watch, machine, passes[i].stage);
	}
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
	selection->permits = permits_of(function);
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
