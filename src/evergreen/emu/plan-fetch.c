/* Plans of fetches, stores and atomics. */
#include "evergreen/emu/plan.h"

#include "base/memory.h"

/* Data formats with whole bytes per component. */
static const struct format {
	uint8_t code, components, bits;
	bool is_float;
} formats[] = {
	{1, 1, 8, false},   {5, 1, 16, false},  {6, 1, 16, true},
	{7, 2, 8, false},   {13, 1, 32, false}, {14, 1, 32, true},
	{15, 2, 16, false}, {16, 2, 16, true},  {26, 4, 8, false},
	{29, 2, 32, false}, {30, 2, 32, true},  {31, 4, 16, false},
	{32, 4, 16, true},  {34, 4, 32, false}, {35, 4, 32, true},
	{44, 3, 8, false},  {45, 3, 16, false}, {46, 3, 16, true},
	{47, 3, 32, false}, {48, 3, 32, true},
};

static const char *choose_format(struct plan_builder *builder,
				 struct evg_fetch_plan *plan,
				 const struct evg_fetch_inst *inst)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		const struct format *format = &formats[i];

		if (format->code != inst->data_format)
			continue;
		plan->components = format->components;
		plan->bits = format->bits;
		plan->is_float = format->is_float;
		plan->bytes = format->components * format->bits / 8u;
		plan->num_format = inst->num_format;
		plan->format_signed = inst->format_signed;
		return inst->num_format > 2 ? "a reserved NUM_FORMAT" : NULL;
	}
	return plan_text(builder->plan, "data format %d is not supported",
			 inst->data_format);
}

static const char *choose_resource(struct plan_builder *builder,
				   struct evg_fetch_plan *plan,
				   const struct evg_fetch_inst *inst)
{
	const struct evg_program *program = builder->kernel->program;
	unsigned id = inst->resource_id;
	struct evg_binding binding = evg_binding_find(
		program ? program->convention : EVG_CONVENTION_LLVM, id);

	if (binding.resource == EVG_RESOURCE_NONE)
		return plan_text(builder->plan,
				 "nothing is bound to fetch resource %u", id);
	plan->resource = binding.resource;
	plan->bank = binding.bank;
	plan->shift = binding.shift;
	if (!inst->use_const_fields)
		return choose_format(builder, plan, inst);
	if (!binding.components)
		return "USE_CONST_FIELDS: no resource descriptors are bound";
	plan->components = binding.components;
	plan->bits = 32;
	plan->bytes = 4u * binding.components;
	plan->num_format = 1; /* as they are */
	return NULL;
}

/* The function for what was found out about the fetch. */
static evg_fetch_body *choose_body(const struct evg_simd *simd,
				   struct evg_fetch_plan *plan)
{
	unsigned written = 0, first = 4, raw;

	if (plan->resource == EVG_RESOURCE_RAT)
		return simd->fetch_rat;
	for (unsigned channel = 0; channel < 4; channel++) {
		if (plan->dest[channel] == EVG_NO_ROW)
			continue;
		if (first == 4)
			first = channel;
		written++;
	}
	if (plan->resource != EVG_RESOURCE_MEMORY)
		return simd->fetch_any;
	raw = plan->is_float ? plan->bits == 32 : plan->num_format == 1;
	if (!raw)
		return simd->fetch_any;
	if (plan->components == 1 && written == 1 && plan->select[first] == 0) {
		plan->dest[0] = plan->dest[first];
		return plan->bits == 32 ? simd->fetch_32 : simd->fetch_small;
	}
	if (plan->bits == 32 && plan->components == 2)
		return simd->fetch_64;
	if (plan->bits == 32 && plan->components == 4)
		return simd->fetch_128;
	return simd->fetch_any;
}

