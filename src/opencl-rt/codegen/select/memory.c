/* Loads, stores and the addresses that they have. */
#include "evergreen/kernel/metadata.h"
#include "opencl-rt/codegen/path/path.h"
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/table/table.h"
#include "opencl-rt/codegen/target.h"

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

/* One index: what it adds. */
static void add_index(struct selection *selection, struct address *address,
		      LLVMValueRef index, uint64_t step)
{
	struct machine_source scaled;
	struct parts parts;
	unsigned width;
	int64_t number;

	if (constant_of(index, &number)) {
		address->offset += (uint32_t)((uint64_t)number * step);
		return;
	}
	index = split_index(index, &number);
	address->offset += (uint32_t)((uint64_t)number * step);
	/* An index has as many bits as an address: its sign counts. */
	parts = select_parts(selection, index);
	width = select_width(LLVMTypeOf(index));
	scaled = select_extend(selection, width,
			       select_scalar(&parts, width, 0), true)
			 .low;
	if (step & (step - 1))
		scaled = select_op2(selection, EVG_ALU_MULLO_INT, scaled,
				    select_number((uint32_t)step));
	else if (step != 1)
		scaled = select_op2(selection, EVG_ALU_LSHL_INT, scaled,
				    select_number((uint32_t)__builtin_ctzll(
					    step)));
	address->base = select_op2(selection, EVG_ALU_ADD_INT, address->base,
				   scaled);
}

static struct address gep_address(struct selection *selection,
				  LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	struct address address =
		select_address_of(selection, LLVMGetOperand(gep, 0));
	unsigned count = (unsigned)LLVMGetNumOperands(gep);

	add_index(selection, &address, LLVMGetOperand(gep, 1),
		  LLVMABISizeOfType(selection->layout, type));
	for (unsigned i = 2; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		bool is_member;
		uint64_t step = step_of(selection, &type, index, &is_member);

		if (is_member)
			address.offset += (uint32_t)step;
		else
			add_index(selection, &address, index, step);
	}
	return address;
}

/* Whether a variable, or an expression that has it, is used in a function. */
static bool is_used_in(LLVMValueRef value, LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		bool here = LLVMIsAInstruction(user)
				    ? LLVMGetBasicBlockParent(
					      LLVMGetInstructionParent(user)) ==
					      function
				    : is_used_in(user, function);

		if (here)
			return true;
	}
	return false;
}

static struct address local_variable(struct selection *selection,
				     LLVMValueRef variable)
{
	struct address address = { select_number(0), 0 };
	uint32_t *size = &selection->machine.local_size, end = 0;
	LLVMModuleRef module = LLVMGetGlobalParent(variable);

	/* The kernel's variables lie one behind the other as the module has
	 * them. */
	for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
	     at = LLVMGetNextGlobal(at)) {
		LLVMTypeRef type = LLVMGlobalGetValueType(at);
		uint32_t unit = LLVMGetAlignment(at);

		if (LLVMGetPointerAddressSpace(LLVMTypeOf(at)) != SPACE_LOCAL ||
		    !is_used_in(at, selection->function))
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

/* Where a table begins: a literal that the loader completes. */
static struct machine_source select_table(struct selection *selection,
					  LLVMValueRef variable)
{
	struct machine_source source = {
		.reg = MACHINE_NONE, .select = EVG_SELECT_LITERAL,
		.relocated = true,
	};

	if (!table_offset(selection->layout, variable, &source.literal))
		select_refuse(selection, variable, "a variable that is no table "
						   "of numbers");
	return source;
}

bool select_is_place(LLVMValueRef value)
{
	return LLVMIsAGetElementPtrInst(value) ||
	       LLVMIsAGlobalVariable(value) ||
	       (LLVMIsAConstantExpr(value) &&
		LLVMGetConstOpcode(value) == LLVMGetElementPtr);
}

struct address select_address_of(struct selection *selection,
				 LLVMValueRef pointer)
{
	struct address address = { .offset = 0 };

	/* Computed again for each user; what has been computed before is taken
	 * out later. */
	if (select_is_place(pointer) && !LLVMIsAGlobalVariable(pointer))
		return gep_address(selection, pointer);
	if (LLVMIsAGlobalVariable(pointer)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) ==
		    SPACE_LOCAL)
			return local_variable(selection, pointer);
		address.base = select_table(selection, pointer);
		return address;
	}
	address.base = select_value(selection, pointer);
	return address;
}

/* --- Instructions --------------------------------------------------------- */

static void refuse_access(struct selection *selection, LLVMValueRef inst,
			  LLVMTypeRef type)
{
	char *text = LLVMPrintTypeToString(type);

	select_refuse(selection, inst, "an access of type %s", text);
	LLVMDisposeMessage(text);
}

