/* Fetch instructions (VTX, TEX, MEM_RD and GDS layouts): decoder and
 * encoder. */
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/layout.h"
#include "evergreen/isa/table.h"

#define F(...) EVG_FIELD(evg_fetch_inst, __VA_ARGS__)
#define FL(...) EVG_FIELD_LEGAL(evg_fetch_inst, __VA_ARGS__)
#define FS(...) EVG_FIELD_SIGNED(evg_fetch_inst, __VA_ARGS__)
#define CODE EVG_FIELD_CODE

enum { MEM_INST = 2, MEM_OP_HIGH = 10, MEM_OP_LOW = 8 };

#define DEST_SELECTS                                                           \
	FL(dest_select[0], "DST_SEL_X", 1, 11, 9, EVG_LEGAL_SELECT),           \
	FL(dest_select[1], "DST_SEL_Y", 1, 14, 12, EVG_LEGAL_SELECT),          \
	FL(dest_select[2], "DST_SEL_Z", 1, 17, 15, EVG_LEGAL_SELECT),          \
	FL(dest_select[3], "DST_SEL_W", 1, 20, 18, EVG_LEGAL_SELECT)

#define DEST_GPR                                                               \
	F(dest_gpr, "DST_GPR", 1, 6, 0), F(dest_relative, "DST_REL", 1, 7, 7)

#define SOURCE_GPR                                                             \
	F(source_gpr, "SRC_GPR", 0, 22, 16),                                   \
	F(source_relative, "SRC_REL", 0, 23, 23)

#define FORMAT                                                                 \
	F(use_const_fields, "USE_CONST_FIELDS", 1, 21, 21),                    \
	F(data_format, "DATA_FORMAT", 1, 27, 22),                              \
	FL(num_format, "NUM_FORMAT_ALL", 1, 29, 28, EVG_LEGAL_THREE),          \
	F(format_signed, "FORMAT_COMP_ALL", 1, 30, 30),                        \
	F(srf_mode, "SRF_MODE_ALL", 1, 31, 31)

#define VTX_FIELDS                                                             \
	CODE("VC_INST", 0, 4, 0),                                              \
	FL(fetch_type, "FETCH_TYPE", 0, 6, 5, EVG_LEGAL_THREE),                \
	F(whole_quad, "FETCH_WHOLE_QUAD", 0, 7, 7),                            \
	F(resource_id, "BUFFER_ID", 0, 15, 8),                                 \
	SOURCE_GPR,                                                            \
	F(source_select[0], "SRC_SEL_X", 0, 25, 24),                           \
	F(mega_fetch_count, "MEGA_FETCH_COUNT", 0, 31, 26),                    \
	DEST_SELECTS,                                                          \
	FORMAT,                                                                \
	F(offset, "OFFSET", 2, 15, 0),                                         \
	FL(endian_swap, "ENDIAN_SWAP", 2, 17, 16, EVG_LEGAL_THREE),            \
	F(const_buf_no_stride, "CONST_BUF_NO_STRIDE", 2, 18, 18),              \
	F(mega_fetch, "MEGA_FETCH", 2, 19, 19),                                \
	F(alt_const, "ALT_CONST", 2, 20, 20),                                  \
	FL(buffer_index_mode, "BUFFER_INDEX_MODE", 2, 22, 21,                  \
	   EVG_LEGAL_INDEX_MODE)

static const struct evg_field vtx[] = {VTX_FIELDS, DEST_GPR};

/* SEMANTIC_ID lies where the register is otherwise. */
static const struct evg_field vtx_semantic[] = {
	VTX_FIELDS, F(dest_gpr, "SEMANTIC_ID", 1, 7, 0)};

