/* Values of LLVM's IR: constants, arguments, and what has been selected. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/target.h"

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

bool select_may(const struct selection *selection, enum permit permit)
{
	return selection->permits >> permit & 1;
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

bool select_is_number(const struct machine_source *source, uint32_t *value)
{
	return machine_is_number(source, value);
}

struct machine_source select_constant(struct selection *selection,
				      uint32_t byte)
{
	uint32_t number = byte / 16;

	if (byte >= 4 * SELECT_CONSTANT_DWORDS || byte % 4)
		select_refuse(selection, NULL, "byte %u of constant buffer 0",
			      byte);
	return (struct machine_source){
		.reg = MACHINE_NONE,
		.select = (uint16_t)(number < SELECT_WINDOW
					     ? EVG_SELECT_KCACHE0 + number
					     : EVG_SELECT_KCACHE1 +
						       number % SELECT_WINDOW),
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
	struct selected *place;

	if (2 * selection->selected_count >= selection->selected_capacity)
		grow(selection);
	place = find(selection, value);
	free(place->parts);
	place->value = value;
	place->count = parts->count;
	place->parts = xcalloc(parts->count + 1, sizeof *place->parts);
	memcpy(place->parts, parts->part,
	       parts->count * sizeof *place->parts);
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
	for (size_t i = 0; i < selection->selected_capacity; i++)
		free(selection->selected[i].parts);
	free(selection->selected);
	machine_free(&selection->machine);
}

/* --- Constants and arguments ---------------------------------------------- */

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
		if (selected->value) {
			none.count = selected->count;
			memcpy(none.part, selected->parts,
			       selected->count * sizeof *selected->parts);
			return none;
		}
	}
	if (LLVMIsAArgument(value))
		return select_argument(selection, value);
	if (LLVMIsAConstant(value) && !LLVMIsAConstantExpr(value) &&
	    !LLVMIsAGlobalValue(value))
		return select_constant_value(selection, value);
	if (select_is_place(value)) {
		struct address address = select_address_of(selection, value);

		return (struct parts){
			.count = 1,
			.part = { select_address(selection, &address) },
		};
	}
	if (LLVMIsAConstantExpr(value) && select_expression(selection, value,
							    &none))
		return none;
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

/* How many instructions back a result is looked for. */
enum { NEAR = 512 };

static bool is_kcache(const struct machine_source *source)
{
	return source->reg == MACHINE_NONE &&
	       source->select >= EVG_SELECT_KCACHE0 &&
	       source->select < EVG_SELECT_KCACHE1 + SELECT_WINDOW;
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

/* The register that already has the result, in this block and not long ago;
 * MACHINE_NONE. What is farther away machine_reuse() finds. */
static int find_result(const struct selection *selection, enum evg_alu_op op,
		       unsigned count, const struct machine_source *sources)
{
	const struct machine *machine = &selection->machine;
	unsigned first = selection->block_start;

	/* Copies are not results: their registers may change. */
	if (op == EVG_ALU_MOV)
		return MACHINE_NONE;
	if (machine->inst_count > first + NEAR)
		first = machine->inst_count - NEAR;
	for (unsigned i = machine->inst_count; i-- > first;) {
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
	if (select_fold(op, count, sources, &settled[0]))
		return settled[0];
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

struct machine_source select_either(struct selection *selection,
				    struct machine_source condition,
				    struct machine_source yes,
				    struct machine_source no)
{
	if (machine_same_source(&yes, &no))
		return yes;
	return select_op3(selection, EVG_ALU_CNDE_INT, condition, no, yes);
}

struct machine_source select_in_register(struct selection *selection,
					 struct machine_source source)
{
	int reg;

	if (source.reg != MACHINE_NONE)
		return source;
	reg = machine_register(&selection->machine);
	select_copy(selection, reg, source);
	return select_register(reg);
}

struct machine_inst *select_flow(struct selection *selection,
				 enum machine_kind kind)
{
	struct machine_inst *inst = machine_add(&selection->machine, kind);

	selection->block_start = selection->machine.inst_count;
	return inst;
}
