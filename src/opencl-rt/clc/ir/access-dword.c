/* Dwords of scratch memory and parts of them, made of marks. */
#include "opencl-rt/clc/ir/access-dword.h"

#include "opencl-rt/clc/ir/access.h"
#include "opencl-rt/clc/ir/marker.h"

/* Zero, which LLVM does not know: the sign of the number of work-groups. */
static LLVMValueRef hidden_zero(struct rewrite *rewrite)
{
	LLVMTypeRef pointer =
	    LLVMPointerTypeInContext(rewrite->context, SPACE_PARAMETERS);
	LLVMValueRef groups;

	groups =
	    LLVMBuildLoad2(rewrite->builder, rewrite->int_type,
			   LLVMConstIntToPtr(number(rewrite, 0), pointer), "");
	return LLVMBuildAShr(rewrite->builder, groups, number(rewrite, 31), "");
}

/* A fetch of kernel parameters at MARKER_SCRATCH_LOAD plus the index. LLVM
 * must see a sum there, and for that must not know a bit of the index. */
LLVMValueRef access_read_dword(struct rewrite *rewrite, LLVMValueRef address)
{
	LLVMTypeRef pointer =
	    LLVMPointerTypeInContext(rewrite->context, SPACE_PARAMETERS);
	LLVMBuilderRef builder = rewrite->builder;
	LLVMValueRef index, load;

	index = LLVMBuildLShr(builder, address, number(rewrite, 2), "");
	index = LLVMBuildXor(builder, index, hidden_zero(rewrite), "");
	index = LLVMBuildAdd(builder, index,
			     number(rewrite, MARKER_SCRATCH_LOAD), "");
	load =
	    LLVMBuildLoad2(builder, rewrite->int_type,
			   LLVMBuildIntToPtr(builder, index, pointer, ""), "");
	LLVMSetVolatile(load, true);
	LLVMSetAlignment(load, 4);
	return load;
}

void access_write_dword(struct rewrite *rewrite, LLVMValueRef address,
			LLVMValueRef value)
{
	LLVMValueRef none = LLVMGetUndef(rewrite->vector_type), index;

	index =
	    LLVMBuildLShr(rewrite->builder, address, number(rewrite, 2), "");
	build_mark(rewrite, with_element(rewrite, none, value, 0),
		   with_element(rewrite, none, index, 0), MARKER_SCRATCH);
}

/* Where in its dword a byte lies, in bits. */
static LLVMValueRef bit_position(struct rewrite *rewrite, LLVMValueRef address)
{
	return LLVMBuildShl(
	    rewrite->builder,
	    LLVMBuildAnd(rewrite->builder, address, number(rewrite, 3), ""),
	    number(rewrite, 3), "");
}

LLVMTypeRef access_integer(struct rewrite *rewrite, unsigned bytes)
{
	return LLVMIntTypeInContext(rewrite->context, 8 * bytes);
}

LLVMValueRef access_read(struct rewrite *rewrite, LLVMValueRef address,
			 unsigned size)
{
	LLVMValueRef dword = access_read_dword(rewrite, address);

	if (size == 4)
		return dword;
	dword = LLVMBuildLShr(rewrite->builder, dword,
			      bit_position(rewrite, address), "");
	return LLVMBuildTrunc(rewrite->builder, dword,
			      access_integer(rewrite, size), "");
}

void access_write(struct rewrite *rewrite, LLVMValueRef address,
		  LLVMValueRef value, unsigned size)
{
	LLVMBuilderRef builder = rewrite->builder;
	LLVMValueRef shift, mask, old;

	if (size == 4) {
		access_write_dword(rewrite, address, value);
		return;
	}
	shift = bit_position(rewrite, address);
	mask = LLVMBuildShl(builder, number(rewrite, (1u << 8 * size) - 1),
			    shift, "");
	value = LLVMBuildZExt(builder, value, rewrite->int_type, "");
	value = LLVMBuildShl(builder, value, shift, "");
	old = LLVMBuildAnd(builder, access_read_dword(rewrite, address),
			   LLVMBuildNot(builder, mask, ""), "");
	access_write_dword(rewrite, address,
			   LLVMBuildOr(builder, old, value, ""));
}
