/* Plans of fetches. */
#include "evergreen/emu/plan/plan.h"

#include "base/memory.h"

enum { FLOAT_ONE = 0x3f800000 };

static enum evg_convention convention(const struct plan_builder *builder)
{
	return builder->plan->convention;
}

/* --- Registers ---------------------------------------------------------- */

/* Where the numbers go; the element may have fewer than four. */
static const char *choose_destination(struct plan_builder *builder,
				      struct evg_fetch_plan *plan,
				      const struct evg_fetch_inst *inst)
{
	for (unsigned channel = 0; channel < 4; channel++) {
		unsigned select = inst->dest_select[channel];

		plan->dest[channel] = EVG_NO_ROW;
		if (select == 7)
			continue;
		if (select == 6)
			return "a reserved destination select";
		plan->select[channel] = (uint8_t)select;
		plan->dest[channel] =
			plan_register(builder, inst->dest_gpr, channel);
		if (plan->dest[channel] == EVG_NO_ROW)
			return "a destination beyond the kernel's registers";
	}
	return NULL;
}

/* Coordinates of a texture instruction; constants are those of the registers'
 * type: `one`. */
static const char *choose_coordinates(struct plan_builder *builder,
				      struct evg_fetch_plan *plan,
				      const struct evg_fetch_inst *inst,
				      uint32_t one)
{
	for (unsigned c = 0; c < 4; c++) {
		unsigned select = inst->source_select[c];

		plan->coordinate[c] = EVG_NO_ROW;
		plan->coordinate_value[c] = select == 5 ? one : 0;
		if (select > 3)
			continue;
		plan->coordinate[c] =
			plan_register(builder, inst->source_gpr, select);
		if (plan->coordinate[c] == EVG_NO_ROW)
			return "a source register beyond the kernel's "
			       "registers";
	}
	return NULL;
}

/* --- Vertex fetches ----------------------------------------------------- */

static const char *choose_format(struct plan_builder *builder,
				 struct evg_fetch_plan *plan,
				 const struct evg_fetch_inst *inst)
{
	const struct evg_data_format *format =
		&evg_data_formats[inst->data_format];

	if (format->kind == EVG_FORMAT_NONE)
		return plan_text(builder->plan,
				 "data format %d (%s) is not a format of "
				 "buffers",
				 inst->data_format,
				 format->name ? format->name : "reserved");
	plan->element = (struct evg_element){
		.format = format,
		.number_format = inst->num_format,
		.is_signed = inst->format_signed,
		.no_zero = inst->srf_mode,
		.endian_swap = inst->endian_swap,
	};
	plan->bytes = format->bytes;
	return inst->num_format > 2 ? "a reserved NUM_FORMAT" : NULL;
}

/* Components that a format lacks read as zero. */
static void lacking_zero(struct evg_fetch_plan *plan)
{
	for (unsigned channel = 0; channel < 4; channel++)
		if (plan->select[channel] < 4 &&
		    plan->select[channel] >= plan->element.format->components)
			plan->select[channel] = 4;
	plan->one =
	    plan->element.number_format == EVG_NUMBER_INT ? 1 : FLOAT_ONE;
}

/* A format of dwords as they are. */
static void choose_dwords(struct evg_fetch_plan *plan, unsigned components)
{
	static const uint8_t code[] = {0, 13, 29, 47, 34};

	plan->element = (struct evg_element){
		.format = &evg_data_formats[code[components]],
		.number_format = EVG_NUMBER_INT,
	};
	plan->bytes = 4 * components;
}

/* What is known before the launch: resources of the convention have their
 * place; what else there may be is found when the fetch is executed. */
static const char *choose_resource(struct plan_builder *builder,
				   struct evg_fetch_plan *plan,
				   const struct evg_fetch_inst *inst)
{
	struct evg_binding binding =
		evg_binding_find(convention(builder), inst->resource_id);

	plan->resource = inst->buffer_index_mode || inst->const_buf_no_stride
				 ? EVG_RESOURCE_NONE
				 : binding.resource;
	builder->plan->reads_atomics |= binding.resource == EVG_RESOURCE_RAT ||
					inst->buffer_index_mode;
	plan->uncached = binding.uncached;
	plan->bank = binding.bank;
	plan->shift = binding.shift;
	if (!inst->use_const_fields)
		return choose_format(builder, plan, inst);
	if (plan->resource == EVG_RESOURCE_NONE)
		return NULL;
	if (!binding.components)
		return plan_text(builder->plan,
				 "USE_CONST_FIELDS: fetch resource %u has no "
				 "format",
				 inst->resource_id);
	choose_dwords(plan, binding.components);
	return NULL;
}

/* The function for what was found out about the fetch. */
static evg_fetch_body *choose_body(const struct evg_simd *simd,
				   struct evg_fetch_plan *plan)
{
	const struct evg_data_format *format = plan->element.format;
	unsigned written = 0, first = 4, bits;
	bool raw;

	if (plan->resource == EVG_RESOURCE_NONE)
		return simd->fetch_bound;
	if (plan->resource == EVG_RESOURCE_RAT)
		return simd->fetch_rat;
	for (unsigned channel = 0; channel < 4; channel++) {
		if (plan->dest[channel] == EVG_NO_ROW)
			continue;
		if (first == 4)
			first = channel;
		written++;
	}
	bits = format->bits[0];
	raw = format->kind == EVG_FORMAT_FLOAT
		      ? bits == 32
		      : plan->element.number_format == EVG_NUMBER_INT;
	if ((plan->resource != EVG_RESOURCE_MEMORY &&
	     plan->resource != EVG_RESOURCE_CONSTANT) ||
	    !raw || plan->element.endian_swap)
		return simd->fetch_any;
	if (format->components == 1 && written == 1 &&
	    plan->select[first] == 0) {
		plan->dest[0] = plan->dest[first];
		return bits == 32 ? simd->fetch_32 : simd->fetch_small;
	}
	if (format->bytes == 8 && bits == 32)
		return simd->fetch_64;
	if (format->bytes == 16 || (format->bytes == 12 && bits == 32))
		return simd->fetch_128;
	return simd->fetch_any;
}

