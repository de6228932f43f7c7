/* Any bytes as Evergreen machine code: as single instructions and as a kernel.
 * Refused with a message that gives the words, or formatted, and encoded to
 * the same words again. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "evergreen/listing/listing.h"
#include "evergreen/isa/code.h"
#include "fuzz/fuzz.h"

enum { UNITS = 12 }; /* what the longest group or instruction takes, and more */

static void check_message(const struct error *error, const uint32_t *words,
			  const char *what)
{
	char first[16];

	if (!error->text[0] ||
	    memchr(error->text, 0, sizeof error->text) == NULL)
		fuzz_fail("%s refused without a message", what);
	snprintf(first, sizeof first, "%08" PRIx32, words[0]);
	/* Some faults are of a group, or of where it ends. */
	if (strstr(error->text, "field") && !strstr(error->text, first) &&
	    !strstr(error->text, "words"))
		fuzz_fail("%s: no words in '%s'", what, error->text);
}

static void compare(const uint32_t *words, const uint32_t *again, int units,
		    int wanted, const char *what, const struct error *error)
{
	if (units != wanted)
		fuzz_fail("%s of %d units encodes to %d: %s", what, wanted,
			  units, units < 0 ? error->text : "");
	if (memcmp(words, again, 8u * (unsigned)units))
		fuzz_fail("%s: other words", what);
}

static void check_text(size_t length, const char *text, size_t size,
		       const char *what)
{
	if (!length || length >= size || strlen(text) != length)
		fuzz_fail("%s: text of length %zu", what, length);
}

static void check_instructions(const uint32_t *words)
{
	uint32_t again[2 * UNITS] = {0};
	struct evg_fetch_inst fetch;
	struct evg_alu_group group;
	struct error error = {""};
	struct evg_cf_inst cf;
	char text[4096];
	int units;

	units = evg_cf_decode(&cf, words, UNITS, &error);
	if (units < 0) {
		check_message(&error, words, "CF");
	} else {
		check_text(evg_cf_format(text, sizeof text, &cf), text,
			   sizeof text, "CF");
		compare(words, again, evg_cf_encode(again, &cf, &error), units,
			"CF", &error);
	}
	error.text[0] = '\0';
	units = evg_alu_group_decode(&group, words, UNITS, &error);
	if (units < 0) {
		check_message(&error, words, "ALU");
	} else {
		check_text(evg_alu_group_format(text, sizeof text, &group, 1),
			   text, sizeof text, "ALU");
		compare(words, again,
			evg_alu_group_encode(again, &group, &error), units,
			"ALU", &error);
	}
	for (int gds = 0; gds < 2; gds++) {
		error.text[0] = '\0';
		units = gds ? evg_gds_decode(&fetch, words, &error)
			    : evg_fetch_decode(&fetch, words, &error);
		if (units < 0) {
			check_message(&error, words, "fetch");
			continue;
		}
		check_text(evg_fetch_format(text, sizeof text, &fetch), text,
			   sizeof text, "fetch");
		compare(words, again, evg_fetch_encode(again, &fetch, &error),
			units, "fetch", &error);
	}
}

static void check_kernel(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	struct error error = {""};
	struct evg_code *code;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	code = evg_code_decode(data, (uint32_t)(size & ~(size_t)7), &error);
	if (code)
		evg_code_print(code, nowhere);
	else if (!error.text[0])
		fuzz_fail("code refused without a message");
	evg_code_free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t words[2 * UNITS];

	check_kernel(data, size);
	for (size_t at = 0; at + 8 <= size; at += 8) {
		size_t rest = size - at;

		memset(words, 0, sizeof words);
		memcpy(words, data + at,
		       rest < sizeof words ? rest : sizeof words);
		check_instructions(words);
	}
	return 0;
}
