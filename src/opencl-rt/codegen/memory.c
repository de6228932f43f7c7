/* Loads, stores and the addresses that they have. */
#include <string.h>

#include "opencl-rt/codegen/select.h"
#include "opencl-rt/codegen/target.h"

/* A fetch adds this much to its address at most. */
enum { OFFSET_LIMIT = 0x8000 };

/* base + offset, in bytes. */
struct address {
	struct machine_source base;
	uint32_t offset;
};

/* --- Addresses ------------------------------------------------------------ */

/* A number of LLVM's that is known now. */
static bool constant_of(LLVMValueRef value, int64_t *number)
{
	if (!LLVMIsAConstantInt(value))
		return false;
	*number = LLVMConstIntGetSExtValue(value);
	return true;
}

/* Where the next index of a GEP leads: the distance of neighbours, or, of a
 * structure, the member's offset. */
static uint64_t step_of(const struct selection *selection, LLVMTypeRef *type,
			LLVMValueRef index, bool *is_member)
{
	*is_member = LLVMGetTypeKind(*type) == LLVMStructTypeKind;
	if (*is_member) {
		unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
		uint64_t offset = LLVMOffsetOfElement(selection->layout, *type,
						      member);

		*type = LLVMStructGetTypeAtIndex(*type, member);
		return offset;
	}
	*type = LLVMGetElementType(*type);
	return LLVMABISizeOfType(selection->layout, *type);
}

/* How many of its lowest bits are known to be 0. */
static unsigned zero_bits(LLVMValueRef value, unsigned depth)
{
	unsigned first, second;
	int64_t number;

	if (constant_of(value, &number))
		return number ? (unsigned)__builtin_ctzll((uint64_t)number)
			      : 32;
	if (!LLVMIsAInstruction(value) || LLVMGetNumOperands(value) != 2 ||
	    depth == 4)
		return 0;
	second = zero_bits(LLVMGetOperand(value, 1), depth + 1);
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMShl:
		return constant_of(LLVMGetOperand(value, 1), &number) &&
				       number < 32
			       ? (unsigned)number
			       : 0;
	case LLVMMul:
	case LLVMAnd:
	case LLVMAdd:
	case LLVMOr:
		break;
	default:
		return 0;
	}
	first = zero_bits(LLVMGetOperand(value, 0), depth + 1);
	if (LLVMGetInstructionOpcode(value) == LLVMMul)
		return first + second < 32 ? first + second : 32;
	if (LLVMGetInstructionOpcode(value) == LLVMAnd)
		return first > second ? first : second;
	return first < second ? first : second;
}

/* An index that is another and a number: the other. An address is then the
 * other's with an offset, which fetches add for nothing and neighbours share. */
static LLVMValueRef split_index(LLVMValueRef index, int64_t *number)
{
	LLVMValueRef rest;

	*number = 0;
	if (!LLVMIsAInstruction(index) || LLVMGetNumOperands(index) != 2 ||
	    !constant_of(LLVMGetOperand(index, 1), number))
		return index;
	rest = LLVMGetOperand(index, 0);
	switch (LLVMGetInstructionOpcode(index)) {
	case LLVMAdd:
		return rest;
	case LLVMOr:
		/* Bits that do not meet are added. */
		if (!((uint64_t)*number >> zero_bits(rest, 0)))
			return rest;
		break;
	default:
		break;
	}
	*number = 0;
	return index;
}

/* One index: what it adds. False when it is not a dword. */
static bool add_index(struct selection *selection, struct address *address,
		      LLVMValueRef index, uint64_t step)
{
	struct machine_source scaled;
	int64_t number;

	if (constant_of(index, &number)) {
		address->offset += (uint32_t)((uint64_t)number * step);
		return true;
	}
	if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) != 32)
		return false;
	index = split_index(index, &number);
	address->offset += (uint32_t)((uint64_t)number * step);
	scaled = select_value(selection, index);
	if (step & (step - 1))
		scaled = select_op2(selection, EVG_ALU_MULLO_INT, scaled,
				    select_number((uint32_t)step));
	else if (step != 1)
		scaled = select_op2(selection, EVG_ALU_LSHL_INT, scaled,
				    select_number((uint32_t)__builtin_ctzll(
					    step)));
	address->base = select_op2(selection, EVG_ALU_ADD_INT, address->base,
				   scaled);
	return true;
}

static struct address address_of(struct selection *selection,
				 LLVMValueRef pointer);

static struct address gep_address(struct selection *selection,
				  LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	struct address address =
		address_of(selection, LLVMGetOperand(gep, 0));
	unsigned count = (unsigned)LLVMGetNumOperands(gep);
	bool good = count > 1 &&
		    add_index(selection, &address, LLVMGetOperand(gep, 1),
			      LLVMABISizeOfType(selection->layout, type));

	for (unsigned i = 2; i < count && good; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		bool is_member;
		uint64_t step = step_of(selection, &type, index, &is_member);

		if (is_member)
			address.offset += (uint32_t)step;
		else
			good = add_index(selection, &address, index, step);
	}
	if (!good)
		select_refuse(selection, gep, "an index that is not 32 bits "
			      "wide");
	return address;
}

