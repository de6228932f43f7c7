#include "opencl-rt/codegen/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "opencl-rt/codegen/target.h"

/* --- Places --------------------------------------------------------------- */

static bool is_table(LLVMValueRef variable)
{
	return LLVMIsAGlobalVariable(variable) &&
	       LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) !=
		       SPACE_LOCAL &&
	       LLVMIsGlobalConstant(variable) &&
	       LLVMGetInitializer(variable);
}

/* Moves *end behind a variable; its first byte. */
static uint32_t place_next(LLVMTargetDataRef layout, LLVMValueRef variable,
			   uint32_t *end)
{
	uint32_t unit = LLVMGetAlignment(variable), place;

	/* Dwords are read whole. */
	if (unit < 16)
		unit = 16;
	place = (*end + unit - 1) / unit * unit;
	*end = place + (uint32_t)LLVMABISizeOfType(
			       layout, LLVMGlobalGetValueType(variable));
	return place;
}

bool table_begin(LLVMTargetDataRef layout, LLVMValueRef variable,
		 uint32_t *place)
{
	LLVMModuleRef module;
	uint32_t end = 0;

	if (!is_table(variable))
		return false;
	module = LLVMGetGlobalParent(variable);
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at)) {
		if (!is_table(at))
			continue;
		*place = place_next(layout, at, &end);
		if (at == variable)
			break;
	}
	return true;
}

/* Writes a table's bytes where they belong among those of all. */
static bool write_table(LLVMTargetDataRef layout, LLVMValueRef variable,
			struct tables *tables, uint32_t place)
{
	uint32_t end = place + (uint32_t)LLVMABISizeOfType(
				       layout,
				       LLVMGlobalGetValueType(variable));
	unsigned addresses = tables->address_count;

	tables->bytes = xrealloc(tables->bytes, end + 1);
	memset(tables->bytes + tables->size, 0, end - tables->size);
	tables->size = end;
	if (table_write(layout, LLVMGetInitializer(variable), tables, place))
		return true;
	memset(tables->bytes + place, 0, end - place);
	tables->address_count = addresses;
	return false;
}

void tables_write(LLVMModuleRef module, struct tables *tables)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	uint32_t end = 0;

	*tables = (struct tables){ .known = true };
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at))
		if (is_table(at) &&
		    !write_table(layout, at, tables,
				 place_next(layout, at, &end)))
			tables->known = false;
}

void tables_free(struct tables *tables)
{
	free(tables->bytes);
	free(tables->addresses);
}

bool table_offset(LLVMTargetDataRef layout, LLVMValueRef variable,
		 uint32_t *place)
{
	struct tables own = { .bytes = NULL }, all;
	bool known;

	if (!table_begin(layout, variable, place))
		return false;
	known = write_table(layout, variable, &own, 0);
	/* What its addresses lead to must be known, too. */
	if (known && own.address_count) {
		tables_write(LLVMGetGlobalParent(variable), &all);
		known = all.known;
		tables_free(&all);
	}
	tables_free(&own);
	return known;
}

/* --- Literals ------------------------------------------------------------- */

/* Whether an instruction has a literal of its own in the range; the last of
 * these plus 1. */
static bool meets(const struct machine_inst *inst, uint32_t first,
		  uint32_t size, uint32_t *next)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		const struct machine_source *source = &inst->source[k];

		if (source->reg == MACHINE_NONE &&
		    source->select == EVG_SELECT_LITERAL &&
		    !source->relocated && source->literal - first < size) {
			*next = source->literal + 1;
			return true;
		}
	}
	return false;
}

void table_mark(struct machine *machine, uint32_t size, uint32_t *first)
{
	bool met;

	/* Neither a small integer nor a usual float. */
	*first = 0x6d000000;
	do {
		met = false;
		for (unsigned i = 0; i < machine->inst_count; i++)
			met |= meets(&machine->insts[i], *first, size, first);
	} while (met);
	for (unsigned i = 0; i < machine->inst_count; i++)
		for (unsigned k = 0; k < machine->insts[i].source_count; k++)
			if (machine->insts[i].source[k].relocated)
				machine->insts[i].source[k].literal += *first;
}

int table_find(struct evg_program *program, uint32_t size, uint32_t first,
	       uint32_t **places, struct error *error)
{
	uint8_t *text = program->text + program->kernels[0].code_offset;
	struct evg_code *code = evg_code_decode(
		text, program->kernels[0].code_size, error);
	unsigned count = 0, capacity = 0;

	*places = NULL;
	if (!code)
		return -1;
	for (uint32_t g = 0; g < code->group_count; g++) {
		const struct evg_code_group *group = &code->groups[g];

		for (unsigned k = 0; k < group->group.literal_count; k++) {
			uint32_t literal = group->group.literal[k] - first;
			uint32_t at = 8 * (group->address +
					   group->group.inst_count) + 4 * k;

			if (literal >= size)
				continue;
			memcpy(text + at, &literal, sizeof literal);
			ARRAY_GROW(*places, count, capacity);
			(*places)[count++] = at;
		}
	}
	evg_code_free(code);
	return (int)count;
}
