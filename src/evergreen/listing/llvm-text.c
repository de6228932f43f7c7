#include "evergreen/listing/llvm-text.h"

#include <stdlib.h>
#include <string.h>

#include "evergreen/listing/listing.h"
#include "evergreen/isa/text.h"

static const char channels[] = "XYZW";

/* --- Sources and destinations -------------------------------------------- */

static void add_register(struct evg_text *text, unsigned gpr, unsigned channel,
			 bool relative)
{
	if (relative)
		evg_text_add(text, "T(%u + AR.x).%c+", gpr, channels[channel]);
	else
		evg_text_add(text, "T%u.%c", gpr, channels[channel]);
}

/* Selectors that are no registers and no constants; their names are those of
 * LLVM's register definitions where it has them. */
static const struct selector {
	uint16_t select;
	const char *name;
	bool channel;
} selectors[] = {
	{ EVG_SELECT_LDS_OQ_A, "OQA", false },
	{ EVG_SELECT_LDS_OQ_B, "OQB", false },
	{ EVG_SELECT_LDS_OQ_A_POP, "OQAP", false },
	{ EVG_SELECT_LDS_OQ_B_POP, "OQBP", false },
	{ EVG_SELECT_LDS_DIRECT_A, "LDS_DIRECT_A", false },
	{ EVG_SELECT_LDS_DIRECT_B, "LDS_DIRECT_B", false },
	{ EVG_SELECT_0, "0.0", false },
	{ EVG_SELECT_1, "1.0", false },
	{ EVG_SELECT_1_INT, "1", false },
	{ EVG_SELECT_M1_INT, "-1", false },
	{ EVG_SELECT_HALF, "0.5", false },
	{ EVG_SELECT_PV, "PV", true },
	{ EVG_SELECT_PS, "PS", false },
};

/* The vec4 number of a constant: of its window's place in the buffer. */
static void add_constant(struct evg_text *text,
			 const struct evg_source *source)
{
	static const uint16_t starts[] = { EVG_SELECT_KCACHE0,
					   EVG_SELECT_KCACHE1,
					   EVG_SELECT_KCACHE2,
					   EVG_SELECT_KCACHE3 };

	for (unsigned i = 0; i < 4; i++)
		if (source->select >= starts[i] &&
		    source->select < starts[i] + 32) {
			evg_text_add(text, "KC%u[%u].%c", i,
				     source->select - starts[i],
				     channels[source->channel]);
			return;
		}
	evg_text_add(text, "S%u.%c", source->select,
		     channels[source->channel]);
}

static void add_value(struct evg_text *text, const struct evg_source *source)
{
	if (source->select < 128) {
		add_register(text, source->select, source->channel,
			     source->relative);
		return;
	}
	if (source->select == EVG_SELECT_LITERAL) {
		evg_text_add(text, "literal.%c", "xyzw"[source->channel]);
		return;
	}
	for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
		if (selectors[i].select == source->select) {
			evg_text_add(text, "%s", selectors[i].name);
			if (selectors[i].channel)
				evg_text_add(text, ".%c",
					     channels[source->channel]);
			return;
		}
	add_constant(text, source);
}

static void add_source(struct evg_text *text, const struct evg_source *source)
{
	const char *bar = source->absolute ? "|" : "";

	evg_text_add(text, "%s%s", source->negate ? "-" : "", bar);
	add_value(text, source);
	evg_text_add(text, "%s, ", bar);
}

/* --- ALU ----------------------------------------------------------------- */

/* Names that differ from ours. */
static const char *const alu_names[EVG_ALU_COUNT] = {
#define ALU_LLVM(id, name) [EVG_ALU_##id] = name,
#include "evergreen/isa/alu.def"
};
static const char *const lds_names[EVG_LDS_COUNT] = {
#define LDS_LLVM(id, name) [EVG_LDS_##id] = name,
#include "evergreen/isa/lds.def"
};
static const char *const rat_names[EVG_RAT_COUNT] = {
#define RAT_LLVM(id, name) [EVG_RAT_##id] = name,
#include "evergreen/isa/rat.def"
};

