/* Every row of the x87, MMX, SSE and AVX tables against the host CPU.
 *
 * The code under test is FXRSTOR, loads of all YMM registers, the instruction
 * with random operands, FXSAVE, stores of all YMM registers: so the comparison
 * of memory after it compares all floating-point state, with every flag, tag
 * and pointer. On hosts without AVX the YMM part is left out. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/harness.h"
#include "vector-case.h"

struct tally {
	unsigned shown;  /* differences of this row */
	unsigned compared, signals, skipped;
};

static void dump_state(const char *title, const uint8_t *state)
{
	printf("#   %s: control %02x%02x status %02x%02x full %02x opcode "
	       "%02x%02x mxcsr %02x%02x\n", title, state[1], state[0],
	       state[3], state[2], state[4], state[7], state[6], state[25],
	       state[24]);
	for (int i = 0; i < 24; i++) {
		const uint8_t *at = state + (i < 8 ? STATE_ST + 16 * i :
						STATE_XMM + 16 * (i - 8));

		printf("%s%s%d ", i % 4 ? " " : "#     ", i < 8 ? "st" : "xmm",
		       i < 8 ? i : i - 8);
		for (int k = i < 8 ? 9 : 15; k >= 0; k--)
			printf("%02x", at[k]);
		if (i % 4 == 3)
			puts("");
	}
}

static void dump_vector(const char *title, const uint8_t *at)
{
	printf("   %s ", title);
	for (int k = 31; k >= 0; k--)
		printf("%02x", at[k]);
}

/* Those YMM registers that differ. */
static void dump_vectors(const void *before, const void *native,
			 const void *emulated)
{
	for (int i = 0; i < 16 * 32; i += 32) {
		const uint8_t *old = (const uint8_t *)before + i;
		const uint8_t *right = (const uint8_t *)native + i;
		const uint8_t *is = (const uint8_t *)emulated + i;

		if (!memcmp(right, is, 32))
			continue;
		printf("#   ymm%d:", i / 32);
		dump_vector("before", old);
		dump_vector("native", right);
		dump_vector("is", is);
		puts("");
	}
}

static bool same(const struct row *row, const struct subject *s, bool wide,
		 const struct machine *before, const struct machine *native,
		 const struct machine *emulated, struct tally *tally)
{
	/* Which byte of a saved state is touched first is nobody's business. */
	bool structure = strstr(row->name, "env") || s->memory_size > 32;
	const char *what = NULL;
	char text[200];
	int at = 0;

	if (native->signal != emulated->signal)
		what = "signal";
	else if (native->signal && native->code != emulated->code)
		what = "si_code";
	else if (native->signal &&
		 (structure ? native->address / SPACE_PAGE !=
				      emulated->address / SPACE_PAGE :
			      native->address != emulated->address))
		what = "si_addr";
	else if (native->signal && native->mxcsr != emulated->mxcsr)
		what = "MXCSR";
	else if (native->rip != emulated->rip)
		what = "rip";
	else if (memcmp(native->reg, emulated->reg, sizeof native->reg))
		what = "registers";
	else if ((native->eflags ^ emulated->eflags) & X86_ARITHMETIC)
		what = "flags";
	else if (memcmp(native->data, emulated->data, sizeof native->data))
		what = "memory";
	if (!what)
		return true;
	if (tally->shown++ >= 2)
		return false;
	x86_disasm_describe(wide, ARENA_CODE, s->code, s->size, text,
			    sizeof text);
	printf("# %s (%s): %s differ; signal %d, is %d; code %d, is %d; "
	       "address %llx, is %llx; mxcsr %x, is %x; rip %llx, is %llx; flags before %x, %x, is %x\n", row->name, text, what,
	       native->signal, emulated->signal, native->code, emulated->code,
	       (unsigned long long)native->address,
	       (unsigned long long)emulated->address, native->mxcsr,
	       emulated->mxcsr,
	       (unsigned long long)native->rip,
	       (unsigned long long)emulated->rip, before->eflags,
	       native->eflags, emulated->eflags);
	for (int i = 0; i < 16; i++)
		if (native->reg[i] != emulated->reg[i])
			printf("#   r%d: before %llx, native %llx, is %llx\n",
			       i, (unsigned long long)before->reg[i],
			       (unsigned long long)native->reg[i],
			       (unsigned long long)emulated->reg[i]);
	for (int i = 0; i < ARENA_DATA_SIZE && at < 24; i++)
		if (native->data[i] != emulated->data[i] && ++at)
			printf("#   data[%x]: before %02x, native %02x, is "
			       "%02x\n", i, before->data[i], native->data[i],
			       emulated->data[i]);
	dump_state("before", before->data + STATE_IN);
	dump_state("native", native->data + STATE_OUT);
	dump_state("is    ", emulated->data + STATE_OUT);
	dump_vectors(before->data + YMM_IN, native->data + YMM_OUT,
		     emulated->data + YMM_OUT);
	return false;
}

/* ---- What AMD's processors do otherwise ---- */

