#include "opencl-rt/clc/ir/print.h"

#include <llvm-c/Target.h>
#include <string.h>

#include "opencl-rt/printf-buffer.h"

/* Set on kernels that print. */
#define ATTRIBUTE "m2s-prints"

bool print_is_used(LLVMValueRef kernel)
{
	return LLVMGetStringAttributeAtIndex(kernel, LLVMAttributeFunctionIndex,
					     ATTRIBUTE, strlen(ATTRIBUTE));
}

/* --- Who prints --------------------------------------------------------- */

/* A dword of constant buffer 0. */
static LLVMValueRef constant_dword(struct rewrite *rewrite, unsigned offset)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(rewrite->context,
						       SPACE_PARAMETERS);

	return LLVMBuildLoad2(rewrite->builder, rewrite->int_type,
			      LLVMConstIntToPtr(number(rewrite, offset),
						pointer),
			      "");
}

static LLVMValueRef call_intrinsic(struct rewrite *rewrite, const char *name,
				   LLVMTypeRef result)
{
	LLVMTypeRef type = LLVMFunctionType(result, NULL, 0, false);
	LLVMValueRef function = LLVMGetNamedFunction(rewrite->module, name);

	if (!function)
		function = LLVMAddFunction(rewrite->module, name, type);
	return LLVMBuildCall2(rewrite->builder, type, function, NULL, 0, "");
}

/* x + size.x * (y + size.y * z), the sizes at `offset` of constant buffer 0. */
static LLVMValueRef linear_id(struct rewrite *rewrite,
			      const char *const names[3], unsigned offset)
{
	LLVMBuilderRef builder = rewrite->builder;
	LLVMValueRef id[3], sum;

	for (int i = 0; i < 3; i++)
		id[i] = call_intrinsic(rewrite, names[i], rewrite->int_type);
	sum = LLVMBuildMul(builder, id[2], constant_dword(rewrite, offset + 4),
			   "");
	sum = LLVMBuildAdd(builder, sum, id[1], "");
	sum = LLVMBuildMul(builder, sum, constant_dword(rewrite, offset), "");
	return LLVMBuildAdd(builder, sum, id[0], "");
}

static LLVMValueRef group_id(struct rewrite *rewrite)
{
	static const char *const names[] = { "llvm.r600.read.tgid.x",
					     "llvm.r600.read.tgid.y",
					     "llvm.r600.read.tgid.z" };

	return linear_id(rewrite, names, 0);
}

static LLVMValueRef item_id(struct rewrite *rewrite)
{
	static const char *const names[] = { "llvm.r600.read.tidig.x",
					     "llvm.r600.read.tidig.y",
					     "llvm.r600.read.tidig.z" };

	return linear_id(rewrite, names, 24);
}

/* --- What is printed ---------------------------------------------------- */

struct element {
	enum printf_kind kind;
	unsigned bytes, count;
};

static unsigned element_dwords(const struct element *element)
{
	return element->bytes > 4 ? element->bytes / 4 : 1;
}

static int describe_element(struct rewrite *rewrite, LLVMValueRef call,
			    LLVMTypeRef type, struct element *element)
{
	unsigned width;

	element->count = 1;
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		element->count = LLVMGetVectorSize(type);
		type = LLVMGetElementType(type);
	}
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		element->kind = PRINTF_INTEGER;
		width = LLVMGetIntTypeWidth(type);
		element->bytes = width / 8;
		if (width == 8 || width == 16 || width == 32 || width == 64)
			return 0;
		break;
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
		element->kind = PRINTF_FLOAT;
		element->bytes = (unsigned)LLVMStoreSizeOfType(
			LLVMGetModuleDataLayout(rewrite->module), type);
		return 0;
	case LLVMPointerTypeKind:
		element->kind = PRINTF_POINTER;
		element->bytes = 4;
		return 0;
	default:
		break;
	}
	return rewrite_fail(rewrite, call, "printf cannot print a structure; "
			    "pass its members");
}

/* The record under construction. */
struct record {
	struct rewrite *rewrite;
	LLVMValueRef place; /* its address */
	unsigned next;      /* dword */
};

static void put_dword(struct record *record, LLVMValueRef dword)
{
	LLVMBuilderRef builder = record->rewrite->builder;
	LLVMValueRef address, store;

	address = LLVMBuildAdd(builder, record->place,
			       number(record->rewrite, 4 * record->next++),
			       "");
	store = LLVMBuildStore(builder, dword,
			       LLVMBuildIntToPtr(
				       builder, address,
				       record->rewrite->global_type, ""));
	LLVMSetAlignment(store, 4);
}

