/* Machine instructions as text. */
#include "opencl-rt/codegen/stage/stage.h"

static void print_register(FILE *out, const struct machine *machine, int reg,
			   bool placed)
{
	const struct machine_register *place = &machine->registers[reg];

	fprintf(out, "%%%d", reg);
	if (placed)
		fprintf(out, ":R%u.%c", place->number, "xyzw"[place->channel]);
	else if (place->channel != MACHINE_NONE)
		fprintf(out, ".%c", "xyzw"[place->channel]);
}

static void print_constant(FILE *out, const struct machine_source *source)
{
	switch (source->select) {
	case EVG_SELECT_0:
		fputs("0", out);
		break;
	case EVG_SELECT_1:
		fputs("1.0f", out);
		break;
	case EVG_SELECT_1_INT:
		fputs("1", out);
		break;
	case EVG_SELECT_M1_INT:
		fputs("-1", out);
		break;
	case EVG_SELECT_HALF:
		fputs("0.5f", out);
		break;
	case EVG_SELECT_LITERAL:
		fprintf(out, "0x%08x%s", source->literal,
			source->relocated ? " (table)" : "");
		break;
	case EVG_SELECT_LDS_OQ_A_POP:
		fputs("QA.pop", out);
		break;
	case EVG_SELECT_LDS_OQ_B_POP:
		fputs("QB.pop", out);
		break;
	default:
		if (source->select >= EVG_SELECT_KCACHE0 &&
		    source->select < EVG_SELECT_KCACHE1 + 32)
			fprintf(out, "CB0[%u].%c",
				source->select - EVG_SELECT_KCACHE0,
				"xyzw"[source->channel]);
		else
			fprintf(out, "select %u", source->select);
		break;
	}
}

static void print_sources(FILE *out, const struct machine *machine,
			  const struct machine_inst *inst, bool placed)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		const struct machine_source *source = &inst->source[k];

		fputs(k ? ", " : " ", out);
		fputs(source->negate ? "-" : "", out);
		fputs(source->absolute ? "|" : "", out);
		if (source->reg == MACHINE_NONE)
			print_constant(out, source);
		else
			print_register(out, machine, source->reg, placed);
		fputs(source->absolute ? "|" : "", out);
	}
}

static void print_name(FILE *out, const struct machine_inst *inst)
{
	static const char *const flow[] = {
		[MACHINE_IF] = "IF", [MACHINE_ELSE] = "ELSE",
		[MACHINE_END_IF] = "END_IF", [MACHINE_LOOP] = "LOOP",
		[MACHINE_BREAK] = "BREAK", [MACHINE_END_LOOP] = "END_LOOP",
	};

	switch (inst->kind) {
	case MACHINE_ALU:
		fputs(inst->op == EVG_ALU_LDS_IDX_OP
			      ? evg_lds_info[inst->lds_op].name
			      : evg_alu_info[inst->op].name,
		      out);
		break;
	case MACHINE_FETCH:
		fprintf(out, "FETCH.%u%s", inst->resource,
			inst->scratch ? ".scratch" : "");
		break;
	case MACHINE_STORE:
		fprintf(out, "%s%s",
			inst->waits ? "WAIT" : evg_rat_info[inst->rat_op].name,
			inst->scratch ? ".scratch" : "");
		break;
	default:
		fputs(flow[inst->kind], out);
		if (inst->source_count)
			fprintf(out, " %s", evg_alu_info[inst->op].name);
		break;
	}
}

static unsigned indent(const struct machine_inst *inst, unsigned *depth)
{
	if (inst->kind == MACHINE_END_IF || inst->kind == MACHINE_END_LOOP)
		*depth -= *depth > 0;
	if (inst->kind == MACHINE_ELSE)
		return *depth - (*depth > 0);
	if (inst->kind == MACHINE_IF || inst->kind == MACHINE_LOOP)
		return (*depth)++;
	return *depth;
}

void stage_print(FILE *out, const struct machine *machine, bool placed)
{
	unsigned depth = 0;

	for (unsigned i = 0; i < machine->inst_count; i++) {
		const struct machine_inst *inst = &machine->insts[i];
		unsigned tabs = indent(inst, &depth);

		fprintf(out, "%6u  %*s", i, (int)(2 * tabs), "");
		for (unsigned k = 0; k < inst->dest_count; k++) {
			fputs(k ? ", " : "", out);
			print_register(out, machine, inst->dest[k], placed);
		}
		fputs(inst->dest_count ? " = " : "", out);
		print_name(out, inst);
		print_sources(out, machine, inst, placed);
		if (inst->offset)
			fprintf(out, " + %u", inst->offset);
		if (inst->predicate)
			fputs(inst->predicate == 3 ? "  if passed"
						   : "  if not passed", out);
		fputc('\n', out);
	}
}
