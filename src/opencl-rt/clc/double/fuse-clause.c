/* Which carriers of a clause become one group.
 *
 * Two carriers with the same operands, one for each word of a result, make one
 * group, at the place of one of them, if nothing between objects. */
#include "opencl-rt/clc/double/fuse.h"

/* --- What lies between -------------------------------------------------- */

static bool writes(const struct evg_alu_inst *inst)
{
	return inst->op != EVG_ALU_LDS_IDX_OP &&
	       (inst->write_mask || evg_alu_info[inst->op].op3);
}

static bool group_writes(const struct edit_group *group, unsigned gpr,
			 unsigned channel)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask >> slot & 1) || !writes(inst))
			continue;
		if (inst->dest_relative || (inst->dest_gpr == gpr &&
					    inst->dest_channel == channel))
			return true;
	}
	return false;
}

static bool group_reads(const struct edit_group *group, unsigned gpr,
			unsigned channel)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask >> slot & 1))
			continue;
		for (unsigned k = 0; k < inst->source_count; k++) {
			const struct evg_source *source = &inst->source[k];
			const struct edit_link *link = &group->link[slot][k];

			if (source->select < EVG_SELECT_KCACHE0 &&
			    (source->relative || (source->select == gpr &&
						  source->channel == channel)))
				return true;
			/* Once groups have moved it may read the register. */
			if (link->group && link->gpr == gpr &&
			    link->channel == channel)
				return true;
		}
	}
	return false;
}

/* Whether anything in the group is linked to group `id`. */
static bool is_linked(const struct edit_group *group, uint32_t id)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned k = 0; k < 3; k++)
			if (group->link[slot][k].group == id)
				return true;
	return false;
}

/* Whether operations must not move across the group. */
static bool is_fence(const struct edit_group *group)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (group->group.slot_mask >> slot & 1 &&
		    (inst->update_execute_mask || inst->update_predicate))
			return true;
	}
	return false;
}

/* Whether the sources of a carrier are the same before group `from` and
 * before group `to`. */
static bool sources_last(const struct edit_cf *cf,
			 const struct carrier *carrier, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (is_fence(&cf->groups[i]))
			return false;
		for (unsigned k = 0; k < carrier_info(carrier)->sources; k++) {
			const struct evg_source *low = &carrier->low[k];
			const struct evg_source *high = &carrier->high[k];

			if ((low->select < EVG_SELECT_KCACHE0 &&
			     group_writes(&cf->groups[i], low->select,
					  low->channel)) ||
			    (high->select < EVG_SELECT_KCACHE0 &&
			     group_writes(&cf->groups[i], high->select,
					  high->channel)))
				return false;
		}
	}
	return true;
}

/* Whether no group from `from` up to, but not, `to` reads or writes a
 * result. */
static bool is_untouched(const struct edit_cf *cf,
			 const struct carrier_result *result, size_t from,
			 size_t to)
{
	for (size_t i = from; i < to; i++)
		if (group_reads(&cf->groups[i], result->gpr,
				result->channel) ||
		    group_writes(&cf->groups[i], result->gpr,
				 result->channel) ||
		    is_linked(&cf->groups[i], result->id))
			return false;
	return true;
}

/* Finds the other word's carrier behind the index-th group. *earlier: the
 * operation may be where the first one is, else where the second is. */
static bool find_twin(const struct edit_cf *cf, size_t index,
		      const struct carrier *first, struct carrier *second,
		      size_t *place, bool *earlier)
{
	struct error ignored;

	if (carrier_info(first)->results < 2)
		return false;
	for (size_t i = index + 1; i < cf->count; i++) {
		if (!sources_last(cf, first, index, i))
			return false;
		if (!carrier_is(&cf->groups[i].group) ||
		    carrier_read(&cf->groups[i], second, &ignored) ||
		    !carrier_are_twins(first, second))
			continue;
		*place = i;
		*earlier = is_untouched(cf, carrier_destination(second),
					index + 1, i);
		return *earlier || is_untouched(cf, carrier_destination(first),
						index + 1, i);
	}
	return false;
}

/* --- Across clauses ----------------------------------------------------- */

static bool reads_constants(const struct carrier *carrier)
{
	for (unsigned k = 0; k < carrier_info(carrier)->sources; k++)
		if ((carrier->low[k].select >= EVG_SELECT_KCACHE0 &&
		     carrier->low[k].select < EVG_SELECT_LDS_OQ_A) ||
		    (carrier->high[k].select >= EVG_SELECT_KCACHE0 &&
		     carrier->high[k].select < EVG_SELECT_LDS_OQ_A))
			return true;
	return false;
}

static bool is_target(const struct edit *edit, uint32_t address)
{
	for (size_t i = 0; i < edit->cf_count; i++)
		if (edit->cf[i].original->clause == EVG_CLAUSE_NONE &&
		    edit->cf[i].inst.format == EVG_CF_WORD &&
		    edit->cf[i].inst.address == address)
			return true;
	return false;
}

/* LLVM cuts long clauses where it likes: takes the twin of a clause's last
 * group, if that is a carrier, from the start of the clause that follows. */
static void take_from_next(const struct edit *edit, const struct edit_cf *cf,
			   struct carrier *carrier)
{
	struct edit_cf *next = edit->cf + (cf - edit->cf) + 1;
	struct carrier twin;
	struct error ignored;
	uint32_t twin_id;

	if (next == edit->cf + edit->cf_count ||
	    cf->inst.op != EVG_CF_ALU ||
	    next->original->clause != EVG_CLAUSE_ALU || next->count < 2 ||
	    is_target(edit, next->original->address) ||
	    carrier_info(carrier)->results < 2 ||
	    !carrier_is(&next->groups[0].group) ||
	    carrier_read(&next->groups[0], &twin, &ignored) ||
	    !carrier_are_twins(carrier, &twin) || reads_constants(carrier) ||
	    carrier->predicate_select ||
	    !sources_last(cf, carrier, cf->count - 1, cf->count))
		return;
	twin_id = next->groups[0].id;
	carrier->result[twin.result[0].wanted ? 0 : 1] =
		*carrier_destination(&twin);
	/* Its readers stay linked to a group that is gone: they will read the
	 * register. */
	fuse_relink(next, carrier_destination(&twin), twin_id, EVG_X);
	edit_remove(next, 0);
}

/* ------------------------------------------------------------------------ */

int fuse_clause(struct edit *edit, struct edit_cf *cf, struct error *error)
{
	for (size_t i = 0; i < cf->count; i++) {
		struct carrier carrier, twin;
		size_t place = 0;
		bool earlier;
		int last;

		if (!carrier_is(&cf->groups[i].group))
			continue;
		if (carrier_read(&cf->groups[i], &carrier, error))
			return -1;
		if (find_twin(cf, i, &carrier, &twin, &place, &earlier)) {
			unsigned word = twin.result[0].wanted ? 0 : 1;

			carrier.result[word] = twin.result[word];
			if (!earlier) {
				last = fuse_emit(edit, cf, place, &carrier,
						 error);
				if (last < 0)
					return -1;
				edit_remove(cf, i--);
				continue;
			}
			edit_remove(cf, place);
		} else if (i + 1 == cf->count) {
			take_from_next(edit, cf, &carrier);
		}
		last = fuse_emit(edit, cf, i, &carrier, error);
		if (last < 0)
			return -1;
		i = (size_t)last;
	}
	return 0;
}