static bool is_gep(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) ||
	       (LLVMIsAConstantExpr(value) &&
		LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

static struct address local_variable(struct selection *selection,
				     LLVMValueRef variable)
{
	struct address address = { select_number(0), 0 };
	uint32_t *size = &selection->machine.local_size, end = 0;
	LLVMModuleRef module = LLVMGetGlobalParent(variable);

	/* Local variables lie one behind the other as the module has them; a
	 * kernel has all of those that come before the ones it uses. */
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(at);
		uint32_t unit = LLVMGetAlignment(at);

		if (LLVMGetPointerAddressSpace(LLVMTypeOf(at)) != SPACE_LOCAL)
			continue;
		if (unit < 4)
			unit = 4;
		end = (end + unit - 1) / unit * unit;
		address.offset = end;
		end += (uint32_t)LLVMABISizeOfType(selection->layout, type);
		if (at == variable)
			break;
	}
	if (*size < end)
		*size = end;
	return address;
}

static struct address address_of(struct selection *selection,
				 LLVMValueRef pointer)
{
	struct address address = { .offset = 0 };

	/* Computed again for each user; what has been computed before is taken
	 * out later. */
	if (is_gep(pointer))
		return gep_address(selection, pointer);
	if (LLVMIsAGlobalVariable(pointer)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) ==
		    SPACE_LOCAL)
			return local_variable(selection, pointer);
		select_refuse(selection, pointer, "a table of constants");
	}
	address.base = select_value(selection, pointer);
	return address;
}

static struct machine_source whole_address(struct selection *selection,
					   const struct address *address)
{
	if (!address->offset)
		return address->base;
	if (address->base.reg == MACHINE_NONE &&
	    address->base.select == EVG_SELECT_0)
		return select_number(address->offset);
	return select_op2(selection, EVG_ALU_ADD_INT, address->base,
			  select_number(address->offset));
}

struct machine_source select_address(struct selection *selection,
				     LLVMValueRef gep)
{
	struct address address = gep_address(selection, gep);

	return whole_address(selection, &address);
}

/* A value in a register of its own. */
static struct machine_source in_register(struct selection *selection,
					 struct machine_source source)
{
	int reg;

	if (source.reg != MACHINE_NONE)
		return source;
	reg = machine_register(&selection->machine);
	select_copy(selection, reg, source);
	return select_register(reg);
}

/* --- Local memory --------------------------------------------------------- */

static struct machine_inst *add_local(struct selection *selection,
				      enum evg_lds_op op, unsigned count)
{
	struct machine_inst *inst =
		machine_add(&selection->machine, MACHINE_ALU);

	inst->op = EVG_ALU_LDS_IDX_OP;
	inst->lds_op = op;
	inst->source_count = count;
	return inst;
}

static struct machine_source local_address(struct selection *selection,
					   struct address address,
					   unsigned dword)
{
	address.offset += 4 * dword;
	return whole_address(selection, &address);
}

static struct machine_source take_local(struct selection *selection,
					unsigned queue)
{
	return select_op1(selection, EVG_ALU_MOV,
			  (struct machine_source){
				  .reg = MACHINE_NONE,
				  .select = (uint16_t)(EVG_SELECT_LDS_OQ_A_POP +
						       queue),
			  });
}

/* Two dwords at a time while there are two: the second lies behind the first. */
static void load_local(struct selection *selection, struct address address,
		       struct parts *parts)
{
	for (unsigned k = 0; k < parts->count; k += 2) {
		struct machine_source from =
			local_address(selection, address, k);
		bool two = k + 1 < parts->count;
		struct machine_inst *inst = add_local(
			selection, two ? EVG_LDS_READ_REL_RET : EVG_LDS_READ_RET,
			1);

		inst->source[0] = from;
		inst->offset = two;
		parts->part[k] = take_local(selection, 0);
		if (two)
			parts->part[k + 1] = take_local(selection, 1);
	}
}

static void store_local(struct selection *selection, struct address address,
			const struct parts *parts)
{
	for (unsigned k = 0; k < parts->count; k += 2) {
		struct machine_source to =
			local_address(selection, address, k);
		struct machine_source data[2] = { 0 };
		bool two = k + 1 < parts->count;
		struct machine_inst *inst;

		for (unsigned n = 0; n <= two; n++)
			data[n] = in_register(selection, parts->part[k + n]);
		inst = add_local(selection,
				 two ? EVG_LDS_WRITE_REL : EVG_LDS_WRITE,
				 2 + two);
		inst->source[0] = to;
		inst->source[1] = data[0];
		inst->source[2] = data[1];
		inst->offset = two;
	}
}

/* --- Global memory -------------------------------------------------------- */

/* Up to four dwords at once, into a register's channels. */
static void load_global(struct selection *selection, struct address address,
			struct parts *parts)
{
	struct machine_inst *inst;
	struct machine_source base;
	int tuple;

