/* The classic BPF machine, as far as filters of system calls may use it
 * (Documentation/networking/filter.rst, seccomp(2)): an accumulator, an index
 * register, 16 words of memory; jumps go forward. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/seccomp/filter.h"
#include "x86/linux/state.h"

static bool is_jump(const struct sock_filter *at)
{
	return BPF_CLASS(at->code) == BPF_JMP;
}

static bool divides(const struct sock_filter *at)
{
	return at->code == (BPF_ALU | BPF_DIV | BPF_K);
}

static bool shifts(const struct sock_filter *at)
{
	return at->code == (BPF_ALU | BPF_LSH | BPF_K) ||
	       at->code == (BPF_ALU | BPF_RSH | BPF_K);
}

static bool loads_memory(const struct sock_filter *at)
{
	return at->code == (BPF_LD | BPF_MEM) ||
	       at->code == (BPF_LDX | BPF_MEM);
}

static bool stores_memory(const struct sock_filter *at)
{
	return at->code == BPF_ST || at->code == BPF_STX;
}

static bool known(uint16_t code)
{
	switch (code) {
	case BPF_LD | BPF_W | BPF_ABS:
	case BPF_LD | BPF_W | BPF_LEN:
	case BPF_LD | BPF_IMM:
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_W | BPF_LEN:
	case BPF_LDX | BPF_IMM:
	case BPF_LDX | BPF_MEM:
	case BPF_ST:
	case BPF_STX:
	case BPF_ALU | BPF_ADD | BPF_K: case BPF_ALU | BPF_ADD | BPF_X:
	case BPF_ALU | BPF_SUB | BPF_K: case BPF_ALU | BPF_SUB | BPF_X:
	case BPF_ALU | BPF_MUL | BPF_K: case BPF_ALU | BPF_MUL | BPF_X:
	case BPF_ALU | BPF_DIV | BPF_K: case BPF_ALU | BPF_DIV | BPF_X:
	case BPF_ALU | BPF_AND | BPF_K: case BPF_ALU | BPF_AND | BPF_X:
	case BPF_ALU | BPF_OR | BPF_K: case BPF_ALU | BPF_OR | BPF_X:
	case BPF_ALU | BPF_XOR | BPF_K: case BPF_ALU | BPF_XOR | BPF_X:
	case BPF_ALU | BPF_LSH | BPF_K: case BPF_ALU | BPF_LSH | BPF_X:
	case BPF_ALU | BPF_RSH | BPF_K: case BPF_ALU | BPF_RSH | BPF_X:
	case BPF_ALU | BPF_NEG:
	case BPF_JMP | BPF_JA:
	case BPF_JMP | BPF_JEQ | BPF_K: case BPF_JMP | BPF_JEQ | BPF_X:
	case BPF_JMP | BPF_JGE | BPF_K: case BPF_JMP | BPF_JGE | BPF_X:
	case BPF_JMP | BPF_JGT | BPF_K: case BPF_JMP | BPF_JGT | BPF_X:
	case BPF_JMP | BPF_JSET | BPF_K: case BPF_JMP | BPF_JSET | BPF_X:
	case BPF_MISC | BPF_TAX:
	case BPF_MISC | BPF_TXA:
	case BPF_RET | BPF_K:
	case BPF_RET | BPF_A:
		return true;
	default:
		return false;
	}
}

/* An instruction by itself; `left` are those behind it. */
static bool valid(const struct sock_filter *at, size_t left)
{
	if (!known(at->code))
		return false;
	if (at->code == (BPF_LD | BPF_W | BPF_ABS))
		return at->k % 4 == 0 && at->k < sizeof(struct seccomp_data);
	if (loads_memory(at) || stores_memory(at))
		return at->k < BPF_MEMWORDS;
	if (at->code == (BPF_JMP | BPF_JA))
		return at->k < left;
	if (is_jump(at))
		return at->jt < left && at->jf < left;
	return !(divides(at) && !at->k) && !(shifts(at) && at->k >= 32);
}

