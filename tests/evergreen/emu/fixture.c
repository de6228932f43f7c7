#include "evergreen/emu/fixture.h"

#include "evergreen/emu/native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/emu/memory/memory.h"
#include "unit/random.h"

static void check(int result, const struct error *error)
{
	if (result >= 0)
		return;
	printf("Bail out! %s\n", error->text);
	exit(1);
}

void asm_begin(struct assembler *as)
{
	memset(as, 0, sizeof *as);
	as->registers = 16;
}

void asm_end(struct assembler *as)
{
	for (unsigned i = 0; i < as->count; i++)
		free(as->clause[i]);
	as->count = 0;
}

static struct evg_cf_inst *add_cf(struct assembler *as, enum evg_cf_op op)
{
	struct evg_cf_inst *cf = &as->cf[as->count];

	if (as->count == ASM_MAX_CF - 1) {
		printf("Bail out! too many CF instructions\n");
		exit(1);
	}
	memset(cf, 0, sizeof *cf);
	cf->op = op;
	cf->format = evg_cf_info[op].format;
	cf->barrier = true;
	as->clause[as->count] = NULL;
	as->clause_units[as->count] = 0;
	as->is_fetch[as->count] = false;
	as->count++;
	return cf;
}

unsigned asm_cf(struct assembler *as, enum evg_cf_op op, unsigned address,
		unsigned pop_count)
{
	struct evg_cf_inst *cf = add_cf(as, op);

	cf->address = address;
	cf->pop_count = (uint8_t)pop_count;
	return as->count - 1;
}

unsigned asm_alu(struct assembler *as, enum evg_cf_op op,
		 const struct evg_alu_group *groups, unsigned count)
{
	struct evg_cf_inst *cf = add_cf(as, op);
	unsigned index = as->count - 1, units = 0;
	uint32_t *words = xcalloc(count * 14, sizeof *words);
	struct error error;

	cf->kcache[0].mode = 2;
	for (unsigned i = 0; i < count; i++) {
		int size = evg_alu_group_encode(words + 2 * units, &groups[i],
						&error);

		check(size, &error);
		units += (unsigned)size;
	}
	cf->count = (uint16_t)units;
	as->clause[index] = words;
	as->clause_units[index] = units;
	return index;
}

unsigned asm_fetch(struct assembler *as, const struct evg_fetch_inst *fetches,
		   unsigned count)
{
	struct evg_cf_inst *cf = add_cf(as, EVG_CF_TEX);
	unsigned index = as->count - 1;
	uint32_t *words = xcalloc(count * 4, sizeof *words);
	struct error error;

	for (unsigned i = 0; i < count; i++)
		check(evg_fetch_encode(words + 4 * i, &fetches[i], &error),
		      &error);
	cf->count = (uint16_t)count;
	as->clause[index] = words;
	as->clause_units[index] = 2 * count;
	as->is_fetch[index] = true;
	return index;
}

unsigned asm_store(struct assembler *as, enum evg_rat_op op, unsigned rw_gpr,
		   unsigned index_gpr, unsigned component_mask)
{
	struct evg_cf_inst *cf =
		add_cf(as, op == EVG_RAT_STORE_RAW ? EVG_CF_MEM_RAT_NOCACHE
						   : EVG_CF_MEM_RAT);

	cf->rat_op = op;
	cf->type = 1;
	cf->rw_gpr = (uint8_t)rw_gpr;
	cf->index_gpr = (uint8_t)index_gpr;
	cf->component_mask = (uint8_t)component_mask;
	return as->count - 1;
}

unsigned asm_add(struct assembler *as, const struct evg_cf_inst *inst)
{
	*add_cf(as, inst->op) = *inst;
	return as->count - 1;
}

struct evg_source gpr(unsigned number, unsigned channel)
{
	return selector(number, channel);
}

