/* Fetch instructions. */
#include <string.h>

#include "evergreen/asm/asm.h"
#include "evergreen/asm/attribute.h"
#include "evergreen/asm/operand.h"

#define FLAG(name, field) { name, field, EVG_ATTRIBUTE_FLAG, 1, NULL }
#define NUMBER(name, field, bias)                                              \
	{ name, field, EVG_ATTRIBUTE_NUMBER, bias, NULL }
#define CHOICE(name, field, choices)                                           \
	{ name, field, EVG_ATTRIBUTE_CHOICE, 0, choices }

static const struct evg_attribute attributes[] = {
	FLAG("WHOLE_QUAD", "FETCH_WHOLE_QUAD"),
	FLAG("ALT_CONST", "ALT_CONST"),
	FLAG("SIGNED", "FORMAT_COMP_ALL"),
	FLAG("NO_ZERO", "SRF_MODE_ALL"),
	FLAG("NO_STRIDE", "CONST_BUF_NO_STRIDE"),
	FLAG("UNCACHED", "UNCACHED"),
	FLAG("ALLOC_CONSUME", "ALLOC_CONSUME"),
	FLAG("BCAST_FIRST_REQ", "BCAST_FIRST_REQ"),
	NUMBER("OFFSET", "OFFSET", 0),
	NUMBER("LOD_BIAS", "LOD_BIAS", 0),
	NUMBER("BRSTCNT", "BURST_COUNT", 0),
	NUMBER("MINI", "MEGA_FETCH_COUNT", 1),
	NUMBER("MEGA", "MEGA_FETCH_COUNT", 1),
	CHOICE("NUM_FORMAT", "NUM_FORMAT_ALL", "NORM|INT|SCALED"),
	CHOICE("ENDIAN_SWAP", "ENDIAN_SWAP", "|8IN16|8IN32"),
	CHOICE("FETCH_TYPE", "FETCH_TYPE", "|INSTANCE_DATA|NO_INDEX_OFFSET"),
	CHOICE("COMPONENT", "INST_MOD", "x|y|z|w"),
	EVG_ATTRIBUTES_END
};

static int parse_op(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	char word[EVG_WORD_SIZE];

	if (!evg_scan_word(scan, word))
		return evg_scan_expected(scan, "a fetch instruction");
	for (int op = 0; op < EVG_FETCH_COUNT; op++) {
		if (strcmp(evg_fetch_info[op].name, word))
			continue;
		inst->op = (enum evg_fetch_op)op;
		inst->is_vertex = evg_fetch_info[op].layout == EVG_LAYOUT_VTX;
		inst->semantic = op == EVG_FETCH_SEMFETCH;
		return 0;
	}
	return evg_scan_fail(scan, "%s is not a fetch instruction", word);
}

/* "OFFSET(1,-2,0)" of texture instructions. */
static int parse_texel_offset(struct evg_scan *scan,
			      struct evg_fetch_inst *inst)
{
	for (unsigned i = 0; i < 3; i++) {
		int32_t value;

		if (evg_scan_need(scan, i ? "," : "(") ||
		    (!evg_scan_signed(scan, &value) &&
		     evg_scan_expected(scan, "a number")))
			return -1;
		if (value < -16 || value > 15)
			return evg_scan_fail(scan, "texel offset %d, expected "
					     "-16 to 15", value);
		inst->texel_offset[i] = (int8_t)value;
	}
	return evg_scan_need(scan, ")");
}

static int parse_unnormalized(struct evg_scan *scan,
			      struct evg_fetch_inst *inst)
{
	if (evg_scan_need(scan, "("))
		return -1;
	for (unsigned i = 0; i < 4; i++) {
		char letter[2] = { "XYZW"[i], '\0' };

		if (evg_scan_text(scan, letter))
			inst->normalized[i] = false;
	}
	return evg_scan_need(scan, ")");
}

