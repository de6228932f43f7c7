#include "x86/predict/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void model_init(struct model *model, const struct predict_config *config)
{
	memset(model, 0, sizeof *model);
	model->config = config;
	model->threshold = (int)config->hashed_tables;
}

static void learn(struct model *model, const struct branch *branch, bool taken)
{
	model->addresses[model->count] = branch->address;
	model->outcomes[model->count] = taken;
	model->count++;
}

/* The outcome `age` branches ago, 1 the last one; before the first: not taken.
 */
static bool past(const struct model *model, uint32_t age)
{
	return age <= model->count && model->outcomes[model->count - age];
}

/* The last `length` outcomes as a number, the newest its units. */
static uint64_t pattern(const struct model *model, uint32_t length)
{
	uint64_t number = 0;

	for (uint32_t age = length; age >= 1; age--)
		number = 2 * number + past(model, age);
	return number;
}

/* The same among branches whose address has this remainder. */
static uint64_t local_pattern(const struct model *model, uint64_t address,
			      uint64_t modulus, uint32_t length)
{
	uint64_t number = 0, weight = 1;

	for (uint32_t i = model->count; i-- > 0 && length;) {
		if (model->addresses[i] % modulus != address % modulus)
			continue;
		number += weight * model->outcomes[i];
		weight *= 2;
		length--;
	}
	return number;
}

static int clamp(int value, int least, int most)
{
	return value < least ? least : value > most ? most : value;
}

/* Tables begin with zeros: a counter is kept as its distance from weakly taken.
 */
static bool says(const int *counter)
{
	return *counter >= 0;
}

static void teach(int *counter, bool up, int states)
{
	*counter = clamp(*counter + (up ? 1 : -1), -states / 2, states / 2 - 1);
}

bool model_backward(struct model *model, const struct branch *branch,
		    bool taken)
{
	(void)model, (void)taken;
	return !(branch->target > branch->address);
}

static int *bimodal(struct model *model, const struct branch *branch)
{
	return &model->table[0][branch->address % model->config->bimodal_size];
}

bool model_bimodal(struct model *model, const struct branch *branch, bool taken)
{
	int *counter = bimodal(model, branch);
	bool said = says(counter);

	teach(counter, taken, 4);
	return said;
}

static int *two_level(struct model *model, const struct branch *branch)
{
	const struct predict_config *config = model->config;
	uint64_t row =
	    local_pattern(model, branch->address, config->two_level_first,
			  config->two_level_history);

	return &model->table[1][row * config->two_level_second +
				branch->address % config->two_level_second];
}

bool model_two_level(struct model *model, const struct branch *branch,
		     bool taken)
{
	int *counter = two_level(model, branch);
	bool said = says(counter);

	teach(counter, taken, 4);
	learn(model, branch, taken);
	return said;
}

bool model_gshare(struct model *model, const struct branch *branch, bool taken)
{
	const struct predict_config *config = model->config;
	uint64_t aligned = pattern(model, config->gshare_history) *
			   (config->gshare_size >> config->gshare_history);
	int *counter =
	    &model->table[0][(aligned ^ branch->address) % config->gshare_size];
	bool said = says(counter);

	teach(counter, taken, 4);
	learn(model, branch, taken);
	return said;
}

bool model_combined(struct model *model, const struct branch *branch,
		    bool taken)
{
	int *choice =
	    &model->table[2][branch->address % model->config->choice_size];
	int *one = bimodal(model, branch), *other = two_level(model, branch);
	bool first = says(one), second = says(other);
	bool said = says(choice) ? second : first;

	if (first != second)
		teach(choice, second == taken, 4);
	teach(one, taken, 4);
	teach(other, taken, 4);
	learn(model, branch, taken);
	return said;
}

bool model_tournament(struct model *model, const struct branch *branch,
		      bool taken)
{
	uint64_t global = pattern(model, 12);
	int *local =
	    &model->table[0][local_pattern(model, branch->address, 1024, 10)];
	int *shared = &model->table[1][global];
	int *choice = &model->table[2][global];
	bool first = says(local), second = says(shared);
	bool said = says(choice) ? second : first;

	if (first != second)
		teach(choice, second == taken, 4);
	teach(local, taken, 8);
	teach(shared, taken, 4);
	learn(model, branch, taken);
	return said;
}

bool model_perceptron(struct model *model, const struct branch *branch,
		      bool taken)
{
	const struct predict_config *config = model->config;
	int length = (int)config->perceptron_history;
	int *weights =
	    &model->table[0][branch->address % config->perceptron_count *
			     (uint64_t)(length + 1)];
	int sum = weights[0];

	for (int age = 1; age <= length; age++)
		sum += weights[age] * (past(model, (uint32_t)age) ? 1 : -1);
	if ((sum >= 0) != taken || abs(sum) <= floor(1.93 * length + 14)) {
		teach(&weights[0], taken, 256);
		for (int age = 1; age <= length; age++)
			teach(&weights[age],
			      past(model, (uint32_t)age) == taken, 256);
	}
	learn(model, branch, taken);
	return sum >= 0;
}

/* Lengths in closed form; the index bit by bit. */
bool model_hashed(struct model *model, const struct branch *branch, bool taken)
{
	const struct predict_config *config = model->config;
	uint32_t last = config->hashed_tables - 1, index[16];
	unsigned width = (unsigned)log2(config->hashed_size);
	uint64_t mixed = branch->address ^ branch->address >> width;
	int sum = 0;
	bool wrong;

	for (uint32_t i = 0; i <= last; i++) {
		double shortest = fmin(3, config->hashed_history);
		uint32_t length = 0;

		if (i == last)
			length = config->hashed_history;
		else if (i)
			length = (uint32_t)(shortest *
						pow(config->hashed_history /
							shortest,
						    (i - 1.0) / (last - 1.0)) +
					    1e-9);
		index[i] = 0;
		for (unsigned bit = 0; bit < width; bit++) {
			uint64_t one = (mixed >> bit ^ mixed >> (bit + i)) & 1;

			for (uint32_t age = bit + 1; age <= length;
			     age += width)
				one ^= past(model, age);
			index[i] |= (uint32_t)one << bit;
		}
		index[i] += i << width;
		sum += model->table[0][index[i]];
	}
	wrong = (sum >= 0) != taken;
	if (wrong || abs(sum) <= model->threshold) {
		for (uint32_t i = 0; i <= last; i++)
			teach(&model->table[0][index[i]], taken, 256);
		teach(&model->adapt, wrong, 128);
		if (model->adapt == 63 || model->adapt == -64) {
			model->threshold =
			    clamp(model->threshold + (wrong ? 1 : -1), 0, 255);
			model->adapt = 0;
		}
	}
	learn(model, branch, taken);
	return sum >= 0;
}
