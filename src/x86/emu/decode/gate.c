/* The instructions that the chosen processor has (isa/gates.def). */
#include <string.h>

#include "base/memory.h"
#include "x86/emu/block.h"

enum {
#define FEATURE(id, ...) NEED_##id = X86_FEATURE_##id,
#include "x86/isa/features.def"
	NEED_ALWAYS = X86_FEATURE_COUNT,
	NEED_NEVER,
};

static const struct gate {
	uint8_t set;  /* ZydisISASet */
	uint8_t need; /* a feature, or NEED_ALWAYS, NEED_NEVER */
} gates[] = {
#define GATE(set, need) { ZYDIS_ISA_SET_##set, NEED_##need },
#include "x86/isa/gates.def"
};
_Static_assert(ZYDIS_ISA_SET_MAX_VALUE < 256, "struct gate is too narrow");

void x86_gates_init(struct x86_decoder *decoder)
{
	const bool *has = decoder->model.has;

	memset(decoder->refused, 0, sizeof decoder->refused);
	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		unsigned need = gates[i].need;

		if (need == NEED_ALWAYS)
			continue;
		if (need == NEED_NEVER || !has[need])
			decoder->refused[gates[i].set] = true;
	}
	/* 32-bit code always had them. */
	if (decoder->mode == X86_MODE_32)
		decoder->refused[ZYDIS_ISA_SET_LAHF] = false;
	/* Without the feature, these opcodes execute as other instructions, or
	 * do nothing. */
	ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_LZCNT,
			       has[X86_FEATURE_LZCNT]);
	ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_TZCNT,
			       has[X86_FEATURE_BMI1]);
	ZydisDecoderEnableMode(&decoder->zydis, ZYDIS_DECODER_MODE_MPX,
			       false);
	ZydisDecoderEnableMode(&decoder->zydis,
			       ZYDIS_DECODER_MODE_CLDEMOTE, false);
}

bool x86_refused(const struct x86_decoder *decoder,
		 const ZydisDecodedInstruction *inst)
{
	/* Zydis counts this instruction to AVX alone. */
	if (inst->mnemonic == ZYDIS_MNEMONIC_VPCLMULQDQ &&
	    !decoder->model.has[X86_FEATURE_PCLMULQDQ])
		return true;
	return decoder->refused[inst->meta.isa_set];
}

/* The features that the instruction at rip needs, or X86_GATE_MISSING. */
static enum x86_gate needed_at(const struct x86_cpu *cpu,
			       ZydisDecodedInstruction *inst,
			       enum x86_feature *feature)
{
	uint8_t code[ZYDIS_MAX_INSTRUCTION_LENGTH];
	bool wide = cpu->mode == X86_MODE_64;
	size_t length = sizeof code;
	ZydisDecoder decoder;

	while (length && space_read(cpu->space, cpu->rip, code, length))
		length--;
	if (!ZYAN_SUCCESS(ZydisDecoderInit(
		    &decoder,
		    wide ? ZYDIS_MACHINE_MODE_LONG_64
			 : ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
		    wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
	    !ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code,
							length, inst)))
		return X86_GATE_MISSING;
	return x86_gate(inst->meta.isa_set, feature);
}

bool x86_describe_cure(const struct x86_model *model,
		       const struct x86_cpu *cpu, char *text, size_t size)
{
	ZydisDecodedInstruction inst;
	enum x86_feature feature;
	enum x86_gate gate = needed_at(cpu, &inst, &feature);
	struct x86_model level;

	if (gate == X86_GATE_NEVER) {
		snprintf(text, size, "no processor model of m2s has %s "
			 "instructions: compile with -march=x86-64-v3 instead "
			 "of -march=native",
			 ZydisISAExtGetString(inst.meta.isa_ext));
		return true;
	}
	if (gate != X86_GATE_FEATURE || model->has[feature])
		return false;
	if (x86_feature_info[feature].level >= X86_LEVEL_CHOICE) {
		snprintf(text, size, "%s is a choice: --x86-cpu host, or %s = "
			 "t in the file of --x86-config",
			 x86_feature_info[feature].flag,
			 ZydisISAExtGetString(inst.meta.isa_ext));
		return true;
	}
	x86_model_init(&level, x86_feature_info[feature].level);
	snprintf(text, size, "model %s has it: --x86-cpu %s, or CPUModel = %s "
		 "in the file of --x86-config (--x86-cpu host for programs "
		 "built with -march=native)", level.name, level.name,
		 level.name);
	return true;
}

enum x86_gate x86_gate(unsigned set, enum x86_feature *feature)
{
	enum x86_gate result = X86_GATE_MISSING;

	for (size_t i = 0; i < ARRAY_SIZE(gates); i++) {
		if (gates[i].set != set)
			continue;
		if (gates[i].need == NEED_ALWAYS)
			return X86_GATE_ALWAYS;
		if (gates[i].need == NEED_NEVER)
			return X86_GATE_NEVER;
		/* Of several features, the newest. */
		if (result == X86_GATE_MISSING ||
		    x86_feature_info[gates[i].need].level >
			    x86_feature_info[*feature].level)
			*feature = (enum x86_feature)gates[i].need;
		result = X86_GATE_FEATURE;
	}
	return result;
}