static void add_tail(struct evg_text *text, const struct evg_alu_inst *inst)
{
	static const char *const predicates[] = {
		"", "Pred_sel_reserved", "Pred_sel_zero", "Pred_sel_one",
	};

	evg_text_add(text, "%s", predicates[inst->predicate_select]);
}

static void add_lds(struct evg_text *text, const struct evg_alu_inst *inst)
{
	const struct evg_lds_info *info = &evg_lds_info[inst->lds_op];
	const char *name = lds_names[inst->lds_op];

	evg_text_add(text, "LDS_%s%s%s ", name ? name : info->name,
		     inst->source_count < 3 ? " " : "", inst->last ? "*" : " ");
	if (info->returns && inst->lds_op != EVG_LDS_CMP_XCHG_RET)
		evg_text_add(text, "OQAP, ");
	for (unsigned i = 0; i < inst->source_count; i++) {
		add_value(text, &inst->source[i]);
		evg_text_add(text, inst->source_count == 1 ? " " : ", ");
	}
	add_tail(text, inst);
}

static void add_destination(struct evg_text *text,
			    const struct evg_alu_inst *inst)
{
	static const char *const modifiers[] = { "", " * 2.0", " * 4.0",
						 " / 2.0" };
	bool op3 = evg_alu_info[inst->op].op3;

	if (inst->update_execute_mask)
		evg_text_add(text, "ExecMask,");
	if (inst->update_predicate)
		evg_text_add(text, "Pred,");
	if (inst->op == EVG_ALU_MOVA_INT)
		evg_text_add(text, "AR.x");
	else if (evg_alu_info[inst->op].is_predicate)
		evg_text_add(text, "PredicateBit");
	else
		add_register(text, inst->dest_gpr, inst->dest_channel,
			     inst->dest_relative);
	if (!op3 && !inst->write_mask)
		evg_text_add(text, " (MASKED)");
	if (!op3)
		evg_text_add(text, "%s", modifiers[inst->output_modifier]);
	evg_text_add(text, ", ");
}

static void add_alu(struct evg_text *text, const struct evg_alu_inst *inst)
{
	static const char *const swizzles[] = {
		"", "BS:VEC_021/SCL_122", "BS:VEC_120/SCL_212",
		"BS:VEC_102/SCL_221", "BS:VEC_201", "BS:VEC_210", "BS:6",
		"BS:7",
	};

	evg_text_add(text, "  ");
	if (inst->op == EVG_ALU_LDS_IDX_OP) {
		add_lds(text, inst);
		return;
	}
	evg_text_add(text, "%s",
		     alu_names[inst->op] ? alu_names[inst->op]
					 : evg_alu_info[inst->op].name);
	if (inst->op == EVG_ALU_GROUP_BARRIER)
		return;
	evg_text_add(text, "%s %s ", inst->clamp ? "_SAT" : "",
		     inst->last ? "*" : " ");
	add_destination(text, inst);
	for (unsigned i = 0; i < inst->source_count; i++)
		add_source(text, &inst->source[i]);
	add_tail(text, inst);
	evg_text_add(text, "%s%s", evg_alu_info[inst->op].op3 ? "" : " ",
		     swizzles[inst->bank_swizzle]);
}

static void print_group(const struct evg_alu_group *group, FILE *stream)
{
	for (unsigned i = 0; i < group->inst_count; i++) {
		char line[256];
		struct evg_text text = { line, sizeof line, 0 };

		add_alu(&text, &group->inst[group->order[i]]);
		fprintf(stream, "%s\n", line);
	}
	for (unsigned i = 0; i < group->literal_count; i++) {
		uint32_t bits = group->literal[i];
		float value;

		memcpy(&value, &bits, sizeof value);
		/* LLVM writes neither the sign of a NaN nor "inf". */
		fprintf(stream, "%d(", (int32_t)bits);
		if (value != value)
			fputs("nan", stream);
		else if (value - value != 0)
			fputs(value < 0 ? "-INF" : "INF", stream);
		else
			fprintf(stream, "%e", (double)value);
		fputs(i % 2 ? ")\n" : "), ", stream);
	}
}

/* --- Fetches ------------------------------------------------------------- */