static uint64_t operand_address(const struct subject *s, bool wide,
				const struct machine *before)
{
	for (int i = 0; i < s->request.operand_count; i++) {
		const ZydisEncoderOperand *o = &s->request.operands[i];
		const uint64_t *reg = before->reg;

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		return (reg[ZydisRegisterGetId(o->mem.base)] +
			(uint64_t)o->mem.displacement +
			(o->mem.index ? reg[ZydisRegisterGetId(o->mem.index)] *
					o->mem.scale : 0)) &
		       (wide && !s->narrow ? UINT64_MAX : UINT32_MAX);
	}
	return 0;
}

static bool page_fault(const struct machine *m)
{
	return m->signal == SIGSEGV && m->code != SI_KERNEL;
}

/* Whether vendors differ in what faults:
 * - AMD's SHA instructions take operands that are not aligned, for which
 *   Intel's raise #GP as most instructions without VEX do (SDM volume 2,
 *   exceptions of type 4).
 * - AMD's VCVTPS2PH faults on the write before it looks at what the conversion
 *   raises, and then leaves MXCSR alone.
 * - AMD's x87 stores fault on the write also if there is none, because of an
 *   exception that is not masked and then pending.
 * - AMD's MXCSR has a bit 17 (Architecture Programmer's Manual volume 1, MXCSR
 *   Register). */
static bool faults_otherwise(const struct row *row, const struct subject *s,
			     bool wide, const struct machine *before,
			     const struct machine *native,
			     const struct machine *emulated)
{
	const uint32_t misaligned = 1u << 17;
	uint32_t mxcsr;

	if (native_is_intel() || !s->memory)
		return false;
	if (strstr(row->name, "ldmxcsr") && !native->signal &&
	    emulated->signal == SIGSEGV) {
		memcpy(&mxcsr, before->data + operand_address(s, wide, before) -
			       ARENA_DATA, sizeof mxcsr);
		return (mxcsr & ~0xffffu) == misaligned &&
		       emulated->code == SI_KERNEL;
	}
	if (!strncmp(row->name, "sha", 3) &&
	    operand_address(s, wide, before) % 16)
		return (!native->signal || page_fault(native)) &&
		       emulated->signal == SIGSEGV &&
		       emulated->code == SI_KERNEL;
	if (!page_fault(native))
		return false;
	if (!strncmp(row->name, "fst", 3) || !strncmp(row->name, "fist", 4))
		return !emulated->signal &&
		       emulated->data[STATE_OUT + STATE_STATUS] & 0x80;
	if (!row_is(row, "vcvtps2ph"))
		return false;
	memcpy(&mxcsr, before->data + STATE_IN + STATE_MXCSR, sizeof mxcsr);
	return native->mxcsr == mxcsr && (emulated->signal == SIGFPE ||
		(page_fault(emulated) &&
		 native->address == emulated->address &&
		 !(mxcsr & ~emulated->mxcsr)));
}

/* Where FXSAVE stored: in the end, and what is under test. */
static void leave_out(const struct row *row, const struct subject *s,
		      bool wide, const struct machine *before,
		      const struct machine *native, struct machine *emulated)
{
	const uint8_t *right = native->data + STATE_OUT;
	uint8_t *is = emulated->data + STATE_OUT;

	if (native->signal || emulated->signal)
		return;
	native_leave_out_pointers(wide, right, is);
	native_leave_out_mxcsr_mask(right, is);
	if (row_is(row, "fxsave") || row_is(row, "fxsave64")) {
		uint64_t at = operand_address(s, wide, before) - ARENA_DATA;

		right = native->data + at;
		is = emulated->data + at;
		native_leave_out_pointers(row_is(row, "fxsave64"), right, is);
		native_leave_out_mxcsr_mask(right, is);
	}
}

/* After a fault nothing may have changed, but MXCSR's flags; of a gather the
 * vector registers are as the host left them (how many elements are done is
 * up to the processor: Intel's are followed). */
static bool untouched(struct native *native, const struct row *row,
		      const struct machine *before,
		      const struct machine *after, bool wide)
{
	uint8_t state[X86_FXSAVE_SIZE];

	if (row_is_gather(row) && !__builtin_cpu_is("intel"))
		return true;
	if (host_has_avx() && memcmp(after->vector, native_cpu(native)->vector,
				     (wide ? 16 : 8) * 32))
		return false;
	memcpy(state, before->data + STATE_IN, sizeof state);
	x86_fxsave(native_cpu(native), true, state);
	return (host_has_avx() ||
		!memcmp(state + STATE_XMM, before->data + STATE_IN + STATE_XMM,
			X86_FXSAVE_WRITTEN - STATE_XMM)) &&
	       !memcmp(state + STATE_ST, before->data + STATE_IN + STATE_ST,
		       STATE_XMM - STATE_ST) &&
	       !memcmp(state, before->data + STATE_IN, 2) &&
	       state[STATE_FULL] == before->data[STATE_IN + STATE_FULL];
}

