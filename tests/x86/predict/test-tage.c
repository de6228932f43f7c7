/* TAGE, ITTAGE and the loop predictor against slow models, which keep every bit
 * of history since the start and fold it anew for each prediction, keep fields
 * apart, and learn at once. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit/harness.h"
#include "x86/predict/program.h"
#include "x86/timing/predict/tage.h"

enum { STEPS = 12000, BITS = 3 * STEPS + 8 };

/* --- Histories ------------------------------------------------------------ */

struct past {
	uint8_t bits[BITS]; /* the oldest first */
	uint32_t count, path;
};

/* The newest bit is added at place 0, the one before at 1, ... of a ring of
 * `width` places. */
static uint32_t fold(const struct past *past, unsigned length, unsigned width)
{
	uint32_t value = 0;

	for (unsigned age = 0; age < length && age < past->count; age++)
		value ^= (uint32_t)past->bits[past->count - 1 - age]
			 << age % width;
	return value;
}

static uint32_t low_bits(uint64_t value, unsigned count)
{
	return (uint32_t)(value % (UINT64_C(1) << count));
}

static uint32_t rotated(uint32_t value, unsigned by, unsigned width)
{
	if (by >= width)
		return value;
	return low_bits((uint64_t)value << by, width) + (value >> (width - by));
}

/* --- TAGE ----------------------------------------------------------------- */

struct entry {
	int tag, counter, useful; /* counter: -4 to 3 */
};

struct model {
	const struct tage_sizes *sizes;
	struct past past;
	struct entry *banks[40]; /* short ones, long ones */
	int *bimodal, *hysteresis;
	int use_alt[16], tick;
	uint64_t seed;
};

struct look {
	struct entry *entry[TAGE_MOST_LEVELS + 1]; /* NULL: no such level */
	int tag[TAGE_MOST_LEVELS + 1];
	unsigned hit, alternate;
	uint32_t base;
	bool base_taken, base_sure, longest, other, other_sure, taken;
};

static bool level_exists(const struct tage_sizes *sizes, unsigned level)
{
	unsigned last = 2u * sizes->pairs;

	if (level == 4 || level == 8 || level == last - 2 || level == last - 6)
		return false;
	if (level % 2 == 0)
		return true;
	return level >= 9 && level < 23;
}

static int sure(int counter)
{
	return abs(2 * counter + 1); /* 1, 3, 5, 7 */
}

static void place_levels(struct model *model, uint64_t address,
			 struct look *look)
{
	const struct tage_sizes *sizes = model->sizes;
	const struct past *past = &model->past;
	unsigned width = sizes->log_entries, bank[2] = { 0 };

	for (unsigned level = 1; level <= 2u * sizes->pairs; level++) {
		bool is_long = level >= sizes->first_long, odd = level % 2;
		unsigned first = is_long ? sizes->first_long : 1;
		unsigned banks = is_long ? sizes->long_banks
					 : sizes->short_banks;
		unsigned length = sizes->lengths[(level - 1) / 2];
		unsigned tags = is_long ? sizes->long_tag : sizes->short_tag;
		unsigned named = odd ? level : level - 1;
		unsigned shift = (unsigned)abs((int)width - (int)named) + 1;
		uint32_t used = length < 27 ? low_bits(past->path, length)
					    : past->path;
		uint32_t here = (uint32_t)address, index, tag, way;

		if (level == first)
			bank[is_long] = (unsigned)((address ^
				(sizes->lengths[(first - 1) / 2] < 27
					 ? low_bits(past->path,
						    sizes->lengths[(first - 1) /
								   2])
					 : past->path)) % banks);
		way = rotated(low_bits(used, width) ^
				      rotated(used >> width, named, width),
			      named, width);
		index = low_bits(here ^ here >> shift ^
					 fold(past, length, width) ^ way,
				 width);
		tag = low_bits(here ^ fold(past, length, tags) ^
				       fold(past, length, tags - 1) << 1,
			       tags);
		if (!odd)
			index = low_bits(index ^ tag, width);
		look->tag[level] = (int)tag;
		look->entry[level] = NULL;
		if (!level_exists(sizes, level))
			continue;
		look->entry[level] =
			&model->banks[(is_long ? sizes->short_banks : 0) +
				      bank[is_long]][index];
		bank[is_long] = (bank[is_long] + 1) % banks;
	}
}

