/* From LLVM's IR to machine instructions: the declarations that the files of
 * the selector share. The selector refuses what it does not know, by name. */
#ifndef M2S_OPENCL_RT_CODEGEN_SELECT_SELECT_H
#define M2S_OPENCL_RT_CODEGEN_SELECT_SELECT_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "evergreen/kernel/kernel.h"
#include "opencl-rt/codegen/machine.h"
#include "opencl-rt/codegen/permit/permit.h"

enum {
	SELECT_PARTS = 128,
	SELECT_DWORD = 32, /* bits */
	/* Dwords of constant buffer 0 that a clause can read: two windows of 32
	 * registers of four dwords. */
	SELECT_WINDOW = 32,
	SELECT_CONSTANT_DWORDS = 2 * SELECT_WINDOW * 4,
};

/* The dwords of a value: those of a number, the low one first; of a vector's
 * elements or a structure's members one after the other. An integer has anything
 * in the bits of its last dword above its own; i1 is 0 or -1. */
struct parts {
	unsigned count;
	struct machine_source part[SELECT_PARTS];
};

/* One number of up to 64 bits; `high` counts only where it has more than 32. */
struct scalar {
	struct machine_source low, high;
};

/* A value as it lies in memory. */
struct image {
	uint32_t bytes;
	struct machine_source dword[SELECT_PARTS];
};

/* base + offset, in bytes. */
struct address {
	struct machine_source base;
	uint32_t offset;
};

struct selected {
	LLVMValueRef value;
	unsigned count;
	struct machine_source *parts;
};

struct selection {
	LLVMValueRef function;
	const struct evg_kernel *kernel;
	LLVMTargetDataRef layout;
	struct machine machine;
	/* Values that have been selected: a hash table. */
	struct selected *selected;
	size_t selected_count, selected_capacity;
	int ids[2][3];          /* of work-items, of work-groups */
	unsigned block_start;   /* the first instruction of the block */
	bool next_pair;         /* of slots, of operations on doubles */
	unsigned permits;       /* set of enum permit */
	bool unstructured;      /* the reason is the control flow */
	bool dispatched;        /* control flow block by block */
	const char *read_path, *write_path; /* texts for path/ways.h, or NULL */
	/* By AMD's choice all stores are on the CompletePath; path/path.c. */
	bool looked_for_complete, needs_complete;
	char why[256];          /* "": no reason to refuse so far */
};

