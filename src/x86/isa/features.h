/* What a guest processor claims to have: CPUID, AT_HWCAP, /proc/cpuinfo.
 *
 * features.def is the one list; a model is a set of its rows. */
#ifndef M2S_X86_ISA_FEATURES_H
#define M2S_X86_ISA_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum x86_feature {
#define FEATURE(id, ...) X86_FEATURE_##id,
#include "x86/isa/features.def"
	X86_FEATURE_COUNT
};

/* Instruction-set levels of the x86-64 psABI, and i686 before them. */
enum x86_level {
	X86_LEVEL_I686,
	X86_LEVEL_V1,
	X86_LEVEL_V2,
	X86_LEVEL_V3,
	X86_LEVEL_COUNT,
	X86_LEVEL_CHOICE = X86_LEVEL_COUNT /* of a feature: in no level */
};

struct x86_feature_info {
	const char *flag;  /* as in /proc/cpuinfo; "" when Linux shows none */
	uint32_t leaf, subleaf;
	uint8_t reg;       /* 0 eax, 1 ebx, 2 ecx, 3 edx */
	uint8_t bit;
	enum x86_level level; /* first level whose default model has it */
};
extern const struct x86_feature_info x86_feature_info[X86_FEATURE_COUNT];

struct x86_model {
	const char *name;  /* "x86-64-v2": as CPUModel has it */
	char brand[49];
	uint32_t family, model, stepping;
	bool has[X86_FEATURE_COUNT];
};

/* The model of a level: "m2s x86-64-v2" and so on. Callers may change `has`
 * afterwards. */
void x86_model_init(struct x86_model *model, enum x86_level level);

/* The same processor as 32-bit code sees it: no SYSCALL. */
void x86_model_narrow(struct x86_model *model);

/* Whether this host's own processor has it. */
bool x86_host_has(enum x86_feature feature);

/* All that this host lets the emulator execute, for tests and lists. */
void x86_model_everything(struct x86_model *model);

/* What this host's processor has and the emulator executes. */
void x86_model_host(struct x86_model *model);

/* -1 when the model has a feature that the emulator does not execute, or one
 * whose instructions it executes by the host's own and this host lacks. */
int x86_model_check(const struct x86_model *model, struct error *error);

/* State components that XSAVE manages (XCR0): 1 x87, 2 SSE, 4 AVX; 0 without
 * XSAVE. And the size of an uncompacted area for these. */
uint64_t x86_state_components(const struct x86_model *model);
uint32_t x86_state_size(uint64_t components);

/* The CPUID instruction: result[] = eax, ebx, ecx, edx. */
void x86_cpuid(const struct x86_model *model, uint32_t leaf, uint32_t subleaf,
	       uint32_t result[4]);

#endif
