/* The global data share: plans of GDS clauses and what they do.
 *
 * A GDS instruction is the LDS operation of the same number. Its address (in
 * bytes) and operands come from x, y and z of one register, by SRC_SEL; what
 * it returns goes to another, where DST_SEL 0 is the first and 1 the second
 * value. There is no offset: both dwords of a *_REL or *2 operation are the one
 * at the address. Lanes follow one another in order.
 *
 * ALLOC_CONSUME: on append counter UAV_ID instead of memory, as Mesa's driver
 * counts; the address is not looked at. BCAST_FIRST_REQ: the first active lane
 * alone does it, and all get what it returns. */
#include <string.h>

#include "evergreen/emu/memory/atomic.h"
#include "evergreen/emu/machine.h"
#include "evergreen/emu/plan/plan.h"
#include "evergreen/isa/table.h"

enum { GDS_SOURCES = 3 };

/* What becomes of a dword. */
typedef uint32_t gds_value(uint32_t d, uint32_t s0, uint32_t s1);

struct evg_gds_plan {
	const struct evg_lds_info *lds; /* the LDS operation, or NULL */
	gds_value *value_of;            /* of a dword */
	bool second;                    /* that is at the second address */
	/* Rows, or EVG_NO_ROW and the value. */
	uint32_t source[GDS_SOURCES], value[GDS_SOURCES];
};

/* Selects, of sources and destinations. */
enum { SELECT_W = 3, SELECT_ONE = 5, SELECT_UNUSED = 7 };
enum { FLOAT_ONE = 0x3f800000 };

/* --- Operations ----------------------------------------------------------- */

#define GDS(id, place, value)                                                  \
	static uint32_t gds_##id(uint32_t d, uint32_t s0, uint32_t s1)         \
	{                                                                      \
		(void)d, (void)s0, (void)s1;                                   \
		return value;                                                  \
	}
#include "evergreen/emu/memory/gds.def"

enum { FIRST = false, SECOND = true };

static const struct own {
	gds_value *value_of;
	bool second;
} own[EVG_FETCH_COUNT] = {
#define GDS(id, place, value) [EVG_FETCH_GDS_##id] = {gds_##id, place},
#include "evergreen/emu/memory/gds.def"
};

static gds_value *const atomics[EVG_ATOMIC_COUNT] = {
#define ATOMIC(id, ...) [EVG_ATOMIC_##id] = atomic_##id,
#include "evergreen/emu/memory/atomic.def"
};

/* Whether there is such an operation. */
static bool gds_find(struct evg_gds_plan *gds, enum evg_fetch_op op)
{
	int lds_op = evg_lds_find(evg_fetch_info[op].gds_op);
	bool is_dword = true;

	if (lds_op >= 0) {
		gds->lds = &evg_lds_info[lds_op];
		is_dword = gds->lds->element == EVG_LDS_ELEMENT_B32;
		if (evg_lds_atomic[lds_op] != EVG_ATOMIC_NONE)
			gds->value_of = atomics[evg_lds_atomic[lds_op]];
	}
	if (own[op].value_of) {
		gds->value_of = own[op].value_of;
		gds->second = own[op].second;
	}
	return gds->value_of || !is_dword;
}

/* --- Plans -------------------------------------------------------------- */

static const char *gds_source(struct plan_builder *builder,
			      struct evg_gds_plan *gds, unsigned k,
			      const struct evg_fetch_inst *inst)
{
	unsigned select = inst->source_select[k];

	gds->source[k] = EVG_NO_ROW;
	gds->value[k] = select == SELECT_ONE ? FLOAT_ONE : 0;
	if (select > SELECT_W)
		return NULL;
	gds->source[k] = plan_register(builder, inst->source_gpr, select);
	return gds->source[k] == EVG_NO_ROW
		       ? "a source beyond the kernel's registers"
		       : NULL;
}

static const char *gds_plan(struct plan_builder *builder,
			    struct evg_fetch_plan *plan,
			    struct evg_gds_plan *gds,
			    const struct evg_fetch_inst *inst)
{
	const char *trap = NULL;

	if (inst->op == EVG_FETCH_TF_WRITE)
		return "TF_WRITE (tessellation) is not supported by the "
		       "emulator";
	if (!gds_find(gds, inst->op))
		return plan_text(builder->plan,
				 "%s is not supported by the emulator",
				 evg_fetch_info[inst->op].name);
	if (inst->source_relative_mode || inst->dest_relative_mode)
		return "a GDS instruction with relative registers";
	for (unsigned k = 0; k < GDS_SOURCES && !trap; k++)
		trap = gds_source(builder, gds, k, inst);
	for (unsigned channel = 0; channel < 4; channel++) {
		plan->dest[channel] = EVG_NO_ROW;
		plan->select[channel] = inst->dest_select[channel];
		if (inst->dest_select[channel] == SELECT_UNUSED)
			continue;
		plan->dest[channel] =
			plan_register(builder, inst->dest_gpr, channel);
		if (plan->dest[channel] == EVG_NO_ROW && !trap)
			trap = "a destination beyond the kernel's registers";
	}
	return trap;
}

/* --- Execution ---------------------------------------------------------- */

static uint32_t *lane_of(struct evg_wavefront *wavefront, uint32_t row,
			 unsigned lane)
{
	return (uint32_t *)(void *)(wavefront->registers.base[EVG_BASE_STATE] +
				    row) +
	       lane;
}

