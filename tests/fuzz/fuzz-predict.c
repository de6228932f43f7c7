/* Branch prediction: configurations are refused with a message, or built and
 * driven with random branches, some on wrong paths. The first byte says whether
 * the rest is a file, or choices out of which config-text.c makes one. */
#include <stdlib.h>

#include "base/memory.h"
#include "fuzz/config-text.h"
#include "fuzz/fuzz.h"
#include "x86/timing/predict/unit.h"

enum { BRANCHES = 400, IN_FLIGHT = 16 };

static struct branch any_branch(struct choices *choices)
{
	struct branch branch = {
		.address = 0x1000 + 3 * choose(choices, 256),
		.kind = (enum branch_kind)choose(choices, BRANCH_KINDS),
	};

	if (branch.kind < BRANCH_INDIRECT_JUMP)
		branch.target = 0x1000 + 5 * choose(choices, 256);
	return branch;
}

static void drive(const struct predict_config *config, struct choices *choices)
{
	struct predict_unit unit;
	uint64_t resolved = 0;

	predict_unit_init(&unit, config, IN_FLIGHT);
	for (int i = 0; i < BRANCHES; i++) {
		struct branch branch = any_branch(choices);
		struct predict_outcome outcome = {
			.next = branch.address + 2,
			.taken = branch.kind != BRANCH_CONDITIONAL ||
				 choose(choices, 2),
		};

		if (outcome.taken)
			outcome.next = branch.target
					       ? branch.target
					       : 0x2000 + choose(choices, 8);
		if (!predict_unit_full(&unit))
			predict_unit_predict(&unit, &branch,
					     branch.address + 2, &outcome);
		if (choose(choices, 2) && resolved < unit.next)
			predict_unit_resolve(&unit, resolved++, &outcome);
		if (choose(choices, 2) && unit.oldest < resolved)
			predict_unit_commit(&unit);
		if (choose(choices, 32) == 0 && resolved < unit.next)
			predict_unit_squash(&unit, resolved);
		if (unit.next - unit.oldest > IN_FLIGHT ||
		    resolved > unit.next)
			fuzz_fail("branches in flight: %llu to %llu",
				  (unsigned long long)unit.oldest,
				  (unsigned long long)unit.next);
	}
	predict_unit_free(&unit);
}

static void try_config(const char *text, size_t size, struct choices *choices)
{
	struct predict_config config;
	struct error error = { "" };
	struct ini *ini = ini_parse("predict.ini", text, size, &error);

	if (ini && !predict_config_read(&config, ini, &error))
		drive(&config, choices);
	else if (!error.text[0])
		fuzz_fail("refused without a message");
	else if (getenv("FUZZ_PRINT"))
		printf("; refused: %s\n", error.text);
	if (ini)
		ini_free(ini);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices;
	char *text;
	size_t length;
	FILE *stream;

	if (!size)
		return 0;
	choices = choices_begin(data + 1, size - 1);
	if (data[0] & 0x80) {
		try_config((const char *)data + 1, size - 1, &choices);
		return 0;
	}
	stream = open_memstream(&text, &length);
	write_predictor_config(&choices, stream);
	fclose(stream);
	if (getenv("FUZZ_PRINT"))
		fwrite(text, 1, length, stdout);
	try_config(text, length, &choices);
	free(text);
	return 0;
}