/* "FORMAT(32_32)" or "FORMAT(29)". */
static int parse_format(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	char word[EVG_WORD_SIZE];
	int format;

	if (evg_scan_need(scan, "("))
		return -1;
	if (!evg_scan_word(scan, word))
		return evg_scan_expected(scan, "a data format");
	format = evg_data_format_find(word);
	if (format < 0)
		return evg_scan_fail(scan, "%s is not a data format", word);
	inst->use_const_fields = false;
	inst->data_format = (uint8_t)format;
	return evg_scan_need(scan, ")");
}

static int parse_attributes(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	enum evg_fetch_layout layout = evg_fetch_info[inst->op].layout;

	while (!evg_scan_end(scan)) {
		int result = 0;
		uint32_t word;

		if (layout == EVG_LAYOUT_TEX && evg_scan_keyword(scan, "OFFSET"))
			result = parse_texel_offset(scan, inst) ? -1 : 1;
		else if (layout == EVG_LAYOUT_TEX &&
			 evg_scan_keyword(scan, "UNNORM"))
			result = parse_unnormalized(scan, inst) ? -1 : 1;
		else if (evg_scan_keyword(scan, "FORMAT"))
			result = parse_format(scan, inst) ? -1 : 1;
		else if (evg_scan_text(scan, "WORD3=")) {
			if (evg_scan_need_number(scan, &word))
				return -1;
			inst->word[3] = word;
			continue;
		}
		if (layout == EVG_LAYOUT_VTX && !result) {
			const char *before = scan->at;

			inst->mega_fetch |= evg_scan_keyword(scan, "MEGA");
			scan->at = before;
		}
		if (!result)
			result = evg_scan_attribute(
				scan, attributes,
				evg_fetch_layout_of(inst->op), "", inst);
		if (result < 0)
			return -1;
		if (!result)
			return evg_scan_expected(scan, "an attribute of %s",
						 evg_fetch_info[inst->op].name);
	}
	return 0;
}

static int parse_register(struct evg_scan *scan, uint8_t *gpr, bool *relative)
{
	struct evg_register reg;

	if (evg_scan_register(scan, &reg))
		return -1;
	if (reg.relative && reg.mode != EVG_INDEX_LOOP)
		return evg_scan_fail(scan, "a register of the fetch has "
					   "another index than aL; expected "
					   "R[n+aL]");
	*gpr = reg.number;
	*relative = reg.relative;
	return 0;
}

static int parse_destination(struct evg_scan *scan,
			     struct evg_fetch_inst *inst)
{
	uint32_t semantic;

	if (inst->semantic && evg_scan_text(scan, "SEM(")) {
		if (evg_scan_need_number(scan, &semantic) ||
		    evg_scan_need(scan, ")"))
			return -1;
		inst->dest_gpr = (uint8_t)semantic;
	} else if (parse_register(scan, &inst->dest_gpr,
				  &inst->dest_relative)) {
		return -1;
	}
	return evg_scan_selects(scan, inst->dest_select, 4);
}

/* "fc1+idx0", "t0", "s3". */
static int parse_resource(struct evg_scan *scan, const char *letter,
			  uint8_t *id, uint8_t *index_mode)
{
	uint32_t number;

	if (evg_scan_need(scan, ",") || evg_scan_need(scan, letter) ||
	    evg_scan_need_number(scan, &number))
		return -1;
	if (number > 255)
		return evg_scan_fail(scan, "%s%u: expected a number below "
					   "256", letter,
				     number);
	*id = (uint8_t)number;
	*index_mode = evg_scan_index(scan);
	return 0;
}

static int parse_source(struct evg_scan *scan, struct evg_fetch_inst *inst,
			unsigned selects)
{
	return evg_scan_need(scan, ",") ||
	       parse_register(scan, &inst->source_gpr,
			      &inst->source_relative) ||
	       evg_scan_selects(scan, inst->source_select, selects)
		       ? -1
		       : 0;
}

static int parse_vtx(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	inst->use_const_fields = true; /* unless a format is given */
	return parse_destination(scan, inst) || parse_source(scan, inst, 1) ||
	       parse_resource(scan, "fc", &inst->resource_id,
			      &inst->buffer_index_mode)
		       ? -1
		       : 0;
}