static void gds_fault(struct evg_wavefront *wavefront, enum evg_fault_kind kind,
		      unsigned lane, uint32_t address, uint32_t bytes)
{
	if (wavefront->fault.kind)
		return;
	wavefront->fault = (struct evg_fault){
		.kind = kind,
		.lane = (uint8_t)lane,
		.address = address,
		.bytes = bytes,
		.text = "an append counter that does not exist",
	};
}

/* Where `bytes` at `address` lie, or NULL and a fault. */
static void *gds_at(struct evg_wavefront *wavefront,
		    const struct evg_fetch_plan *plan, unsigned lane,
		    uint32_t address, uint32_t bytes)
{
	const struct evg_fetch_inst *inst = &plan->fetch->inst;
	struct evg_gds *gds = wavefront->group->ndrange->gds;

	if (inst->alloc_consume) {
		uint32_t counter = inst->uav_id;

		if (inst->uav_index_mode)
			counter +=
			    wavefront->indices.cf[inst->uav_index_mode - 1];
		if (counter < EVG_GDS_COUNTERS)
			return &gds->counter[counter];
		gds_fault(wavefront, EVG_FAULT_TRAP, lane, 0, 0);
		return NULL;
	}
	if (address <= EVG_GDS_SIZE - bytes && !(address & (bytes - 1)))
		return gds->memory + address;
	gds_fault(wavefront, EVG_FAULT_GDS, lane, address, bytes);
	return NULL;
}

static void gds_dword(struct evg_wavefront *wavefront,
		      const struct evg_fetch_plan *plan, unsigned lane,
		      const uint32_t s[GDS_SOURCES], uint32_t result[2])
{
	uint32_t *first = gds_at(wavefront, plan, lane, s[0], 4);
	uint32_t *place = plan->gds->second
				  ? gds_at(wavefront, plan, lane, s[1], 4)
				  : first;

	if (!first || !place)
		return;
	result[0] = *first;
	result[1] = *place;
	*place = plan->gds->value_of(*place, s[1], s[2]);
}

/* Bytes of an element, and whether a read extends its sign. */
static const struct element {
	uint8_t bytes;
	bool is_signed;
} elements[] = {
    [EVG_LDS_ELEMENT_B32] = {4, false}, [EVG_LDS_ELEMENT_U8] = {1, false},
    [EVG_LDS_ELEMENT_S8] = {1, true},   [EVG_LDS_ELEMENT_U16] = {2, false},
    [EVG_LDS_ELEMENT_S16] = {2, true},
};

static void gds_small(struct evg_wavefront *wavefront,
		      const struct evg_fetch_plan *plan, unsigned lane,
		      const uint32_t s[GDS_SOURCES],
		      const struct evg_lds_info *lds, uint32_t result[2])
{
	const struct element *element = &elements[lds->element];
	uint8_t *place = gds_at(wavefront, plan, lane, s[0], element->bytes);
	unsigned spare = 32 - 8 * element->bytes;

	if (!place)
		return;
	if (!lds->returns) {
		memcpy(place, &s[1], element->bytes);
		return;
	}
	memcpy(&result[0], place, element->bytes);
	if (element->is_signed)
		result[0] = (uint32_t)((int32_t)(result[0] << spare) >> spare);
}

static void gds_lane(struct evg_wavefront *wavefront,
		     const struct evg_fetch_plan *plan, unsigned lane,
		     uint32_t result[2])
{
	const struct evg_gds_plan *gds = plan->gds;
	uint32_t s[GDS_SOURCES];

	for (unsigned k = 0; k < GDS_SOURCES; k++)
		s[k] = gds->source[k] == EVG_NO_ROW
			       ? gds->value[k]
			       : *lane_of(wavefront, gds->source[k], lane);
	result[0] = result[1] = 0;
	if (!gds->value_of)
		gds_small(wavefront, plan, lane, s, gds->lds, result);
	else
		gds_dword(wavefront, plan, lane, s, result);
}

static void deliver(struct evg_wavefront *wavefront,
		    const struct evg_fetch_plan *plan, unsigned lane,
		    const uint32_t result[2])
{
	for (unsigned channel = 0; channel < 4; channel++) {
		unsigned select = plan->select[channel];

		if (plan->dest[channel] == EVG_NO_ROW)
			continue;
		*lane_of(wavefront, plan->dest[channel], lane) =
			select < 2	       ? result[select]
			: select == SELECT_ONE ? FLOAT_ONE
					       : 0;
	}
}

static void gds_run(struct evg_wavefront *wavefront,
		    const struct evg_fetch_plan *plan)
{
	uint64_t lanes =
	    wavefront->masks.lanes[EVG_MASK_ACTIVE] & wavefront->masks.valid;
	bool broadcast = plan->fetch->inst.broadcast_first, first = true;
	uint32_t result[2];

	for (; lanes && !wavefront->fault.kind; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);

		if (first || !broadcast)
			gds_lane(wavefront, plan, lane, result);
		first = false;
		if (!wavefront->fault.kind)
			deliver(wavefront, plan, lane, result);
	}
}

void plan_gds(struct plan_builder *builder, struct evg_fetch_plan *plan,
	      const struct evg_code_fetch *fetch)
{
	struct evg_gds_plan *gds = plan_allocate(builder->plan, sizeof *gds);

	plan->fetch = fetch;
	plan->counter = builder->plan->counter_count++;
	plan->body = gds_run;
	plan->gds = gds;
	plan->trap = gds_plan(builder, plan, gds, &fetch->inst);
	builder->plan->uses_gds = true;
}
