#include "opencl-rt/codegen/generate.h"

#include <stdlib.h>

#include "base/memory.h"
#include "opencl-rt/codegen/fit/fit.h"
#include "opencl-rt/codegen/passes.h"
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/table/table.h"

/* What the kernel needs and the chip lacks. */
static bool is_unsuitable(const struct machine *machine, struct error *error)
{
	for (unsigned i = 0; i < machine->inst_count; i++) {
		enum evg_alu_op op = machine->insts[i].op;
		const char *lacks = evg_chip_lacks(machine->chip, op);

		if (machine->insts[i].kind != MACHINE_ALU || !lacks)
			continue;
		error_set(error, "%s needs %s, which the %s (%s) lacks",
			  evg_alu_info[op].name, lacks,
			  evg_chip_info[machine->chip].title,
			  evg_chip_info[machine->chip].name);
		return true;
	}
	return false;
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

	machine->chip = facts->chip;
	facts->unsuitable = is_unsuitable(machine, error);
	if (facts->unsuitable)
		return NULL;
	machine->report = facts->schedule_report;
	machine->without = facts->without;
	stage_end(&watch, machine, STAGE_SELECT);
	for (size_t i = 0; i < CODEGEN_PASSES; i++) {
		const struct codegen_pass *pass = &codegen_passes[i];

		if (!(facts->without >> pass->stage & 1))
			pass->run(machine);
		stage_end(&watch, machine, pass->stage);
	}
	why = fit_registers(machine, selection->kernel, facts->registers,
			    &watch);
	if (!why)
		stage_end(&watch, machine, STAGE_REGISTERS);
	facts->broken = *watch.fault != '\0';
	if (facts->broken)
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
	selection->dispatched = facts->dispatched;
	selection->read_path = facts->read_path;
	selection->write_path = facts->write_path;
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