static const struct evg_field tex[] = {
	CODE("TEX_INST", 0, 4, 0),
	F(inst_mod, "INST_MOD", 0, 6, 5),
	F(whole_quad, "FETCH_WHOLE_QUAD", 0, 7, 7),
	F(resource_id, "RESOURCE_ID", 0, 15, 8),
	SOURCE_GPR,
	F(alt_const, "ALT_CONST", 0, 24, 24),
	FL(resource_index_mode, "RESOURCE_INDEX_MODE", 0, 26, 25,
	   EVG_LEGAL_INDEX_MODE),
	FL(sampler_index_mode, "SAMPLER_INDEX_MODE", 0, 28, 27,
	   EVG_LEGAL_INDEX_MODE),
	DEST_GPR,
	DEST_SELECTS,
	FS(lod_bias, "LOD_BIAS", 1, 27, 21),
	F(normalized[0], "COORD_TYPE_X", 1, 28, 28),
	F(normalized[1], "COORD_TYPE_Y", 1, 29, 29),
	F(normalized[2], "COORD_TYPE_Z", 1, 30, 30),
	F(normalized[3], "COORD_TYPE_W", 1, 31, 31),
	FS(texel_offset[0], "OFFSET_X", 2, 4, 0),
	FS(texel_offset[1], "OFFSET_Y", 2, 9, 5),
	FS(texel_offset[2], "OFFSET_Z", 2, 14, 10),
	F(sampler_id, "SAMPLER_ID", 2, 19, 15),
	FL(source_select[0], "SRC_SEL_X", 2, 22, 20, EVG_LEGAL_SELECT),
	FL(source_select[1], "SRC_SEL_Y", 2, 25, 23, EVG_LEGAL_SELECT),
	FL(source_select[2], "SRC_SEL_Z", 2, 28, 26, EVG_LEGAL_SELECT),
	FL(source_select[3], "SRC_SEL_W", 2, 31, 29, EVG_LEGAL_SELECT),
};

static const struct evg_field mem_rd[] = {
	CODE("MEM_INST", 0, 4, 0),
	F(element_size, "ELEM_SIZE", 0, 6, 5),
	F(whole_quad, "FETCH_WHOLE_QUAD", 0, 7, 7),
	F(mem_op, "MEM_OP", 0, MEM_OP_HIGH, MEM_OP_LOW),
	F(uncached, "UNCACHED", 0, 11, 11),
	F(indexed, "INDEXED", 0, 12, 12),
	SOURCE_GPR,
	F(source_select[0], "SRC_SEL_X", 0, 25, 24),
	F(burst_count, "BURST_COUNT", 0, 29, 26),
	DEST_GPR,
	DEST_SELECTS,
	FORMAT,
	F(array_base, "ARRAY_BASE", 2, 12, 0),
	FL(endian_swap, "ENDIAN_SWAP", 2, 17, 16, EVG_LEGAL_THREE),
	F(array_size, "ARRAY_SIZE", 2, 31, 20),
};

static const struct evg_field gds[] = {
	CODE("MEM_INST", 0, 4, 0),
	F(mem_op, "MEM_OP", 0, MEM_OP_HIGH, MEM_OP_LOW),
	F(source_gpr, "SRC_GPR", 0, 17, 11),
	F(source_relative_mode, "SRC_REL_MODE", 0, 19, 18),
	FL(source_select[0], "SRC_SEL_X", 0, 22, 20, EVG_LEGAL_SELECT),
	FL(source_select[1], "SRC_SEL_Y", 0, 25, 23, EVG_LEGAL_SELECT),
	FL(source_select[2], "SRC_SEL_Z", 0, 28, 26, EVG_LEGAL_SELECT),
	F(dest_gpr, "DST_GPR", 1, 6, 0),
	F(dest_relative_mode, "DST_REL_MODE", 1, 8, 7),
	F(gds_op, "GDS_OP", 1, 14, 9),
	F(source_gpr2, "SRC_GPR2", 1, 22, 16),
	FL(uav_index_mode, "UAV_INDEX_MODE", 1, 25, 24, EVG_LEGAL_INDEX_MODE),
	F(uav_id, "UAV_ID", 1, 29, 26),
	F(alloc_consume, "ALLOC_CONSUME", 1, 30, 30),
	F(broadcast_first, "BCAST_FIRST_REQ", 1, 31, 31),
	FL(dest_select[0], "DST_SEL_X", 2, 2, 0, EVG_LEGAL_SELECT),
	FL(dest_select[1], "DST_SEL_Y", 2, 5, 3, EVG_LEGAL_SELECT),
	FL(dest_select[2], "DST_SEL_Z", 2, 8, 6, EVG_LEGAL_SELECT),
	FL(dest_select[3], "DST_SEL_W", 2, 11, 9, EVG_LEGAL_SELECT),
};

#define LAYOUT(name, fields) {name, fields, ARRAY_SIZE(fields), 3}

static const struct evg_layout layouts[] = {
	[EVG_LAYOUT_VTX] = LAYOUT("VTX_WORD", vtx),
	[EVG_LAYOUT_TEX] = LAYOUT("TEX_WORD", tex),
	[EVG_LAYOUT_MEM_RD] = LAYOUT("MEM_RD_WORD", mem_rd),
	[EVG_LAYOUT_GDS] = LAYOUT("MEM_GDS_WORD", gds),
};
static const struct evg_layout semantic_layout =
	LAYOUT("VTX_WORD_SEM", vtx_semantic);

