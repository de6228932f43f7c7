/* Values of LLVM's IR: constants, arguments, and what has been selected. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select.h"
#include "opencl-rt/codegen/target.h"

/* Dwords of constant buffer 0 that a clause can read: two windows of 32
 * registers of four dwords. */
enum { WINDOW = 32, CONSTANT_DWORDS = 2 * WINDOW * 4 };

void select_refuse(struct selection *selection, LLVMValueRef inst,
		   const char *format, ...)
{
	unsigned line = inst && LLVMIsAInstruction(inst)
				? LLVMGetDebugLocLine(inst)
				: 0;
	va_list arguments;
	int length = 0;

	if (select_refused(selection))
		return;
	if (line)
		length = snprintf(selection->why, sizeof selection->why,
				  "line %u: ", line);
	va_start(arguments, format);
	vsnprintf(selection->why + length,
		  sizeof selection->why - (size_t)length, format, arguments);
	va_end(arguments);
}

bool select_refused(const struct selection *selection)
{
	return selection->why[0];
}

static bool is_dword(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type) == 32 ||
		       LLVMGetIntTypeWidth(type) == 1;
	case LLVMFloatTypeKind:
		return true;
	case LLVMPointerTypeKind:
		return LLVMGetPointerAddressSpace(type) != SPACE_PRIVATE;
	default:
		return false;
	}
}

unsigned select_count(LLVMTypeRef type)
{
	unsigned count = 1;

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		count = LLVMGetVectorSize(type);
		type = LLVMGetElementType(type);
	}
	return is_dword(type) && count <= SELECT_PARTS ? count : 0;
}

/* --- Sources -------------------------------------------------------------- */

struct machine_source select_register(int reg)
{
	return (struct machine_source){ .reg = reg };
}

struct machine_source select_number(uint32_t value)
{
	static const struct {
		uint32_t value;
		uint16_t select;
	} given[] = {
		{ 0, EVG_SELECT_0 }, { 1, EVG_SELECT_1_INT },
		{ 0xffffffff, EVG_SELECT_M1_INT },
		{ 0x3f800000, EVG_SELECT_1 }, { 0x3f000000, EVG_SELECT_HALF },
	};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i].value == value)
			return (struct machine_source){
				.reg = MACHINE_NONE, .select = given[i].select,
			};
	return (struct machine_source){
		.reg = MACHINE_NONE, .select = EVG_SELECT_LITERAL,
		.literal = value,
	};
}

struct machine_source select_constant(struct selection *selection,
				      uint32_t byte)
{
	uint32_t number = byte / 16;

	if (byte >= 4 * CONSTANT_DWORDS || byte % 4)
		select_refuse(selection, NULL, "byte %u of constant buffer 0",
			      byte);
	return (struct machine_source){
		.reg = MACHINE_NONE,
		.select = (uint16_t)(number < WINDOW
					     ? EVG_SELECT_KCACHE0 + number
					     : EVG_SELECT_KCACHE1 +
						       number % WINDOW),
		.channel = (uint8_t)(byte / 4 % 4),
	};
}

/* --- The table of selected values ----------------------------------------- */

static struct selected *find(struct selection *selection, LLVMValueRef value)
{
	size_t mask = selection->selected_capacity - 1;
	size_t at = ((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15u >> 20 & mask;

	while (selection->selected[at].value &&
	       selection->selected[at].value != value)
		at = (at + 1) & mask;
	return &selection->selected[at];
}

static void grow(struct selection *selection)
{
	struct selected *old = selection->selected;
	size_t count = selection->selected_capacity;

	selection->selected_capacity = count ? 2 * count : 256;
	selection->selected = xcalloc(selection->selected_capacity,
				      sizeof *selection->selected);
	for (size_t i = 0; i < count; i++)
		if (old[i].value)
			*find(selection, old[i].value) = old[i];
	free(old);
}

void select_define(struct selection *selection, LLVMValueRef value,
		   const struct parts *parts)
{
	if (2 * selection->selected_count >= selection->selected_capacity)
		grow(selection);
	*find(selection, value) = (struct selected){ value, *parts };
	selection->selected_count++;
}

void select_define_one(struct selection *selection, LLVMValueRef value,
		       struct machine_source source)
{
	const struct parts parts = { .count = 1, .part = { source } };

	select_define(selection, value, &parts);
}

void select_free(struct selection *selection)
{
	free(selection->selected);
	machine_free(&selection->machine);
}

/* --- Constants and arguments ---------------------------------------------- */

static uint32_t bits_of(struct selection *selection, LLVMValueRef value)
{
	LLVMBool lost;
	float number;
	uint32_t bits;

	if (LLVMIsAConstantInt(value)) {
		if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1)
			return LLVMConstIntGetZExtValue(value) ? 0xffffffff : 0;
		return (uint32_t)LLVMConstIntGetZExtValue(value);
	}
	if (LLVMIsAConstantFP(value)) {
		number = (float)LLVMConstRealGetDouble(value, &lost);
		memcpy(&bits, &number, sizeof bits);
		return bits;
	}
	if (!LLVMIsAUndefValue(value) && !LLVMIsAConstantPointerNull(value) &&
	    !LLVMIsAConstantAggregateZero(value))
		select_refuse(selection, NULL, "a constant of its kind");
	return 0;
}

static struct parts constant_parts(struct selection *selection,
				   LLVMValueRef value)
{
	struct parts parts = { .count = select_count(LLVMTypeOf(value)) };

	for (unsigned i = 0; i < parts.count; i++) {
		LLVMValueRef element = value;

		if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind &&
		    !LLVMIsAUndefValue(value) &&
		    !LLVMIsAConstantAggregateZero(value))
			element = LLVMGetAggregateElement(value, i);
		parts.part[i] =
			select_number(element ? bits_of(selection, element)
					      : 0);
	}
	return parts;
}