/* The channels that receive their own component; NULL when a channel receives
 * something else, for which LLVM's fetches have no text. */
static const char *own_channels(const uint8_t select[4], char *text)
{
	size_t count = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (select[i] == 7)
			continue;
		if (select[i] != i)
			return NULL;
		text[count++] = channels[i];
	}
	text[count] = 0;
	return text;
}

/* By DATA_FORMAT. */
static const char *read_name(unsigned data_format)
{
	switch (data_format) {
	case 1: return "8";
	case 5: return "16";
	case 13: return "32";
	case 29: return "64";
	case 34: return "128";
	default: return NULL;
	}
}

static bool add_vertex(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	const char *name = read_name(inst->data_format);
	char mask[5];

	if (!name || inst->op != EVG_FETCH_VFETCH || inst->source_relative ||
	    inst->dest_relative || inst->semantic ||
	    !own_channels(inst->dest_select, mask))
		return false;
	evg_text_add(text, "  VTX_READ_%s T%u.%s, T%u.%c, %u, #%u", name,
		     inst->dest_gpr, mask, inst->source_gpr,
		     channels[inst->source_select[0] & 3], inst->offset,
		     inst->resource_id);
	return true;
}

static void add_selects(struct evg_text *text, const uint8_t select[4])
{
	for (unsigned i = 0; i < 4; i++)
		evg_text_add(text, "%c", "XYZW01?_"[select[i]]);
}

static bool add_texture(struct evg_text *text,
			const struct evg_fetch_inst *inst)
{
	const struct evg_fetch_info *info = &evg_fetch_info[inst->op];

	if (info->layout != EVG_LAYOUT_TEX || inst->source_relative ||
	    inst->dest_relative)
		return false;
	evg_text_add(text, "  TEX_%s T%u.", info->name, inst->dest_gpr);
	add_selects(text, inst->dest_select);
	evg_text_add(text, ", T%u.", inst->source_gpr);
	add_selects(text, inst->source_select);
	evg_text_add(text, " RID:%u SID:%u CT:", inst->resource_id,
		     inst->sampler_id);
	for (unsigned i = 0; i < 4; i++)
		evg_text_add(text, "%c", inst->normalized[i] ? 'N' : 'U');
	return true;
}

static void print_fetch(const struct evg_code *code,
			const struct evg_code_fetch *fetch, FILE *stream)
{
	char line[512];
	struct evg_text text = { line, sizeof line, 0 };

	if (!(fetch->inst.is_vertex ? add_vertex(&text, &fetch->inst)
				    : add_texture(&text, &fetch->inst))) {
		evg_code_line_format(line, sizeof line,
				     &code->lines[fetch->line]);
		fprintf(stream, "; %s\n", line);
		return;
	}
	fprintf(stream, "%s\n", line);
}

/* --- Control flow -------------------------------------------------------- */

static void print_kcache(const struct evg_kcache *kcache, unsigned index,
			 FILE *stream)
{
	fprintf(stream, "%sKC%u[", index ? ", " : "", index);
	if (kcache->mode)
		fprintf(stream, "CB%u:%u-%u", kcache->bank,
			kcache->address * 16u,
			kcache->address * 16u +
				(kcache->mode == 2 ? 32u : 16u));
	fputc(']', stream);
}

static const char *rat_name(enum evg_rat_op op, char *text, size_t size)
{
	const char *name = evg_rat_info[op].name;
	size_t length = strlen(name);

	if (rat_names[op])
		return rat_names[op];
	if (evg_rat_info[op].returns)
		length -= strlen("_RTN");
	snprintf(text, size, "ATOMIC_%.*s%s", (int)length, name,
		 evg_rat_info[op].returns ? "" : "_RTN");
	return text;
}

/* What LLVM's exports print depends on the operation: whether its text has the
 * written components and the end of the program. */
