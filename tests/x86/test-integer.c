/* Every row of the integer table against the host CPU: the instruction is
 * encoded with random operands, executed natively and in the emulator from
 * the same random state, and all that it may have changed is compared but for
 * flags that the manual leaves undefined. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "native.h"
#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/isa/disasm.h"

static const struct row {
	const char *name;
	ZydisMnemonic mnemonic;
	const char *operand[4]; /* as in the table: "R32", "M8", ... */
	unsigned attributes;
} rows[] = {
#define INST(mnemonic, a, b, c, d, handler, attr) \
	{ #handler, ZYDIS_MNEMONIC_##mnemonic, { #a, #b, #c, #d }, (attr) },
#include "x86/isa/integer.def"
};

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Rows that are no matter of values: control transfers (tested below), the
 * system's, and what would change segments or trap flags. */
static bool excluded(const struct row *row)
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

struct subject {
	uint8_t code[16];
	size_t size;
	ZydisDecodedInstruction inst;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	/* The memory operand, when there is one. */
	bool memory;
	unsigned memory_size; /* bytes */
	ZydisEncoderRequest request;
};

static ZydisRegister some_register(uint64_t *seed, unsigned bytes, bool wide)
{
	unsigned n = (unsigned)random_next(seed) & (wide ? 15 : 7);

	if (bytes == 1 && random_next(seed) & 1) {
		/* AH ... BH, or SPL ... R15B */
		if (!wide || random_next(seed) & 1)
			return ZYDIS_REGISTER_AL + (n & 7);
		return ZYDIS_REGISTER_SPL + n % 12;
	}
	if (bytes == 1)
		n &= 3;
	return first_register[bytes] + n;
}

static bool make(const struct row *row, bool wide, uint64_t *seed,
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
			operand->imm.s = random_next(seed) & 1 ?
				(int8_t)random_corner(seed) :
				(int32_t)random_corner(seed);
			if (random_next(seed) & 1)
				operand->imm.s = (int8_t)operand->imm.s;
			break;
		default: {
			unsigned base = (unsigned)random_next(seed);
			unsigned index = (unsigned)random_next(seed);

			base &= wide ? 15 : 7;
			index &= wide ? 15 : 7;
			operand->type = ZYDIS_OPERAND_TYPE_MEMORY;
			operand->mem.size = (ZyanU16)(bits / 8);
			operand->mem.base =
				first_register[wide ? 8 : 4] + base;
			operand->mem.displacement =
				random_next(seed) & 1 ? 0 :
				random_next(seed) & 1 ?
				(int8_t)random_next(seed) :
				(int32_t)random_next(seed);
			if (index != X86_RSP && index != base &&
			    random_next(seed) & 1) {
				operand->mem.index =
					first_register[wide ? 8 : 4] + index;
				operand->mem.scale =
					(ZyanU8)(1 << (random_next(seed) & 3));
			}
			s->memory = true;
			s->memory_size = bits ? bits / 8 : 8;
			/* Now and then relative to the instruction, or without
			 * any register. */
			if (random_next(seed) % 16 == 0 &&
			    row->mnemonic != ZYDIS_MNEMONIC_LEA) {
				operand->mem.index = ZYDIS_REGISTER_NONE;
				operand->mem.scale = 0;
				operand->mem.base = ZYDIS_REGISTER_NONE;
				operand->mem.displacement =
					ARENA_DATA + 0x1000 +
					(int)(random_next(seed) & 0x3f0);
				if (wide && random_next(seed) & 1) {
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

static bool is(const struct row *row, const char *name)
{
	return !strcmp(ZydisMnemonicGetString(row->mnemonic), name);
}

static bool bit_string(const struct row *row)
{
	return (is(row, "bt") || is(row, "bts") || is(row, "btr") ||
		is(row, "btc")) && row->operand[0][0] == 'M' &&
	       row->operand[1][0] == 'R';
}

static bool uses_stack(const struct row *row)
{
	return is(row, "push") || is(row, "pop") || is(row, "pushf") ||
	       is(row, "pushfd") || is(row, "pushfq") || is(row, "pusha") ||
	       is(row, "pushad") || is(row, "popa") || is(row, "popad");
}

static void make_state(const struct row *row, const struct subject *s,
		       bool wide, uint64_t *seed, struct machine *m)
{
	const uint64_t mask = wide ? UINT64_MAX : UINT32_MAX;

	for (size_t i = 0; i < sizeof m->data; i += 8) {
		uint64_t value = random_corner(seed);

		memcpy(m->data + i, &value, 8);
	}
	for (size_t i = 0; i < sizeof m->stack; i += 8) {
		uint64_t value = random_next(seed);

		memcpy(m->stack + i, &value, 8);
	}
	for (int i = 0; i < 16; i++)
		m->reg[i] = i >= 8 && !wide ? 0 : random_corner(seed) & mask;
	m->eflags = (uint32_t)((random_next(seed) & X86_ARITHMETIC) | 0x202);
	if (is(row, "div") || is(row, "idiv"))
		if (random_next(seed) & 3) /* a quotient that may fit */
			m->reg[X86_RDX] = random_next(seed) & 1 ? 0 :
				random_next(seed) & 15;
	if (uses_stack(row))
		m->reg[X86_RSP] = ARENA_STACK + ARENA_STACK_SIZE / 2 +
				  (random_next(seed) & 63);
	if (is(row, "leave"))
		m->reg[X86_RBP] = ARENA_STACK + ARENA_STACK_SIZE / 2;
	if (is(row, "xlat"))
		m->reg[X86_RBX] = ARENA_DATA + 100;
	if (bit_string(row) && s->memory)
		m->reg[number(s->request.operands[1].reg.value)] =
			(random_next(seed) % 4000 - 2000) & mask;
	if (!s->request.operand_count &&
	    (s->inst.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	     row->attributes & (X86_ROW_REP | X86_ROW_REPNE))) {
		m->reg[X86_RCX] = random_next(seed) % 24;
		m->reg[X86_RSI] = ARENA_DATA + 0x400 +
				  random_next(seed) % 0x1800;
		m->reg[X86_RDI] = random_next(seed) & 1 ?
			m->reg[X86_RSI] + random_next(seed) % 64 - 32 :
			ARENA_DATA + 0x400 + random_next(seed) % 0x1800;
		/* Now and then over either end of what is mapped. */
		if (random_next(seed) % 8 == 0)
			m->reg[X86_RSI] = ARENA_DATA + random_next(seed) % 64;
		if (random_next(seed) % 8 == 0)
			m->reg[X86_RDI] = ARENA_DATA + ARENA_DATA_SIZE -
					  random_next(seed) % 64;
		m->eflags |= random_next(seed) & X86_DF;
		/* Equal stretches, so that comparisons go on. */
		if (random_next(seed) & 1)
			memset(m->data, (int)random_next(seed) & 1,
			       sizeof m->data);
		if (random_next(seed) & 1)
			m->reg[X86_RAX] = 0;
	}
	if (is(row, "cmpxchg8b") || is(row, "cmpxchg16b") ||
	    is(row, "cmpxchg"))
		/* Often equal: all memory alike. */
		if (random_next(seed) & 1) {
			memset(m->data, 0, sizeof m->data);
			m->reg[X86_RAX] &= random_next(seed) & 1;
			m->reg[X86_RDX] &= random_next(seed) & 1;
		}
	if (s->memory && row->mnemonic != ZYDIS_MNEMONIC_LEA) {
		const ZydisEncoderOperand *o = s->request.operands;
		uint64_t target = ARENA_DATA + 0x800 +
				  random_next(seed) % 0x1000;
		bool aligned = is(row, "cmpxchg16b");

		while (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			o++;
		if (aligned)
			target &= ~15ull;
		if (o->mem.base == ZYDIS_REGISTER_RSP && uses_stack(row))
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
	bool rotate = is(row, "rol") || is(row, "ror") || is(row, "rcl") ||
		      is(row, "rcr");
	bool shift = is(row, "shl") || is(row, "shr") || is(row, "sar") ||
		     is(row, "shld") || is(row, "shrd");

	if (rotate || shift) {
		unsigned count = shift_count(s, before);

		undefined = shift && count ? X86_AF : 0;
		if (count > 1 && !getenv("M2S_TEST_UNDEFINED"))
			undefined |= X86_OF;
		if (shift && count > s->operand[0].size)
			undefined |= X86_CF | (is(row, "shld") ||
					       is(row, "shrd") ?
					       X86_ARITHMETIC : 0);
	}
	if (is(row, "mul") || is(row, "imul"))
		undefined |= X86_SF | X86_ZF | X86_AF | X86_PF;
	return (X86_ARITHMETIC | X86_DF) & ~undefined;
}

static void describe(const struct subject *s, bool wide, char *text,
		     size_t size)
{
	x86_disasm_describe(wide, ARENA_CODE, s->code, s->size, text, size);
}

static bool same(const struct row *row, const struct subject *s, bool wide,
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
	for (int i = 0; i < 16; i++)
		if (native->reg[i] != emulated->reg[i] &&
		    /* The limit of segment 0x78 is the processor's number. */
		    !(is(row, "lsl") && !emulated->reg[i] &&
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

static bool mode_fits(const struct row *row, bool wide)
{
	if (row->attributes & (wide ? X86_ROW_MODE32 : X86_ROW_MODE64))
		return false;
	return true;
}

/* Whether this host lacks the instruction. */
static bool absent(const struct subject *s)
{
	enum x86_feature feature;

	return x86_gate(s->inst.meta.isa_set, &feature) == X86_GATE_FEATURE &&
	       !x86_host_has(feature);
}

/* Adds to the figures of the family; returns the instructions compared, and
 * *failed counts bad rows. */
static unsigned compare_row(struct native *native, const struct row *row,
			    bool wide, unsigned cases, uint64_t seed,
			    struct family *family, unsigned *failed)
{
	struct machine *m = malloc(3 * sizeof *m);
	unsigned done = 0, shown = 0;

	for (unsigned i = 0; i < 10 * cases && done < cases; i++) {
		struct subject s;

		if (!make(row, wide, &seed, &s))
			continue;
		if (absent(&s)) {
			printf("# skipped: %s is not on this host\n",
			       row->name);
			break;
		}
		make_state(row, &s, wide, &seed, &m[0]);
		m[1] = m[2] = m[0];
		native_execute(native, &m[1], s.code, s.size);
		native_emulate(native, &m[2], s.code, s.size);
		same(row, &s, wide, &m[0], &m[1], &m[2], &shown);
		family->faults += m[1].signal != 0;
		done++;
	}
	free(m);
	family->rows += done != 0;
	family->cases += done;
	family->differing += shown;
	*failed += shown != 0;
	return done;
}

/* Whether there is such an instruction in a mode. */
static bool exists(const struct row *row, bool wide)
{
	uint64_t seed = 1;
	struct subject s;

	if (excluded(row) || !mode_fits(row, wide))
		return false;
	for (int i = 0; i < 30; i++)
		if (make(row, wide, &seed, &s))
			return true;
	return false;
}

/* Rows of a row's mnemonic that are compared in a mode. */
static unsigned family_rows(const struct row *row, bool wide)
{
	unsigned count = 0;

	for (int i = 0; i < ROWS; i++)
		count += rows[i].mnemonic == row->mnemonic &&
			 exists(&rows[i], wide);
	return count;
}

/* How many cases a row gets. */
static unsigned row_cases(const struct row *row, bool wide, unsigned usual)
{
	if (!getenv("M2S_TEST_FAMILY")) /* it takes a while to find out */
		return usual;
	return family_cases(family_rows(row, wide), family_rows(row, !wide),
			    usual);
}

static void compare_all(bool wide)
{
	struct family *families = calloc(ZYDIS_MNEMONIC_MAX_VALUE + 1,
					 sizeof *families);
	const char *cases_text = getenv("M2S_TEST_CASES");
	const char *only = getenv("M2S_TEST_ROW");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 12;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	unsigned failed = 0, compared = 0, tested = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		free(families);
		return;
	}
	for (int i = 0; i < ROWS; i++) {
		unsigned done;

		if (excluded(&rows[i]) || !mode_fits(&rows[i], wide))
			continue;
		if (only && strcmp(only, rows[i].name))
			continue;
		done = compare_row(native, &rows[i], wide,
				   row_cases(&rows[i], wide, cases),
				   (uint64_t)i * 1000003,
				   &families[rows[i].mnemonic], &failed);
		if (!done && getenv("M2S_TEST_VERBOSE"))
			printf("# %s: cannot be encoded\n", rows[i].name);
		compared += done;
		tested += done != 0;
	}
	for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (families[i].rows)
			family_print(ZydisMnemonicGetString((ZydisMnemonic)i),
				     wide, &families[i]);
	free(families);
	printf("# %u rows, %u instructions compared, %u rows differ\n", tested,
	       compared, failed);
	CU_ASSERT_EQUAL(failed, 0);
	if (!only)
		CU_ASSERT(tested > (wide ? 600u : 400u));
	native_free(native);
}

/* ---- Sequences: flag setter and condition in one block, branches ---- */

static size_t hex(const char *text, uint8_t *code)
{
	size_t size = 0;

	for (; *text; text += text[2] == ' ' ? 3 : 2) {
		unsigned byte;

		sscanf(text, "%2x", &byte);
		code[size++] = (uint8_t)byte;
	}
	return size;
}

/* Compares one sequence from one random state; flags as given. */
static bool same_sequence(struct native *native, bool wide,
			  const uint8_t *code, size_t size, uint32_t flags,
			  uint64_t *seed)
{
	struct machine *m = calloc(2, sizeof *m);
	bool good;

	for (int i = 0; i < (wide ? 16 : 8); i++)
		m->reg[i] = random_corner(seed) &
			    (wide ? UINT64_MAX : UINT32_MAX);
	m->reg[X86_RCX] = (m->reg[X86_RCX] & 15) + 1; /* loops end */
	if (random_next(seed) & 1) /* often equal */
		m->reg[X86_RAX] = m->reg[X86_RCX];
	m->reg[X86_RSP] = ARENA_STACK + ARENA_STACK_SIZE / 2;
	m->reg[X86_RBP] = m->reg[X86_RSP] + 64;
	m->reg[X86_RSI] = ARENA_DATA + 256;
	m->reg[X86_RDI] = ARENA_CODE + size;
	m->eflags = (uint32_t)((random_next(seed) & X86_ARITHMETIC) | 0x202);
	for (size_t i = 0; i < sizeof m->stack; i++)
		m->stack[i] = (uint8_t)random_next(seed);
	m[1] = m[0];
	native_execute(native, &m[0], code, size);
	native_emulate(native, &m[1], code, size);
	good = !memcmp(m[0].reg, m[1].reg, sizeof m->reg) &&
	       m[0].signal == m[1].signal && m[0].rip == m[1].rip &&
	       !((m[0].eflags ^ m[1].eflags) & flags) &&
	       !memcmp(m[0].stack, m[1].stack, sizeof m->stack) &&
	       !memcmp(m[0].data, m[1].data, sizeof m->data);
	if (!good) {
		printf("#");
		for (size_t i = 0; i < size; i++)
			printf(" %02x", code[i]);
		printf(": flags %x, are %x; signal %d, is %d; rip %llx, is "
		       "%llx\n", m[0].eflags, m[1].eflags, m[0].signal,
		       m[1].signal, (unsigned long long)m[0].rip,
		       (unsigned long long)m[1].rip);
		for (int i = 0; i < 16; i++)
			if (m[0].reg[i] != m[1].reg[i])
				printf("#  r%d: %llx, is %llx\n", i,
				       (unsigned long long)m[0].reg[i],
				       (unsigned long long)m[1].reg[i]);
	}
	free(m);
	return good;
}

static void conditions(bool wide)
{
	/* cmp eax, ecx; cmp ax, cx; cmp al, cl; sub; test; and; or; xor; add;
	 * inc; dec; neg; shl 3; adc; sbb; a setter and a partial one */
	static const char *const setters[] = {
		"39 c8", "66 39 c8", "38 c8", "29 c8", "66 29 c8", "28 c8",
		"85 c8", "66 85 c8", "84 c8", "21 c8", "09 c8", "31 c8",
		"01 c8", "66 01 c8", "00 c8", "ff c0", "66 ff c0", "fe c0",
		"ff c8", "fe c8", "f7 d8", "f6 d8", "d1 e0", "d0 e8",
		"11 c8", "19 c8", "39 c8 f5", "39 c8 0f ba e0 07",
		"85 c8 f9", "39 c8 fe c2", "01 c8 d1 c2", "39 c8 90 90",
		"39 c8 d3 e2", "39 c8 d3 fa", "f0 0f c1 0e", "0f b1 0e", "9e",
	};
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	uint64_t seed = 17;
	unsigned failed = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
		for (unsigned cc = 0; cc < 16; cc++) {
			/* setcc dl; cmovcc ebp, esi; jcc over mov ebx, 5 */
			uint8_t code[32];
			size_t size = hex(setters[i], code);
			const uint8_t rest[] = {
				0x0f, (uint8_t)(0x90 | cc), 0xc2,
				0x0f, (uint8_t)(0x40 | cc), 0xee,
				(uint8_t)(0x70 | cc), 5, 0xbb, 5, 0, 0, 0,
			};

			memcpy(code + size, rest, sizeof rest);
			size += sizeof rest;
			for (int n = 0; n < 12; n++)
				failed += !same_sequence(native, wide, code,
							 size, 0xcd5, &seed);
		}
	CU_ASSERT_EQUAL(failed, 0);
	native_free(native);
}

static void sequences(bool wide)
{
	static const struct {
		const char *code;
		int mode; /* 0: both */
	} list[] = {
		{ "e8 00 00 00 00 58", 0 },            /* call; pop */
		{ "e8 02 00 00 00 eb 03 c2 08 00", 0 }, /* call; ret 8 */
		{ "e8 02 00 00 00 eb 01 c3", 0 },      /* call; ret */
		{ "83 c0 01 e2 fb", 0 },               /* add; loop */
		{ "39 c8 83 e9 00 e1 f9", 0 },         /* loope */
		{ "83 c0 01 39 c8 e0 f9", 0 },         /* loopne */
		{ "67 e3 05 bb 05 00 00 00", 0 },      /* j[e]cxz */
		{ "e3 05 bb 05 00 00 00", 0 },
		{ "31 c9 67 e3 05 bb 05 00 00 00", 0 },
		{ "31 c9 e3 05 bb 05 00 00 00", 0 },
		{ "c8 20 00 00", 0 },                  /* enter */
		{ "c8 20 00 01", 0 },
		{ "c8 10 00 03", 0 },
		{ "66 c8 10 00 02", 0 },
		{ "c8 20 00 00 50 51 c9", 0 },         /* enter, push, leave */
		{ "68 d5 0c 00 00 9d 9c 58", 0 },      /* popf, pushf */
		{ "68 55 0d 20 00 9d 9c 58", 0 },
		{ "6a 80 5b 66 6a 81 66 5a", 0 },      /* push imm8 */
		{ "66 9c 66 58 66 50 66 9d", 0 },
		{ "ff e7", 0 },                        /* jmp rdi: the end */
		{ "57 ff 24 24", 0 },                  /* jmp [rsp] */
		{ "57 c3", 0 },                        /* push, ret */
		{ "ff d7", 0 },                        /* call rdi */
		{ "57 ff 14 24", 0 },
		{ "87 3c 24 ff 34 24 c3", 0 },
		{ "8d 05 00 00 00 00", 64 },           /* lea eax, [rip] */
		{ "48 8d 05 f9 ff ff ff 8a 18", 64 },
		{ "67 48 8d 44 08 7f", 64 },           /* lea with 67 */
		{ "67 8d 40 10", 0 },
		{ "67 8b 46 04", 64 },                 /* mov eax, [esi+4] */
		{ "48 b8 88 77 66 55 44 33 22 11", 64 },
		{ "48 c7 c0 fe ff ff ff", 64 },
		{ "a0 00 31 00 10 00 00 00 00", 64 },  /* moffs */
		{ "48 a3 00 31 00 10 00 00 00 00", 64 },
		{ "a1 00 31 00 10", 32 },
		{ "a2 00 31 00 10", 32 },
		{ "60 61", 32 }, { "66 60 66 61", 32 },
		{ "f0 ff c0", 0 },                     /* lock on a register */
		{ "cc", 0 }, { "0f 0b", 0 }, { "f4", 0 }, { "cd 03", 0 },
		{ "cd 21", 0 },
		{ "8b 04 25 00 00 00 00", 64 },        /* null pointer */
		{ "48 b8 00 00 00 00 00 00 00 80 8b 18", 64 },
		{ "48 b8 00 00 00 00 00 00 00 80 50 8b 24 04", 64 },
		{ "48 bc 00 00 00 00 00 00 00 80 50", 64 },
		{ "37 3f 27 2f", 32 },                 /* aaa aas daa das */
		{ "04 99 27 2c 66 2f", 32 },
		{ "d4 07 d5 0b d4 0a", 32 },
		{ "d4 00", 32 },                       /* divide error */
		{ "40 4a 41", 32 },                    /* short inc, dec */
		{ "d6 91", 32 },                       /* salc */
		{ "62 06", 32 },                       /* bound */
		{ "8c d8 8e d8 8c c0", 32 },           /* segments */
		{ "f3 90 0f 1f 44 00 00 66 90 40", 0 },
		{ "66 0f a3 0e", 64 },
		{ "0f c8 0f cb 66 0f c8", 0 },         /* bswap */
		{ "f3 0f bc d0 f3 0f bd d8 f3 0f b8 e8", 0 },
		{ "be 00 00 00 00 39 c8 ac", 0 },      /* fault in a string */
		{ "bf f8 4f 00 10 f3 ab", 0 },         /* ... resumable */
		{ "bf 02 30 00 10 fd f3 66 ab", 0 },
		/* Far returns to the next instruction, and elsewhere. */
		{ "6a 33 48 8d 05 03 00 00 00 50 48 cb 90", 64 },
		{ "48 83 ec 08 8d 05 0c 00 00 00 89 04 24 c7 44 24 04 33 00 "
		  "00 00 cb 90", 64 },
		{ "6a 10 50 48 cb", 64 }, { "6a 00 50 48 cb", 64 },
		{ "6a 32 50 48 cb", 64 }, { "66 cb", 0 }, { "cb", 0 },
		{ "6a 23 68 08 10 00 10 cb 90", 32 },
		{ "6a 23 68 0a 10 00 10 ca 04 00 90", 32 },
		{ "6a 10 68 08 10 00 10 cb 90", 32 },
		{ "6a 2b 68 08 10 00 10 cb 90", 32 },
		/* IRET with as many words as the mode has. */
		{ "48 89 e1 6a 2b 51 9c 6a 33 48 8d 05 03 00 00 00 50 48 cf 90",
		  64 },
		{ "48 83 ec 14 8d 05 20 00 00 00 89 04 24 c7 44 24 04 33 00 "
		  "00 00 c7 44 24 08 d7 02 00 00 89 64 24 0c c7 44 24 10 2b "
		  "00 00 00 cf 90", 64 },
		{ "48 89 e1 6a 10 51 9c 6a 33 48 8d 05 03 00 00 00 50 48 cf 90",
		  64 },
		{ "48 cf", 64 }, { "cf", 0 }, { "66 cf", 0 },
		{ "9c 6a 23 68 09 10 00 10 cf 90", 32 },
		{ "68 00 40 00 00 9d 9c 6a 23 68 0f 10 00 10 cf 90 9c 58 80 "
		  "e4 bf 50 9d", 32 }, /* nested task */
		/* Far jumps and calls. */
		{ "8d 05 0a 00 00 00 89 06 66 c7 46 04 33 00 ff 2e 90", 64 },
		{ "8d 05 0a 00 00 00 89 06 66 c7 46 04 33 00 ff 1e 5a", 64 },
		{ "48 8d 05 0c 00 00 00 48 89 06 66 c7 46 08 33 00 48 ff 1e "
		  "5a 59", 64 },
		{ "48 8d 05 0c 00 00 00 48 89 06 66 c7 46 08 33 00 48 ff 2e "
		  "90", 64 },
		{ "66 c7 46 04 2b 00 ff 2e", 0 },
		{ "66 c7 46 04 00 00 ff 1e", 0 },
		{ "66 c7 46 02 33 00 66 ff 2e", 64 },
		{ "66 c7 46 02 23 00 66 ff 2e", 32 },
		{ "66 c7 46 02 23 00 66 ff 1e", 32 },
		{ "ea 07 10 00 10 23 00 90", 32 },
		{ "ea 07 10 00 10 20 00 8c c8", 32 },
		{ "ea 07 10 00 10 2b 00 90", 32 },
		{ "ea 07 10 00 10 10 00 90", 32 },
		{ "ea 07 10 00 10 00 00 90", 32 },
		{ "66 ea 07 10 23 00 90", 32 },
		{ "9a 07 10 00 10 23 00 58 59", 32 },
		{ "66 9a 07 10 23 00", 32 }, { "9a 07 10 00 10 3b 00", 32 },
		/* Near ones of 16 bits. */
		{ "66 e8 00 00 58", 32 },
		{ "66 e8 00 00 00 00 58", 64 }, { "66 c3", 0 }, { "66 c2 04 00", 0 },
		{ "66 ff e0", 0 }, { "66 ff d0", 0 }, { "66 ff 26", 32 },
		{ "66 ff 16", 32 }, { "66 eb 00", 0 }, { "66 74 00", 0 },
		{ "66 e2 00", 0 }, { "66 0f 84 00 00 00 00", 64 },
		/* Segment registers. */
		{ "66 c7 46 04 2b 00 0f b5 1e 8c e8 31 c9 8e e9", 64 },
		{ "66 c7 46 08 2b 00 48 0f b5 1e 8c e8 31 c9 8e e9", 64 },
		{ "66 c7 46 04 10 00 0f b5 1e", 64 },
		{ "89 26 66 c7 46 04 2b 00 0f b2 26", 64 },
		{ "66 c7 46 04 00 00 0f b2 26", 0 },
		{ "66 c7 46 04 29 00 0f b2 26", 0 },
		{ "8c d0 8e d0 8c c9", 0 }, { "b8 23 00 00 00 8e d0", 0 },
		{ "b8 78 00 00 00 8e e8 8c e9 31 c0 8e e8", 64 },
		{ "8c d0 89 06 8e 06 8c 06", 0 },
		{ "66 c7 46 04 2b 00 c4 1e 8c c0 6a 2b 07", 32 },
		{ "66 c7 46 02 2b 00 66 c5 1e", 32 },
		{ "66 c7 46 04 11 22 c4 1e", 32 },
		{ "89 26 66 c7 46 04 2b 00 0f b2 26", 32 },
		{ "06 1f 16 17 0e 58 1e 07", 32 },
		{ "66 06 66 1f 66 16 66 17", 32 },
		{ "0f a0 58 66 0f a8 66 59", 0 },
		{ "8e c8", 0 }, { "8e f0", 0 },
		/* What only the kernel may do, and what nobody may. */
		{ "0f 20 c0", 0 }, { "0f 22 c0", 0 }, { "0f 21 c0", 0 },
		{ "0f 23 c0", 0 }, { "0f 20 c8", 0 }, { "0f 22 d8", 0 },
		{ "0f 01 f8", 0 }, { "0f aa", 0 }, { "0f 35", 0 },
		{ "0f 07", 0 }, { "48 0f 07", 64 }, { "0f 01 d1", 0 },
		{ "0f c7 2e", 0 }, { "0f c7 1e", 0 }, { "0f 01 cb", 0 },
		{ "0f 01 ca", 0 }, { "0f 01 c8", 0 }, { "0f 01 c9", 0 },
		{ "0f 06", 0 }, { "0f 01 3e", 0 }, { "0f 01 16", 0 },
		{ "0f 01 1e", 0 }, { "0f 01 36", 0 }, { "0f 00 16", 0 },
		{ "0f 00 1e", 0 }, { "0f 00 d0", 0 }, { "0f 33", 0 },
		{ "0f 32", 0 }, { "0f 30", 0 }, { "0f 08", 0 }, { "0f 09", 0 },
		{ "f3 6c", 0 }, { "f2 6e", 0 }, { "e4 00", 0 }, { "ec", 0 },
		{ "fa", 0 }, { "fb", 0 }, { "f1", 0 }, { "0f ff c0", 0 },
		{ "0f b9 c0", 0 }, { "ce", 64 }, { "62 06", 64 }, { "60", 64 },
		{ "37", 64 }, { "d6", 64 }, { "c4 06", 64 }, { "06", 64 },
		{ "9a 00 00 00 00 23 00", 64 }, { "f3 0f ae e8", 0 },
		{ "f3 0f 01 ea", 0 }, { "f3 0f 01 e8", 0 },
		{ "0f 38 f6 06", 0 }, { "66 0f 38 f5 06", 0 },
		{ "0f 0f c1 9e", 0 }, { "8f e8 78 c2 c1 00", 64 },
		{ "0f 01 f9 31 c0 31 d2 31 c9", 0 }, /* rdtscp */
		/* No-ops. */
		{ "f3 0f 1e fa", 0 }, { "f3 0f 1e fb", 0 },
		{ "f3 0f 1e c8", 0 }, { "f3 48 0f 1e c8", 64 },
		{ "0f 1f 84 00 00 00 00 00", 0 }, { "0f 19 c0", 0 },
		{ "f3 0f 1a c0", 0 }, { "f2 0f 1b 06", 0 }, { "66 90", 0 },
		{ "0f 0d 0e", 0 }, { "0f 18 0e", 0 }, { "0f 0d c1", 0 },
		{ "0f 18 c1", 0 }, { "f3 90", 0 }, { "0f ae e8", 0 },
		{ "0f ae f0", 0 }, { "0f ae f8", 0 }, { "66 0f ae 3e", 0 },
		{ "66 0f ae 36", 0 }, { "0f ae 3e", 0 },
		/* Frames within frames; addresses of 16 bits. */
		{ "c8 10 00 1f", 0 }, { "66 c8 10 00 05", 0 },
		{ "c8 00 00 e2", 0 }, { "c8 ff ff 00", 0 },
		{ "67 8d 18", 32 }, { "67 8d 5a 7f", 32 },
		{ "67 66 8d 43 80", 32 }, { "67 8d 1e 34 12", 32 },
		{ "67 8d 9e 34 12", 32 }, { "67 8b 07", 32 },
		{ "67 ac", 32 }, { "67 a4", 0 }, { "89 f7 67 f3 aa", 64 },
		{ "67 e3 02 ff c0", 0 }, { "67 ff 26", 32 },
		/* REPNE means REP where nothing is compared. */
		{ "f2 ac", 0 }, { "89 f7 f2 aa", 0 }, { "89 f7 f2 a5", 0 },
		{ "f2 66 ad", 0 },
		/* LOCK where it may not be. */
		{ "f0 8b 06", 0 }, { "f0 90", 0 }, { "f0 39 06", 0 },
		{ "f0 0f a3 06", 0 }, { "f0 8d 06", 0 },
		{ "f2 f0 01 06", 0 }, { "f3 f0 01 06", 0 },
		{ "f3 89 06", 0 }, { "f3 c7 06 01 00 00 00", 0 },
	};
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	uint64_t seed = 29;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
		uint8_t code[64];
		size_t size = hex(list[i].code, code);
		/* Undefined after BCD: OF. */
		uint32_t flags = X86_ARITHMETIC & ~X86_OF;

		if (list[i].mode && list[i].mode != (wide ? 64 : 32))
			continue;
		if (strstr("d4 07 d5 0b d4 0a 37 3f 27 2f", list[i].code))
			flags = X86_PF | X86_ZF | X86_SF;
		for (int n = 0; n < 20; n++)
			CU_ASSERT(same_sequence(native, wide, code, size,
						flags, &seed));
	}
	native_free(native);
}

/* Rows for random programs: registers only, no traps, all flags defined or
 * known to be as the host has them. */
static bool mixes(const struct row *row, const struct subject *s)
{
	static const char *const known[] = {
		"shl", "shr", "sar", "and", "or", "xor", "test",
	};
	uint32_t undefined = s->inst.cpu_flags ?
				     s->inst.cpu_flags->undefined : 0;

	if (s->memory || uses_stack(row) || is(row, "div") ||
	    is(row, "idiv") || is(row, "leave") || is(row, "xlat") ||
	    is(row, "bound") || is(row, "aam") || is(row, "into") ||
	    s->inst.meta.category == ZYDIS_CATEGORY_STRINGOP ||
	    row->attributes & (X86_ROW_REP | X86_ROW_REPNE | X86_ROW_END))
		return false;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (is(row, known[i]))
			return true;
	return !(undefined & X86_ARITHMETIC);
}

/* Straight-line programs, which show what one instruction leaves for the
 * next: lazy flags, short cuts, partial registers. */
static void programs(bool wide)
{
	const char *cases_text = getenv("M2S_TEST_CASES");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) * 20 : 300;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	uint64_t seed = 91;
	unsigned failed = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		return;
	}
	for (unsigned n = 0; n < cases && failed < 3; n++) {
		uint8_t code[32 * 15];
		size_t size = 0;

		for (int i = 0; i < 24;) {
			const struct row *row =
				&rows[random_next(&seed) % ROWS];
			struct subject s;

			if (excluded(row) || !mode_fits(row, wide) ||
			    !make(row, wide, &seed, &s) || !mixes(row, &s))
				continue;
			memcpy(code + size, s.code, s.size);
			size += s.size;
			i++;
		}
		failed += !same_sequence(native, wide, code, size,
					 X86_ARITHMETIC, &seed);
	}
	CU_ASSERT_EQUAL(failed, 0);
	native_free(native);
}

static void test_programs(void)
{
	programs(true);
	programs(false);
}

static void test_conditions(void)
{
	conditions(true);
	conditions(false);
}

static void test_sequences(void)
{
	sequences(true);
	sequences(false);
}

static void test_64(void)
{
	compare_all(true);
}

static void test_32(void)
{
	compare_all(false);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "64-bit instructions as on the host", test_64 },
		{ "32-bit instructions as on the host", test_32 },
		{ "conditions after every kind of flags", test_conditions },
		{ "control transfers, traps, rare forms", test_sequences },
		{ "random straight-line programs", test_programs },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86 integer", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
