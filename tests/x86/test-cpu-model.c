/* CPU models: what CPUID reports and what executes agree. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/emu/block.h"
#include "x86/emu/emu.h"
#include "x86/emu/isa-list.h"

enum { CODE = 0x10000, DATA = 0x20000 };

struct guest {
	struct space *space;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
};

static bool start(struct guest *guest, enum x86_mode mode,
		  enum x86_level level, const uint8_t *code, size_t size)
{
	const int all = SPACE_READ | SPACE_WRITE | SPACE_EXECUTE;
	struct error error = { "" };
	struct x86_model model;

	x86_model_init(&model, level);
	guest->cpu = NULL;
	guest->space = space_create(mode == X86_MODE_64 ?
				    1ull << SPACE_X86_64_BITS : 1ull << 32,
				    NULL);
	guest->emulator = x86_emulator_create(guest->space, mode, &model,
					      &error);
	if (!guest->emulator) {
		printf("# %s\n", error.text);
		return false;
	}
	guest->cpu = x86_cpu_create(guest->emulator);
	space_map(guest->space, CODE, 0x1000, all, false, -1, 0, "");
	space_map(guest->space, DATA, 0x1000, all, false, -1, 0, "");
	space_write(guest->space, CODE, code, size);
	guest->cpu->rip = CODE;
	guest->cpu->reg[X86_RCX] = 0;
	guest->cpu->reg[X86_RDI] = DATA;
	return true;
}

static void finish(struct guest *guest)
{
	if (guest->cpu)
		x86_cpu_free(guest->cpu);
	x86_emulator_free(guest->emulator);
	space_free(guest->space);
}

/* One instruction of each feature: undefined before the level that has it. */
static void test_levels(void)
{
	static const struct {
		const char *name;
		uint8_t code[7];
		enum x86_level level;
		int mode; /* 0: both */
	} rows[] = {
		{ "cmovz eax, ecx", { 0x0f, 0x44, 0xc1 }, X86_LEVEL_I686, 0 },
		{ "paddb mm0, mm1", { 0x0f, 0xfc, 0xc1 }, X86_LEVEL_I686, 0 },
		{ "addps xmm0, xmm1", { 0x0f, 0x58, 0xc1 }, X86_LEVEL_V1, 0 },
		{ "addpd xmm0, xmm1", { 0x66, 0x0f, 0x58, 0xc1 },
		  X86_LEVEL_V1, 0 },
		{ "lahf", { 0x9f }, X86_LEVEL_V2, 64 },
		{ "lahf", { 0x9f }, X86_LEVEL_I686, 32 },
		{ "haddpd xmm0, xmm1", { 0x66, 0x0f, 0x7c, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "pabsb mm0, mm1", { 0x0f, 0x38, 0x1c, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "pmuldq xmm0, xmm1", { 0x66, 0x0f, 0x38, 0x28, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "crc32 eax, ecx", { 0xf2, 0x0f, 0x38, 0xf1, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "aesenc xmm0, xmm1", { 0x66, 0x0f, 0x38, 0xdc, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "popcnt eax, ecx", { 0xf3, 0x0f, 0xb8, 0xc1 },
		  X86_LEVEL_V2, 0 },
		{ "rdtscp", { 0x0f, 0x01, 0xf9 }, X86_LEVEL_V2, 0 },
		{ "cmpxchg16b [rdi]", { 0x48, 0x0f, 0xc7, 0x0f },
		  X86_LEVEL_V2, 64 },
		{ "movbe eax, [rdi]", { 0x0f, 0x38, 0xf0, 0x07 },
		  X86_LEVEL_V3, 0 },
		{ "andn eax, ecx, edx", { 0xc4, 0xe2, 0x70, 0xf2, 0xc2 },
		  X86_LEVEL_V3, 0 },
		{ "pdep eax, ecx, edx", { 0xc4, 0xe2, 0x73, 0xf5, 0xc2 },
		  X86_LEVEL_V3, 0 },
		{ "adcx eax, ecx", { 0x66, 0x0f, 0x38, 0xf6, 0xc1 },
		  X86_LEVEL_V3, 0 },
		{ "rdrand eax", { 0x0f, 0xc7, 0xf0 }, X86_LEVEL_V3, 0 },
		{ "rdseed eax", { 0x0f, 0xc7, 0xf8 }, X86_LEVEL_V3, 0 },
		{ "rdpid eax", { 0xf3, 0x0f, 0xc7, 0xf8 }, X86_LEVEL_V3, 0 },
		{ "rdfsbase eax", { 0xf3, 0x0f, 0xae, 0xc0 },
		  X86_LEVEL_V3, 64 },
		{ "clflushopt [rdi]", { 0x66, 0x0f, 0xae, 0x3f },
		  X86_LEVEL_V3, 0 },
		{ "clwb [rdi]", { 0x66, 0x0f, 0xae, 0x37 }, X86_LEVEL_V3, 0 },
		{ "xgetbv", { 0x0f, 0x01, 0xd0 }, X86_LEVEL_V3, 0 },
		{ "xsave [rdi]", { 0x0f, 0xae, 0x27 }, X86_LEVEL_V3, 0 },
		{ "xsaveopt [rdi]", { 0x0f, 0xae, 0x37 }, X86_LEVEL_V3, 0 },
		{ "xsavec [rdi]", { 0x0f, 0xc7, 0x27 }, X86_LEVEL_V3, 0 },
		{ "xrstor [rdi]", { 0x0f, 0xae, 0x2f }, X86_LEVEL_V3, 0 },
		{ "sha1nexte xmm0, xmm1", { 0x0f, 0x38, 0xc8, 0xc1 },
		  X86_LEVEL_CHOICE, 0 },
		{ "pfadd mm0, mm1", { 0x0f, 0x0f, 0xc1, 0x9e },
		  X86_LEVEL_CHOICE, 0 },
		{ "rdpkru", { 0x0f, 0x01, 0xee }, X86_LEVEL_CHOICE, 0 },
		{ "xtest", { 0x0f, 0x01, 0xd6 }, X86_LEVEL_CHOICE, 0 },
		/* No-ops where they mean nothing: endbr64, bndcl, cldemote. */
		{ "endbr64", { 0xf3, 0x0f, 0x1e, 0xfa }, X86_LEVEL_I686, 0 },
		{ "bndcl bnd0, eax", { 0xf3, 0x0f, 0x1a, 0xc0 },
		  X86_LEVEL_I686, 0 },
		{ "cldemote [rdi]", { 0x0f, 0x1c, 0x07 }, X86_LEVEL_I686, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows) * 2 * X86_LEVEL_COUNT; i++) {
		const uint8_t *code = rows[i / 2 / X86_LEVEL_COUNT].code;
		enum x86_level level = (enum x86_level)(i / 2) %
				       X86_LEVEL_COUNT;
		enum x86_mode mode = i & 1 ? X86_MODE_64 : X86_MODE_32;
		enum x86_level first = rows[i / 2 / X86_LEVEL_COUNT].level;
		int only = rows[i / 2 / X86_LEVEL_COUNT].mode;
		enum x86_stop stop;
		struct guest guest;

		if (only && only != (mode == X86_MODE_64 ? 64 : 32))
			continue;
		if (start(&guest, mode, level, code, 7)) {
			stop = x86_run(guest.cpu, 1);
			CU_ASSERT_EQUAL(stop, level >= first
						      ? X86_STOP_QUANTUM
						      : X86_STOP_FAULT);
			CU_ASSERT_EQUAL(guest.cpu->fault.signal,
					level >= first ? 0 : SIGILL);
			if ((stop == X86_STOP_QUANTUM) != (level >= first))
				printf("# %s, level %d, mode %d: stop %d\n",
				       rows[i / 2 / X86_LEVEL_COUNT].name,
				       (int)level, (int)mode, (int)stop);
		}
		finish(&guest);
	}
}

/* LZCNT and TZCNT are BSR and BSF on a processor without them. */
static void test_zero_counts(void)
{
	static const uint8_t lzcnt[] = { 0xf3, 0x0f, 0xbd, 0xc1 };
	static const uint8_t tzcnt[] = { 0xf3, 0x0f, 0xbc, 0xc1 };

	for (int level = X86_LEVEL_V2; level <= X86_LEVEL_V3; level++) {
		struct guest guest;

		if (start(&guest, X86_MODE_64, level, lzcnt, sizeof lzcnt)) {
			guest.cpu->reg[X86_RCX] = 0x100;
			x86_run(guest.cpu, 1);
			CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX],
					level == X86_LEVEL_V3 ? 23 : 8);
		}
		finish(&guest);
		if (start(&guest, X86_MODE_64, level, tzcnt, sizeof tzcnt)) {
			guest.cpu->reg[X86_RAX] = 7;
			x86_run(guest.cpu, 1);
			CU_ASSERT_EQUAL(guest.cpu->reg[X86_RAX],
					level == X86_LEVEL_V3 ? 32 : 7);
		}
		finish(&guest);
	}
}

/* Every instruction set that Zydis names has a row. */
static void test_gates(void)
{
	enum x86_feature feature;

	for (int set = 1; set <= ZYDIS_ISA_SET_MAX_VALUE; set++) {
		CU_ASSERT_NOT_EQUAL(x86_gate((unsigned)set, &feature),
				    X86_GATE_MISSING);
		if (x86_gate((unsigned)set, &feature) == X86_GATE_MISSING)
			printf("# no gate for %s\n",
			       ZydisISASetGetString((ZydisISASet)set));
	}
}

static void test_cpuid(void)
{
	for (int level = 0; level < X86_LEVEL_COUNT; level++) {
		struct x86_model model;
		uint32_t r[4], last;

		x86_model_init(&model, (enum x86_level)level);
		x86_cpuid(&model, 0, 0, r);
		last = r[0];
		CU_ASSERT(last >= 4);
		for (int i = 0; i < X86_FEATURE_COUNT; i++) {
			const struct x86_feature_info *info =
				&x86_feature_info[i];

			x86_cpuid(&model, info->leaf, info->subleaf, r);
			if (info->leaf <= last || info->leaf >> 31)
				CU_ASSERT_EQUAL(r[info->reg] >> info->bit & 1,
						model.has[i]);
			CU_ASSERT(!model.has[i] || info->leaf <= last ||
				  info->leaf >> 31);
		}
		CU_ASSERT_EQUAL(level == X86_LEVEL_V3, last >= 0xd);
		if (level == X86_LEVEL_V3) {
			x86_cpuid(&model, 0xd, 0, r);
			CU_ASSERT_EQUAL(r[0], 7);
			CU_ASSERT_EQUAL(r[1], 832);
		}
		/* Leaf 1 does not look at ECX. */
		x86_cpuid(&model, 1, 5, r);
		CU_ASSERT_EQUAL(r[3] & 1, 1);
	}
}

/* Nothing that a model has is left out, and the list says so. */
static void test_list(void)
{
	static const struct {
		const char *name, *model;
		enum x86_isa_state state;
	} known[] = {
		{ "add", "i686", X86_ISA_EXECUTED },
		{ "endbr64", "i686", X86_ISA_NO_OP },
		{ "hlt", "i686", X86_ISA_FAULTS },
		{ "mulx", "x86-64-v3", X86_ISA_EXECUTED },
		{ "pfadd", "", X86_ISA_NEVER },
		{ "sha256rnds2", "by choice", X86_ISA_EXECUTED },
		{ "ud2", "i686", X86_ISA_FAULTS },
		{ "vaddpd", "x86-64-v3", X86_ISA_EXECUTED },
		{ "vpternlogd", "", X86_ISA_NEVER },
	};
	struct error error = { "" };
	struct x86_isa_entry *list;
	size_t count, found = 0;

	CU_ASSERT_EQUAL_FATAL(x86_isa_list(&list, &count, &error), 0);
	CU_ASSERT(count > 1600);
	for (size_t i = 0; i < count; i++) {
		CU_ASSERT_NOT_EQUAL(list[i].state, X86_ISA_UNSUPPORTED);
		CU_ASSERT_NOT_EQUAL(list[i].state, X86_ISA_PARTLY);
		if (list[i].state >= X86_ISA_PARTLY)
			printf("# %s is %s\n", list[i].name,
			       x86_isa_state_name(list[i].state));
		for (size_t k = 0; k < ARRAY_SIZE(known); k++)
			if (!strcmp(known[k].name, list[i].name)) {
				found++;
				CU_ASSERT_EQUAL(list[i].state,
						known[k].state);
				CU_ASSERT_STRING_EQUAL(list[i].model,
						       known[k].model);
			}
	}
	CU_ASSERT_EQUAL(found, ARRAY_SIZE(known));
	free(list);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "what CPUID leaves out is undefined", test_levels },
		{ "LZCNT and TZCNT before BMI", test_zero_counts },
		{ "every instruction set has a gate", test_gates },
		{ "CPUID reports the model", test_cpuid },
		{ "every instruction is accounted for", test_list },
		CU_TEST_INFO_NULL
	};
	static CU_SuiteInfo suites[] = {
		{ "x86-cpu-model", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