static struct parts argument_parts(struct selection *selection,
				   LLVMValueRef value)
{
	struct parts parts = { .count = select_count(LLVMTypeOf(value)) };
	unsigned index = 0;

	while (LLVMGetParam(selection->function, index) != value)
		index++;
	for (unsigned i = 0; i < parts.count; i++)
		parts.part[i] = select_constant(
			selection,
			selection->kernel->arguments[index].offset + 4 * i);
	return parts;
}

struct parts select_parts(struct selection *selection, LLVMValueRef value)
{
	struct parts none = { .count = 1, .part = { select_number(0) } };
	struct selected *selected;

	if (!select_count(LLVMTypeOf(value))) {
		char *type = LLVMPrintTypeToString(LLVMTypeOf(value));

		select_refuse(selection, value, "a value of type %s", type);
		LLVMDisposeMessage(type);
		return none;
	}
	if (selection->selected_capacity) {
		selected = find(selection, value);
		if (selected->value)
			return selected->parts;
	}
	if (LLVMIsAArgument(value))
		return argument_parts(selection, value);
	if (LLVMIsAConstant(value) && !LLVMIsAConstantExpr(value) &&
	    !LLVMIsAGlobalValue(value))
		return constant_parts(selection, value);
	if (LLVMIsAGetElementPtrInst(value))
		return (struct parts){
			.count = 1,
			.part = { select_address(selection, value) },
		};
	select_refuse(selection, value, "a value that is not selected yet");
	return none;
}

struct machine_source select_value(struct selection *selection,
				   LLVMValueRef value)
{
	struct parts parts = select_parts(selection, value);

	if (parts.count != 1)
		select_refuse(selection, value, "a vector for a number");
	return parts.part[0];
}

/* --- Operations ----------------------------------------------------------- */

static bool is_kcache(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE &&
	       source->select >= EVG_SELECT_KCACHE0 &&
	       source->select < EVG_SELECT_KCACHE1 + WINDOW;
}

void select_copy(struct selection *selection, int reg,
		 struct machine_source source)
{
	struct machine_inst *inst =
		machine_add(&selection->machine, MACHINE_ALU);

	inst->op = EVG_ALU_MOV;
	inst->source[0] = source;
	inst->source_count = 1;
	inst->dest[0] = reg;
	inst->dest_count = 1;
}

/* The register that already has the result, in this block; MACHINE_NONE. */
static int find_result(const struct selection *selection, enum evg_alu_op op,
		       unsigned count, const struct machine_source *sources)
{
	const struct machine *machine = &selection->machine;

	/* Copies are not results: their registers may change. */
	if (op == EVG_ALU_MOV)
		return MACHINE_NONE;
	for (unsigned i = machine->inst_count; i-- > selection->block_start;) {
		const struct machine_inst *inst = &machine->insts[i];
		unsigned k = 0;

		if (inst->kind != MACHINE_ALU || inst->op != op ||
		    inst->source_count != count || inst->dest_count != 1)
			continue;
		while (k < count && machine_same_source(
			&inst->source[k], &sources[k]))
			k++;
		if (k == count)
			return inst->dest[0];
	}
	return MACHINE_NONE;
}

struct machine_source select_op(struct selection *selection,
				enum evg_alu_op op, unsigned count,
				const struct machine_source *sources)
{
	struct machine_source settled[3];
	struct machine_inst *inst;
	bool has_kcache = false;
	int reg = find_result(selection, op, count, sources);

	if (reg != MACHINE_NONE)
		return select_register(reg);
	/* Of arguments and sizes one can always be read beside the rest. */
	for (unsigned k = 0; k < count; k++) {
		settled[k] = sources[k];
		if (!is_kcache(&sources[k]))
			continue;
		if (has_kcache) {
			struct machine_source plain = sources[k];

			reg = machine_register(&selection->machine);
			plain.negate = plain.absolute = false;
			select_copy(selection, reg, plain);
			settled[k].reg = reg;
		}
		has_kcache = true;
	}
	reg = machine_register(&selection->machine);
	inst = machine_add(&selection->machine, MACHINE_ALU);
	inst->op = op;
	memcpy(inst->source, settled, count * sizeof *settled);
	inst->source_count = count;
	inst->dest[0] = reg;
	inst->dest_count = 1;
	return select_register(reg);
}

struct machine_source select_op1(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a)
{
	return select_op(selection, op, 1, &a);
}

struct machine_source select_op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b)
{
	const struct machine_source sources[] = { a, b };

	return select_op(selection, op, 2, sources);
}

struct machine_source select_op3(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b,
				 struct machine_source c)
{
	const struct machine_source sources[] = { a, b, c };

	return select_op(selection, op, 3, sources);
}