static int *chooser(struct model *model, const struct look *look)
{
	return &model->use_alt[((look->hit - 1) / 8 * 2 + look->other_sure) %
			       (model->sizes->use_alt - 1u)];
}

static void model_look(struct model *model, uint64_t address,
		       struct look *look)
{
	int direction, strong;

	place_levels(model, address, look);
	look->hit = look->alternate = 0;
	for (unsigned level = 1; level <= 2u * model->sizes->pairs; level++)
		if (look->entry[level] &&
		    look->entry[level]->tag == look->tag[level]) {
			look->alternate = look->hit;
			look->hit = level;
		}
	look->base = low_bits(address ^ address >> 2,
			      model->sizes->log_bimodal);
	direction = model->bimodal[look->base];
	strong = model->hysteresis[look->base / 4];
	look->base_taken = direction;
	look->base_sure = direction == strong;
	look->taken = look->longest = look->other = look->base_taken;
	look->other_sure = look->base_sure;
	if (!look->hit)
		return;
	look->longest = look->entry[look->hit]->counter >= 0;
	if (look->alternate) {
		int counter = look->entry[look->alternate]->counter;

		look->other = counter >= 0;
		look->other_sure = sure(counter) > 1;
	}
	look->taken = sure(look->entry[look->hit]->counter) > 1 ||
				      *chooser(model, look) < 0
			      ? look->longest
			      : look->other;
}

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

static void teach(int *counter, bool up, int states)
{
	*counter = clamp(*counter + (up ? 1 : -1), -states / 2, states / 2 - 1);
}

static uint32_t draw(struct model *model)
{
	uint64_t seed = (model->seed + 1) ^ model->past.path;

	seed = (seed >> 21) + (seed << 11);
	/* The head of the real one's ring falls with each bit. */
	seed ^= (uint64_t)-(int64_t)model->past.count;
	model->seed = (seed >> 10) + (seed << 22);
	return (uint32_t)model->seed;
}

static void teach_base(struct model *model, const struct look *look, bool taken)
{
	int state = 2 * model->bimodal[look->base] +
		    model->hysteresis[look->base / 4];

	state = clamp(state + (taken ? 1 : -1), 0, 3);
	model->bimodal[look->base] = state / 2;
	model->hysteresis[look->base / 4] = state % 2;
}

static void new_entries(struct model *model, const struct look *look,
			bool taken)
{
	const struct tage_sizes *sizes = model->sizes;
	unsigned pairs_on = draw(model) % 128 < 32 ? 2 : 1;
	/* Pairs of levels (1, 2), (3, 4), ...; the first behind the hit. */
	unsigned pair = (look->hit + 2 * pairs_on - 1) / 2;
	unsigned first_way = draw(model) & 1;
	int given = 0, kept = 0;

	for (; 2 * pair + first_way < 2u * sizes->pairs && given < 2; pair++) {
		for (unsigned k = 0; k < 2; k++) {
			unsigned level = 2 * pair + 1 + (first_way ^ k);
			struct entry *entry = look->entry[level];

			if (!entry)
				continue;
			if (entry->useful) {
				kept++;
			} else if (sure(entry->counter) > 3) {
				entry->counter += entry->counter > 0 ? -1 : 1;
			} else {
				entry->tag = look->tag[level];
				entry->counter = taken ? 0 : -1;
				given++;
				pair++; /* and not the next one */
				break;
			}
		}
	}
	model->tick = clamp(model->tick + kept - 2 * given, 0, 1 << 20);
	if (model->tick < 1024)
		return;
	model->tick = 0;
	for (int bank = 0; bank < sizes->short_banks + sizes->long_banks;
	     bank++)
		for (unsigned i = 0; i < 1u << sizes->log_entries; i++)
			model->banks[bank][i].useful /= 2;
}