static uint32_t size_of(const struct selection *selection, LLVMTypeRef type)
{
	return (uint32_t)LLVMStoreSizeOfType(selection->layout, type);
}

/* Fetches of global memory from an instruction on go past the caches. */
static void pass_caches(struct machine *machine, unsigned first)
{
	for (unsigned i = first; i < machine->inst_count; i++)
		if (machine->insts[i].kind == MACHINE_FETCH &&
		    machine->insts[i].resource == CLC_RESOURCE_GLOBAL)
			machine->insts[i].resource = CLC_RESOURCE_UNCACHED;
}

/* Stores of whole dwords from an instruction on take the CompletePath. */
static void pass_completely(struct machine *machine, unsigned first)
{
	for (unsigned i = first; i < machine->inst_count; i++)
		machine->insts[i].complete =
			machine->insts[i].kind == MACHINE_STORE;
}

static void select_load(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef pointer = LLVMGetOperand(inst, 0);
	LLVMTypeRef type = LLVMTypeOf(inst);
	unsigned first = selection->machine.inst_count;
	struct image image = { .bytes = size_of(selection, type) };
	struct parts parts;

	if (!select_count(type) || image.bytes > 4 * SELECT_PARTS ||
	    !select_load_image(selection,
			       LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)),
			       select_address_of(selection, pointer),
			       LLVMGetAlignment(inst), &image) ||
	    !select_unpack(selection, type, &image, &parts)) {
		refuse_access(selection, inst, type);
		return;
	}
	if (selection->read_path &&
	    LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == SPACE_GLOBAL &&
	    path_reads_past_caches(selection, pointer))
		pass_caches(&selection->machine, first);
	select_define(selection, inst, &parts);
}

static void select_store(struct selection *selection, LLVMValueRef inst)
{
	LLVMValueRef data = LLVMGetOperand(inst, 0);
	LLVMValueRef pointer = LLVMGetOperand(inst, 1);
	LLVMTypeRef type = LLVMTypeOf(data);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	unsigned first = selection->machine.inst_count;
	struct parts parts;
	struct image image;

	if (select_count(type)) {
		parts = select_parts(selection, data);
		if (select_pack(selection, type, &parts, &image) &&
		    image.bytes == size_of(selection, type) &&
		    select_store_image(selection, space,
				       select_address_of(selection, pointer),
				       LLVMGetAlignment(inst), &image)) {
			if (selection->write_path && space == SPACE_GLOBAL &&
			    path_writes_completely(selection, pointer))
				pass_completely(&selection->machine, first);
			return;
		}
	}
	refuse_access(selection, inst, type);
}

/* A variable of the work-item's own. Address 0 is left to the null pointer. */
static void select_variable(struct selection *selection, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMGetAllocatedType(inst);
	LLVMValueRef count = LLVMGetOperand(inst, 0);
	uint64_t size = LLVMABISizeOfType(selection->layout, type);
	uint32_t unit = LLVMGetAlignment(inst);
	uint32_t *end = &selection->machine.scratch_size;

	if (!LLVMIsAConstantInt(count) ||
	    LLVMGetInstructionParent(inst) !=
		    LLVMGetEntryBasicBlock(selection->function)) {
		select_refuse(selection, inst, "an array of a variable size");
		return;
	}
	size *= LLVMConstIntGetZExtValue(count);
	unit = unit < 4 ? 4 : unit;
	*end = *end ? (*end + unit - 1) / unit * unit : unit;
	select_define_one(selection, inst, select_number(*end));
	if (size > EVG_SCRATCH_SIZE_MAX - *end)
		select_refuse(selection, inst, "more than %d bytes of private "
			      "memory", EVG_SCRATCH_SIZE_MAX);
	else
		*end += (uint32_t)(size + 3) / 4 * 4;
}

/* Notes whose pointer the instruction's accesses go through. */
static void select_access(struct selection *selection, LLVMValueRef inst,
			  unsigned pointer,
			  void (*select)(struct selection *, LLVMValueRef))
{
	struct machine *machine = &selection->machine;

	machine->argument = (uint16_t)path_argument(
		selection, LLVMGetOperand(inst, pointer));
	select(selection, inst);
	machine->argument = 0;
}

bool select_memory(struct selection *selection, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
		select_access(selection, inst, 0, select_load);
		return true;
	case LLVMStore:
		select_access(selection, inst, 1, select_store);
		return true;
	case LLVMAlloca:
		select_variable(selection, inst);
		return true;
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		select_access(selection, inst, 0, select_atomic);
		return true;
	case LLVMFence:
		select_fence(selection);
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
