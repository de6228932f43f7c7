/* Random VEX prefixes against the host CPU: which combinations of W, L, vvvv,
 * R, X, B and legacy prefixes are instructions, which registers they name and
 * which are #UD. Only register forms, whose operands cannot lead anywhere; the
 * assembler's encodings with memory are in test-vector.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <Zydis/Zydis.h>

#include "native.h"
#include "unit/harness.h"
#include "x86/isa/disasm.h"

enum { VECTORS_IN = 0, VECTORS_OUT = 0x200 };

/* Extensions that the emulator has; the host may have more. */
static bool concerned(ZydisISAExt extension)
{
	switch (extension) {
	case ZYDIS_ISA_EXT_AVX:
	case ZYDIS_ISA_EXT_AVX2:
	case ZYDIS_ISA_EXT_AVX2GATHER:
	case ZYDIS_ISA_EXT_AVXAES:
	case ZYDIS_ISA_EXT_FMA:
	case ZYDIS_ISA_EXT_F16C:
		return true;
	default:
		return false;
	}
}

/* Opcodes of the three maps that those extensions use. */
static unsigned collect(uint16_t *opcodes)
{
	bool used[4 << 8] = { false };
	unsigned count = 0;
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	for (unsigned at = 0; at < 3 << 20; at++) {
		unsigned map = (at >> 20) + 1, opcode = at & 0xff;
		uint8_t code[12] = {
			0xc4, (uint8_t)(0xe0 | map),
			(uint8_t)(at >> 12), (uint8_t)opcode,
			(uint8_t)(0xc1 | (at >> 8 & 7) << 3), 1,
		};
		ZydisDecodedInstruction inst;

		if (ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			    &decoder, NULL, code, sizeof code, &inst)) &&
		    concerned(inst.meta.isa_ext))
			used[map << 8 | opcode] = true;
	}
	for (unsigned i = 0; i < sizeof used; i++)
		if (used[i])
			opcodes[count++] = (uint16_t)i;
	return count;
}

static size_t make(uint64_t *seed, bool wide, unsigned map_opcode,
		   uint8_t *code)
{
	static const uint8_t prefixes[] = {
		0x66, 0xf2, 0xf3, 0xf0, 0x48, 0x2e, 0x67, 0x3e
	};
	uint64_t r = random_draw(seed);
	unsigned map = map_opcode >> 8;
	uint8_t *at = code;

	if ((r & 31) == 0)
		*at++ = prefixes[r >> 5 & 7];
	r >>= 8;
	/* The prefix's second byte is a ModRM byte of LDS or LES, which 32-bit
	 * mode tells apart by its upper two bits. */
	if (map == 1 && r & 1) {
		*at++ = 0xc5;
		*at++ = (uint8_t)(r >> 8 | (wide ? 0 : 0xc0));
	} else {
		*at++ = 0xc4;
		*at++ = (uint8_t)((r >> 8 & 0xe0) | map | (wide ? 0 : 0xc0));
		*at++ = (uint8_t)(r >> 16);
		if (r & 2) /* vvvv unused */
			at[-1] |= 0x78;
	}
	*at++ = (uint8_t)map_opcode;
	*at++ = (uint8_t)(0xc0 | r >> 24);
	*at++ = (uint8_t)(r >> 32);
	return (size_t)(at - code);
}

/* VMOVUPS of all registers from or to memory at an absolute address. */
static uint8_t *emit_vectors(uint8_t *at, uint8_t opcode, bool wide,
			     uint32_t address)
{
	for (unsigned i = 0; i < (wide ? 16 : 8); i++, address += 32) {
		*at++ = 0xc5;
		*at++ = i < 8 ? 0xfc : 0x7c;
		*at++ = opcode;
		*at++ = (uint8_t)((wide ? 4 : 5) | (i & 7) << 3);
		if (wide)
			*at++ = 0x25;
		memcpy(at, &address, 4);
		at += 4;
	}
	return at;
}

struct tally {
	unsigned compared, undefined, left_out, failed;
};

/* Whether it is an instruction depends on the vendor. The emulator follows
 * Intel's manual:
 * - VPERMQ and VPERMPD (map 3, 00 and 01) exist with W1 only (SDM volume 2);
 *   AMD's processors execute them with W0, too.
 * - VPEXTRD and VPINSRD (map 3, 16 and 22) ignore W outside 64-bit mode (SDM
 *   volume 2, the footnote of PEXTRD's and PINSRD's tables); AMD's take W1 as
 *   VPEXTRQ and VPINSRQ, which are #UD there. */
