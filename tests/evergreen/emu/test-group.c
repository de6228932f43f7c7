/* Random VLIW groups against an interpreter of one work-item: order of reads
 * and writes within a group, PV and PS, literals, constants, predicates, the
 * execute mask, relative registers. Run and stepped, on each host instruction
 * set. */
#include <stdio.h>
#include <string.h>

#include "evergreen/emu/fixture.h"
#include "unit/harness.h"

enum {
	REGISTERS = 16,
	ARRAY = 8,      /* R8 to R11 are indexed */
	ARRAY_SIZE = 4,
	INDEX = 14,     /* R14.x holds 0 .. ARRAY_SIZE - 1 for MOVA_INT */
	GROUPS = 14,
	CLAUSES = 4,
	PROGRAMS = 150,
};

static const struct evg_source unused;

/* --- The reference ------------------------------------------------------ */

struct item {
	uint32_t r[REGISTERS][4];
	uint32_t pv[EVG_SLOT_COUNT];
	uint32_t ar;
	bool active, predicate;
};

static uint32_t read_source(const struct item *item,
			    const struct evg_alu_group *group,
			    const struct evg_source *source,
			    const uint32_t *buffer)
{
	unsigned select = source->select, channel = source->channel;

	if (select < 128)
		return item->r[select + (source->relative ? item->ar : 0)]
			      [channel];
	if (select < 160)
		return buffer[4 * (select - 128) + channel];
	switch (select) {
	case EVG_SELECT_LITERAL:
		return group->literal[channel];
	case EVG_SELECT_PV:
		return item->pv[channel];
	case EVG_SELECT_PS:
		return item->pv[EVG_T];
	case EVG_SELECT_1_INT:
		return 1;
	case EVG_SELECT_M1_INT:
		return 0xffffffff;
	case EVG_SELECT_1:
		return 0x3f800000;
	default:
		return 0;
	}
}

static uint32_t compute(enum evg_alu_op op, uint32_t a, uint32_t b, uint32_t c)
{
	switch (op) {
	case EVG_ALU_ADD_INT:
		return a + b;
	case EVG_ALU_SUB_INT:
		return a - b;
	case EVG_ALU_XOR_INT:
		return a ^ b;
	case EVG_ALU_AND_INT:
		return a & b;
	case EVG_ALU_MULLO_INT:
		return a * b;
	case EVG_ALU_CNDE_INT:
		return a ? c : b;
	case EVG_ALU_PRED_SETNE_INT:
		return a != b ? 0 : 0x3f800000;
	default:
		return a;
	}
}

static bool executes(const struct item *item, const struct evg_alu_inst *inst)
{
	if (inst->predicate_select == 2)
		return !item->predicate;
	return inst->predicate_select != 3 || item->predicate;
}

static void run_group(struct item *item, const struct evg_alu_group *group,
		      const uint32_t *buffer)
{
	struct item next = *item;

	if (!item->active)
		return;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		const struct evg_alu_inst *inst = &group->inst[s];
		uint32_t v[3], result;
		unsigned dest = inst->dest_gpr;

		if (!(group->slot_mask >> s & 1))
			continue;
		for (int k = 0; k < 3; k++)
			v[k] = read_source(item, group, &inst->source[k],
					   buffer);
		result = compute(inst->op, v[0], v[1], v[2]);
		next.pv[s] = result;
		if (!executes(item, inst))
			continue;
		if (inst->op == EVG_ALU_MOVA_INT) {
			next.ar = v[0];
			continue;
		}
		if (inst->update_predicate)
			next.predicate = v[0] != v[1];
		if (inst->update_execute_mask)
			next.active = v[0] != v[1];
		if (inst->dest_relative)
			dest += item->ar;
		if (inst->write_mask)
			next.r[dest][inst->dest_channel] = result;
	}
	*item = next;
}

/* --- Random groups ------------------------------------------------------ */

struct generator {
	bool written[REGISTERS][4];
	bool scatters, moves_address, has_predicate;
	unsigned readable;      /* slots whose PV or PS may be read next */
	bool address_ready, index_ready, predicate_ready;
};

static struct evg_source random_source(struct generator *g,
				       struct evg_alu_group *group)
{
	unsigned slot = random_bits() % EVG_SLOT_COUNT;

