#include "x86/emu/observe/division.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "x86/emu/step.h"

__extension__ typedef unsigned __int128 wide;

/* Elements of a vector instruction: single or double precision, one or all. */
enum kind {
	NO_DIVISION, INTEGER, ROOT, X87, SINGLE, DOUBLE, PACKED_SINGLE,
	PACKED_DOUBLE,
};

static enum kind kind_of(unsigned mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		return INTEGER;
	case ZYDIS_MNEMONIC_FDIV:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVR:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FIDIV:
	case ZYDIS_MNEMONIC_FIDIVR:
		return X87;
	case ZYDIS_MNEMONIC_FSQRT:
		return ROOT;
	case ZYDIS_MNEMONIC_DIVSS:
	case ZYDIS_MNEMONIC_VDIVSS:
	case ZYDIS_MNEMONIC_SQRTSS:
	case ZYDIS_MNEMONIC_VSQRTSS:
		return SINGLE;
	case ZYDIS_MNEMONIC_DIVSD:
	case ZYDIS_MNEMONIC_VDIVSD:
	case ZYDIS_MNEMONIC_SQRTSD:
	case ZYDIS_MNEMONIC_VSQRTSD:
		return DOUBLE;
	case ZYDIS_MNEMONIC_DIVPS:
	case ZYDIS_MNEMONIC_VDIVPS:
	case ZYDIS_MNEMONIC_SQRTPS:
	case ZYDIS_MNEMONIC_VSQRTPS:
		return PACKED_SINGLE;
	case ZYDIS_MNEMONIC_DIVPD:
	case ZYDIS_MNEMONIC_VDIVPD:
	case ZYDIS_MNEMONIC_SQRTPD:
	case ZYDIS_MNEMONIC_VSQRTPD:
		return PACKED_DOUBLE;
	default:
		return NO_DIVISION;
	}
}

bool x86_divides(unsigned mnemonic)
{
	return kind_of(mnemonic) != NO_DIVISION;
}

bool x86_takes_root(unsigned mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_FSQRT:
	case ZYDIS_MNEMONIC_SQRTSS:
	case ZYDIS_MNEMONIC_SQRTSD:
	case ZYDIS_MNEMONIC_SQRTPS:
	case ZYDIS_MNEMONIC_SQRTPD:
	case ZYDIS_MNEMONIC_VSQRTSS:
	case ZYDIS_MNEMONIC_VSQRTSD:
	case ZYDIS_MNEMONIC_VSQRTPS:
	case ZYDIS_MNEMONIC_VSQRTPD:
		return true;
	default:
		return false;
	}
}

/* ---- Before ---- */

static uint64_t part(uint64_t value, unsigned bytes)
{
	return bytes < 8 ? value & ((UINT64_C(1) << 8 * bytes) - 1) : value;
}

static const union x86_x87_register *st(const struct x86_cpu *cpu,
					const struct x86_inst *inst,
					unsigned operand)
{
	unsigned i = 0;

	if (operand < inst->operand_count &&
	    inst->operand[operand].kind == X86_OPERAND_REGISTER)
		i = (inst->operand[operand].location - X86_AT_ST) % 8u;
	return &cpu->x87.reg[(cpu->x87.top + i) & 7];
}

static bool reversed(const struct x86_inst *inst)
{
	return inst->mnemonic == ZYDIS_MNEMONIC_FDIVR ||
	       inst->mnemonic == ZYDIS_MNEMONIC_FDIVRP;
}

static unsigned vector_at(const struct x86_inst *inst, unsigned operand)
{
	return (inst->operand[operand].location - X86_AT_VECTOR) % 16u;
}

struct x86_dividend x86_dividend_of(const struct x86_cpu *cpu,
				    const struct x86_inst *inst)
{
	struct x86_dividend d = { 0 };
	unsigned bytes = inst->operand[0].size;

	switch (kind_of(inst->mnemonic)) {
	case INTEGER:
		d.low = part(cpu->reg[X86_RAX], bytes);
		d.high = bytes == 1 ? part(cpu->reg[X86_RAX] >> 8, 1)
				    : part(cpu->reg[X86_RDX], bytes);
		break;
	case X87:
		d.mantissa = st(cpu, inst, reversed(inst))->mantissa;
		break;
	case ROOT:
	case NO_DIVISION:
		break;
	default:
		/* The first of three operands, or the target. Of a root it does
		 * not matter: what it replaces may be anything. */
		d.vector = cpu->vector[vector_at(
			inst, inst->operand_count > 2 ? 1 : 0)];
	}
	return d;
}

/* ---- After ---- */

static unsigned digits(uint64_t value)
{
	return value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 0;
}