static bool vendors_differ(bool wide, unsigned map_opcode,
			   const uint8_t *inst, const struct machine *native,
			   const struct machine *emulated)
{
	bool w;

	while (*inst != 0xc4 && *inst != 0xc5) /* prefixes */
		inst++;
	w = *inst == 0xc4 && inst[2] & 0x80;
	if (native_is_intel())
		return false;
	switch (map_opcode) {
	case 0x300:
	case 0x301:
		return !w && !native->signal && emulated->signal == SIGILL;
	case 0x316:
	case 0x322:
		return w && !wide && native->signal == SIGILL &&
		       !emulated->signal;
	default:
		return false;
	}
}

static void compare(struct native *native, bool wide, unsigned map_opcode,
		    uint64_t *seed, struct machine *m, struct tally *tally)
{
	uint8_t inst[16] = { 0 }, code[512], *at = code;
	size_t size = make(seed, wide, map_opcode, inst);
	ZydisDecoder decoder;
	ZydisDecodedInstruction decoded;
	ZyanStatus status;
	char text[200];

	ZydisDecoderInit(&decoder,
			 wide ? ZYDIS_MACHINE_MODE_LONG_64 :
				ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
			 wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32);
	status = ZydisDecoderDecodeInstruction(&decoder, NULL, inst,
					       sizeof inst, &decoded);
	if (ZYAN_SUCCESS(status)) {
		if (!concerned(decoded.meta.isa_ext))
			return;
		size = decoded.length;
	}
	for (size_t i = 0; i < 0x200; i += 8) {
		uint64_t value = random_corner(seed);

		memcpy(m->data + VECTORS_IN + i, &value, 8);
	}
	for (int i = 0; i < 16; i++)
		m->reg[i] = i >= 8 && !wide ? 0 :
			    random_corner(seed) & (wide ? UINT64_MAX :
						   UINT32_MAX);
	/* VMASKMOVDQU */
	m->reg[X86_RDI] = ARENA_DATA + 0x800;
	m->eflags = 0x202;
	at = emit_vectors(at, 0x10, wide, ARENA_DATA + VECTORS_IN);
	memcpy(at, inst, size);
	at = emit_vectors(at + size, 0x11, wide, ARENA_DATA + VECTORS_OUT);
	m[1] = m[2] = m[0];
	native_execute(native, &m[1], code, (size_t)(at - code));
	native_emulate(native, &m[2], code, (size_t)(at - code));
	tally->compared++;
	tally->undefined += m[1].signal == SIGILL;
	if (m[1].signal == m[2].signal && m[1].rip == m[2].rip &&
	    !memcmp(m[1].reg, m[2].reg, sizeof m->reg) &&
	    !((m[1].eflags ^ m[2].eflags) & X86_ARITHMETIC) &&
	    !memcmp(m[1].data, m[2].data, sizeof m->data))
		return;
	if (vendors_differ(wide, map_opcode, inst, &m[1], &m[2])) {
		tally->left_out++;
		return;
	}
	if (tally->failed++ >= 20)
		return;
	x86_disasm_describe(wide, ARENA_CODE, inst, sizeof inst, text,
			    sizeof text);
	printf("# %s (Zydis: %x): signal %d, is %d\n", text, (unsigned)status,
	       m[1].signal, m[2].signal);
}

static void compare_all(bool wide)
{
	const char *cases_text = getenv("M2S_TEST_CASES");
	const char *seed_text = getenv("M2S_TEST_SEED");
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 40;
	uint64_t seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	struct machine *m;
	struct tally tally = { 0 };
	uint16_t opcodes[4 << 8];
	unsigned count = collect(opcodes);

	/* Whoever has these has all. */
	if (!native || !__builtin_cpu_supports("avx2") ||
	    !__builtin_cpu_supports("fma")) {
		printf("# skipped: this host cannot run such code\n");
		native_free(native);
		return;
	}
	m = calloc(3, sizeof *m);
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < cases; k++)
			compare(native, wide, opcodes[i], &seed, m, &tally);
	printf("# %u opcodes, %u instructions compared, %u of them undefined, "
	       "%u failed\n", count, tally.compared, tally.undefined,
	       tally.failed);
	if (tally.left_out)
		printf("# %u of these left out: vendors differ there\n",
		       tally.left_out);
	CU_ASSERT_EQUAL(tally.failed, 0);
	CU_ASSERT(tally.compared > count);
	free(m);
	native_free(native);
}

/* ---- Masked moves where not everything can be accessed ---- */