	switch (random_bits() % 10) {
	case 0:
		return group_literal(group, random_bits());
	case 1:
		return selector(EVG_SELECT_KCACHE0 + 3, random_bits() % 4);
	case 2:
		return selector(random_bits() % 2 ? EVG_SELECT_1_INT
						  : EVG_SELECT_M1_INT,
				0);
	case 3:
	case 4:
	case 5:
		if (!(g->readable >> slot & 1))
			break;
		return slot == EVG_T ? selector(EVG_SELECT_PS, 0)
				     : selector(EVG_SELECT_PV, slot);
	case 6:
		if (!g->address_ready || g->moves_address)
			break;
		return relative_gpr(ARRAY, random_bits() % 4);
	default:
		break;
	}
	return gpr(random_bits() % 13, random_bits() % 4);
}

/* Sets a destination that no other slot of the group writes; false if the
 * dice fell badly. */
static bool random_dest(struct generator *g, struct evg_alu_inst *inst,
			bool may_scatter)
{
	unsigned r = random_bits() % 13, c = inst->dest_channel;
	bool in_array = r >= ARRAY && r < ARRAY + ARRAY_SIZE;

	if (may_scatter && g->address_ready && !g->moves_address &&
	    !g->scatters && random_bits() % 8 == 0) {
		for (unsigned k = 0; k < ARRAY_SIZE; k++)
			if (g->written[ARRAY + k][c])
				return false;
		g->scatters = true;
		inst->dest_gpr = ARRAY;
		inst->dest_relative = true;
		return true;
	}
	if (g->written[r][c] || (g->scatters && in_array))
		return false;
	g->written[r][c] = true;
	inst->dest_gpr = (uint8_t)r;
	return true;
}

static void random_slot(struct generator *g, struct evg_alu_group *group,
			unsigned slot)
{
	static const enum evg_alu_op ops[] = {
		EVG_ALU_ADD_INT, EVG_ALU_SUB_INT, EVG_ALU_XOR_INT,
		EVG_ALU_MOV, EVG_ALU_CNDE_INT, EVG_ALU_AND_INT};
	enum evg_alu_op op = ops[random_bits() % 6];
	unsigned count;
	struct evg_source s[3] = {unused, unused, unused};
	struct evg_alu_inst *inst;

	if (slot == EVG_T)
		op = EVG_ALU_MULLO_INT;
	else if (!g->has_predicate && random_bits() % 12 == 0)
		op = EVG_ALU_PRED_SETNE_INT;
	count = evg_alu_info[op].source_count;
	for (unsigned k = 0; k < count; k++)
		s[k] = random_source(g, group);
	inst = group_add(group, slot, op, 0,
			 slot == EVG_T ? random_bits() % 4 : slot, s[0], s[1],
			 s[2]);
	if (op == EVG_ALU_PRED_SETNE_INT) {
		g->has_predicate = true;
		inst->update_predicate = random_bits() % 2;
		inst->update_execute_mask = random_bits() % 4 == 0;
		inst->write_mask = false;
		return;
	}
	if (g->predicate_ready && random_bits() % 3 == 0)
		inst->predicate_select = 2 + random_bits() % 2;
	if (op == EVG_ALU_CNDE_INT) {
		while (!random_dest(g, inst, true))
			;
	} else {
		inst->write_mask = random_bits() % 5 != 0 &&
				   random_dest(g, inst, true);
	}
}

/* Prepares AR: the index in one group, MOVA_INT in a later one. */
static bool address_group(struct generator *g, struct evg_alu_group *group)
{
	if (!g->index_ready) {
		group_add(group, EVG_X, EVG_ALU_AND_INT, INDEX, 0,
			  gpr(random_bits() % 13, random_bits() % 4),
			  group_literal(group, ARRAY_SIZE - 1), unused);
		g->index_ready = true;
		return true;
	}
	group_add(group, EVG_X, EVG_ALU_MOVA_INT, 0, 0, gpr(INDEX, 0), unused,
		  unused)
		->write_mask = false;
	g->moves_address = true;
	return true;
}

static struct evg_alu_group random_group(struct generator *g)
{
	struct evg_alu_group group = group_begin();
	unsigned first = 0;

	memset(g->written, 0, sizeof g->written);
	g->scatters = g->moves_address = g->has_predicate = false;
	if (random_bits() % 4 == 0 && address_group(g, &group))
		first = 1;
	for (unsigned s = first; s < EVG_SLOT_COUNT; s++)
		if (random_bits() % 3 || (!group.inst_count && s == EVG_T))
			random_slot(g, &group, s);
	g->readable = group.slot_mask;
	if (g->moves_address)
		g->readable &= ~1u;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++) {
		/* What PV holds where the predicate was off is not known. */
		if (group.inst[s].predicate_select)
			g->readable &= ~(1u << s);
		g->predicate_ready |= group.inst[s].update_predicate;
	}
	g->address_ready |= g->moves_address;
	return group;
}

/* --- Runs --------------------------------------------------------------- */