static const char *fetch_plan(struct plan_builder *builder,
			      struct evg_fetch_plan *plan,
			      const struct evg_fetch_inst *inst)
{
	const char *trap;

	if (inst->op != EVG_FETCH_VFETCH)
		return plan_text(builder->plan,
				 "%s is not supported by the emulator",
				 evg_fetch_info[inst->op].name);
	if (inst->source_relative || inst->dest_relative)
		return "a fetch with relative registers";
	if (inst->endian_swap)
		return "a fetch with ENDIAN_SWAP";
	if (inst->buffer_index_mode)
		return "a fetch with BUFFER_INDEX_MODE";
	trap = choose_resource(builder, plan, inst);
	if (trap)
		return trap;
	plan->offset = inst->offset;
	plan->source = plan_register(builder, inst->source_gpr,
				     inst->source_select[0] & 3);
	if (plan->source == EVG_NO_ROW)
		return "a source register beyond the kernel's registers";
	for (unsigned channel = 0; channel < 4; channel++) {
		unsigned select = inst->dest_select[channel];

		plan->dest[channel] = EVG_NO_ROW;
		if (select == 7)
			continue;
		if (select == 6)
			return "a reserved destination select";
		/* Components that a format lacks read as zero. */
		plan->select[channel] =
			(uint8_t)(select < 4 && select >= plan->components
					  ? 4
					  : select);
		plan->dest[channel] =
			plan_register(builder, inst->dest_gpr, channel);
		if (plan->dest[channel] == EVG_NO_ROW)
			return "a destination beyond the kernel's registers";
	}
	plan->body = choose_body(builder->plan->simd, plan);
	return NULL;
}

void plan_fetch(struct plan_builder *builder, struct evg_fetch_plan *plan,
		const struct evg_code_fetch *fetch)
{
	plan->fetch = fetch;
	plan->counter = builder->plan->counter_count++;
	plan->window = builder->plan->window_count++;
	plan->trap = fetch_plan(builder, plan, &fetch->inst);
}

struct evg_store_plan *plan_store(struct plan_builder *builder,
				  const struct evg_cf_inst *cf,
				  const char **trap)
{
	struct evg_store_plan *plan =
		plan_allocate(builder->plan, sizeof *plan);

	plan->op = cf->rat_op;
	plan->body = builder->plan->simd->rat[cf->rat_op];
	plan->returns = evg_rat_info[cf->rat_op].returns;
	plan->component_mask = cf->component_mask;
	plan->element_bytes = (uint8_t)(4 * (cf->element_size + 1));
	plan->window = builder->plan->window_count++;
	plan->relative = cf->rw_relative;
	plan->register_count = (uint8_t)builder->plan->register_count;
	plan->rat = cf->rat_id;
	plan->rat_index_mode = cf->rat_index_mode;
	plan->convention = builder->kernel->program
				   ? builder->kernel->program->convention
				   : EVG_CONVENTION_LLVM;
	if (!plan->body)
		*trap = plan_text(builder->plan,
				  "RAT operation %s is not supported by the "
				  "emulator",
				  evg_rat_info[cf->rat_op].name);
	else if (!cf->rat_index_mode &&
		 !evg_rat_is_bound(plan->convention, cf->rat_id))
		*trap = plan_text(builder->plan, "nothing is bound to RAT %d",
				  cf->rat_id);
	else if (cf->burst_count)
		*trap = "a store of a burst";
	else if (cf->element_size == 2)
		*trap = "a store with three dwords per element";
	else if (cf->rat_op == EVG_RAT_STORE_RAW && !cf->component_mask)
		*trap = "a store of no component";
	if (*trap)
		return NULL;
	plan->index = plan_register(builder, cf->index_gpr, 0);
	for (unsigned channel = 0; channel < 4; channel++)
		plan->value[channel] =
			plan_register(builder, cf->rw_gpr, channel);
	if (plan->index == EVG_NO_ROW || plan->value[0] == EVG_NO_ROW) {
		*trap = "a store from beyond the kernel's registers";
		return NULL;
	}
	return plan;
}
