/* The bytes of constants. */
#include <string.h>

#include "base/memory.h"
#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/table/table.h"

static bool write_number(LLVMTargetDataRef layout, LLVMValueRef value,
			 uint8_t *bytes)
{
	size_t size = LLVMStoreSizeOfType(layout, LLVMTypeOf(value));
	uint64_t bits;

	if (size > sizeof bits || !select_known_bits(value, &bits))
		return false;
	memcpy(bytes, &bits, size);
	return true;
}

/* Where the element or member of a type lies that an index names; *type becomes
 * its own. */
static uint64_t step_into(LLVMTargetDataRef layout, LLVMTypeRef *type,
			  uint64_t index)
{
	LLVMTypeRef whole = *type;

	if (LLVMGetTypeKind(whole) == LLVMStructTypeKind) {
		*type = LLVMStructGetTypeAtIndex(whole, (unsigned)index);
		return LLVMOffsetOfElement(layout, whole, (unsigned)index);
	}
	*type = LLVMGetElementType(whole);
	return index * LLVMABISizeOfType(layout, *type);
}

/* A place among the tables that is known. */
static bool find_address(LLVMTargetDataRef layout, LLVMValueRef value,
			 uint32_t *place)
{
	LLVMValueRef index;
	LLVMTypeRef type;
	uint32_t sum = 0;

	while (LLVMIsAConstantExpr(value) &&
	       LLVMGetConstOpcode(value) == LLVMGetElementPtr) {
		type = LLVMGetGEPSourceElementType(value);
		for (int i = 1; i < LLVMGetNumOperands(value); i++) {
			index = LLVMGetOperand(value, (unsigned)i);
			if (!LLVMIsAConstantInt(index))
				return false;
			sum += (uint32_t)(
				i == 1 ? (uint64_t)LLVMConstIntGetSExtValue(
						 index) *
						 LLVMABISizeOfType(layout, type)
				       : step_into(layout, &type,
						   (uint64_t)
						   LLVMConstIntGetSExtValue(
							   index)));
		}
		value = LLVMGetOperand(value, 0);
	}
	if (!table_begin(layout, value, place))
		return false;
	*place += sum;
	return true;
}

static bool write_address(LLVMTargetDataRef layout, LLVMValueRef value,
			  struct tables *tables, uint32_t at)
{
	uint32_t place;

	if (!find_address(layout, value, &place))
		return false;
	memcpy(tables->bytes + at, &place, sizeof place);
	ARRAY_GROW(tables->addresses, tables->address_count,
		   tables->address_capacity);
	tables->addresses[tables->address_count++] = at;
	return true;
}

/* Elements or members, each at its place. */
static bool write_parts(LLVMTargetDataRef layout, LLVMValueRef value,
			struct tables *tables, uint32_t at)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned count = kind == LLVMStructTypeKind
				 ? LLVMCountStructElementTypes(type)
			 : kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type)
						     : LLVMGetVectorSize(type);

	for (unsigned i = 0; i < count; i++) {
		LLVMTypeRef part = type;
		uint64_t place = step_into(layout, &part, i);

		if (!table_write(layout, LLVMGetAggregateElement(value, i),
				 tables, at + (uint32_t)place))
			return false;
	}
	return true;
}

bool table_write(LLVMTargetDataRef layout, LLVMValueRef value,
		 struct tables *tables, uint32_t at)
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
		return write_parts(layout, value, tables, at);
	case LLVMPointerTypeKind:
		return write_address(layout, value, tables, at);
	default:
		return write_number(layout, value, tables->bytes + at);
	}
}