static void reset_host(void)
{
	static const uint32_t mxcsr = MXCSR_MASKS;

	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

static void compare_row(struct native *native, const struct row *row,
			bool wide, unsigned cases, uint64_t seed,
			struct tally *tally)
{
	struct machine *m = malloc(3 * sizeof *m);

	for (unsigned i = 0; i < 10 * cases && tally->compared < cases; i++) {
		struct subject s;
		uint8_t code[512];
		size_t size;

		if (!row_make(row, wide, &seed, &s))
			continue;
		row_make_state(row, &s, wide, &seed, &m[0]);
		size = row_surround(&s, wide, code);
		m[1] = m[2] = m[0];
		native_execute(native, &m[1], code, size);
		reset_host();
		if (m[1].signal == SIGILL) {
			tally->skipped++;
			break;
		}
		native_emulate(native, &m[2], code, size);
		if (faults_otherwise(row, &s, wide, &m[0], &m[1], &m[2])) {
			tally->compared++;
			continue;
		}
		leave_out(row, &s, wide, &m[0], &m[1], &m[2]);
		if (same(row, &s, wide, &m[0], &m[1], &m[2], tally) &&
		    m[1].signal) {
			tally->signals++;
			if (!untouched(native, row, &m[0], &m[1], wide) &&
			    tally->shown++ < 2) {
				char text[200];

				x86_disasm_describe(wide, ARENA_CODE, s.code,
						    s.size, text, sizeof text);
				printf("# %s (%s): state after a fault "
				       "differs\n", row->name, text);
				dump_vectors(m[0].data + YMM_IN, m[1].vector,
					     m[2].vector);
			}
		}
		tally->compared++;
	}
	free(m);
}

static bool mode_fits(const struct row *row, bool wide)
{
	if (wide)
		return true;
	if (row->attributes & X86_ROW_REXW)
		return false;
	for (int i = 0; i < 4; i++)
		if (!strcmp(row->operand[i], "R64"))
			return false;
	return !strstr(row->name, "xm64") && strcmp(row->name, "movnti_m64") &&
	       !strstr(row->name, "pinsrq") && !strstr(row->name, "pextrq") &&
	       !strstr(row->name, "64_r64") &&
	       strcmp(row->name, "fxsave64") && strcmp(row->name, "fxrstor64");
}

/* Rows of a row's mnemonic in a mode. */
static unsigned family_rows(const struct row *row, bool wide)
{
	unsigned count = 0;

	for (unsigned i = 0; i < row_count; i++)
		count += rows[i].mnemonic == row->mnemonic &&
			 mode_fits(&rows[i], wide);
	return count;
}

static void compare_all(bool wide)
{
	struct family *families = calloc(ZYDIS_MNEMONIC_MAX_VALUE + 1,
					 sizeof *families);
	const char *cases_text = getenv("M2S_TEST_CASES");
	const char *only = getenv("M2S_TEST_ROW");
	const char *seed_text = getenv("M2S_TEST_SEED");
	uint64_t first_seed = seed_text ? strtoull(seed_text, NULL, 0) : 1;
	unsigned cases = cases_text ? (unsigned)atoi(cases_text) : 50;
	struct native *native =
		native_create(wide ? X86_MODE_64 : X86_MODE_32);
	unsigned failed = 0, tested = 0, compared = 0, signals = 0;

	if (!native) {
		printf("# this host cannot run such code\n");
		free(families);
		return;
	}
	for (unsigned i = 0; i < row_count; i++) {
		struct tally tally = { 0 };

		if (!mode_fits(&rows[i], wide) ||
		    (only && strcmp(only, rows[i].name)))
			continue;
		compare_row(native, &rows[i], wide,
			    family_cases(family_rows(&rows[i], wide),
					 family_rows(&rows[i], !wide), cases),
			    first_seed + i, &tally);
		if (tally.skipped)
			printf("# skipped: %s is not on this host\n",
			       rows[i].name);
		else if (!tally.compared) {
			printf("# %s could not be encoded\n", rows[i].name);
			failed++;
		}
		if (tally.shown)
			printf("# %s: %u of %u differ\n", rows[i].name,
			       tally.shown, tally.compared);
		families[rows[i].mnemonic].rows += tally.compared != 0;
		families[rows[i].mnemonic].cases += tally.compared;
		families[rows[i].mnemonic].faults += tally.signals;
		families[rows[i].mnemonic].differing += tally.shown;
		failed += tally.shown != 0;
		tested += tally.compared != 0;
		compared += tally.compared;
		signals += tally.signals;
	}
	for (int i = 0; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++)
		if (families[i].rows)
			family_print(ZydisMnemonicGetString((ZydisMnemonic)i),
				     wide, &families[i]);
	free(families);
	printf("# %u rows, %u instructions compared, %u of them faulted, "
	       "%u rows failed\n", tested, compared, signals, failed);
	CU_ASSERT_EQUAL(failed, 0);
	CU_ASSERT(tested > 0);
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
		{ "vector and x87 rows against the host, 64-bit", test_64 },
		{ "vector and x87 rows against the host, 32-bit", test_32 },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-vector", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