struct evg_source relative_gpr(unsigned number, unsigned channel)
{
	struct evg_source source = selector(number, channel);

	source.relative = true;
	return source;
}

struct evg_source selector(unsigned select, unsigned channel)
{
	return (struct evg_source){.select = (uint16_t)select,
				   .channel = (uint8_t)channel};
}

struct evg_alu_group group_begin(void)
{
	struct evg_alu_group group;

	memset(&group, 0, sizeof group);
	return group;
}

struct evg_alu_inst *group_add(struct evg_alu_group *group, unsigned slot,
			       enum evg_alu_op op, unsigned dest_gpr,
			       unsigned dest_channel, struct evg_source a,
			       struct evg_source b, struct evg_source c)
{
	struct evg_alu_inst *inst = &group->inst[slot];

	memset(inst, 0, sizeof *inst);
	inst->op = op;
	inst->source[0] = a;
	inst->source[1] = b;
	inst->source[2] = c;
	inst->source_count = evg_alu_info[op].source_count;
	inst->dest_gpr = (uint8_t)dest_gpr;
	inst->dest_channel = (uint8_t)dest_channel;
	inst->write_mask = true;
	inst->last = true;
	if (group->inst_count)
		group->inst[group->order[group->inst_count - 1]].last = false;
	group->order[group->inst_count++] = (uint8_t)slot;
	group->slot_mask |= 1u << slot;
	return inst;
}

struct evg_source group_literal(struct evg_alu_group *group, uint32_t value)
{
	unsigned place;

	/* Pairs are filled up with zeros, which may be taken over. */
	for (place = 0; place < group->literal_count; place++)
		if (group->literal[place] == value)
			return selector(EVG_SELECT_LITERAL, place);
	if (place && !group->literal[place - 1]) {
		place--;
	} else if (place == 4) {
		return selector(EVG_SELECT_LITERAL, 3);
	} else {
		group->literal_count += 2;
		group->literal[place + 1] = 0;
	}
	group->literal[place] = value;
	return selector(EVG_SELECT_LITERAL, place);
}

struct evg_alu_group group_of(enum evg_alu_op op, unsigned dest_gpr,
			      unsigned dest_channel, struct evg_source a,
			      struct evg_source b, struct evg_source c)
{
	struct evg_alu_group group = group_begin();
	unsigned slot = evg_alu_info[op].slots == EVG_SLOTS_T ? EVG_T
							      : dest_channel;

	group_add(&group, slot, op, dest_gpr, dest_channel, a, b, c);
	return group;
}

struct evg_alu_group group_predicate(struct evg_source a, bool execute_mask,
				     bool predicate)
{
	struct evg_source zero = selector(EVG_SELECT_0, 0);
	struct evg_alu_group group =
		group_of(EVG_ALU_PRED_SETNE_INT, 0, 0, a, zero, zero);

	group.inst[0].write_mask = false;
	group.inst[0].update_execute_mask = execute_mask;
	group.inst[0].update_predicate = predicate;
	return group;
}

struct evg_alu_group group_lds(enum evg_lds_op op, struct evg_source address,
			       struct evg_source a, struct evg_source b)
{
	struct evg_alu_group group =
		group_of(EVG_ALU_LDS_IDX_OP, 0, 0, address, a, b);

	group.inst[0].lds_op = op;
	group.inst[0].source_count = evg_lds_info[op].source_count;
	group.inst[0].write_mask = false;
	return group;
}

struct evg_fetch_inst vertex_fetch(unsigned dest_gpr, unsigned source_gpr,
				   unsigned source_channel, unsigned format,
				   unsigned resource)
{
	struct evg_fetch_inst inst;

	memset(&inst, 0, sizeof inst);
	inst.op = EVG_FETCH_VFETCH;
	inst.is_vertex = true;
	inst.fetch_type = 2;
	inst.resource_id = (uint8_t)resource;
	inst.source_gpr = (uint8_t)source_gpr;
	inst.source_select[0] = (uint8_t)source_channel;
	inst.dest_gpr = (uint8_t)dest_gpr;
	for (unsigned c = 0; c < 4; c++)
		inst.dest_select[c] = (uint8_t)c;
	inst.data_format = (uint8_t)format;
	inst.num_format = 1;
	inst.mega_fetch = true;
	inst.mega_fetch_count = 15;
	return inst;
}