static void print_rat(const struct evg_cf_inst *inst, FILE *stream)
{
	char name[48], mask[5];
	size_t count = 0;
	bool raw = inst->rat_op == EVG_RAT_STORE_RAW;

	for (unsigned i = 0; i < 4; i++)
		if (inst->component_mask >> i & 1)
			mask[count++] = channels[i];
	mask[count] = 0;
	fprintf(stream, "%s %s ", evg_cf_info[inst->op].llvm_text,
		rat_name(inst->rat_op, name, sizeof name));
	if (inst->rat_op == EVG_RAT_STORE_TYPED) {
		fprintf(stream, "RAT(%u), T%u.XYZW, T%u.XYZW, %d\n",
			inst->rat_id, inst->rw_gpr, inst->index_gpr,
			inst->end_of_program);
		return;
	}
	if (inst->rat_op == EVG_RAT_MSKOR)
		fprintf(stream, "T%u.XW, T%u.X\n", inst->rw_gpr,
			inst->index_gpr);
	else if (raw)
		fprintf(stream, "T%u.%s, T%u.X, %d\n", inst->rw_gpr, mask,
			inst->index_gpr, inst->end_of_program);
	else
		fprintf(stream, "T%u, T%u.X\n", inst->rw_gpr,
			inst->index_gpr);
}

static void print_clause_start(const struct evg_code_cf *cf, FILE *stream)
{
	const struct evg_cf_inst *inst = &cf->inst;

	fprintf(stream, "%s %u%s @%u", evg_cf_info[inst->op].llvm_text,
		inst->count - 1, cf->clause == EVG_CLAUSE_ALU ? "," : "",
		inst->address);
	if (cf->clause == EVG_CLAUSE_ALU)
		for (unsigned i = 0; i < 2; i++) {
			if (!i)
				fputs(", ", stream);
			print_kcache(&inst->kcache[i], i, stream);
		}
	fputc('\n', stream);
}

static void print_cf(const struct evg_code *code, const struct evg_code_cf *cf,
		     FILE *stream)
{
	const struct evg_cf_inst *inst = &cf->inst;
	const struct evg_cf_info *info = &evg_cf_info[inst->op];
	char line[512];

	if (!info->llvm_text) {
		evg_code_line_format(line, sizeof line, &code->lines[cf->line]);
		fprintf(stream, "; %s\n", line);
	} else if (info->format == EVG_CF_EXPORT_RAT) {
		print_rat(inst, stream);
	} else if (cf->clause != EVG_CLAUSE_NONE) {
		print_clause_start(cf, stream);
	} else if (info->operands == EVG_OPERANDS_PLAIN) {
		fprintf(stream, "%s\n",
			inst->end_of_program ? "CF_END" : info->llvm_text);
	} else {
		fprintf(stream, "%s @%u", info->llvm_text, inst->address);
		if (info->operands == EVG_OPERANDS_BRANCH ||
		    info->operands == EVG_OPERANDS_POP)
			fprintf(stream, " POP:%u", inst->pop_count);
		fputc('\n', stream);
	}
}

/* --- The listing --------------------------------------------------------- */

/* The clause whose first instruction is a line; NULL when there is none. */
static const struct evg_code_cf *find_clause(const struct evg_code *code,
					     uint32_t line)
{
	for (uint32_t i = 0; i < code->cf_count; i++) {
		const struct evg_code_cf *cf = &code->cf[i];

		if (!cf->size || !cf->count)
			continue;
		if (line == (cf->clause == EVG_CLAUSE_ALU
				     ? code->groups[cf->first].line
				     : code->fetches[cf->first].line))
			return cf;
	}
	return NULL;
}

void evg_llvm_print(const struct evg_code *code, FILE *stream)
{
	for (uint32_t i = 0; i < code->cf_count; i++)
		if (code->cf[i].size)
			print_cf(code, &code->cf[i], stream);
	for (uint32_t i = 0; i < code->line_count; i++) {
		const struct evg_code_line *line = &code->lines[i];
		const struct evg_code_cf *clause;

		if (line->kind == EVG_LINE_CF)
			continue;
		clause = find_clause(code, i);
		if (clause)
			fprintf(stream, "%s clause starting at %u:\n",
				line->kind == EVG_LINE_ALU ? "ALU" : "Fetch",
				line->address);
		if (line->kind == EVG_LINE_ALU)
			print_group(&line->group->group, stream);
		else
			print_fetch(code, line->fetch, stream);
	}
}
