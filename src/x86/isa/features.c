#include "x86/isa/features.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const struct x86_feature_info x86_feature_info[X86_FEATURE_COUNT] = {
#define FEATURE(id, flag, leaf, subleaf, reg, bit, level) \
	[X86_FEATURE_##id] = { flag, leaf, subleaf, reg, bit, \
			       X86_LEVEL_##level },
#include "x86/isa/features.def"
};

void x86_model_init(struct x86_model *model, enum x86_level level)
{
	static const struct {
		const char *name;
		uint32_t model, stepping;
	} row[X86_LEVEL_COUNT] = {
		/* Family 6 as the C library's dispatch expects of its vendor;
		 * models: Pentium II, Core 2, Nehalem, Skylake. */
		[X86_LEVEL_I686] = { "i686", 5, 2 },
		[X86_LEVEL_V1] = { "x86-64", 15, 6 },
		[X86_LEVEL_V2] = { "x86-64-v2", 26, 1 },
		[X86_LEVEL_V3] = { "x86-64-v3", 94, 3 },
	};

	memset(model, 0, sizeof *model);
	model->name = row[level].name;
	snprintf(model->brand, sizeof model->brand, "m2s %s processor",
		 row[level].name);
	model->family = 6;
	model->model = row[level].model;
	model->stepping = row[level].stepping;
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		model->has[i] = x86_feature_info[i].level <= level;
}

void x86_model_narrow(struct x86_model *model)
{
	model->has[X86_FEATURE_SYSCALL] = false;
}

/* Bits of the host's own CPUID, for what the compiler's builtin has no name
 * for. */
bool x86_host_has(enum x86_feature feature)
{
#if defined(__x86_64__)
	const struct x86_feature_info *info = &x86_feature_info[feature];
	uint32_t r[4];

	/* The operating system must keep the registers, too. */
	if (feature == X86_FEATURE_AVX && !__builtin_cpu_supports("avx"))
		return false;
	if (!__get_cpuid_count(info->leaf, info->subleaf, &r[0], &r[1], &r[2],
			       &r[3]))
		return false;
	return r[info->reg] >> info->bit & 1;
#else
	(void)feature;
	return false;
#endif
}

/* Executed by the host's own instructions. */
static const enum x86_feature borrowed[] = {
	X86_FEATURE_SSE3, X86_FEATURE_SSSE3, X86_FEATURE_SSE4_1,
	X86_FEATURE_SSE4_2, X86_FEATURE_AES, X86_FEATURE_PCLMULQDQ,
	X86_FEATURE_SHA, X86_FEATURE_AVX, X86_FEATURE_AVX2, X86_FEATURE_FMA,
	X86_FEATURE_F16C,
};

void x86_model_everything(struct x86_model *model)
{
	x86_model_init(model, X86_LEVEL_V3);
	model->name = "everything";
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		model->has[i] = true;
	for (size_t i = 0; i < ARRAY_SIZE(borrowed); i++)
		if (!x86_host_has(borrowed[i]))
			model->has[borrowed[i]] = false;
}

void x86_model_host(struct x86_model *model)
{
	x86_model_init(model, X86_LEVEL_V3);
	model->name = "host";
	snprintf(model->brand, sizeof model->brand, "m2s host processor");
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		model->has[i] = x86_host_has((enum x86_feature)i);
}

int x86_model_check(const struct x86_model *model, struct error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(borrowed); i++)
		if (model->has[borrowed[i]] && !x86_host_has(borrowed[i]))
			return error_set(error, "this host's processor has no "
						"%s, which the simulated "
						"processor (CPUModel %s) "
						"needs: choose a lower "
						"CPUModel, or switch the "
						"feature off (see --x86-help)",
					 x86_feature_info[borrowed[i]].flag,
					 model->name);
	return 0;
}

uint64_t x86_state_components(const struct x86_model *model)
{
	if (!model->has[X86_FEATURE_XSAVE])
		return 0;
	return model->has[X86_FEATURE_AVX] ? 7 : 3;
}

uint32_t x86_state_size(uint64_t components)
{
	return components & 4 ? 512 + 64 + 256 : 512 + 64;
}

enum { EAX, EBX, ECX, EDX };

static uint32_t four(const char *text)
{
	return (uint32_t)(uint8_t)text[0] | (uint32_t)(uint8_t)text[1] << 8 |
	       (uint32_t)(uint8_t)text[2] << 16 |
	       (uint32_t)(uint8_t)text[3] << 24;
}

/* Deterministic cache parameters (leaf 4): what C libraries size their copy
 * loops by. Type 1 data, 2 instruction, 3 unified; 64-byte lines. */