struct evg_program *asm_program(struct assembler *as)
{
	struct evg_program *program = xcalloc(1, sizeof *program);
	uint32_t *words = xcalloc(2 * ASM_MAX_UNITS, sizeof *words);
	struct evg_cf_inst *last = add_cf(as, EVG_CF_NOP);
	uint32_t unit = as->count;
	struct error error;

	last->end_of_program = true;
	for (unsigned i = 0; i < as->count; i++) {
		struct evg_cf_inst *cf = &as->cf[i];

		if (as->clause[i]) {
			unit += unit & as->is_fetch[i];
			cf->address = unit;
			memcpy(words + 2 * unit, as->clause[i],
			       as->clause_units[i] * 8);
			unit += as->clause_units[i];
		}
		check(evg_cf_encode(words + 2 * i, cf, &error), &error);
	}
	program->text = (uint8_t *)words;
	program->text_size = 8 * unit;
	program->kernels = xcalloc(1, sizeof *program->kernels);
	program->kernel_count = 1;
	program->kernels[0] = (struct evg_kernel){
		.name = "test",
		.program = program,
		.code_size = 8 * unit,
		.registers = as->registers,
		.scratch_size = as->scratch,
		.stack_size = 8,
		.attributes = "",
		.tail_offset = ASM_TAIL,
	};
	asm_end(as);
	return program;
}

void program_free(struct evg_program *program)
{
	evg_code_free(program->kernels[0].code);
	free(program->kernels);
	free(program->text);
	free(program);
}

struct evg_launch launch_of(const struct evg_program *program,
			    struct evg_memory *memory, uint32_t global,
			    uint32_t local)
{
	return (struct evg_launch){
		.kernel = &program->kernels[0],
		.memory = memory,
		.work_dim = 1,
		.global_size = {global, 1, 1},
		.local_size = {local, 1, 1},
	};
}

static const struct level {
	const char *name;
	const struct evg_simd *simd;
	bool native;
} levels[LEVELS] = {
	{"v2", &evg_simd_v2, false},
	{"v3", &evg_simd_v3, false},
	{"v3 native", &evg_simd_v3, true},
	{"v4", &evg_simd_v4, false},
	{"v4 native", &evg_simd_v4, true},
};

unsigned level_count(void)
{
	const struct evg_simd *best = evg_simd_best();

	return best == &evg_simd_v4 ? 5 : best == &evg_simd_v3 ? 3 : 1;
}

const char *level_name(unsigned level)
{
	return levels[level].name;
}

struct evg_ndrange *level_ndrange(const struct evg_launch *launch,
				  unsigned level)
{
	struct error error;
	struct evg_ndrange *ndrange = evg_ndrange_create_for(
		launch, levels[level].simd, &error);

	if (!ndrange) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	ndrange->interpreted = !levels[level].native;
	if (levels[level].native)
		evg_native_compile(ndrange->plan);
	if (levels[level].native)
		evg_native_compile_steps(ndrange->plan);
	return ndrange;
}

uint32_t *register_row(struct evg_wavefront *wavefront, unsigned number,
		       unsigned channel)
{
	return (uint32_t *)(void *)(wavefront->registers.base[EVG_BASE_STATE] +
				    (4 * number + channel) * EVG_ROW_BYTES);
}

static uint64_t random_state;

void random_seed(uint32_t seed)
{
	random_state = seed;
}

uint32_t random_bits(void)
{
	return (uint32_t)random_draw(&random_state);
}
