#include "evergreen/isa/ports.h"

#include <string.h>

#include "base/memory.h"

enum {
	CYCLES = 3,
	CHANNELS = 4,
	VECTOR_SWIZZLES = 6,
	T_SWIZZLES = 4,
	CONSTANT_PAIRS = 2,
	T_CONSTANTS = 2,
};

/* The cycle of sources 0, 1 and 2. */
static const unsigned char vector_cycles[VECTOR_SWIZZLES][3] = {
	{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 2, 0 },
	{ 1, 0, 2 }, { 2, 0, 1 }, { 2, 1, 0 },
};
static const unsigned char t_cycles[T_SWIZZLES][3] = {
	{ 2, 1, 0 }, { 1, 2, 2 }, { 2, 1, 2 }, { 2, 2, 1 },
};

/* What each cycle reads: register + 1, or 0. */
struct ports {
	unsigned short read[CYCLES][CHANNELS];
};

static bool is_register(const struct evg_source *source)
{
	return source->select < EVG_SELECT_KCACHE0;
}

static bool is_kcache(const struct evg_source *source)
{
	return (source->select >= EVG_SELECT_KCACHE0 &&
		source->select < EVG_SELECT_KCACHE0 + 64) ||
	       (source->select >= EVG_SELECT_KCACHE2 &&
		source->select < EVG_SELECT_PARAM);
}

static bool is_constant(const struct evg_source *source)
{
	return is_kcache(source) || (source->select >= EVG_SELECT_1_DOUBLE_LOW &&
				     source->select <= EVG_SELECT_LITERAL);
}

/* Registers with and without an index are different reads. */
static bool take_register_port(struct ports *ports, unsigned cycle,
			       const struct evg_source *source)
{
	unsigned short *read = &ports->read[cycle][source->channel];
	unsigned short wanted =
		(unsigned short)(source->select + 1 +
				 (source->relative ? 256 : 0));

	if (*read && *read != wanted)
		return false;
	*read = wanted;
	return true;
}

static bool take_vector(struct ports *ports, const struct evg_alu_inst *inst,
			unsigned swizzle)
{
	for (unsigned k = 0; k < inst->source_count; k++) {
		const struct evg_source *source = &inst->source[k];

		if (!is_register(source))
			continue;
		/* The second source shares the read of an equal first. */
		if (k == 1 && source->select == inst->source[0].select &&
		    source->channel == inst->source[0].channel &&
		    source->relative == inst->source[0].relative)
			continue;
		if (!take_register_port(ports, vector_cycles[swizzle][k],
					source))
			return false;
	}
	return true;
}

static bool take_t(struct ports *ports, const struct evg_alu_inst *inst,
		   unsigned swizzle)
{
	unsigned constants = 0;

	for (unsigned k = 0; k < inst->source_count; k++)
		constants += is_constant(&inst->source[k]);
	if (constants > T_CONSTANTS)
		return false;
	for (unsigned k = 0; k < inst->source_count; k++) {
		const struct evg_source *source = &inst->source[k];
		unsigned cycle = t_cycles[swizzle][k];

		if (!is_constant(source) && cycle < constants)
			return false;
		if (is_register(source) &&
		    !take_register_port(ports, cycle, source))
			return false;
	}
	return true;
}

static bool constants_fit(const struct evg_alu_group *group)
{
	unsigned pairs[CONSTANT_PAIRS], count = 0;

	for (unsigned i = 0; i < group->inst_count; i++) {
		const struct evg_alu_inst *inst =
			&group->inst[group->order[i]];

		for (unsigned k = 0; k < inst->source_count; k++) {
			unsigned pair = inst->source[k].select * 2u +
					inst->source[k].channel / 2u, n = 0;

			if (!is_kcache(&inst->source[k]))
				continue;
			while (n < count && pairs[n] != pair)
				n++;
			if (n == CONSTANT_PAIRS)
				return false;
			pairs[n] = pair;
			if (n == count)
				count++;
		}
	}
	return true;
}

bool evg_ports_fit(const struct evg_alu_group *group)
{
	struct ports ports = { 0 };

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->inst[slot];

		if (!(group->slot_mask >> slot & 1))
			continue;
		if (slot == EVG_T ? !take_t(&ports, inst, inst->bank_swizzle)
				  : !take_vector(&ports, inst,
						 inst->bank_swizzle))
			return false;
	}
	return constants_fit(group);
}

/* Tries every swizzle of `slot` and those after it. */
static bool assign(struct evg_alu_group *group, unsigned slot,
		   const struct ports *taken)
{
	struct evg_alu_inst *inst = &group->inst[slot];
	unsigned count = slot == EVG_T ? T_SWIZZLES : VECTOR_SWIZZLES;

	if (slot == EVG_SLOT_COUNT)
		return true;
	if (!(group->slot_mask >> slot & 1))
		return assign(group, slot + 1, taken);
	for (unsigned swizzle = 0; swizzle < count; swizzle++) {
		struct ports ports = *taken;

		if (slot == EVG_T ? !take_t(&ports, inst, swizzle)
				  : !take_vector(&ports, inst, swizzle))
			continue;
		if (!assign(group, slot + 1, &ports))
			continue;
		inst->bank_swizzle = (uint8_t)swizzle;
		return true;
	}
	return false;
}

bool evg_ports_assign(struct evg_alu_group *group)
{
	struct ports none = { 0 };

	return constants_fit(group) && assign(group, EVG_X, &none);
}