static void cache_leaf(uint32_t index, uint32_t result[4])
{
	static const struct {
		uint8_t type, level, ways;
		uint32_t sets;
	} cache[] = {
		{ 1, 1, 8, 64 },     /* 32 KiB */
		{ 2, 1, 8, 64 },
		{ 3, 2, 8, 1024 },   /* 512 KiB */
		{ 3, 3, 16, 8192 },  /* 8 MiB */
	};

	if (index >= sizeof cache / sizeof cache[0])
		return;
	result[EAX] = cache[index].type | (uint32_t)cache[index].level << 5 |
		      1u << 8;
	result[EBX] = 63 | (uint32_t)(cache[index].ways - 1) << 22;
	result[ECX] = cache[index].sets - 1;
}

/* Processor topology (leaf 0xb): one core with one thread, id 0. */
static void topology_leaf(uint32_t level, uint32_t result[4])
{
	if (level > 1)
		result[ECX] = level;
	else {
		result[EBX] = 1;
		result[ECX] = level | (level + 1) << 8; /* thread, core */
	}
}

/* Extended state (leaf 0xd). */
static void state_leaf(const struct x86_model *model, uint32_t subleaf,
		       uint32_t result[4])
{
	uint64_t components = x86_state_components(model);

	if (!components)
		return;
	if (subleaf == 0) {
		result[EAX] = (uint32_t)components;
		result[EBX] = x86_state_size(components);
		result[ECX] = result[EBX];
	} else if (subleaf == 1) {
		/* Of a compacted area; no supervisor components. */
		if (model->has[X86_FEATURE_XSAVEC])
			result[EBX] = x86_state_size(components);
	} else if (subleaf == 2 && components & 4) {
		result[EAX] = 256;      /* upper halves of YMM */
		result[EBX] = 512 + 64; /* their place */
	}
}

/* The greatest basic leaf. */
static uint32_t last_leaf(const struct x86_model *model)
{
	if (model->has[X86_FEATURE_XSAVE])
		return 0xd;
	return model->has[X86_FEATURE_LM] ? 0xb : 4;
}

/* Whether a leaf's answer depends on ECX. */
static bool has_subleaves(uint32_t leaf)
{
	return leaf == 4 || leaf == 7 || leaf == 0xb || leaf == 0xd;
}

void x86_cpuid(const struct x86_model *model, uint32_t leaf, uint32_t subleaf,
	       uint32_t result[4])
{
	const uint32_t extended = 0x80000000, last_extended = 0x80000008;

	memset(result, 0, 4 * sizeof result[0]);
	/* Beyond the end Intel's processors answer as the last basic leaf. */
	if ((leaf & extended ? leaf > last_extended
			     : leaf > last_leaf(model)))
		leaf = last_leaf(model);
	switch (leaf) {
	case 0:
		result[EAX] = last_leaf(model);
		result[EBX] = four("Genu");
		result[EDX] = four("ineI");
		result[ECX] = four("ntel");
		break;
	case 1:
		result[EAX] = (model->stepping & 15) |
			      (model->model & 15) << 4 |
			      (model->family & 15) << 8 |
			      (model->model >> 4) << 16;
		result[EBX] = 8 << 8 | 1 << 16; /* CLFLUSH size, one thread */
		break;
	case 2:
		result[EAX] = 0xff01;     /* ask once; caches: see leaf 4 */
		break;
	case 4:
		cache_leaf(subleaf, result);
		break;
	case 0xb:
		topology_leaf(subleaf, result);
		break;
	case 0xd:
		state_leaf(model, subleaf, result);
		break;
	case 0x80000000:
		result[EAX] = last_extended;
		break;
	case 0x80000002:
	case 0x80000003:
	case 0x80000004:
		memcpy(result, model->brand + 16 * (leaf - 0x80000002), 16);
		break;
	case 0x80000006:
		result[ECX] = 512 << 16 | 6 << 12 | 64; /* second level */
		break;
	case 0x80000008:
		/* Bits of virtual and physical addresses. */
		result[EAX] = model->has[X86_FEATURE_LM] ? 48 << 8 | 40
							  : 32 << 8 | 36;
		break;
	default:
		break;
	}
	if (!has_subleaves(leaf))
		subleaf = 0;
	for (int i = 0; i < X86_FEATURE_COUNT; i++) {
		const struct x86_feature_info *info = &x86_feature_info[i];

		if (model->has[i] && info->leaf == leaf &&
		    info->subleaf == subleaf)
			result[info->reg] |= 1u << info->bit;
	}
}
