#include "integer-case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "x86/emu/block.h"

const struct row rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ #handler, ZYDIS_MNEMONIC_##mnemonic, { #a, #b, #c, #d }, (attr) },
#include "x86/isa/integer.def"
};

const int row_count = sizeof rows / sizeof rows[0];

bool row_excluded(const struct row *row)
{
	static const ZydisMnemonic names[] = {
		ZYDIS_MNEMONIC_JMP, ZYDIS_MNEMONIC_CALL, ZYDIS_MNEMONIC_RET,
		ZYDIS_MNEMONIC_SYSCALL, ZYDIS_MNEMONIC_SYSENTER,
		ZYDIS_MNEMONIC_INT, ZYDIS_MNEMONIC_CPUID,
		ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP,
		ZYDIS_MNEMONIC_XGETBV, ZYDIS_MNEMONIC_POPF,
		ZYDIS_MNEMONIC_POPFD, ZYDIS_MNEMONIC_POPFQ,
		ZYDIS_MNEMONIC_RDFSBASE, ZYDIS_MNEMONIC_WRFSBASE,
		ZYDIS_MNEMONIC_RDGSBASE, ZYDIS_MNEMONIC_WRGSBASE,
		ZYDIS_MNEMONIC_RDRAND, ZYDIS_MNEMONIC_RDSEED,
		ZYDIS_MNEMONIC_RDPID,
		ZYDIS_MNEMONIC_RDSSPD, ZYDIS_MNEMONIC_RDSSPQ,
		ZYDIS_MNEMONIC_ENTER, ZYDIS_MNEMONIC_INT1,
		ZYDIS_MNEMONIC_PREFETCHWT1,
		ZYDIS_MNEMONIC_UD0, ZYDIS_MNEMONIC_UD1,
		ZYDIS_MNEMONIC_IRET, ZYDIS_MNEMONIC_IRETD,
		ZYDIS_MNEMONIC_IRETQ, ZYDIS_MNEMONIC_LES,
		ZYDIS_MNEMONIC_LDS, ZYDIS_MNEMONIC_LSS, ZYDIS_MNEMONIC_LFS,
		ZYDIS_MNEMONIC_LGS, ZYDIS_MNEMONIC_XSAVE,
		ZYDIS_MNEMONIC_XSAVE64, ZYDIS_MNEMONIC_XSAVEOPT,
		ZYDIS_MNEMONIC_XSAVEOPT64, ZYDIS_MNEMONIC_XSAVEC,
		ZYDIS_MNEMONIC_XSAVEC64, ZYDIS_MNEMONIC_XRSTOR,
		ZYDIS_MNEMONIC_XRSTOR64,
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (row->mnemonic == names[i])
			return true;
	for (int i = 0; i < 4; i++)
		if (strchr("SJA", row->operand[i][0]))
			return true;
	/* The short cuts of conditions need a flag setter in front. */
	return row->attributes & (X86_ROW_IF_SUB | X86_ROW_IF_LOGIC |
				  X86_ROW_IF_RESULT);
}

/* ---- Making an instruction ---- */

static const ZydisRegister first_register[] = {
	[1] = ZYDIS_REGISTER_AL, [2] = ZYDIS_REGISTER_AX,
	[4] = ZYDIS_REGISTER_EAX, [8] = ZYDIS_REGISTER_RAX,
};

static ZydisRegister some_register(uint64_t *seed, unsigned bytes, bool wide)
{
	unsigned n = (unsigned)random_draw(seed) & (wide ? 15 : 7);

	if (bytes == 1 && random_draw(seed) & 1) {
		/* AH ... BH, or SPL ... R15B */
		if (!wide || random_draw(seed) & 1)
			return ZYDIS_REGISTER_AL + (n & 7);
		return ZYDIS_REGISTER_SPL + n % 12;
	}
	if (bytes == 1)
		n &= 3;
	return first_register[bytes] + n;
}

bool row_make(const struct row *row, bool wide, uint64_t *seed,
	      struct subject *s)
{
	ZydisEncoderRequest *request = &s->request;
	bool shift = row->mnemonic >= ZYDIS_MNEMONIC_RCL &&
		     row->mnemonic <= ZYDIS_MNEMONIC_SHRD;
	ZyanUSize size = sizeof s->code;
	ZydisDecoder decoder;

	memset(s, 0, sizeof *s);
	request->machine_mode = wide ? ZYDIS_MACHINE_MODE_LONG_64
				     : ZYDIS_MACHINE_MODE_LONG_COMPAT_32;
	request->mnemonic = row->mnemonic;
	if (row->attributes & X86_ROW_LOCK)
		request->prefixes |= ZYDIS_ATTRIB_HAS_LOCK;
	if (row->attributes & X86_ROW_REP)
		request->prefixes |=
			strstr(row->name, "repe") ? ZYDIS_ATTRIB_HAS_REPE
						  : ZYDIS_ATTRIB_HAS_REP;
	if (row->attributes & X86_ROW_REPNE)
		request->prefixes |= ZYDIS_ATTRIB_HAS_REPNE;
	if (row->attributes & X86_ROW_STACK16)
		request->operand_size_hint = ZYDIS_OPERAND_SIZE_HINT_16;
	for (int i = 0; i < 4 && row->operand[i][0] != '_'; i++) {
		ZydisEncoderOperand *operand = &request->operands[i];
		unsigned bits = (unsigned)atoi(row->operand[i] + 1);
		bool count = i && row->operand[i][0] == 'R' && bits == 8 &&
			     (shift || row->mnemonic == ZYDIS_MNEMONIC_SHL ||
			      row->mnemonic == ZYDIS_MNEMONIC_SHR ||
			      row->mnemonic == ZYDIS_MNEMONIC_SAR ||
			      row->mnemonic == ZYDIS_MNEMONIC_ROL ||
			      row->mnemonic == ZYDIS_MNEMONIC_ROR ||
			      row->mnemonic == ZYDIS_MNEMONIC_SHLD ||
			      row->mnemonic == ZYDIS_MNEMONIC_RCL);

		request->operand_count = (ZyanU8)(i + 1);
		switch (row->operand[i][0]) {
		case 'R':
			operand->type = ZYDIS_OPERAND_TYPE_REGISTER;
			operand->reg.value =
				count ? ZYDIS_REGISTER_CL :
				some_register(seed, bits / 8, wide);
			break;
		case 'I':
			operand->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
			operand->imm.s = random_draw(seed) & 1 ?
				(int8_t)random_corner(seed) :
				(int32_t)random_corner(seed);
			if (random_draw(seed) & 1)
				operand->imm.s = (int8_t)operand->imm.s;
			break;
		default: {
			unsigned base = (unsigned)random_draw(seed);
			unsigned index = (unsigned)random_draw(seed);

			base &= wide ? 15 : 7;
			index &= wide ? 15 : 7;
			operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
			operand->mem.size = (ZyanU16)(bits / 8);
			operand->mem.base =
				first_register[wide ? 8 : 4] + base;
			operand->mem.displacement =
				random_draw(seed) & 1 ? 0 :
				random_draw(seed) & 1 ?
				(int8_t)random_draw(seed) :
				(int32_t)random_draw(seed);
			if (index != X86_RSP && index != base &&
			    random_draw(seed) & 1) {
				operand->mem.index =
					first_register[wide ? 8 : 4] + index;
				operand->mem.scale =
					(ZyanU8)(1 << (random_draw(seed) & 3));
			}
			s->memory = true;
			s->memory_size = bits ? bits / 8 : 8;
			/* Now and then relative to the instruction, or without
			 * any register. */
			if (random_draw(seed) % 16 == 0 &&
			    row->mnemonic != ZYDIS_MNEMONIC_LEA) {
				operand->mem.index = ZYDIS_REGISTER_NONE;
				operand->mem.scale = 0;
				operand->mem.base = ZYDIS_REGISTER_NONE;
				operand->mem.displacement =
					ARENA_DATA + 0x1000 +
					(int)(random_draw(seed) & 0x3f0);
				if (wide && random_draw(seed) & 1) {
					operand->mem.base = ZYDIS_REGISTER_RIP;
					operand->mem.displacement -=
						ARENA_CODE;
				}
			}
		}
		}
	}
	/* LEA's operand has the size of an address. */
	if (row->mnemonic == ZYDIS_MNEMONIC_LEA)
		request->operands[1].mem.size = wide ? 8 : 4;
	if (!ZYAN_SUCCESS(ZydisEncoderEncodeInstruction(request, s->code,
							&size)))
		return false;
	s->size = size;
	ZydisDecoderInit(&decoder, request->machine_mode,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	return ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, s->code, size,
						   &s->inst, s->operand));
}