const struct evg_layout *evg_fetch_layout_of(enum evg_fetch_op op)
{
	return op == EVG_FETCH_SEMFETCH ? &semantic_layout
					: &layouts[evg_fetch_info[op].layout];
}

static int read_fields(struct evg_fetch_inst *inst, int op,
		       const uint32_t words[4], struct error *error)
{
	memset(inst, 0, sizeof(*inst));
	inst->op = (enum evg_fetch_op)op;
	inst->is_vertex = evg_fetch_info[op].layout == EVG_LAYOUT_VTX;
	inst->semantic = op == EVG_FETCH_SEMFETCH;
	if (evg_layout_read(evg_fetch_layout_of(inst->op), inst, words, error))
		return -1;
	memcpy(inst->word, words, sizeof(inst->word));
	return 2;
}

int evg_fetch_decode(struct evg_fetch_inst *inst, const uint32_t words[4],
		     struct error *error)
{
	unsigned code = evg_bits(words[0], 4, 0), mod;
	int op;

	/* VTX, TEX and MEM_RD share the codes: each belongs to one layout. */
	if (code == MEM_INST) {
		mod = evg_bits(words[0], MEM_OP_HIGH, MEM_OP_LOW);
		op = evg_fetch_find(EVG_LAYOUT_MEM_RD, code, mod, 0);
		if (op < 0)
			return evg_error_words(error, words, 4,
					       "field MEM_OP is %u, which is "
					       "not a memory read",
					       mod);
		return read_fields(inst, op, words, error);
	}
	op = evg_fetch_find(EVG_LAYOUT_VTX, code, 0, 0);
	if (op < 0) {
		mod = evg_bits(words[0], 6, 5);
		op = evg_fetch_find(EVG_LAYOUT_TEX, code, mod, 0);
		if (op < 0)
			return evg_error_words(error, words, 4,
					       "field TEX_INST is %u with "
					       "INST_MOD %u, which is not a "
					       "fetch instruction",
					       code, mod);
	}
	return read_fields(inst, op, words, error);
}

int evg_gds_decode(struct evg_fetch_inst *inst, const uint32_t words[4],
		   struct error *error)
{
	unsigned code = evg_bits(words[0], 4, 0);
	unsigned mem_op = evg_bits(words[0], MEM_OP_HIGH, MEM_OP_LOW);
	unsigned gds_op = evg_bits(words[1], 14, 9);
	int op = evg_fetch_find(EVG_LAYOUT_GDS, code, mem_op, gds_op);

	if (op < 0)
		return evg_error_words(error, words, 4,
				       "fields MEM_INST, MEM_OP, GDS_OP are "
				       "%u, %u, %u, which is not a GDS "
				       "instruction",
				       code, mem_op, gds_op);
	return read_fields(inst, op, words, error);
}

int evg_fetch_encode(uint32_t words[4], const struct evg_fetch_inst *inst,
		     struct error *error)
{
	struct evg_fetch_inst copy = *inst;
	const struct evg_fetch_info *info;

	if ((unsigned)inst->op >= EVG_FETCH_COUNT)
		return error_set(error, "%d is not a fetch instruction",
				 (int)inst->op);
	info = &evg_fetch_info[inst->op];
	words[0] = info->code;
	words[1] = words[2] = 0;
	words[3] = inst->word[3]; /* padding */
	switch (info->layout) {
	case EVG_LAYOUT_TEX:
		if (info->mod != EVG_MOD_ANY)
			copy.inst_mod = (uint8_t)info->mod;
		break;
	case EVG_LAYOUT_GDS:
		if (inst->op != EVG_FETCH_TF_WRITE)
			copy.gds_op = info->gds_op;
		copy.mem_op = (uint8_t)info->mod;
		break;
	case EVG_LAYOUT_MEM_RD:
		copy.mem_op = (uint8_t)info->mod;
		break;
	case EVG_LAYOUT_VTX:
		break;
	}
	if (evg_layout_write(evg_fetch_layout_of(inst->op), &copy, words, error))
		return -1;
	if ((info->layout == EVG_LAYOUT_GDS
		     ? evg_gds_decode(&copy, words, error)
		     : evg_fetch_decode(&copy, words, error)) < 0)
		return -1;
	if (copy.op != inst->op) /* CF_NATIVE has VFETCH's code */
		return error_set(error, "%s has the same encoding as %s",
				 info->name, evg_fetch_info[copy.op].name);
	return 2;
}