static void model_learn(struct model *model, struct look *look, bool taken)
{
	struct entry *hit = look->hit ? look->entry[look->hit] : NULL;
	struct entry *other = look->alternate ? look->entry[look->alternate]
					      : NULL;
	bool new = hit && sure(hit->counter) == 1;
	bool wrong = look->taken != taken, wanted;

	wanted = wrong && look->hit < 2u * model->sizes->pairs &&
		 !(new && look->longest == taken);
	if (new && look->longest != look->other)
		teach(chooser(model, look), look->other == taken, 32);
	if (!wrong && draw(model) % 32)
		wanted = false;
	if (wanted)
		new_entries(model, look, taken);
	if (!hit) {
		teach_base(model, look, taken);
		return;
	}
	if (sure(hit->counter) == 1 && look->longest != taken) {
		if (other)
			teach(&other->counter, taken, 8);
		else
			teach_base(model, look, taken);
	}
	teach(&hit->counter, taken, 8);
	if (sure(hit->counter) == 1)
		hit->useful = 0;
	if (other && look->other == taken && look->longest == taken &&
	    hit->useful == 1 && sure(other->counter) == 7)
		hit->useful = 0;
	if (look->longest != look->other && look->longest == taken)
		hit->useful = clamp(hit->useful + 1, 0,
				    (1 << model->sizes->useful_bits) - 1);
}

static void model_push(struct model *model, const struct branch *branch,
		       bool taken)
{
	uint64_t a = branch->address;
	unsigned count = branch->kind >= BRANCH_INDIRECT_JUMP ? 3 : 2;
	uint64_t path = model->past.path;

	for (unsigned i = 0; i < count; i++) {
		model->past.bits[model->past.count++] =
			((a ^ a >> 2 ^ taken) >> i) & 1;
		path = 2 * path ^ low_bits((a ^ a >> 2 ^ a >> 4) >> i, 7);
	}
	model->past.path = low_bits(path, 27);
}

static struct model *model_create(const struct tage_sizes *sizes)
{
	struct model *model = xcalloc(1, sizeof *model);

	model->sizes = sizes;
	for (int i = 0; i < sizes->short_banks + sizes->long_banks; i++)
		model->banks[i] = xcalloc(1u << sizes->log_entries,
					  sizeof **model->banks);
	model->bimodal = xcalloc(1u << sizes->log_bimodal, sizeof(int));
	model->hysteresis = xcalloc(1u << sizes->log_bimodal, sizeof(int));
	for (unsigned i = 0; i < 1u << sizes->log_bimodal; i++)
		model->hysteresis[i] = 1;
	return model;
}

static void model_free(struct model *model)
{
	for (int i = 0; i < 40; i++)
		free(model->banks[i]);
	free(model->bimodal);
	free(model->hysteresis);
	free(model);
}

