/* Types: the dwords of a value, and the bytes that it has in memory. */
#include <string.h>

#include "opencl-rt/codegen/select/select.h"
#include "opencl-rt/codegen/target.h"

enum { BYTE = 8 };

unsigned select_width(LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type);
	case LLVMHalfTypeKind:
		return 16;
	case LLVMDoubleTypeKind:
		return 64;
	default:
		return SELECT_DWORD;
	}
}

bool select_is_long(LLVMTypeRef type)
{
	return select_width(type) > 2 * SELECT_DWORD;
}

unsigned select_elements(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? LLVMGetVectorSize(type)
		       : 1;
}

/* Of a number; 0: it is none. */
static unsigned number_count(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return (LLVMGetIntTypeWidth(type) + SELECT_DWORD - 1) /
		       SELECT_DWORD;
	case LLVMHalfTypeKind:
	case LLVMFloatTypeKind:
	case LLVMPointerTypeKind:
		return 1;
	case LLVMDoubleTypeKind:
		return 2;
	default:
		return 0;
	}
}

bool select_has_members(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind ||
	       LLVMGetTypeKind(type) == LLVMArrayTypeKind;
}

unsigned select_members(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind
		       ? LLVMCountStructElementTypes(type)
		       : LLVMGetArrayLength(type);
}

LLVMTypeRef select_member_type(LLVMTypeRef type, unsigned member)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind
		       ? LLVMStructGetTypeAtIndex(type, member)
		       : LLVMGetElementType(type);
}

static unsigned members_count(LLVMTypeRef type)
{
	unsigned count = 0;

	for (unsigned i = 0;
	     i < select_members(type) && count <= SELECT_PARTS; i++) {
		unsigned own = select_count(select_member_type(type, i));

		if (!own)
			return 0;
		count += own;
	}
	return count;
}

unsigned select_count(LLVMTypeRef type)
{
	unsigned count;

	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		count = LLVMGetVectorSize(type) *
			number_count(LLVMGetElementType(type));
	else if (select_has_members(type))
		count = members_count(type);
	else
		count = number_count(type);
	return count <= SELECT_PARTS ? count : 0;
}

unsigned select_member(LLVMTypeRef type, unsigned member)
{
	unsigned at = 0;

	for (unsigned i = 0; i < member; i++)
		at += select_count(select_member_type(type, i));
	return at;
}

struct scalar select_scalar(const struct parts *parts, unsigned width,
			    unsigned element)
{
	struct scalar scalar = { select_number(0), select_number(0) };

	if (width <= SELECT_DWORD) {
		scalar.low = parts->part[element];
	} else {
		scalar.low = parts->part[2 * element];
		scalar.high = parts->part[2 * element + 1];
	}
	return scalar;
}

void select_set_scalar(struct parts *parts, unsigned width, unsigned element,
		       struct scalar scalar)
{
	if (width <= SELECT_DWORD) {
		parts->part[element] = scalar.low;
	} else {
		parts->part[2 * element] = scalar.low;
		parts->part[2 * element + 1] = scalar.high;
	}
}

/* --- Bytes ---------------------------------------------------------------- */

/* Bits of an element in memory; 0: a type that does not lie there as it is
 * here. A lone integer has whole bytes. */
static unsigned bits_in_memory(LLVMTypeRef type)
{
	unsigned width = select_width(type);

	if (!select_count(type) || select_has_members(type))
		return 0;
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind
		       ? width
		       : (width + BYTE - 1) / BYTE * BYTE;
}

/* Whether numbers lie so that none has parts of two dwords with others. */
static bool may_pack(LLVMTypeRef type, unsigned bits)
{
	return bits && (select_elements(type) == 1 ||
			(bits < SELECT_DWORD ? SELECT_DWORD % bits
					     : bits % SELECT_DWORD) == 0);
}

static unsigned dword_count(unsigned bytes)
{
	return (bytes + 3) / 4;
}

static uint64_t member_place(const struct selection *selection,
			     LLVMTypeRef type, unsigned member)
{
	return LLVMGetTypeKind(type) == LLVMStructTypeKind
		       ? LLVMOffsetOfElement(selection->layout, type, member)
		       : member * LLVMABISizeOfType(selection->layout,
						    LLVMGetElementType(type));
}

