/* Bits that are counted or in another order, by pieces of 64. */
#include <string.h>

#include "opencl-rt/clc/ir/expand/build.h"

/* A function of LLVM's on pieces of 64 bits: its name as far as the type. */
static LLVMValueRef call_piece(const struct expansion *expansion,
			       const char *name, LLVMValueRef piece)
{
	LLVMTypeRef type = LLVMTypeOf(piece);
	LLVMContextRef context = LLVMGetModuleContext(expansion->module);
	LLVMValueRef operands[] = {
	    piece,
	    LLVMConstInt(LLVMInt1TypeInContext(context), 0, false),
	};
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function =
	    LLVMGetIntrinsicDeclaration(expansion->module, id, &type, 1);

	return LLVMBuildCall2(
	    expansion->builder, LLVMIntrinsicGetType(context, id, &type, 1),
	    function, operands, LLVMCountParams(function), "");
}

static int pieces_of(const struct expansion *expansion)
{
	return (expansion->width + EXPAND_PIECE - 1) / EXPAND_PIECE;
}

static LLVMValueRef piece_of(const struct expansion *expansion, int piece)
{
	LLVMValueRef whole = expand_resize(expansion, expansion->a,
					   pieces_of(expansion) * EXPAND_PIECE);

	return expand_resize(
	    expansion,
	    expand_op_by(expansion, LLVMLShr, whole, piece * EXPAND_PIECE),
	    EXPAND_PIECE);
}

LLVMValueRef expand_ones(const struct expansion *expansion)
{
	LLVMValueRef sum =
	    expand_constant(expand_integers(expansion, EXPAND_PIECE), 0);

	for (int k = 0; k < pieces_of(expansion); k++)
		sum = expand_op(expansion, LLVMAdd, sum,
				call_piece(expansion, "llvm.ctpop",
					   piece_of(expansion, k)));
	return expand_resize(expansion, sum, expansion->width);
}

/* Zeros before the highest one, or behind the lowest: the last piece that is
 * not 0 counts. */
LLVMValueRef expand_zeros(const struct expansion *expansion)
{
	bool behind = expand_is_named(expansion, "llvm.cttz.");
	int count = pieces_of(expansion);
	int unused = behind ? 0 : count * EXPAND_PIECE - expansion->width;
	LLVMValueRef zeros =
	    expand_constant(expand_integers(expansion, EXPAND_PIECE),
			    expansion->width + unused);

	for (int k = 0; k < count; k++) {
		LLVMValueRef piece =
		    piece_of(expansion, behind ? count - 1 - k : k);
		LLVMValueRef own = call_piece(
		    expansion, behind ? "llvm.cttz" : "llvm.ctlz", piece);

		zeros = expand_choose(
		    expansion,
		    expand_compare_with(expansion, LLVMIntNE, piece, 0),
		    expand_op_by(expansion, LLVMAdd, own,
				 (count - 1 - k) * EXPAND_PIECE),
		    zeros);
	}
	return expand_resize(expansion,
			     expand_op_by(expansion, LLVMSub, zeros, unused),
			     expansion->width);
}

/* Bytes or bits from the last to the first. */
LLVMValueRef expand_reversal(const struct expansion *expansion)
{
	bool bits = expand_is_named(expansion, "llvm.bitreverse.");
	int count = pieces_of(expansion), all = count * EXPAND_PIECE;
	LLVMValueRef result =
	    expand_constant(expand_integers(expansion, all), 0);

	for (int k = 0; k < count; k++) {
		LLVMValueRef piece = call_piece(
		    expansion, bits ? "llvm.bitreverse" : "llvm.bswap",
		    piece_of(expansion, count - 1 - k));

		result =
		    expand_op(expansion, LLVMOr, result,
			      expand_op_by(expansion, LLVMShl,
					   expand_resize(expansion, piece, all),
					   k * EXPAND_PIECE));
	}
	return expand_resize(
	    expansion,
	    expand_op_by(expansion, LLVMLShr, result, all - expansion->width),
	    expansion->width);
}
