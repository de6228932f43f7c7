/* Branch prediction: configurations are refused with a message, or built and
 * driven with random branches, some on wrong paths. Traces of branches and files
 * of predictors are refused with a message, or read. The first byte says what
 * the rest is, or that it is choices out of which config-text.c makes a
 * configuration. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"
#include "fuzz/config-text.h"
#include "fuzz/fuzz.h"
#include "x86/timing/predict/unit.h"
#include "x86/timing/study/study.h"

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

	predict_config_defaults(&config);
	if (ini && !predict_config_read(&config, ini, &error))
		drive(&config, choices);
	else if (!error.text[0])
		fuzz_fail("refused without a message");
	else if (getenv("FUZZ_PRINT"))
		printf("; refused: %s\n", error.text);
	if (ini)
		ini_free(ini);
}

/* --- Traces --------------------------------------------------------------- */

static const char magic[] = "m2s-branches 1\n";

/* Compressed, as otherwise nothing but zlib would be tried. */
static void write_trace(const char *path, const uint8_t *data, size_t size,
			bool ours)
{
	gzFile file = gzopen(path, "wb1");

	if (!file || (ours && !gzwrite(file, magic, sizeof magic - 1)) ||
	    (size && !gzwrite(file, data, (unsigned)size)) ||
	    gzclose(file) != Z_OK)
		fuzz_fail("cannot write %s", path);
}

static void try_trace(const uint8_t *data, size_t size, bool ours)
{
	static struct branch_event events[64];
	const char *folder = getenv("TMPDIR");
	char *path = xasprintf("%s/fuzz-predict-XXXXXX",
			       folder ? folder : "/tmp");
	int file = mkstemp(path);
	struct error error = { "" };
	struct branch_reader *reader;
	long count = -1;

	if (file < 0)
		fuzz_fail("cannot write %s", path);
	close(file);
	write_trace(path, data, size, ours);
	reader = branch_reader_open(path, &error);
	while (reader && (count = branch_reader_read(reader, events, 64,
						     &error)) > 0)
		for (long i = 0; i < count; i++)
			if ((int)events[i].branch.kind >= BRANCH_KINDS ||
			    (!events[i].taken &&
			     events[i].next != events[i].behind))
				fuzz_fail("an impossible branch");
	if (count < 0 && !strstr(error.text, path))
		fuzz_fail("an error without the file's name: %s", error.text);
	if (count < 0 && getenv("FUZZ_PRINT"))
		printf("; refused: %s\n", error.text);
	branch_reader_free(reader);
	unlink(path);
	free(path);
}

/* --- Files of predictors -------------------------------------------------- */

static void try_list(const char *text, size_t size)
{
	struct study_list list = { 0 };
	struct error error = { "" };
	struct ini *ini = ini_parse("predictors.ini", text, size, &error);

	if ((!ini || study_list_parse(&list, ini, &error)) && !error.text[0])
		fuzz_fail("refused without a message");
	if (error.text[0] && getenv("FUZZ_PRINT"))
		printf("; refused: %s\n", error.text);
	study_list_clear(&list);
	if (ini)
		ini_free(ini);
}

/* -------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices choices;
	char *text;
	size_t length;
	FILE *stream;

	if (!size)
		return 0;
	choices = choices_begin(data + 1, size - 1);
	switch (data[0] >> 4) {
	case 4:
	case 5:
		try_trace(data + 1, size - 1, data[0] >> 4 == 4);
		return 0;
	case 6:
		try_list((const char *)data + 1, size - 1);
		return 0;
	default:
		break;
	}
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
