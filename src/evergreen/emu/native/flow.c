/* All of a plan's control flow as native code. */

#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/emu/native/region.h"
#include "evergreen/emu/native/native.h"
#include "evergreen/emu/plan/plan.h"

enum { /* most often */
	BYTES_PER_PART = 2200,
	BYTES_PER_UOP = 200,
};

/* Whether there are so many instructions left that it may go on. */
static void check_limit(struct flow *f)
{
	const struct evg_chain_exit exit = {
	    .stack = f->stack,
	    .pc = f->address,
	    .empty = f->lanes == EVG_LANES_NONE,
	};

	/* lea rax, [r12 + longest] */
	NATIVE_BYTES(f->code, 0x49, 0x8d, 0x84, 0x24);
	native_dword(f->code, (uint32_t)f->longest[f->address]);
	general(f->code, GENERAL_COMPARE, NATIVE_RAX,
		flow_field(NATIVE_OFFSET(native.chain_limit)));
	flow_jump(f, NATIVE_ABOVE, native_exit_label(&f->labels, &exit));
}

static uint32_t part_label(const struct flow *f, uint32_t part)
{
	return flow_label(f, f->address, part, f->lanes);
}

static void compile_cf(struct flow *f, uint32_t address, uint32_t next_address)
{
	uint32_t parts = f->parts[address];

	f->address = address;
	f->cf = &f->plan->cf[address];
	f->stack = f->stacks[address];
	for (uint32_t part = 0; part < parts; part++) {
		native_bind(&f->labels, part_label(f, part));
		if (!part && f->looped[address]) {
			region_look(f);
			check_limit(f);
		}
		f->labels.next =
		    part + 1 < parts ? part_label(f, part + 1)
		    : next_address < f->plan->cf_count
			? flow_label(f, next_address, 0, f->lanes)
			: UINT32_MAX;
		/* add r12, instructions */
		if (!part)
			general_number(f->code, true, GENERAL_ADD_NUMBER,
				       native_reg(NATIVE_R12),
				       (int32_t)f->cf->instruction_count);
		if (f->cf->alu)
			flow_clause_part(f, part);
		else
			flow_no_clause(f);
	}
}

static void compile_all(struct flow *f)
{
	const struct evg_plan *plan = f->plan;

	flow_begin(f);
	for (int lanes = 0; lanes < EVG_LANES_KINDS; lanes++) {
		f->lanes = (enum evg_lanes)lanes;
		for (uint32_t i = 0; i < plan->cf_count; i++) {
			uint32_t next = i + 1;

			if (!f->parts[i])
				continue;
			while (next < plan->cf_count && !f->parts[next])
				next++;
			compile_cf(f, i, next);
		}
	}
	region_compile(f, compile_cf);
	native_labels_end(&f->labels);
}

/* False: there is nothing to compile. */
static bool survey(struct flow *f)
{
	struct evg_plan *plan = f->plan;
	bool some = false;

	native_stacks(plan, f->stacks);
	for (uint32_t i = plan->cf_count; i--;) {
		const struct evg_cf_plan *cf = &plan->cf[i];
		uint64_t then = 0;

		if (!cf->cf || !native_can(plan, cf, f->stacks[i]))
			continue;
		some = true;
		f->parts[i] = cf->alu ? cf->alu->segment_count + 1 : 1;
		if (cf->next < plan->cf_count)
			then = f->longest[cf->next];
		if (native_jumps(cf)) {
			uint32_t address = cf->cf->inst.address;

			if (address >= plan->cf_count)
				return false;
			f->looped[address] |= address <= i;
			if (address > i && f->longest[address] > then)
				then = f->longest[address];
		}
		f->longest[i] = then + cf->instruction_count;
	}
	return some && f->longest[0] <= INT32_MAX;
}

static void set_chains(struct flow *f)
{
	struct evg_native_code *native = f->plan->native;

	native->exits = f->labels.exits;
	native->exit_count = f->labels.exit_count;
	native->region_count = f->region_count;
	f->labels.exits = NULL;
	for (uint32_t i = 0; i < f->plan->cf_count; i++) {
		struct evg_chain *chain;

		if (!f->parts[i])
			continue;
		chain = plan_allocate(f->plan, sizeof *chain);
		chain->stack = f->stacks[i];
		chain->longest = f->longest[i];
		for (int lanes = 0; lanes < EVG_LANES_KINDS; lanes++) {
			uint32_t label = native_label(&f->labels, i, 0,
						      (enum evg_lanes)lanes);

			chain->code[lanes] =
			    f->code->bytes + f->labels.place[label];
		}
		f->plan->cf[i].chain = chain;
	}
}

void native_flow(struct native *native, struct evg_plan *plan)
{
	size_t count = plan->cf_count, start = native->code.used;
	struct flow f = {
	    .native = native,
	    .code = &native->code,
	    .plan = plan,
	    .stacks = xcalloc(count + 1, sizeof *f.stacks),
	    .parts = xcalloc(count + 1, sizeof *f.parts),
	    .looped = xcalloc(count + 1, sizeof *f.looped),
	    .longest = xcalloc(count + 1, sizeof *f.longest),
	};

	if (survey(&f)) {
		native_labels_begin(&f.labels, f.code, f.parts, plan->cf_count);
		region_find(&f);
		compile_all(&f);
		if (native_code_is_full(f.code))
			f.code->used = start;
		else
			set_chains(&f);
	}
	native_labels_free(&f.labels);
	free(f.stacks);
	free(f.parts);
	free(f.looped);
	free(f.longest);
	free(f.regions);
	free(f.entries);
	free(f.leaves);
}

size_t native_flow_size(const struct evg_plan *plan)
{
	size_t parts = 0, uops = 0;

	for (uint32_t i = 0; i < plan->cf_count; i++) {
		const struct evg_clause_plan *alu = plan->cf[i].alu;

		parts += 2 + (alu ? alu->segment_count : 0);
		for (uint32_t k = 0; alu && k < alu->segment_count; k++)
			uops += alu->segments[k].uop_count;
	}
	return parts * BYTES_PER_PART + uops * BYTES_PER_UOP;
}