/* Whether each part of a structure is a dword of its own in memory. Bits of a
 * narrow number above its own may be any. */
static bool is_dwords(const struct selection *selection, LLVMTypeRef type)
{
	if (!select_has_members(type))
		return select_elements(type) == 1 ||
		       select_width(type) % SELECT_DWORD == 0;
	for (unsigned i = 0; i < select_members(type); i++)
		if (member_place(selection, type, i) !=
			    4 * select_member(type, i) ||
		    !is_dwords(selection, select_member_type(type, i)))
			return false;
	return LLVMStoreSizeOfType(selection->layout, type) ==
	       4 * select_count(type);
}

static bool is_structure(const struct selection *selection, LLVMTypeRef type)
{
	return select_has_members(type) && select_count(type) &&
	       is_dwords(selection, type);
}

/* The elements, each of so many bits. */
static bool pack(struct selection *selection, LLVMTypeRef type, unsigned bits,
		 const struct parts *parts, struct image *image)
{
	unsigned width = select_width(type), count = select_elements(type);

	image->bytes = (bits * count + BYTE - 1) / BYTE;
	if (!may_pack(type, bits) ||
	    dword_count(image->bytes) > SELECT_PARTS)
		return false;
	if (bits >= SELECT_DWORD) {
		for (unsigned i = 0; i < parts->count; i++)
			image->dword[i] = parts->part[i];
		if (width < bits && width % SELECT_DWORD)
			image->dword[parts->count - 1] = select_op2(
				selection, EVG_ALU_AND_INT,
				image->dword[parts->count - 1],
				select_number((1u << width % SELECT_DWORD) -
					      1));
		return true;
	}
	for (unsigned i = 0; i < dword_count(image->bytes); i++)
		image->dword[i] = select_number(0);
	for (unsigned i = 0; i < count; i++) {
		unsigned at = i * bits % SELECT_DWORD;
		struct machine_source *dword =
			&image->dword[i * bits / SELECT_DWORD];
		struct machine_source field = parts->part[i];

		if (at + bits < SELECT_DWORD || width < bits)
			field = select_op2(selection, EVG_ALU_AND_INT, field,
					   select_number((1u << width) - 1));
		field = select_op2(selection, EVG_ALU_LSHL_INT, field,
				   select_number(at));
		*dword = select_op2(selection, EVG_ALU_OR_INT, *dword, field);
	}
	return true;
}

static bool unpack(struct selection *selection, LLVMTypeRef type,
		   unsigned bits, const struct image *image,
		   struct parts *parts)
{
	parts->count = select_count(type);
	if (!may_pack(type, bits))
		return false;
	for (unsigned i = 0; i < parts->count; i++) {
		unsigned at = i * bits % SELECT_DWORD;

		if (bits >= SELECT_DWORD)
			parts->part[i] = image->dword[i];
		else if (select_width(type) == 1)
			parts->part[i] = select_op3(
				selection, EVG_ALU_BFE_INT,
				image->dword[i * bits / SELECT_DWORD],
				select_number(at), select_number(1));
		else
			parts->part[i] = select_op2(
				selection, EVG_ALU_LSHR_INT,
				image->dword[i * bits / SELECT_DWORD],
				select_number(at));
	}
	return true;
}

bool select_pack(struct selection *selection, LLVMTypeRef type,
		 const struct parts *parts, struct image *image)
{
	if (is_structure(selection, type)) {
		image->bytes = 4 * parts->count;
		memcpy(image->dword, parts->part,
		       parts->count * sizeof *parts->part);
		return true;
	}
	return pack(selection, type, bits_in_memory(type), parts, image);
}

bool select_unpack(struct selection *selection, LLVMTypeRef type,
		   const struct image *image, struct parts *parts)
{
	if (is_structure(selection, type)) {
		parts->count = select_count(type);
		memcpy(parts->part, image->dword,
		       parts->count * sizeof *parts->part);
		return true;
	}
	return unpack(selection, type, bits_in_memory(type), image, parts);
}

bool select_same_bits(struct selection *selection, LLVMTypeRef from,
		      LLVMTypeRef to, struct parts *parts)
{
	struct image image;

	return select_width(from) == select_width(to) ||
	       (pack(selection, from, select_width(from), parts, &image) &&
		unpack(selection, to, select_width(to), &image, parts));
}