static void put_element(struct record *record, const struct element *element,
			LLVMValueRef value)
{
	struct rewrite *rewrite = record->rewrite;
	LLVMBuilderRef builder = rewrite->builder;
	LLVMTypeRef wide = LLVMInt64TypeInContext(rewrite->context);
	LLVMTypeRef same = LLVMIntTypeInContext(rewrite->context,
						8 * element->bytes);

	if (element->kind == PRINTF_POINTER)
		value = LLVMBuildPtrToInt(builder, value, rewrite->int_type,
					  "");
	else
		value = LLVMBuildBitCast(builder, value, same, "");
	if (element->bytes < 4)
		value = LLVMBuildZExt(builder, value, rewrite->int_type, "");
	if (element->bytes <= 4) {
		put_dword(record, value);
		return;
	}
	put_dword(record,
		  LLVMBuildTrunc(builder, value, rewrite->int_type, ""));
	value = LLVMBuildLShr(builder, value, LLVMConstInt(wide, 32, false),
			      "");
	put_dword(record,
		  LLVMBuildTrunc(builder, value, rewrite->int_type, ""));
}

static void put_argument(struct record *record, const struct element *element,
			 LLVMValueRef value)
{
	struct rewrite *rewrite = record->rewrite;

	put_dword(record,
		  number(rewrite, PRINTF_TAG(element->kind, element->bytes,
					     element->count)));
	if (element->count == 1) {
		put_element(record, element, value);
		return;
	}
	for (unsigned i = 0; i < element->count; i++)
		put_element(record, element,
			    LLVMBuildExtractElement(rewrite->builder, value,
						    number(rewrite, i), ""));
}

/* Takes room for a record. The place; *result: what printf returns. */
static LLVMValueRef reserve(struct rewrite *rewrite, unsigned length,
			    LLVMValueRef *result)
{
	LLVMTypeRef parameters = LLVMPointerTypeInContext(rewrite->context,
							  SPACE_PARAMETERS);
	LLVMBuilderRef builder = rewrite->builder;
	LLVMValueRef tail, place, buffer, start, room, fits;

	tail = call_intrinsic(rewrite, "llvm.r600.implicitarg.ptr",
			      parameters);
	place = number(rewrite, PRINTF_ADDRESS_OFFSET);
	place = LLVMBuildGEP2(builder, LLVMInt8TypeInContext(rewrite->context),
			      tail, &place, 1, "");
	buffer = LLVMBuildLoad2(builder, rewrite->int_type, place, "");
	start = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd,
				   LLVMBuildIntToPtr(builder, buffer,
						     rewrite->global_type, ""),
				   number(rewrite, length),
				   LLVMAtomicOrderingMonotonic, false);
	room = LLVMBuildAdd(builder, buffer, number(rewrite, 4), "");
	room = LLVMBuildLoad2(builder, rewrite->int_type,
			      LLVMBuildIntToPtr(builder, room,
						rewrite->global_type, ""),
			      "");
	fits = LLVMBuildICmp(builder, LLVMIntULE,
			     LLVMBuildAdd(builder, start,
					  number(rewrite, length), ""),
			     room, "");
	*result = LLVMBuildSelect(builder, fits, number(rewrite, 0),
				  LLVMConstAllOnes(rewrite->int_type), "");
	start = LLVMBuildSelect(builder, fits, start, room, "");
	start = LLVMBuildShl(builder, start, number(rewrite, 2), "");
	start = LLVMBuildAdd(builder, start,
			     number(rewrite, 4 * PRINTF_HEADER), "");
	return LLVMBuildAdd(builder, buffer, start, "");
}

/* The length of the record in dwords, or 0 and *error. */
static unsigned measure(struct rewrite *rewrite, LLVMValueRef call)
{
	unsigned length = PRINTF_RECORD_HEADER;
	struct element element;

	for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
		LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));

		if (describe_element(rewrite, call, type, &element))
			return 0;
		length += 1 + element.count * element_dwords(&element);
	}
	if (length <= PRINTF_RECORD_MAX)
		return length;
	rewrite_fail(rewrite, call, "a printf with more than %d bytes of "
		     "arguments", 4 * (PRINTF_RECORD_MAX - PRINTF_RECORD_HEADER));
	return 0;
}

int print_lower(struct rewrite *rewrite, LLVMValueRef call)
{
	LLVMValueRef kernel = LLVMGetBasicBlockParent(
		LLVMGetInstructionParent(call));
	struct record record = { .rewrite = rewrite };
	unsigned length = measure(rewrite, call);
	LLVMValueRef result;

	if (!length)
		return -1;
	LLVMAddAttributeAtIndex(
		kernel, LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(rewrite->context, ATTRIBUTE,
					  strlen(ATTRIBUTE), "", 0));
	LLVMPositionBuilderBefore(rewrite->builder, call);
	record.place = reserve(rewrite, length, &result);
	put_dword(&record, number(rewrite, length));
	put_dword(&record,
		  LLVMBuildPtrToInt(rewrite->builder, LLVMGetOperand(call, 0),
				    rewrite->int_type, ""));
	put_dword(&record, group_id(rewrite));
	put_dword(&record, item_id(rewrite));
	for (unsigned i = 1; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef value = LLVMGetOperand(call, i);
		struct element element;

		describe_element(rewrite, call, LLVMTypeOf(value), &element);
		put_argument(&record, &element, value);
	}
	LLVMReplaceAllUsesWith(call, result);
	LLVMInstructionEraseFromParent(call);
	return 0;
}
