#include "evergreen/emu/native/general.h"

#include <string.h>

static void byte(struct native_code *code, unsigned value)
{
	native_bytes(code, 1, &(uint8_t){(uint8_t)value});
}

static void instruction(struct native_code *code, bool wide, uint8_t opcode,
			unsigned reg, struct native_place rm)
{
	unsigned prefix =
	    (unsigned)wide << 3 | (reg >> 3 & 1) << 2 | (rm.reg >> 3 & 1);
	unsigned field = (reg & 7) << 3 | (rm.reg & 7);

	if (prefix)
		byte(code, 0x40 | prefix);
	byte(code, opcode);
	if (!rm.in_memory) {
		byte(code, 0xc0 | field);
	} else if (rm.displacement == (int8_t)rm.displacement) {
		byte(code, 0x40 | field);
		byte(code, (uint8_t)rm.displacement);
	} else {
		byte(code, 0x80 | field);
		native_dword(code, (uint32_t)rm.displacement);
	}
}

void general(struct native_code *code, uint8_t opcode, unsigned reg,
	     struct native_place rm)
{
	instruction(code, true, opcode, reg, rm);
}

void general_number(struct native_code *code, bool wide, unsigned operation,
		    struct native_place rm, int32_t number)
{
	bool small = number == (int8_t)number;

	instruction(code, wide, small ? 0x83 : 0x81, operation, rm);
	if (small)
		byte(code, (uint8_t)number);
	else
		native_dword(code, (uint32_t)number);
}

void general_store_number(struct native_code *code, bool wide,
			  struct native_place rm, int32_t number)
{
	instruction(code, wide, 0xc7, 0, rm);
	native_dword(code, (uint32_t)number);
}

void general_not(struct native_code *code, unsigned reg)
{
	instruction(code, true, 0xf7, 2, native_reg(reg));
}

void general_load_number(struct native_code *code, unsigned reg,
			 uint64_t number)
{
	if (number <= UINT32_MAX) {
		if (reg >= 8)
			byte(code, 0x41);
		byte(code, 0xb8 | (reg & 7));
		native_dword(code, (uint32_t)number);
		return;
	}
	byte(code, 0x48 | reg >> 3);
	byte(code, 0xb8 | (reg & 7));
	native_quad(code, number);
}

size_t general_jump(struct native_code *code, enum native_condition condition)
{
	if (condition == NATIVE_ALWAYS)
		byte(code, 0xe9);
	else
		NATIVE_BYTES(code, 0x0f, (uint8_t)(0x80 | condition));
	return native_hole(code);
}

size_t general_call(struct native_code *code)
{
	byte(code, 0xe8);
	return native_hole(code);
}

void general_call_function(struct native_code *code, void (*function)(void))
{
	uint64_t address;

	memcpy(&address, &function, sizeof address);
	general_load_number(code, NATIVE_RAX, address);
	NATIVE_BYTES(code, 0xff, 0xd0); /* call rax */
}