static void masked_at(struct native *native, uint64_t address, uint64_t *seed,
		      struct machine *m, struct tally *tally)
{
	/* VMASKMOVPS, VMASKMOVPD, VPMASKMOVD and VPMASKMOVQ; loads of ymm0 from
	 * [rdi] with mask ymm1, stores; xmm. And VMOVUPS, for comparison. */
	static const uint8_t opcodes[] = {
		0x2c, 0x2d, 0x2e, 0x2f, 0x8c, 0x8e, 0x10, 0x11
	};
	uint64_t r = random_draw(seed);
	unsigned which = r & 7, wide = which < 4 ? 0 : r >> 4 & 1;
	uint8_t inst[8] = {
		0xc4, 0xe2, (uint8_t)(0x71 | (r >> 5 & 1) << 2 | wide << 7),
		opcodes[which], 0x07
	}, code[512], *at = code;
	unsigned mode = r >> 8 & 3;

	if (which >= 6) {
		inst[1] = 0xe1; /* another map, no prefix, no vvvv */
		inst[2] = (uint8_t)(0x78 | (r >> 5 & 1) << 2);
	}
	for (size_t i = 0; i < sizeof m->data; i += 8) {
		uint64_t value = random_draw(seed);

		memcpy(m->data + i, &value, 8);
	}
	for (int i = 0; i < 8; i++) {
		uint32_t value = mode == 0 ? 0 : (uint32_t)random_draw(seed);

		if (mode == 1) /* few */
			value &= (uint32_t)random_draw(seed) &
				 (uint32_t)random_draw(seed);
		memcpy(m->data + VECTORS_IN + 32 + 4 * i, &value, 4);
	}
	m->reg[X86_RDI] = address;
	m->eflags = 0x202;
	at = emit_vectors(at, 0x10, true, ARENA_DATA + VECTORS_IN);
	memcpy(at, inst, 5);
	at = emit_vectors(at + 5, 0x11, true, ARENA_DATA + VECTORS_OUT);
	m[1] = m[2] = m[0];
	native_execute(native, &m[1], code, (size_t)(at - code));
	native_emulate(native, &m[2], code, (size_t)(at - code));
	tally->compared++;
	tally->undefined += m[1].signal != 0;
	if (m[1].signal == m[2].signal && m[1].rip == m[2].rip &&
	    (!m[1].signal || (m[1].code == m[2].code &&
			      m[1].address == m[2].address &&
			      !memcmp(m[1].vector, m[2].vector,
				      sizeof m->vector))) &&
	    !memcmp(m[1].data, m[2].data, sizeof m->data))
		return;
	if (tally->failed++ < 20)
		printf("# opcode %x, W %u, at %llx, mask %08x %08x %08x %08x: "
		       "signal %d, is %d; code %d, is %d; address %llx, is "
		       "%llx\n", opcodes[which], wide,
		       (unsigned long long)address,
		       m->data[VECTORS_IN + 32 + 3],
		       m->data[VECTORS_IN + 32 + 7],
		       m->data[VECTORS_IN + 32 + 11],
		       m->data[VECTORS_IN + 32 + 15], m[1].signal, m[2].signal,
		       m[1].code, m[2].code, (unsigned long long)m[1].address,
		       (unsigned long long)m[2].address);
}

static void test_masked(void)
{
	static const uint64_t around[] = {
		ARENA_DATA, ARENA_DATA + ARENA_DATA_SIZE, /* both ends */
		0, (1ull << 47) + 36, -(1ull << 47), 1ull << 63,
		0x123456789abcdef0,
	};
	struct native *native = native_create(X86_MODE_64);
	struct tally tally = { 0 };
	struct machine *m;
	uint64_t seed = 3;

	if (!native || !__builtin_cpu_supports("avx2")) {
		printf("# skipped: this host cannot run such code\n");
		native_free(native);
		return;
	}
	m = calloc(3, sizeof *m);
	for (unsigned i = 0; i < sizeof around / sizeof *around; i++)
		for (unsigned k = 0; k < 300; k++)
			masked_at(native,
				  around[i] - 36 + random_draw(&seed) % 40,
				  &seed, m, &tally);
	printf("# %u masked moves compared, %u of them faulted, %u failed\n",
	       tally.compared, tally.undefined, tally.failed);
	CU_ASSERT_EQUAL(tally.failed, 0);
	CU_ASSERT(tally.undefined > 0);
	free(m);
	native_free(native);
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
		{ "random VEX prefixes against the host, 64-bit", test_64 },
		{ "random VEX prefixes against the host, 32-bit", test_32 },
		{ "masked moves at the borders of memory", test_masked },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-vex", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