static struct evg_alu_group groups[CLAUSES][GROUPS];
static struct item items[EVG_WAVEFRONT_SIZE];
static uint32_t start[EVG_WAVEFRONT_SIZE][REGISTERS][4];

static struct evg_program *random_program(void)
{
	struct assembler as;

	asm_begin(&as);
	for (unsigned c = 0; c < CLAUSES; c++) {
		struct generator g;
		unsigned units = 0, count = 0;

		memset(&g, 0, sizeof g);
		for (unsigned i = 0; i < GROUPS; i++) {
			groups[c][i] = random_group(&g);
			units += groups[c][i].inst_count +
				 groups[c][i].literal_count / 2;
			if (units > 128)
				memset(&groups[c][i], 0,
				       sizeof groups[c][i]);
			else
				count = i + 1;
		}
		asm_alu(&as, EVG_CF_ALU, groups[c], count);
	}
	return asm_program(&as);
}

static void run_reference(struct item *item, const uint32_t *buffer)
{
	for (unsigned c = 0; c < CLAUSES; c++) {
		/* AR does not outlive its clause, nor do results. */
		for (unsigned i = 0; i < GROUPS; i++)
			run_group(item, &groups[c][i], buffer);
	}
}

static bool compare(struct evg_wavefront *wavefront, const char *how)
{
	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++) {
			const uint32_t *row = register_row(wavefront, r, c);

			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE;
			     lane++) {
				if (row[lane] == items[lane].r[r][c])
					continue;
				printf("# %s: R%u.%c lane %u: %08x, wanted "
				       "%08x\n",
				       how, r, "xyzw"[c], lane, row[lane],
				       items[lane].r[r][c]);
				return false;
			}
		}
	return true;
}

static bool run_machine(struct evg_ndrange *ndrange, bool stepped,
			const char *how)
{
	struct evg_work_group *group = evg_work_group_create(ndrange, 0);
	struct evg_wavefront *wavefront = evg_work_group_wavefront(group, 0);
	struct evg_step step;
	struct error error = {""};
	bool good = true;

	for (unsigned r = 0; r < REGISTERS; r++)
		for (unsigned c = 0; c < 4; c++)
			for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE;
			     lane++)
				register_row(wavefront, r, c)[lane] =
					start[lane][r][c];
	while (stepped && good && !evg_wavefront_ended(wavefront))
		good = !evg_wavefront_step(wavefront, &step, &error);
	if (!stepped)
		good = evg_wavefront_run(wavefront) == EVG_RUN_ENDED;
	if (!good) {
		evg_fault_report(wavefront, &error);
		printf("# %s: %s\n", how, error.text);
	}
	good = good && compare(wavefront, how);
	evg_work_group_free(group);
	return good;
}

static bool check_program(void)
{
	struct evg_program *program = random_program();
	struct evg_memory *memory = evg_memory_create(1 << 20, NULL);
	struct evg_launch launch = launch_of(program, memory, 64, 64);
	uint32_t buffer[ASM_TAIL / 4];
	struct evg_ndrange *ndrange;
	bool good = true;

	for (unsigned i = 0; i < ASM_TAIL / 4; i++)
		buffer[i] = random_bits();
	launch.arguments = (const uint8_t *)buffer;
	for (unsigned lane = 0; lane < EVG_WAVEFRONT_SIZE; lane++) {
		memset(&items[lane], 0, sizeof items[lane]);
		for (unsigned r = 0; r < REGISTERS; r++)
			for (unsigned c = 0; c < 4; c++)
				start[lane][r][c] = random_bits() % 3
							    ? random_bits()
							    : random_bits() % 4;
		memcpy(items[lane].r, start[lane], sizeof items[lane].r);
		items[lane].active = true;
		run_reference(&items[lane], buffer);
	}
	for (unsigned level = 0; good && level < level_count(); level++) {
		ndrange = level_ndrange(&launch, level);
		good = run_machine(ndrange, false, level_name(level)) &&
		       run_machine(ndrange, true, "stepped");
		evg_ndrange_free(ndrange);
	}
	evg_memory_free(memory);
	program_free(program);
	return good;
}

static void test_random_groups(void)
{
	for (unsigned i = 0; i < PROGRAMS; i++) {
		bool good;

		random_seed(1000 + i);
		good = check_program();
		if (!good)
			printf("# program of seed %u\n", 1000 + i);
		CU_ASSERT(good);
	}
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{"random groups do as one work-item would", test_random_groups},
		CU_TEST_INFO_NULL};
	static CU_SuiteInfo suites[] = {
		{"evergreen emu group", NULL, NULL, NULL, NULL, tests},
		CU_SUITE_INFO_NULL};

	return harness_run(suites);
}
