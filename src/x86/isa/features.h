/* The features of a guest processor as CPUID, AT_HWCAP and /proc/cpuinfo show
 * them.
 *
 * features.def is the only list. A model is a set of its rows. */
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
	/* Of a feature that belongs to no level. */
	X86_LEVEL_CHOICE = X86_LEVEL_COUNT
};

struct x86_feature_info {
	const char *flag;  /* name in /proc/cpuinfo; "" when Linux shows none */
	uint32_t leaf, subleaf;
	uint8_t reg;       /* 0 eax, 1 ebx, 2 ecx, 3 edx */
	uint8_t bit;
	enum x86_level level; /* first level whose default model has it */
};
extern const struct x86_feature_info x86_feature_info[X86_FEATURE_COUNT];

struct x86_model {
	const char *name;  /* a value of CPUModel, such as "x86-64-v2" */
	char brand[49];
	uint32_t family, model, stepping;
	bool has[X86_FEATURE_COUNT];
};

/* Sets the model of a level: "m2s x86-64-v2" and so on. Callers may change
 * `has` afterwards. */
void x86_model_init(struct x86_model *model, enum x86_level level);

/* Changes a model into what 32-bit code sees of it: no SYSCALL. */
void x86_model_narrow(struct x86_model *model);

/* Whether the host's processor has a feature. */
bool x86_host_has(enum x86_feature feature);

/* A model with all features that the emulator can execute on this host, for
 * tests and lists. */
void x86_model_everything(struct x86_model *model);

/* A model of the host's processor, without features that the emulator does not
 * execute. */
void x86_model_host(struct x86_model *model);

/* -1 and *error when the model has a feature that the emulator does not
 * execute, or a feature whose instructions the emulator executes with the
 * host's own and that this host lacks. */
int x86_model_check(const struct x86_model *model, struct error *error);

/* x86_state_components(): the state components that XSAVE manages (XCR0): 1
 * x87, 2 SSE, 4 AVX; 0 without XSAVE. x86_state_size(): the size of an
 * uncompacted area for components. */
uint64_t x86_state_components(const struct x86_model *model);
uint32_t x86_state_size(uint64_t components);

/* Executes CPUID: result[] = eax, ebx, ecx, edx. */
void x86_cpuid(const struct x86_model *model, uint32_t leaf, uint32_t subleaf,
	       uint32_t result[4]);

#endif
