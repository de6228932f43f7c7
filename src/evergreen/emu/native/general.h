/* x86-64 machine code with general registers, for control flow. As in
 * native/code.h, rsp and r12 cannot be a base. */
#ifndef M2S_EVERGREEN_EMU_NATIVE_GENERAL_H
#define M2S_EVERGREEN_EMU_NATIVE_GENERAL_H

#include "evergreen/emu/native/code.h"

/* Opcodes of `op reg, rm` and, for stores and read-modify-write, `op rm, reg`.
 * All have 64 bits. */
enum {
	GENERAL_ADD_TO = 0x01,
	GENERAL_OR = 0x0b,
	GENERAL_OR_TO = 0x09,
	GENERAL_AND_TO = 0x21,
	GENERAL_AND = 0x23,
	GENERAL_XOR_TO = 0x31,
	GENERAL_XOR = 0x33,
	GENERAL_COMPARE = 0x3b,
	GENERAL_TEST = 0x85,
	GENERAL_STORE = 0x89,
	GENERAL_LOAD = 0x8b,
};

/* Operations with an immediate: the extensions of opcode 0x81. */
enum { GENERAL_ADD_NUMBER = 0, GENERAL_COMPARE_NUMBER = 7 };

/* Conditions of jumps, as in 0x0f 0x80 + condition. */
enum native_condition {
	NATIVE_NOT_BELOW = 3,
	NATIVE_ABOVE = 7,
	NATIVE_EQUAL = 4,
	NATIVE_NOT_EQUAL = 5,
	NATIVE_ALWAYS = 16,
};

void general(struct native_code *code, uint8_t opcode, unsigned reg,
	     struct native_place rm);
/* Emits an operation with a number. `wide`: on 64 bits, with the number
 * sign-extended. */
void general_number(struct native_code *code, bool wide, unsigned operation,
		    struct native_place rm, int32_t number);
void general_store_number(struct native_code *code, bool wide,
			  struct native_place rm, int32_t number);
void general_not(struct native_code *code, unsigned reg);
void general_load_number(struct native_code *code, unsigned reg,
			 uint64_t number);
/* Emit a jump or a call whose distance is not known yet. Returns the place of
 * the distance. */
size_t general_jump(struct native_code *code, enum native_condition condition);
size_t general_call(struct native_code *code);
/* Emits a call of a C function. Its arguments must be in place. */
void general_call_function(struct native_code *code, void (*function)(void));

#endif