/* ---- Making a state ---- */

static unsigned number(ZydisRegister reg)
{
	return (unsigned)ZydisRegisterGetId(reg) & 15;
}

bool row_is(const struct row *row, const char *name)
{
	return !strcmp(ZydisMnemonicGetString(row->mnemonic), name);
}

static bool bit_string(const struct row *row)
{
	return (row_is(row, "bt") || row_is(row, "bts") || row_is(row, "btr") ||
		row_is(row, "btc")) && row->operand[0][0] == 'M' &&
	       row->operand[1][0] == 'R';
}

bool row_uses_stack(const struct row *row)
{
	static const char *const names[] = {
		"push", "pop", "pushf", "pushfd", "pushfq", "pusha", "pushad",
		"popa", "popad",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (row_is(row, names[i]))
			return true;
	return false;
}

void row_make_state(const struct row *row, const struct subject *s,
		    bool wide, uint64_t *seed, struct machine *m)
{
	const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;

	for (size_t i = 0; i < sizeof m->data; i += 8) {
		uint64_t value = random_corner(seed);

		memcpy(m->data + i, &value, 8);
	}
	for (size_t i = 0; i < sizeof m->stack; i += 8) {
		uint64_t value = random_draw(seed);

		memcpy(m->stack + i, &value, 8);
	}
	for (int i = 0; i < 16; i++)
		m->reg[i] = i >= 8 && !wide ? 0 : random_corner(seed) & mask;
	m->eflags = (uint32_t)((random_draw(seed) & X86_ARITHMETIC) | 0x202);
	if (row_is(row, "div") || row_is(row, "idiv"))
		if (random_draw(seed) & 3) /* a quotient that may fit */
			m->reg[X86_RDX] = random_draw(seed) & 1 ? 0 :
				random_draw(seed) & 15;
	if (row_uses_stack(row))
		m->reg[X86_RSP] = ARENA_STACK + ARENA_STACK_SIZE / 2 +
				  (random_draw(seed) & 63);
	if (row_is(row, "leave"))
		m->reg[X86_RBP] = ARENA_STACK + ARENA_STACK_SIZE / 2;
	if (row_is(row, "xlat"))
		m->reg[X86_RBX] = ARENA_DATA + 100;
	if (bit_string(row) && s->memory)
		m->reg[number(s->request.operands[1].reg.value)] =
			(random_draw(seed) % 4000 - 2000) & mask;
	if (!s->request.operand_count &&
	    (s->inst.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	     row->attributes & (X86_ROW_REP | X86_ROW_REPNE))) {
		m->reg[X86_RCX] = random_draw(seed) % 24;
		m->reg[X86_RSI] = ARENA_DATA + 0x400 +
				  random_draw(seed) % 0x1800;
		m->reg[X86_RDI] = random_draw(seed) & 1 ?
			m->reg[X86_RSI] + random_draw(seed) % 64 - 32 :
			ARENA_DATA + 0x400 + random_draw(seed) % 0x1800;
		/* Now and then over either end of what is mapped. */
		if (random_draw(seed) % 8 == 0)
			m->reg[X86_RSI] = ARENA_DATA + random_draw(seed) % 64;
		if (random_draw(seed) % 8 == 0)
			m->reg[X86_RDI] = ARENA_DATA + ARENA_DATA_SIZE -
					  random_draw(seed) % 64;
		m->eflags |= random_draw(seed) & X86_DF;
		/* Equal stretches, so that comparisons go on. */
		if (random_draw(seed) & 1)
			memset(m->data, (int)random_draw(seed) & 1,
			       sizeof m->data);
		if (random_draw(seed) & 1)
			m->reg[X86_RAX] = 0;
	}
	if (row_is(row, "cmpxchg8b") || row_is(row, "cmpxchg16b") ||
	    row_is(row, "cmpxchg"))
		/* Often equal: all memory alike. */
		if (random_draw(seed) & 1) {
			memset(m->data, 0, sizeof m->data);
			m->reg[X86_RAX] &= random_draw(seed) & 1;
			m->reg[X86_RDX] &= random_draw(seed) & 1;
		}
	if (s->memory && row->mnemonic != ZYDIS_MNEMONIC_LEA) {
		const ZydisEncoderOperand *o = s->request.operands;
		uint64_t target = ARENA_DATA + 0x800 +
				  random_draw(seed) % 0x1000;
		bool aligned = row_is(row, "cmpxchg16b");

		while (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			o++;
		if (aligned)
			target &= ~15ull;
		if (o->mem.base == ZYDIS_REGISTER_RSP && row_uses_stack(row))
			return;
		if (o->mem.base == ZYDIS_REGISTER_NONE ||
		    o->mem.base == ZYDIS_REGISTER_RIP)
			return;
		m->reg[number(o->mem.base)] =
			(target - (uint64_t)o->mem.displacement -
			 (o->mem.index ? m->reg[number(o->mem.index)] *
				 o->mem.scale : 0)) & mask;
	}
}

/* ---- Comparing ---- */

static unsigned shift_count(const struct subject *s, const struct machine *m)
{
	unsigned last = s->inst.operand_count_visible - 1u;
	unsigned mask = s->operand[0].size == 64 ? 63 : 31;

	if (s->operand[last].type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return (unsigned)s->operand[last].imm.value.u & mask;
	return (unsigned)m->reg[X86_RCX] & mask;
}

/* Flags to compare after this instruction. */
static uint32_t defined_flags(const struct row *row, const struct subject *s,
			      const struct machine *before)
{
	uint32_t undefined = s->inst.cpu_flags ?
				     s->inst.cpu_flags->undefined : 0;
	bool rotate = row_is(row, "rol") || row_is(row, "ror") ||
		      row_is(row, "rcl") || row_is(row, "rcr");
	bool shift = row_is(row, "shl") || row_is(row, "shr") ||
		     row_is(row, "sar") || row_is(row, "shld") ||
		     row_is(row, "shrd");

	if (rotate || shift) {
		unsigned count = shift_count(s, before);

		undefined = shift && count ? X86_AF : 0;
		if (count > 1 && !getenv("M2S_TEST_UNDEFINED"))
			undefined |= X86_OF;
		if (shift && count > s->operand[0].size)
			undefined |= X86_CF | (row_is(row, "shld") ||
					       row_is(row, "shrd") ?
					       X86_ARITHMETIC : 0);
	}
	if (row_is(row, "mul") || row_is(row, "imul"))
		undefined |= X86_SF | X86_ZF | X86_AF | X86_PF;
	return (X86_ARITHMETIC | X86_DF) & ~undefined;
}

bool row_is_undefined(const struct row *row, const struct subject *s,
		      const struct machine *before)
{
	if (native_is_intel())
		return false;
	/* The result of a count beyond the operand; SYSRET outside 64-bit
	 * mode (other vendors have it there). */
	return ((row_is(row, "shld") || row_is(row, "shrd")) &&
		shift_count(s, before) > s->operand[0].size) ||
	       s->inst.mnemonic == ZYDIS_MNEMONIC_SYSRET;
}

static void describe(const struct subject *s, bool wide, char *text,
		     size_t size)
{
	x86_disasm_describe(wide, ARENA_CODE, s->code, s->size, text, size);
}

bool row_same(const struct row *row, const struct subject *s, bool wide,
	      const struct machine *before, const struct machine *native,
	      const struct machine *emulated, unsigned *shown)
{
	uint32_t flags = defined_flags(row, s, before);
	char text[200];
	bool good = native->signal == emulated->signal &&
		    native->rip == emulated->rip;
	int where = -1;

	if (native->signal)
		flags = X86_ARITHMETIC;
	/* Intel's processors keep the last comparison's flags when a repeated
	 * one faults. */
	if (native->signal && !native_is_intel() &&
	    row->attributes & (X86_ROW_REP | X86_ROW_REPNE))
		flags = 0;
	for (int i = 0; i < 16; i++)
		if (native->reg[i] != emulated->reg[i] &&
		    /* The limit of segment 0x78 is the processor's number. */
		    !(row_is(row, "lsl") && !emulated->reg[i] &&
		      native->reg[i] < 4096))
			good = false, where = i;
	if ((native->eflags ^ emulated->eflags) & flags)
		good = false, where = 16;
	if (memcmp(native->data, emulated->data, sizeof native->data))
		good = false, where = 17;
	if (memcmp(native->stack, emulated->stack, sizeof native->stack))
		good = false, where = 18;
	if (good)
		return true;
	if ((*shown)++ >= 3)
		return false;
	describe(s, wide, text, sizeof text);
	printf("# %s (%s): differs at %d; signal %d, is %d; flags %x, is %x "
	       "of %x; rip %llx, is %llx\n",
	       row->name, text, where, native->signal, emulated->signal,
	       native->eflags, emulated->eflags, flags,
	       (unsigned long long)native->rip,
	       (unsigned long long)emulated->rip);
	for (int i = 0; i < 16; i++)
		if (native->reg[i] != emulated->reg[i])
			printf("#   r%d: before %llx, native %llx, is %llx\n",
			       i, (unsigned long long)before->reg[i],
			       (unsigned long long)native->reg[i],
			       (unsigned long long)emulated->reg[i]);
	return false;
}

bool row_fits(const struct row *row, bool wide)
{
	if (row->attributes & (wide ? X86_ROW_MODE32 : X86_ROW_MODE64))
		return false;
	return true;
}