/* Whether each word of memory that is read has been written on every path to
 * the read. */
static bool memory_written(const struct sock_filter *code, size_t count)
{
	/* Words written when an instruction is reached, by jumps so far. */
	uint16_t *written = xmalloc(count * sizeof *written), now = 0;
	bool good = true;

	memset(written, 0xff, count * sizeof *written);
	for (size_t i = 0; i < count && good; i++) {
		const struct sock_filter *at = code + i;

		now &= written[i];
		if (stores_memory(at))
			now |= (uint16_t)(1 << at->k);
		else if (loads_memory(at))
			good = now >> at->k & 1;
		if (!is_jump(at))
			continue;
		if (BPF_OP(at->code) == BPF_JA) {
			written[i + 1 + at->k] &= now;
		} else {
			written[i + 1 + at->jt] &= now;
			written[i + 1 + at->jf] &= now;
		}
		now = UINT16_MAX; /* only jumps come to what follows */
	}
	free(written);
	return good;
}

bool seccomp_program_valid(const struct sock_filter *code, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!valid(code + i, count - 1 - i))
			return false;
	return count && BPF_CLASS(code[count - 1].code) == BPF_RET &&
	       memory_written(code, count);
}

/* ---- Running ---- */

/* False for a division by zero. */
static bool calculate(uint16_t code, uint32_t *a, uint32_t operand)
{
	switch (BPF_OP(code)) {
	case BPF_ADD: *a += operand; break;
	case BPF_SUB: *a -= operand; break;
	case BPF_MUL: *a *= operand; break;
	case BPF_DIV:
		if (!operand)
			return false;
		*a /= operand;
		break;
	case BPF_AND: *a &= operand; break;
	case BPF_OR: *a |= operand; break;
	case BPF_XOR: *a ^= operand; break;
	case BPF_LSH: *a <<= operand & 31; break;
	case BPF_RSH: *a >>= operand & 31; break;
	case BPF_NEG: *a = -*a; break;
	}
	return true;
}

static bool holds(uint16_t code, uint32_t a, uint32_t operand)
{
	switch (BPF_OP(code)) {
	case BPF_JEQ: return a == operand;
	case BPF_JGT: return a > operand;
	case BPF_JGE: return a >= operand;
	default: return a & operand; /* BPF_JSET */
	}
}

static uint32_t load_operand(const struct sock_filter *at,
			     const struct seccomp_data *data,
			     const uint32_t *memory)
{
	uint32_t word;

	switch (BPF_MODE(at->code)) {
	case BPF_ABS:
		memcpy(&word, (const uint8_t *)data + at->k, sizeof word);
		return word;
	case BPF_MEM: return memory[at->k];
	case BPF_LEN: return sizeof *data;
	default: return at->k; /* BPF_IMM */
	}
}

uint32_t seccomp_program_run(const struct sock_filter *code,
			     const struct seccomp_data *data)
{
	uint32_t memory[BPF_MEMWORDS] = { 0 }, a = 0, x = 0;

	for (const struct sock_filter *at = code;; at++) {
		uint32_t operand = BPF_SRC(at->code) == BPF_X ? x : at->k;

		switch (BPF_CLASS(at->code)) {
		case BPF_LD:
			a = load_operand(at, data, memory);
			break;
		case BPF_LDX:
			x = load_operand(at, data, memory);
			break;
		case BPF_ST: memory[at->k] = a; break;
		case BPF_STX: memory[at->k] = x; break;
		case BPF_ALU:
			if (!calculate(at->code, &a, operand))
				return 0;
			break;
		case BPF_JMP:
			if (BPF_OP(at->code) == BPF_JA)
				at += at->k;
			else
				at += holds(at->code, a, operand) ? at->jt
								  : at->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(at->code) == BPF_A ? a : at->k;
		default: /* BPF_MISC */
			if (BPF_MISCOP(at->code) == BPF_TAX)
				x = a;
			else
				a = x;
		}
	}
}
