#include "x86/emu/isa-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/emu/block.h"
#include "x86/emu/row-walk.h"

const char *x86_isa_state_name(enum x86_isa_state state)
{
	static const char *const names[] = {
		[X86_ISA_NEVER] = "on no model",
		[X86_ISA_FAULTS] = "faults",
		[X86_ISA_NO_OP] = "no-op",
		[X86_ISA_EXECUTED] = "executed",
		[X86_ISA_PARTLY] = "partly executed",
		[X86_ISA_UNSUPPORTED] = "not supported",
	};

	return names[state];
}

struct survey {
	struct x86_decoder *decoder[2];
	/* By mnemonic and instruction set: bits 1 << state, and modes. */
	struct seen {
		uint8_t states, modes;
	} seen[ZYDIS_MNEMONIC_MAX_VALUE + 1][ZYDIS_ISA_SET_MAX_VALUE + 1];
};

static enum x86_isa_state state_of(const struct x86_decoder *decoder,
				   const ZydisDecodedInstruction *inst,
				   const ZydisDecodedOperand *operand)
{
	enum x86_feature feature;
	x86_handler *handler;

	if (x86_gate(inst->meta.isa_set, &feature) == X86_GATE_NEVER)
		return X86_ISA_NEVER;
	handler = x86_handler_of(decoder, inst, operand);
	if (handler == x86_op_unsupported)
		return X86_ISA_UNSUPPORTED;
	if (handler == x86_op_nop)
		return X86_ISA_NO_OP;
	if (handler == x86_op_undefined || handler == x86_op_privileged)
		return X86_ISA_FAULTS;
	return X86_ISA_EXECUTED;
}

static void look(void *owner,
		 const uint8_t code[ZYDIS_MAX_INSTRUCTION_LENGTH])
{
	struct survey *survey = owner;

	for (int mode = 0; mode < 2; mode++) {
		const struct x86_decoder *decoder = survey->decoder[mode];
		ZydisDecodedInstruction inst;
		ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
		struct seen *seen;

		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			    &decoder->zydis, code,
			    ZYDIS_MAX_INSTRUCTION_LENGTH, &inst, operand)))
			continue;
		seen = &survey->seen[inst.mnemonic][inst.meta.isa_set];
		seen->states |= (uint8_t)(1 << state_of(decoder, &inst,
							operand));
		seen->modes |= (uint8_t)(1 << mode);
	}
}

static void finish_entry(const struct survey *survey, ZydisMnemonic mnemonic,
			 struct x86_isa_entry *entry)
{
	static const char *const models[] = {
		"i686", "x86-64", "x86-64-v2", "x86-64-v3", "by choice",
	};
	unsigned states = 0, modes = 0;
	int best = -1, best_set = 0;

	for (int set = 0; set <= ZYDIS_ISA_SET_MAX_VALUE; set++) {
		const struct seen *seen = &survey->seen[mnemonic][set];
		int top = -1;

		for (int i = 0; i < 8; i++)
			if (seen->states >> i & 1)
				top = i;
		/* Sets that add nothing to the mnemonic do not count. */
		if (top > best) {
			best = top;
			best_set = set;
		}
		states |= seen->states;
		if (top > X86_ISA_NEVER || !modes)
			modes |= seen->modes;
	}
	entry->name = ZydisMnemonicGetString(mnemonic);
	entry->set = ZydisISASetGetString((ZydisISASet)best_set);
	entry->state = (enum x86_isa_state)best;
	if (best == X86_ISA_UNSUPPORTED &&
	    states & (1u << X86_ISA_EXECUTED | 1u << X86_ISA_NO_OP))
		entry->state = X86_ISA_PARTLY;
	entry->modes[0] = modes & 1;
	entry->modes[1] = modes & 2;
	entry->forms = x86_row_count(mnemonic);
	entry->model = "";
	if (best != X86_ISA_NEVER) {
		enum x86_feature feature;
		enum x86_level level = X86_LEVEL_I686;

		if (x86_gate((unsigned)best_set, &feature) == X86_GATE_FEATURE)
			level = x86_feature_info[feature].level;
		if (!entry->modes[0] && level < X86_LEVEL_V1)
			level = X86_LEVEL_V1;
		entry->model = models[level];
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct x86_isa_entry *)a)->name,
		      ((const struct x86_isa_entry *)b)->name);
}

int x86_isa_list(struct x86_isa_entry **list, size_t *count,
		 struct error *error)
{
	struct survey *survey = xcalloc(1, sizeof *survey);
	struct x86_model model;
	int status = 0;

	/* The features of the models do not depend on this host. */
	x86_model_init(&model, X86_LEVEL_V3);
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		model.has[i] = true;
	for (int mode = 0; mode < 2 && !status; mode++) {
		struct x86_decoder *decoder = x86_decoder_create(
			mode ? X86_MODE_64 : X86_MODE_32, NULL, error);

		survey->decoder[mode] = decoder;
		if (!decoder) {
			status = -1;
			break;
		}
		decoder->model = model;
		x86_gates_init(decoder);
	}
	*count = 0;
	*list = NULL;
	if (!status) {
		x86_encodings_walk(look, survey, 0);
		*list = xcalloc(ZYDIS_MNEMONIC_MAX_VALUE + 1, sizeof **list);
		for (int i = 1; i <= ZYDIS_MNEMONIC_MAX_VALUE; i++) {
			struct x86_isa_entry *entry = *list + *count;

			finish_entry(survey, (ZydisMnemonic)i, entry);
			*count += entry->modes[0] || entry->modes[1];
		}
		qsort(*list, *count, sizeof **list, compare_names);
	}
	for (int mode = 0; mode < 2; mode++)
		x86_decoder_free(survey->decoder[mode]);
	free(survey);
	return status;
}

/* ---- Printing ---- */

static void print_entry(FILE *stream, bool page,
			const struct x86_isa_entry *entry)
{
	const char *modes = entry->modes[0] && entry->modes[1] ? "both" :
			    entry->modes[1] ? "64-bit" : "32-bit";

	if (page)
		fprintf(stream, "| %s | %s | %s | %s | %u |\n", entry->name,
			x86_isa_state_name(entry->state), modes, entry->model,
			entry->forms);
	else
		fprintf(stream, "%-18s %-15s %-7s %-10s %5u  %s\n",
			entry->name, x86_isa_state_name(entry->state), modes,
			entry->model, entry->forms, entry->set);
}

int x86_isa_print(FILE *stream, bool page, struct error *error)
{
	unsigned counts[X86_ISA_UNSUPPORTED + 1] = { 0 };
	struct x86_isa_entry *list;
	size_t count;

	if (x86_isa_list(&list, &count, error))
		return -1;
	fputs(page ? "| mnemonic | state | modes | CPU model | forms |\n"
		     "|---|---|---|---|---|\n"
		   : "mnemonic           state           modes   CPU model  "
		     "forms  set\n", stream);
	for (size_t i = 0; i < count; i++) {
		counts[list[i].state]++;
		/* Without AVX-512, which would fill most of the page. */
		if (!page || list[i].state != X86_ISA_NEVER)
			print_entry(stream, page, &list[i]);
	}
	free(list);
	fputc('\n', stream);
	for (int i = X86_ISA_UNSUPPORTED; i >= 0; i--)
		fprintf(stream, "%s%u mnemonics: %s%s\n", page ? "- " : "",
			counts[i], x86_isa_state_name((enum x86_isa_state)i),
			page && i == X86_ISA_NEVER ?
			" (AVX-512, AMX, 3DNow!, XOP, ...; listed by "
			"`m2s --x86-isa`)" : "");
	return 0;
}