	if (address.offset >= OFFSET_LIMIT) {
		address.base = whole_address(selection, &address);
		address.offset = 0;
	}
	base = in_register(selection, address.base);
	tuple = (int)selection->machine.register_count;
	for (unsigned k = 0; k < parts->count; k++) {
		int reg = machine_register(&selection->machine);

		if (parts->count > 1)
			selection->machine.registers[reg].tuple = tuple;
		parts->part[k] = select_register(reg);
	}
	inst = machine_add(&selection->machine, MACHINE_FETCH);
	inst->source[0] = base;
	inst->source_count = 1;
	inst->offset = address.offset;
	inst->dest_count = parts->count;
	for (unsigned k = 0; k < parts->count; k++)
		inst->dest[k] = parts->part[k].reg;
}

/* The dword index in a register's x, the data in another's first channels. */
static void store_global(struct selection *selection, struct address address,
			 const struct parts *parts)
{
	struct machine *machine = &selection->machine;
	struct machine_source index = select_op2(
		selection, EVG_ALU_LSHR_INT,
		whole_address(selection, &address), select_number(2));
	int tuple, first;
	struct machine_inst *inst;

	machine->registers[index.reg].channel = 0;
	tuple = first = (int)machine->register_count;
	for (unsigned k = 0; k < parts->count; k++) {
		int reg = machine_register(machine);

		machine->registers[reg].channel = (int8_t)k;
		if (parts->count > 1)
			machine->registers[reg].tuple = tuple;
	}
	for (unsigned k = 0; k < parts->count; k++)
		select_copy(selection, first + (int)k, parts->part[k]);
	inst = machine_add(machine, MACHINE_STORE);
	inst->source[0] = index;
	for (unsigned k = 0; k < parts->count; k++)
		inst->source[1 + k] = select_register(first + (int)k);
	inst->source_count = 1 + parts->count;
}

/* --- Instructions --------------------------------------------------------- */

static bool is_access(struct selection *selection, LLVMValueRef inst,
		      LLVMTypeRef type, unsigned count)
{
	LLVMTypeRef element = type;
	char *text;

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		element = LLVMGetElementType(type);
	if (count && !(LLVMGetTypeKind(element) == LLVMIntegerTypeKind &&
		       LLVMGetIntTypeWidth(element) != 32) &&
	    LLVMGetAlignment(inst) >= 4 &&
	    LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic)
		return true;
	text = LLVMPrintTypeToString(type);
	select_refuse(selection, inst, "an access of type %s", text);
	LLVMDisposeMessage(text);
	return false;
}

static void select_load(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);
	struct parts parts = { .count = select_count(LLVMTypeOf(inst)) };
	struct address address;

	if (!is_access(selection, inst, LLVMTypeOf(inst), parts.count))
		return;
	address = address_of(selection, pointer);
	switch (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer))) {
	case SPACE_GLOBAL:
	case SPACE_CONSTANT:
		if (parts.count > MACHINE_DWORDS)
			select_refuse(selection, inst, "a load of %u dwords",
				      parts.count);
		else
			load_global(selection, address, &parts);
		break;
	case SPACE_LOCAL:
		load_local(selection, address, &parts);
		break;
	case SPACE_PARAMETERS:
		if (address.base.reg != MACHINE_NONE ||
		    address.base.select != EVG_SELECT_LITERAL)
			select_refuse(selection, inst, "a parameter by index");
		address.offset += address.base.literal;
		for (unsigned k = 0; k < parts.count; k++)
			parts.part[k] = select_constant(
				selection, address.offset + 4 * k);
		break;
	default:
		select_refuse(selection, inst, "a load from private memory");
		break;
	}
	select_define(selection, inst, &parts);
}

static void select_store(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef data = LLVMGetOperand(inst, 0);
	LLVMValueRef pointer = LLVMGetOperand(inst, 1);
	unsigned count = select_count(LLVMTypeOf(data));
	struct address address;
	struct parts parts;

	if (!is_access(selection, inst, LLVMTypeOf(data), count))
		return;
	address = address_of(selection, pointer);
	parts = select_parts(selection, data);
	switch (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer))) {
	case SPACE_GLOBAL:
		if (count > MACHINE_DWORDS || count == 3)
			select_refuse(selection, inst, "a store of %u dwords",
				      count);
		else
			store_global(selection, address, &parts);
		break;
	case SPACE_LOCAL:
		store_local(selection, address, &parts);
		break;
	default:
		select_refuse(selection, inst, "a store to private memory");
		break;
	}
}

bool select_memory(struct selection *selection, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		select_load(selection, inst);
		return true;
	case LLVMStore:
		select_store(selection, inst);
		return true;
	case LLVMGetElementPtr:
		/* Computed where it is used: most users add to it for
		 * nothing. */
		return select_count(LLVMTypeOf(inst)) &&
		       LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVectorTypeKind;
	default:
		return false;
	}
}