static void against_model(const struct tage_sizes *sizes, uint64_t seed)
{
	struct model *model = model_create(sizes);
	struct tage *tage = xcalloc(1, tage_bytes(sizes));
	struct program program = { .seed = seed };
	unsigned differ = 0, hits = 0, wrong = 0, conditional = 0;

	tage_init(sizes, tage);
	for (int i = 0; i < STEPS; i++) {
		struct program_step step = program_next(&program);
		bool is = step.branch.kind == BRANCH_CONDITIONAL;
		bool taken = step.outcome.taken;
		struct tage_lookup found;
		struct tage_keys keys;
		struct tage_undo undo;
		struct look look;

		if (is) {
			model_look(model, step.branch.address, &look);
			tage_find(sizes, tage, step.branch.address, &keys);
			tage_look(sizes, tage, &keys, &found);
			differ += found.taken != look.taken ||
				  found.hit != look.hit ||
				  found.alternate != look.alternate;
			hits += look.hit != 0;
			wrong += look.taken != taken;
			conditional++;
		}
		model_push(model, &step.branch, taken);
		tage_push(sizes, tage, &undo, &step.branch, taken);
		if (is) {
			model_learn(model, &look, taken);
			tage_train(sizes, tage, &found, taken,
				   found.taken == taken);
		}
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(hits > conditional / 4);
	CU_ASSERT(wrong > conditional / 50 && wrong < conditional / 2);
	model_free(model);
	free(tage);
}

static void test_tage(void)
{
	against_model(&tage_sizes_8, 1);
	against_model(&tage_sizes_8, 2);
	against_model(&tage_sizes_64, 3);
}

/* --- Loops ---------------------------------------------------------------- */

enum { LOOPS = 32 };

struct loops {
	struct {
		unsigned tag, whole, present, trust, age;
		bool inside;
	} list[LOOPS];
	int bimodal[1024]; /* -2 to 1 */
	uint64_t seed;
};

static uint32_t loop_draw(struct loops *loops)
{
	loops->seed = loops->seed * UINT64_C(6364136223846793005) +
		      UINT64_C(1442695040888963407);
	return (uint32_t)(loops->seed >> 33);
}

static unsigned loop_tag(uint64_t address)
{
	return low_bits(address >> 3, 10) ^ low_bits(address >> 13, 10);
}

static unsigned loop_place(uint64_t address, unsigned way)
{
	return 4 * (low_bits(address ^ address >> 2, 3) ^
		    low_bits(address >> 3, 3) >> way) + way;
}

static int find_loop(const struct loops *loops, uint64_t address)
{
	for (unsigned way = 0; way < 4; way++)
		if (loops->list[loop_place(address, way)].tag ==
		    loop_tag(address))
			return (int)loop_place(address, way);
	return -1;
}

static void count_turn(struct loops *loops, int at, bool trusted, bool said,
		       bool other, bool taken)
{
	if (trusted && said != taken) {
		loops->list[at].whole = loops->list[at].present = 0;
		loops->list[at].trust = loops->list[at].age = 0;
		return;
	}
	if (trusted && (said != other || loop_draw(loops) % 8 == 0))
		loops->list[at].age += loops->list[at].age < 15;
	loops->list[at].present = (loops->list[at].present + 1) % 1024;
	if (loops->list[at].present > loops->list[at].whole)
		loops->list[at].whole = loops->list[at].trust = 0;
	if (taken == loops->list[at].inside)
		return;
	if (loops->list[at].present != loops->list[at].whole) {
		loops->list[at].whole = loops->list[at].whole
						? 0
						: loops->list[at].present;
		loops->list[at].trust = 0;
	} else if (loops->list[at].whole < 3) {
		loops->list[at].inside = taken;
		loops->list[at].whole = loops->list[at].trust = 0;
		loops->list[at].age = 0;
	} else {
		loops->list[at].trust += loops->list[at].trust < 15;
	}
	loops->list[at].present = 0;
}

static void new_loop(struct loops *loops, uint64_t address, bool taken)
{
	unsigned at = loop_place(address, loop_draw(loops) % 4);

	if (loop_draw(loops) % 4)
		return;
	if (loops->list[at].age) {
		loops->list[at].age--;
		return;
	}
	memset(&loops->list[at], 0, sizeof loops->list[at]);
	loops->list[at].tag = loop_tag(address);
	loops->list[at].age = 7;
	loops->list[at].inside = !taken;
}

static bool loop_step(struct loops *loops, uint64_t address, bool taken,
		      unsigned *trusts)
{
	int *counter = &loops->bimodal[address % 1024];
	int at = find_loop(loops, address);
	bool other = *counter >= 0, said = other, trusted = false;

	if (at >= 0) {
		trusted = loops->list[at].trust == 15 ||
			  loops->list[at].trust * loops->list[at].whole > 128;
		said = loops->list[at].inside !=
		       (loops->list[at].present + 1 == loops->list[at].whole);
	}
	*trusts += trusted;
	if (at >= 0)
		count_turn(loops, at, trusted, said, other, taken);
	if (!trusted)
		said = other;
	*counter = clamp(*counter + (taken ? 1 : -1), -2, 1);
	if (said != taken && find_loop(loops, address) < 0)
		new_loop(loops, address, taken);
	return said;
}

/* Loops of constant length, some of which change it, among other branches. */
static void test_loops(void)
{
	struct loops *loops = xcalloc(1, sizeof *loops);
	struct predict_config config;
	struct direction direction;
	uint64_t seed = 5, record[64];
	unsigned differ = 0, trusts = 0, turns[40] = { 0 };

	predict_config_defaults(&config);
	config.kind = DIRECTION_loop;
	direction_init(&direction, &config);
	CU_ASSERT_FATAL(direction_record_bytes(&direction) <= sizeof record);
	for (int i = 0; i < 200000; i++) {
		uint64_t chance = random_draw(&seed);
		unsigned which = chance % 40;
		unsigned length = 2 + which * 3 + (i / 60000 && which % 5 == 0);
		struct branch branch = { .address = 0x4000 + 41 * which,
					 .target = 0x1000 };
		bool taken = ++turns[which] % length != 0, said;

		if (which % 7 == 0)
			taken = chance >> 20 & 1;
		said = direction_predict(&direction, record, &branch, taken);
		direction_history(&direction, record, &branch, said, taken);
		direction_update(&direction, record, &branch, taken);
		differ += said !=
			  loop_step(loops, branch.address, taken, &trusts);
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(trusts > 10000);
	direction_free(&direction);
	free(loops);
}

/* --- ITTAGE --------------------------------------------------------------- */

enum { TABLES = 8, ENTRIES = 512 };

struct goal {
	uint64_t target; /* 0: none */
	unsigned tag, trust;
	bool useful;
};

struct goals {
	struct past past;
	struct goal base[ENTRIES], tables[TABLES][ENTRIES];
	int use_other, tick;
	uint64_t seed;
};

static const unsigned lengths[TABLES] = { 4, 8, 16, 29, 54, 100, 184, 340 };

static uint32_t goal_draw(struct goals *goals)
{
	uint64_t seed = goals->seed + 1; /* no path enters */

	seed = (seed >> 21) + (seed << 11);
	seed ^= (uint64_t)-(int64_t)goals->past.count;
	goals->seed = (seed >> 10) + (seed << 22);
	return (uint32_t)goals->seed;
}

static void reach(struct goal *goal, uint64_t target)
{
	if (goal->target == target)
		goal->trust += goal->trust < 3;
	else if (goal->trust)
		goal->trust--;
	else
		goal->target = target;
}

static void goal_push(struct goals *goals, const struct branch *branch,
		      uint64_t target, bool taken)
{
	if (branch_is_indirect(branch)) {
		for (unsigned i = 0; i < 3; i++)
			goals->past.bits[goals->past.count++] =
				(target ^ target >> 3 ^ target >> 6 ^
				 target >> 9) >> i & 1;
	} else if (branch->kind == BRANCH_CONDITIONAL) {
		goals->past.bits[goals->past.count++] = taken;
	}
}

/* The prediction, after which all but the history learn; the draws of the real
 * one come after the branch has entered the history. */
static uint64_t goal_step(struct goals *goals, const struct branch *branch,
			  uint64_t target)
{
	uint32_t mixed = (uint32_t)(branch->address ^ branch->address >> 9);
	struct goal *found[TABLES + 1], *slots[TABLES];
	unsigned tags[TABLES], hit[TABLES + 1], count = 0, i;
	struct goal *longest, *other;
	bool new, right, other_right;
	uint64_t said;
	int kept = 0, given = 0;

	found[count] = &goals->base[mixed % ENTRIES];
	hit[count++] = 0;
	for (i = 0; i < TABLES; i++) {
		slots[i] = &goals->tables[i][(mixed ^ mixed >> (i + 1) ^
					      fold(&goals->past, lengths[i],
						   9)) %
					     ENTRIES];
		tags[i] = low_bits(mixed ^ fold(&goals->past, lengths[i], 11) ^
					   fold(&goals->past, lengths[i], 10)
						   << 1,
				   11);
		if (slots[i]->target && slots[i]->tag == tags[i]) {
			found[count] = slots[i];
			hit[count++] = i + 1;
		}
	}
	longest = found[count - 1];
	other = count > 1 ? found[count - 2] : longest;
	new = !longest->trust;
	said = new && goals->use_other >= 0 && other->target ? other->target
							      : longest->target;
	goal_push(goals, branch, target, true);
	right = longest->target == target;
	other_right = other->target == target;
	if (count > 1 && right != other_right) {
		if (new)
			goals->use_other = clamp(goals->use_other +
							 (other_right ? 1 : -1),
						 -8, 7);
		longest->useful = right;
	}
	if (count > 1 && new && !right)
		reach(other, target);
	reach(longest, target);
	if (said == target || (new && right))
		return said;
	i = hit[count - 1] + (goal_draw(goals) % 4 == 0);
	for (; i < TABLES && !given; i++) {
		if (slots[i]->useful) {
			kept++;
			continue;
		}
		*slots[i] = (struct goal){ .target = target, .tag = tags[i] };
		given++;
	}
	goals->tick = clamp(goals->tick + kept - given, 0, 1 << 20);
	if (goals->tick < 1024)
		return said;
	goals->tick = 0;
	for (unsigned table = 0; table < TABLES; table++)
		for (unsigned k = 0; k < ENTRIES; k++)
			goals->tables[table][k].useful = false;
	return said;
}

static void test_ittage(void)
{
	struct goals *goals = xcalloc(1, sizeof *goals);
	struct predict_config config;
	struct target target;
	struct program program = { .seed = 9 };
	uint64_t record[128];
	unsigned differ = 0, known = 0, indirect = 0;

	predict_config_defaults(&config);
	config.indirect = TARGET_ittage;
	target_init(&target, &config);
	CU_ASSERT_FATAL(target.kind->record_bytes <= sizeof record);
	for (int i = 0; i < STEPS; i++) {
		struct program_step step = program_next(&program);
		struct branch branch = step.branch;
		uint64_t said, expected;

		if (!branch_is_indirect(&branch)) {
			target_history(&target, record, &branch,
				       step.outcome.taken);
			goal_push(goals, &branch, 0, step.outcome.taken);
			continue;
		}
		branch.target = step.outcome.next;
		said = target_predict(&target, record, branch.address);
		target_history(&target, record, &branch, true);
		target_update(&target, record, branch.address, branch.target);
		expected = goal_step(goals, &branch, branch.target);
		differ += said != expected;
		known += expected == branch.target;
		indirect++;
	}
	CU_ASSERT_EQUAL(differ, 0);
	CU_ASSERT(indirect > STEPS / 20);
	CU_ASSERT(known > indirect / 10 && known < indirect);
	target_free(&target);
	free(goals);
}

static CU_TestInfo tests[] = {
	{ "TAGE", test_tage },
	{ "loops", test_loops },
	{ "ITTAGE", test_ittage },
	CU_TEST_INFO_NULL,
};

int main(void)
{
	CU_SuiteInfo suites[] = {
		{ "predictors with long histories", NULL, NULL, NULL, NULL,
		  tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