static int parse_tex(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	memset(inst->normalized, true, sizeof inst->normalized);
	return parse_destination(scan, inst) || parse_source(scan, inst, 4) ||
	       parse_resource(scan, "t", &inst->resource_id,
			      &inst->resource_index_mode) ||
	       parse_resource(scan, "s", &inst->sampler_id,
			      &inst->sampler_index_mode)
		       ? -1
		       : 0;
}

static int parse_mem_rd(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	uint32_t base, size, element;

	inst->use_const_fields = true;
	if (parse_destination(scan, inst) || evg_scan_need(scan, ",") ||
	    evg_scan_need(scan, "DWORD_PTR[") ||
	    evg_scan_need_number(scan, &base))
		return -1;
	inst->indexed = evg_scan_text(scan, "+");
	if (inst->indexed &&
	    (parse_register(scan, &inst->source_gpr, &inst->source_relative) ||
	     evg_scan_selects(scan, inst->source_select, 1)))
		return -1;
	if (evg_scan_need(scan, "]") || evg_scan_need(scan, ",") ||
	    evg_scan_need(scan, "ARRAY_SIZE(") ||
	    evg_scan_need_number(scan, &size) || evg_scan_need(scan, ")") ||
	    evg_scan_need(scan, ",") || evg_scan_need(scan, "ELEM_SIZE(") ||
	    evg_scan_need_number(scan, &element) || evg_scan_need(scan, ")"))
		return -1;
	if (base >= 1 << 13 || size >= 1 << 12 || element > 3)
		return evg_scan_fail(scan, "DWORD_PTR[%u], ARRAY_SIZE(%u), "
				     "ELEM_SIZE(%u): expected less than 8192, "
				     "4096 and 4", base, size, element);
	inst->array_base = (uint16_t)base;
	inst->array_size = (uint16_t)size;
	inst->element_size = (uint8_t)element;
	return 0;
}

static uint8_t parse_relative_mode(struct evg_scan *scan)
{
	return evg_scan_text(scan, "+aL")  ? 1
	       : evg_scan_text(scan, "+G") ? 2
	       : evg_scan_text(scan, "+?") ? 3
					   : 0;
}

static int parse_gds(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	bool plain;
	uint32_t uav;

	if (parse_register(scan, &inst->dest_gpr, &plain))
		return -1;
	inst->dest_relative_mode = parse_relative_mode(scan);
	if (evg_scan_selects(scan, inst->dest_select, 4) ||
	    evg_scan_need(scan, ",") ||
	    parse_register(scan, &inst->source_gpr, &plain))
		return -1;
	inst->source_relative_mode = parse_relative_mode(scan);
	if (evg_scan_selects(scan, inst->source_select, 3) ||
	    evg_scan_need(scan, ","))
		return -1;
	if (!evg_scan_text(scan, "UAV(")) {
		if (parse_register(scan, &inst->source_gpr2, &plain) ||
		    evg_scan_need(scan, ",") || evg_scan_need(scan, "UAV("))
			return -1;
	}
	if (evg_scan_need_number(scan, &uav))
		return -1;
	if (uav > 15)
		return evg_scan_fail(scan, "UAV(%u): expected UAV(0) to "
					   "UAV(15)", uav);
	inst->uav_id = (uint8_t)uav;
	inst->uav_index_mode = evg_scan_index(scan);
	return evg_scan_need(scan, ")");
}

int evg_fetch_parse(struct evg_scan *scan, struct evg_fetch_inst *inst)
{
	static int (*const parse[])(struct evg_scan *,
				    struct evg_fetch_inst *) = {
		[EVG_LAYOUT_VTX] = parse_vtx,
		[EVG_LAYOUT_TEX] = parse_tex,
		[EVG_LAYOUT_MEM_RD] = parse_mem_rd,
		[EVG_LAYOUT_GDS] = parse_gds,
	};

	memset(inst, 0, sizeof *inst);
	if (parse_op(scan, inst) ||
	    parse[evg_fetch_info[inst->op].layout](scan, inst))
		return -1;
	return parse_attributes(scan, inst);
}