static const char *plan_vertex(struct plan_builder *builder,
			       struct evg_fetch_plan *plan,
			       const struct evg_fetch_inst *inst)
{
	const char *trap = choose_resource(builder, plan, inst);

	if (trap)
		return trap;
	plan->offset = inst->offset;
	plan->source = plan_register(builder, inst->source_gpr,
				     inst->source_select[0] & 3);
	if (plan->source == EVG_NO_ROW)
		return "a source register beyond the kernel's registers";
	if (plan->element.format)
		lacking_zero(plan);
	plan->body = choose_body(builder->plan->simd, plan);
	return NULL;
}

/* --- READ_SCRATCH and READ_MEM ------------------------------------------- */

/* Dwords as they are, unless the instruction has a format. */
static const char *plan_read(struct plan_builder *builder,
			     struct evg_fetch_plan *plan,
			     const struct evg_fetch_inst *inst)
{
	const struct evg_simd *simd = builder->plan->simd;
	const char *trap = NULL;

	plan->body = inst->op == EVG_FETCH_READ_SCRATCH ? simd->scratch_load
							: simd->export_load;
	if (inst->use_const_fields || !inst->data_format) {
		choose_dwords(plan, inst->element_size + 1u);
		plan->element.endian_swap = inst->endian_swap;
	} else {
		trap = choose_format(builder, plan, inst);
	}
	if (trap)
		return trap;
	lacking_zero(plan);
	plan->source = EVG_NO_ROW;
	if (inst->indexed)
		plan->source = plan_register(builder, inst->source_gpr,
					     inst->source_select[0] & 3);
	if (inst->indexed && plan->source == EVG_NO_ROW)
		return "a source register beyond the kernel's registers";
	if (inst->burst_count && inst->dest_gpr + inst->burst_count >=
					 builder->plan->register_count)
		return "a burst that goes beyond the kernel's registers";
	return NULL;
}

/* --- All ---------------------------------------------------------------- */

/* Texture fetches of compute kernels: the action, and the number 1 as the
 * coordinates have it; 0: there are no coordinates. With one level per image,
 * where the level comes from makes no difference. */
static const struct {
	enum evg_texture_action action;
	uint32_t one;
} textures[EVG_FETCH_COUNT] = {
    [EVG_FETCH_LD] = {EVG_TEXTURE_LOAD, 1},
    [EVG_FETCH_GET_TEXTURE_RESINFO] = {EVG_TEXTURE_INFO, 0},
    [EVG_FETCH_SAMPLE] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_SAMPLE_L] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_SAMPLE_LB] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_SAMPLE_LZ] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_SAMPLE_G] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_SAMPLE_G_LB] = {EVG_TEXTURE_SAMPLE, FLOAT_ONE},
    [EVG_FETCH_GATHER4] = {EVG_TEXTURE_GATHER, FLOAT_ONE},
};

static const char *plan_texture(struct plan_builder *builder,
				struct evg_fetch_plan *plan,
				const struct evg_fetch_inst *inst)
{
	uint32_t one = textures[inst->op].one;

	plan->body = builder->plan->simd->texture[textures[inst->op].action];
	if (!plan->body)
		return plan_text(builder->plan,
				 "%s is not an instruction of compute kernels",
				 evg_fetch_info[inst->op].name);
	if (one)
		return choose_coordinates(builder, plan, inst, one);
	plan->one = 1;
	return NULL;
}

static const char *choose_op(struct plan_builder *builder,
			     struct evg_fetch_plan *plan,
			     const struct evg_fetch_inst *inst)
{
	if (inst->alt_const)
		return "ALT_CONST selects resources of another shader type, "
		       "which a compute launch does not have";
	if (inst->op == EVG_FETCH_VFETCH)
		return plan_vertex(builder, plan, inst);
	if (inst->op == EVG_FETCH_GET_BUFFER_RESINFO) {
		plan->body = builder->plan->simd->buffer_info;
		plan->one = 1;
		return NULL;
	}
	if (evg_fetch_info[inst->op].layout == EVG_LAYOUT_TEX)
		return plan_texture(builder, plan, inst);
	if (evg_fetch_info[inst->op].layout == EVG_LAYOUT_MEM_RD)
		return plan_read(builder, plan, inst);
	return "SEMFETCH takes its register from a table of semantics, which a "
	       "compute launch does not have";
}

void plan_fetch(struct plan_builder *builder, struct evg_fetch_plan *plan,
		const struct evg_code_fetch *fetch)
{
	const struct evg_fetch_inst *inst = &fetch->inst;

	plan->fetch = fetch;
	plan->counter = builder->plan->counter_count++;
	plan->window = builder->plan->window_count++;
	plan->trap = choose_destination(builder, plan, inst);
	if (!plan->trap)
		plan->trap = choose_op(builder, plan, inst);
	if (plan->trap || !(inst->source_relative || inst->dest_relative))
		return;
	plan->inner = plan->body;
	plan->body = evg_fetch_relative;
}
