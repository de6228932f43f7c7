/* Text of fetch instructions, in the style of AMD's listings. */
#include "evergreen/isa/data-format.h"
#include "evergreen/isa/inst.h"
#include "evergreen/isa/text.h"

static void add_register(struct evg_text *text, unsigned gpr, bool relative)
{
	if (relative)
		evg_text_add(text, "R[%u+aL]", gpr);
	else
		evg_text_add(text, "R%u", gpr);
}

static void add_selects(struct evg_text *text, const uint8_t *select,
			unsigned count)
{
	evg_text_add(text, ".");
	for (unsigned i = 0; i < count; i++)
		evg_text_add(text, "%c", evg_select_letter(select[i]));
}

static void add_destination(struct evg_text *text,
			    const struct evg_fetch_inst *inst)
{
	evg_text_add(text, "%s ", evg_fetch_info[inst->op].name);
	if (inst->semantic)
		evg_text_add(text, "SEM(%u)", inst->dest_gpr);
	else
		add_register(text, inst->dest_gpr, inst->dest_relative);
	add_selects(text, inst->dest_select, 4);
	evg_text_add(text, ", ");
	add_register(text, inst->source_gpr, inst->source_relative);
}

static void add_format(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	static const char *const number[] = {"NORM", "INT", "SCALED", "?"};
	const char *name = evg_data_format_name(inst->data_format);

	if (inst->use_const_fields)
		return;
	if (name)
		evg_text_add(text, " FORMAT(%s)", name);
	else
		evg_text_add(text, " FORMAT(%u)", inst->data_format);
	evg_text_add(text, " NUM_FORMAT(%s)", number[inst->num_format & 3]);
	if (inst->format_signed)
		evg_text_add(text, " SIGNED");
	if (inst->srf_mode)
		evg_text_add(text, " NO_ZERO");
}

static void add_endian(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	static const char *const swap[] = {"", "8IN16", "8IN32", "?"};

	if (inst->endian_swap)
		evg_text_add(text, " ENDIAN_SWAP(%s)",
			     swap[inst->endian_swap & 3]);
}

static void add_vtx(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	static const char *const type[] = {"", "INSTANCE_DATA",
					   "NO_INDEX_OFFSET", "?"};

	add_destination(text, inst);
	add_selects(text, inst->source_select, 1);
	evg_text_add(text, ", fc%u%s ", inst->resource_id,
		     evg_index_suffix(inst->buffer_index_mode));
	if (inst->mega_fetch)
		evg_text_add(text, " MEGA(%u)", inst->mega_fetch_count + 1);
	else if (inst->mega_fetch_count)
		evg_text_add(text, " MINI(%u)", inst->mega_fetch_count + 1);
	if (inst->offset)
		evg_text_add(text, " OFFSET(%u)", inst->offset);
	add_format(text, inst);
	add_endian(text, inst);
	if (inst->const_buf_no_stride)
		evg_text_add(text, " NO_STRIDE");
	if (inst->alt_const)
		evg_text_add(text, " ALT_CONST");
	if (inst->fetch_type)
		evg_text_add(text, " FETCH_TYPE(%s)",
			     type[inst->fetch_type & 3]);
}

static void add_tex(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	char unnormalized[5];
	unsigned count = 0;

	add_destination(text, inst);
	add_selects(text, inst->source_select, 4);
	evg_text_add(text, ", t%u%s, s%u%s", inst->resource_id,
		     evg_index_suffix(inst->resource_index_mode), inst->sampler_id,
		     evg_index_suffix(inst->sampler_index_mode));
	for (unsigned i = 0; i < 4; i++) {
		if (!inst->normalized[i])
			unnormalized[count++] = "XYZW"[i];
	}
	unnormalized[count] = '\0';
	if (count)
		evg_text_add(text, "  UNNORM(%s)", unnormalized);
	if (inst->lod_bias)
		evg_text_add(text, " LOD_BIAS(%d)", inst->lod_bias);
	if (inst->texel_offset[0] || inst->texel_offset[1] ||
	    inst->texel_offset[2])
		evg_text_add(text, " OFFSET(%d,%d,%d)", inst->texel_offset[0],
			     inst->texel_offset[1], inst->texel_offset[2]);
	if (evg_fetch_info[inst->op].mod == EVG_MOD_ANY)
		evg_text_add(text, " COMPONENT(%c)",
			     evg_select_letter(inst->inst_mod));
	if (inst->alt_const)
		evg_text_add(text, " ALT_CONST");
}

static void add_mem_rd(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	evg_text_add(text, "%s ", evg_fetch_info[inst->op].name);
	add_register(text, inst->dest_gpr, inst->dest_relative);
	add_selects(text, inst->dest_select, 4);
	evg_text_add(text, ", DWORD_PTR[%u", inst->array_base);
	if (inst->indexed) {
		evg_text_add(text, "+");
		add_register(text, inst->source_gpr, inst->source_relative);
		add_selects(text, inst->source_select, 1);
	}
	evg_text_add(text, "], ARRAY_SIZE(%u), ELEM_SIZE(%u)", inst->array_size,
		     inst->element_size);
	if (inst->burst_count)
		evg_text_add(text, " BRSTCNT(%u)", inst->burst_count);
	if (inst->uncached)
		evg_text_add(text, " UNCACHED");
	add_format(text, inst);
	add_endian(text, inst);
}

static void add_gds(struct evg_text *text, const struct evg_fetch_inst *inst)
{
	static const char *const index[] = {"", "+aL", "+G", "+?"};

	evg_text_add(text, "%s R%u%s", evg_fetch_info[inst->op].name,
		     inst->dest_gpr, index[inst->dest_relative_mode & 3]);
	add_selects(text, inst->dest_select, 4);
	evg_text_add(text, ", R%u%s", inst->source_gpr,
		     index[inst->source_relative_mode & 3]);
	add_selects(text, inst->source_select, 3);
	if (inst->source_gpr2)
		evg_text_add(text, ", R%u", inst->source_gpr2);
	evg_text_add(text, ", UAV(%u%s)", inst->uav_id,
		     evg_index_suffix(inst->uav_index_mode));
	if (inst->alloc_consume)
		evg_text_add(text, " ALLOC_CONSUME");
	if (inst->broadcast_first)
		evg_text_add(text, " BCAST_FIRST_REQ");
}

size_t evg_fetch_format(char *buffer, size_t size,
			const struct evg_fetch_inst *inst)
{
	struct evg_text text = {buffer, size, 0};

	switch (evg_fetch_info[inst->op].layout) {
	case EVG_LAYOUT_VTX:
		add_vtx(&text, inst);
		break;
	case EVG_LAYOUT_TEX:
		add_tex(&text, inst);
		break;
	case EVG_LAYOUT_MEM_RD:
		add_mem_rd(&text, inst);
		break;
	case EVG_LAYOUT_GDS:
		add_gds(&text, inst);
		break;
	}
	if (inst->whole_quad)
		evg_text_add(&text, " WHOLE_QUAD");
	return text.length;
}
