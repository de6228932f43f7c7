#include "x86/isa/features.h"

#include <stdio.h>
#include <string.h>

const struct x86_feature_info x86_feature_info[X86_FEATURE_COUNT] = {
#define FEATURE(id, flag, leaf, subleaf, reg, bit, level) \
	[X86_FEATURE_##id] = { flag, leaf, subleaf, reg, bit, \
			       X86_LEVEL_##level },
#include "x86/isa/features.def"
};

void x86_model_init(struct x86_model *model, enum x86_level level)
{
	static const char *const name[X86_LEVEL_COUNT] = {
		"i686", "x86-64", "x86-64-v2", "x86-64-v3"
	};

	memset(model, 0, sizeof *model);
	snprintf(model->brand, sizeof model->brand, "m2s %s processor",
		 name[level]);
	/* Family 6 as the C library's dispatch expects of its vendor. */
	model->family = 6;
	model->model = 26;
	model->stepping = 1;
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		model->has[i] = x86_feature_info[i].level <= level;
}

int x86_model_check(const struct x86_model *model, struct error *error)
{
	static const enum x86_feature missing[] = {
		X86_FEATURE_XSAVE, X86_FEATURE_OSXSAVE, X86_FEATURE_AVX,
		X86_FEATURE_AVX2, X86_FEATURE_FMA, X86_FEATURE_F16C,
	};

	for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
		if (model->has[missing[i]])
			return error_set(error, "the CPU model '%s' has %s, "
					 "which is not implemented: choose "
					 "x86-64-v2 or lower", model->brand,
					 x86_feature_info[missing[i]].flag);
#if defined(__x86_64__)
#define NEED(feature, name) \
	if (model->has[X86_FEATURE_##feature] && \
	    !__builtin_cpu_supports(name)) \
		return error_set(error, "this host's processor has no %s, " \
				 "which the simulated one ('%s') needs: " \
				 "choose a lower CPU model", \
				 name, model->brand);
	NEED(SSE3, "sse3")
	NEED(SSSE3, "ssse3")
	NEED(SSE4_1, "sse4.1")
	NEED(SSE4_2, "sse4.2")
	NEED(AES, "aes")
	NEED(PCLMULQDQ, "pclmul")
#undef NEED
#else
	(void)model;
	(void)error;
#endif
	return 0;
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

void x86_cpuid(const struct x86_model *model, uint32_t leaf, uint32_t subleaf,
	       uint32_t result[4])
{
	memset(result, 0, 4 * sizeof result[0]);
	switch (leaf) {
	case 0:
		result[EAX] = 7;
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
		result[EAX] = 0x01;       /* ask once */
		result[EBX] = 0xff;       /* caches: see leaf 4 */
		break;
	case 4:
		cache_leaf(subleaf, result);
		break;
	case 0x80000000:
		result[EAX] = 0x80000008;
		break;
	case 0x80000002:
	case 0x80000003:
	case 0x80000004:
		memcpy(result, model->brand + 16 * (leaf - 0x80000002), 16);
		break;
	case 0x80000008:
		result[EAX] = 48 << 8 | 40; /* address bits */
		break;
	default:
		break;
	}
	for (int i = 0; i < X86_FEATURE_COUNT; i++) {
		const struct x86_feature_info *info = &x86_feature_info[i];

		if (model->has[i] && info->leaf == leaf &&
		    info->subleaf == subleaf)
			result[info->reg] |= 1u << info->bit;
		/* Leaf 1 has no subleaves: ECX does not matter. */
		else if (model->has[i] && info->leaf == leaf && leaf != 7)
			result[info->reg] |= 1u << info->bit;
	}
}
