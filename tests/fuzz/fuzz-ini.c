/* Any bytes as an INI file: refused with a place, or every value of it can be
 * read in every way. */
#include <string.h>

#include "base/ini.h"
#include "fuzz/fuzz.h"

static void check_message(const struct error *error)
{
	if (strncmp(error->text, "file.ini", 8))
		fuzz_fail("a message without a place: %s", error->text);
}

static void read_value(struct ini_value *value)
{
	struct error error = { "" };
	uint64_t number;
	double real;
	bool truth;
	int choice;

	if (ini_get_u64(value, 3, 1000000, &number, &error))
		check_message(&error);
	else if (number < 3 || number > 1000000)
		fuzz_fail("%s: read as %llu", value->text,
			  (unsigned long long)number);
	if (ini_get_double(value, -1, 1e9, &real, &error))
		check_message(&error);
	else if (!(real >= -1 && real <= 1e9))
		fuzz_fail("%s: read as %g", value->text, real);
	if (ini_get_bool(value, &truth, &error))
		check_message(&error);
	if (ini_get_choice(value, "one|two|LRU", &choice, &error))
		check_message(&error);
	else if (choice < 0 || choice > 2)
		fuzz_fail("%s: choice %d", value->text, choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error error = { "" };
	struct ini *ini = ini_parse("file.ini", (const char *)data, size,
				    &error);

	if (!ini) {
		check_message(&error);
		return 0;
	}
	/* Nobody has asked for anything yet. */
	if (ini_check(ini, &error))
		check_message(&error);
	else if (ini_section_count(ini))
		fuzz_fail("an unknown section is not reported");
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);

		if (ini_section_find(ini, ini_section_name(section)) !=
		    section)
			fuzz_fail("section %zu is not found by its name", i);
		for (size_t j = 0; j < ini_value_count(section); j++) {
			struct ini_value *value = ini_value_at(section, j);

			if (ini_find(section, value->name) != value)
				fuzz_fail("%s is not found by its name",
					  value->name);
			read_value(value);
		}
	}
	if (ini_check(ini, &error))
		fuzz_fail("reported though it was asked for: %s", error.text);
	ini_free(ini);
	return 0;
}