/* Notes the reason to refuse the kernel. The first reason stays. */
void select_refuse(struct selection *selection, LLVMValueRef inst,
		   const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool select_refused(const struct selection *selection);
/* Whether the build options permit it. */
bool select_may(const struct selection *selection, enum permit permit);

/* --- Types (type.c) ------------------------------------------------------- */

/* The dwords of a type; 0: the selector does not know the type. */
unsigned select_count(LLVMTypeRef type);
/* Bits of a number, or of a vector's elements. */
unsigned select_width(LLVMTypeRef type);
/* 1, or the elements of a vector. */
unsigned select_elements(LLVMTypeRef type);
/* Structures and arrays, the number of their members, and a member's type. */
bool select_has_members(LLVMTypeRef type);
unsigned select_members(LLVMTypeRef type);
LLVMTypeRef select_member_type(LLVMTypeRef type, unsigned member);
/* The dword at which a structure's member begins. */
unsigned select_member(LLVMTypeRef type, unsigned member);
struct scalar select_scalar(const struct parts *parts, unsigned width,
			    unsigned element);
void select_set_scalar(struct parts *parts, unsigned width, unsigned element,
		       struct scalar scalar);
/* Between a value and its bytes. False for types that have none here. */
bool select_pack(struct selection *selection, LLVMTypeRef type,
		 const struct parts *parts, struct image *image);
bool select_unpack(struct selection *selection, LLVMTypeRef type,
		   const struct image *image, struct parts *parts);
/* The same bits as another type, without gaps. False where a number would lie
 * across two dwords. */
bool select_same_bits(struct selection *selection, LLVMTypeRef from,
		      LLVMTypeRef to, struct parts *parts);

/* --- Source lines (line.c) ------------------------------------------------ */

/* What is added from now on is for an instruction's line. What LLVM has made up,
 * such as an address, is for that of its first user that has one. */
void select_line(struct selection *selection, LLVMValueRef inst);

/* --- Values (value.c) ----------------------------------------------------- */

/* The dwords of a value that has been selected, or is a constant or an
 * argument. */
struct parts select_parts(struct selection *selection, LLVMValueRef value);
struct machine_source select_value(struct selection *selection,
				   LLVMValueRef value);
/* Constants, and expressions of them (constant.c). */
/* The bits of a number of up to 64 bits. False: they are not known here. */
bool select_known_bits(LLVMValueRef value, uint64_t *bits);
struct parts select_constant_value(struct selection *selection,
				   LLVMValueRef value);
bool select_expression(struct selection *selection, LLVMValueRef value,
		       struct parts *parts);
/* Sets the dwords of a value. */
void select_define(struct selection *selection, LLVMValueRef value,
		   const struct parts *parts);
void select_define_one(struct selection *selection, LLVMValueRef value,
		       struct machine_source source);
void select_free(struct selection *selection);

struct machine_source select_register(int reg);
struct machine_source select_number(uint32_t value);
/* Whether a source is a number that is known, without modifiers. */
bool select_is_number(const struct machine_source *source, uint32_t *value);
/* The dword of constant buffer 0 at a byte offset. */
struct machine_source select_constant(struct selection *selection,
				      uint32_t byte);

/* The result of an operation that is known without it, or an operand that it is
 * (fold.c); false: neither. */
bool select_fold(enum evg_alu_op op, unsigned count,
		 const struct machine_source *sources,
		 struct machine_source *result);
/* Adds an operation with a new register as its result. */
struct machine_source select_op(struct selection *selection,
				enum evg_alu_op op, unsigned count,
				const struct machine_source *sources);
struct machine_source select_op1(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a);
struct machine_source select_op2(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b);
struct machine_source select_op3(struct selection *selection,
				 enum evg_alu_op op, struct machine_source a,
				 struct machine_source b,
				 struct machine_source c);
/* Copies a source to an existing register. */
void select_copy(struct selection *selection, int reg,
		 struct machine_source source);

/* condition != 0 ? yes : no */
struct machine_source select_either(struct selection *selection,
				    struct machine_source condition,
				    struct machine_source yes,
				    struct machine_source no);
/* A value in a register of its own. */
struct machine_source select_in_register(struct selection *selection,
					 struct machine_source source);
/* Adds control flow in the middle of a block: what is known before it must not
 * be taken for what is known behind it. */
struct machine_inst *select_flow(struct selection *selection,
				 enum machine_kind kind);

/* --- Integers of any width (integer.c, wide.c, divide.c) ------------------ */

/* All bits of a number of `width` bits: 32 or 64. */
struct scalar select_extend(struct selection *selection, unsigned width,
			    struct scalar a, bool is_signed);
bool select_is_integer_op(LLVMOpcode opcode);
struct scalar select_integer(struct selection *selection, LLVMOpcode opcode,
			     unsigned width, struct scalar a, struct scalar b);
/* 0 or -1. */
struct machine_source select_compare(struct selection *selection,
				     LLVMIntPredicate predicate,
				     unsigned width, struct scalar a,
				     struct scalar b);
struct scalar select_choose(struct selection *selection,
			    struct machine_source condition,
			    struct scalar yes, struct scalar no);

/* Of 64 bits. */
struct scalar wide_operation(struct selection *selection, LLVMOpcode opcode,
			     struct scalar a, struct scalar b);
struct scalar wide_shift(struct selection *selection, LLVMOpcode opcode,
			 struct scalar a, struct machine_source count);
struct machine_source wide_compare(struct selection *selection,
				   LLVMIntPredicate predicate,
				   struct scalar a, struct scalar b);
struct machine_source wide_to_float(struct selection *selection,
				    struct scalar a, bool is_signed);
struct scalar wide_from_float(struct selection *selection,
			      struct machine_source a, bool is_signed);
/* mask = -1: -a; mask = 0: a. */
struct scalar wide_negate_if(struct selection *selection, struct scalar a,
			     struct machine_source mask);

/* An instruction that works on integers of more than 64 bits or makes one
 * (long.c): false when it is something else, or not known. */
bool select_long(struct selection *selection, LLVMValueRef inst);
/* Whether numbers of a type have more than 64 bits. */
bool select_is_long(LLVMTypeRef type);

/* UDiv, SDiv, URem, SRem of 32 or 64 bits. */
struct scalar select_divide(struct selection *selection, LLVMOpcode opcode,
			    bool is_wide, struct scalar a, struct scalar b);
/* Floats, to 2.5 units in the last place. */
struct machine_source select_quotient(struct selection *selection,
				      struct machine_source a,
				      struct machine_source b);

/* --- Memory (access.c, atomic.c) ------------------------------------------ */

/* base + offset as one number. */
struct machine_source select_address(struct selection *selection,
				     const struct address *address);
/* Where a pointer leads (memory.c). */
/* Whether it leads to a variable or a part of something, and is computed where
 * it is used. */
bool select_is_place(LLVMValueRef value);
struct address select_address_of(struct selection *selection,
				 LLVMValueRef pointer);
/* Loads image->bytes bytes, or stores them; false: not from this space. */
bool select_load_image(struct selection *selection, unsigned space,
		       struct address address, unsigned alignment,
		       struct image *image);
bool select_store_image(struct selection *selection, unsigned space,
			struct address address, unsigned alignment,
			const struct image *image);

/* An address's dword and up to four dwords of data for a store to global
 * memory; the caller says which operation it is. */
struct machine_inst *select_global(struct selection *selection,
				   struct address address, unsigned count,
				   const struct machine_source *data);
/* One operation on local memory: its address is source 0, the operands follow.
 * The queue gives the old value where the operation returns it. */
struct machine_source select_local(struct selection *selection,
				   enum evg_lds_op op, struct address address,
				   unsigned count,
				   const struct machine_source *operands);
void select_atomic(struct selection *selection, LLVMValueRef inst);
/* Waits until the stores so far are done. */
void select_fence(struct selection *selection);

/* --- Instructions --------------------------------------------------------- */

/* Conversions (convert.c); false: not between these types. */
bool select_conversion(struct selection *selection, LLVMValueRef inst);
/* An integer of `from` bits as one of `width`. */
struct scalar select_resize(struct selection *selection, unsigned from,
			    unsigned width, struct scalar a, bool is_signed);
bool select_cast(struct selection *selection, LLVMValueRef inst);
/* float, or a vector of it. */
bool select_is_float(LLVMTypeRef type);
/* Arguments, and what is taken out of one: false when it is something else
 * (call/argument.c). */
struct parts select_argument(struct selection *selection, LLVMValueRef value);
bool select_argument_member(struct selection *selection, LLVMValueRef inst);
/* Elements and members (vector.c). */
void select_extract(struct selection *selection, LLVMValueRef inst);
void select_insert(struct selection *selection, LLVMValueRef inst);
void select_shuffle(struct selection *selection, LLVMValueRef inst);
void select_member_value(struct selection *selection, LLVMValueRef inst);
/* Arithmetic, comparisons, choices, and the above (arithmetic.c). False when the
 * instruction is none of these. */
bool select_arithmetic(struct selection *selection, LLVMValueRef inst);
/* Loads, stores, addresses (memory.c). */
bool select_memory(struct selection *selection, LLVMValueRef inst);
/* Calls of intrinsics (intrinsic.c). */
void select_call(struct selection *selection, LLVMValueRef call);

/* All instructions of a block but its phis and its terminator. */
void select_block(struct selection *selection, LLVMBasicBlockRef block);
/* The whole function, with its control flow (structure.c). */
void select_function(struct selection *selection);

#endif