static unsigned significant(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Sets *of_dividend to the record's `dividend`. */
static uint8_t integer(const struct x86_cpu *cpu, const struct x86_inst *inst,
		       const struct x86_dividend *d, unsigned *of_dividend)
{
	unsigned bits = 8u * inst->operand[0].size;
	bool is_signed = inst->mnemonic == ZYDIS_MNEMONIC_IDIV;
	uint64_t sign = UINT64_C(1) << (bits - 1);
	uint64_t mask = sign | (sign - 1), quotient, rest;
	wide dividend = (wide)d->high << bits | d->low, divisor;
	uint8_t result = 0;

	quotient = cpu->reg[X86_RAX] & mask;
	rest = (bits == 8 ? cpu->reg[X86_RAX] >> 8 : cpu->reg[X86_RDX]) & mask;
	if (is_signed && d->high & sign) {
		dividend = 0 - dividend;
		if (bits < 64)
			dividend &= ((wide)1 << 2 * bits) - 1;
	}
	if (is_signed && quotient & sign)
		quotient = (0 - quotient) & mask;
	if (dividend >> bits)
		result = X86_DIVISION_WIDE;
	*of_dividend = result ? bits : significant((uint64_t)dividend);
	if (!quotient)
		return result;
	if (is_signed && rest & sign)
		rest = (0 - rest) & mask;
	divisor = (dividend - rest) / quotient;
	if (divisor & (divisor - 1)) {
		if (!rest)
			result |= X86_DIVISION_EXACT;
		if (result & X86_DIVISION_WIDE && divisor >> 32)
			result |= X86_DIVISION_LONG;
	}
	return (uint8_t)(result | digits(quotient));
}

/* The digits of a mantissa of `bits` bits, its highest one included, that is
 * not the one that was there before. */
static unsigned fraction(uint64_t mantissa, uint64_t before, unsigned bits)
{
	if (!mantissa || mantissa == before)
		return 0;
	return (bits - (unsigned)__builtin_ctzll(mantissa) + 3) / 4;
}

static unsigned single(uint32_t value, uint32_t before)
{
	unsigned exponent = value >> 23 & 0xff;
	uint32_t mask = (1u << 23) - 1;

	if (!exponent || exponent == 0xff)
		return 0;
	return fraction((value & mask) | (mask + 1),
			(before & mask) | (mask + 1), 24);
}

static unsigned of_double(uint64_t value, uint64_t before)
{
	unsigned exponent = value >> 52 & 0x7ff;
	uint64_t mask = (UINT64_C(1) << 52) - 1;

	if (!exponent || exponent == 0x7ff)
		return 0;
	return fraction((value & mask) | (mask + 1),
			(before & mask) | (mask + 1), 53);
}

static uint8_t vector(const struct x86_cpu *cpu, const struct x86_inst *inst,
		      const struct x86_dividend *d, enum kind kind)
{
	const union x86_vector *result = &cpu->vector[vector_at(inst, 0)];
	union x86_vector before = d->vector;
	bool doubles = kind == DOUBLE || kind == PACKED_DOUBLE;
	unsigned count = kind == SINGLE || kind == DOUBLE ? 1 :
			 inst->operand[0].size / (doubles ? 8u : 4u);
	unsigned most = 0;

	if (x86_takes_root(inst->mnemonic))
		memset(&before, 0, sizeof before);
	for (unsigned i = 0; i < count; i++) {
		unsigned n = doubles ? of_double(result->u64[i], before.u64[i])
				     : single(result->u32[i], before.u32[i]);

		if (n > most)
			most = n;
	}
	return (uint8_t)most;
}

static uint8_t division_of(const struct x86_cpu *cpu,
			   const struct x86_inst *inst,
			   const struct x86_dividend *dividend, unsigned *bits)
{
	enum kind kind = kind_of(inst->mnemonic);
	const union x86_x87_register *target;

	switch (kind) {
	case NO_DIVISION:
		return 0;
	case INTEGER:
		return integer(cpu, inst, dividend, bits);
	case ROOT:
	case X87:
		target = st(cpu, inst, 0);
		/* The one that popped has moved the target's number. */
		if (inst->x87_push < 0)
			target = &cpu->x87.reg[(target - cpu->x87.reg + 7) & 7];
		if (!(target->sign_exponent & 0x7fff) ||
		    (target->sign_exponent & 0x7fff) == 0x7fff)
			return 0;
		return (uint8_t)fraction(target->mantissa,
					 kind == ROOT ? 0 : dividend->mantissa,
					 64);
	default:
		return vector(cpu, inst, dividend, kind);
	}
}

void x86_division_note(struct x86_record *record, const struct x86_cpu *cpu,
		       const struct x86_inst *inst,
		       const struct x86_dividend *dividend)
{
	unsigned bits = 0;

	record->division = division_of(cpu, inst, dividend, &bits);
	record->dividend = (bits < 63 ? bits : 63) & 63;
}
