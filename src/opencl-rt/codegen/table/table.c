#include "opencl-rt/codegen/table/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/code.h"
#include "opencl-rt/codegen/target.h"

/* --- Bytes ---------------------------------------------------------------- */

static bool write_constant(LLVMTargetDataRef layout, LLVMValueRef value,
			   uint8_t *bytes);

static bool write_number(LLVMTargetDataRef layout, LLVMValueRef value,
			 uint8_t *bytes)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	size_t size = LLVMStoreSizeOfType(layout, type);
	uint64_t bits;
	LLVMBool lost;
	double number;
	float single;

	if (LLVMIsAConstantInt(value) && size <= sizeof bits) {
		bits = LLVMConstIntGetZExtValue(value);
	} else if (LLVMGetTypeKind(type) == LLVMFloatTypeKind &&
		   LLVMIsAConstantFP(value)) {
		single = (float)LLVMConstRealGetDouble(value, &lost);
		memcpy(&bits, &single, sizeof single);
	} else if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind &&
		   LLVMIsAConstantFP(value)) {
		number = LLVMConstRealGetDouble(value, &lost);
		memcpy(&bits, &number, sizeof number);
	} else {
		return false;
	}
	memcpy(bytes, &bits, size);
	return true;
}

/* Elements or members, each at its place. */
static bool write_parts(LLVMTargetDataRef layout, LLVMValueRef value,
			uint8_t *bytes)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	bool is_structure = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	unsigned count = is_structure ? LLVMCountStructElementTypes(type)
			 : LLVMGetTypeKind(type) == LLVMArrayTypeKind
				 ? LLVMGetArrayLength(type)
				 : LLVMGetVectorSize(type);
	uint64_t step = is_structure
				? 0
				: LLVMABISizeOfType(layout,
						    LLVMGetElementType(type));

	for (unsigned i = 0; i < count; i++) {
		uint64_t at = is_structure
				      ? LLVMOffsetOfElement(layout, type, i)
				      : i * step;

		if (!write_constant(layout, LLVMGetAggregateElement(value, i),
				    bytes + at))
			return false;
	}
	return true;
}

static bool write_constant(LLVMTargetDataRef layout, LLVMValueRef value,
			   uint8_t *bytes)
{
	if (!value)
		return false;
	/* The bytes are 0 from the start. */
	if (LLVMIsNull(value) || LLVMIsAUndefValue(value))
		return true;
	switch (LLVMGetTypeKind(LLVMTypeOf(value))) {
	case LLVMStructTypeKind:
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
		return write_parts(layout, value, bytes);
	default:
		return write_number(layout, value, bytes);
	}
}

/* --- Places --------------------------------------------------------------- */

static bool is_table(LLVMValueRef variable)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) !=
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

bool table_offset(LLVMTargetDataRef layout, LLVMValueRef variable,
		 uint32_t *place)
{
	LLVMModuleRef module = LLVMGetGlobalParent(variable);
	uint32_t end = 0;
	uint8_t *bytes;
	bool known;

	if (!is_table(variable))
		return false;
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at)) {
		if (!is_table(at))
			continue;
		*place = place_next(layout, at, &end);
		if (at == variable)
			break;
	}
	bytes = xcalloc(end - *place + 1, 1);
	known = write_constant(layout, LLVMGetInitializer(variable), bytes);
	free(bytes);
	return known;
}

uint8_t *table_bytes(LLVMModuleRef module, uint32_t *size)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(module);
	uint8_t *bytes = NULL;

	*size = 0;
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at)) {
		uint32_t before = *size, place;

		if (!is_table(at))
			continue;
		place = place_next(layout, at, size);
		bytes = xrealloc(bytes, *size + 1);
		memset(bytes + before, 0, *size - before);
		if (!write_constant(layout, LLVMGetInitializer(at),
				    bytes + place))
			memset(bytes + place, 0, *size - place);
	}
	return bytes;
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
