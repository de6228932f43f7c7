#include "evergreen/asm/operand.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "evergreen/isa/data-format.h"
#include "evergreen/isa/text.h"

static int in_brackets(struct evg_scan *scan, struct evg_register *reg,
		       uint32_t *number, bool global)
{
	reg->relative = true;
	reg->mode = global ? EVG_INDEX_GLOBAL : EVG_INDEX_AR;
	if (evg_scan_need_number(scan, number))
		return -1;
	if (evg_scan_text(scan, "+AR"))
		reg->mode = global ? EVG_INDEX_GLOBAL_AR : EVG_INDEX_AR;
	else if (!global && evg_scan_text(scan, "+aL"))
		reg->mode = EVG_INDEX_LOOP;
	else if (!global)
		return evg_scan_expected(scan, "+AR or +aL");
	return evg_scan_need(scan, "]");
}

int evg_scan_register(struct evg_scan *scan, struct evg_register *reg)
{
	uint32_t number = 0;

	*reg = (struct evg_register){ 0 };
	if (evg_scan_text(scan, "R[") || evg_scan_text(scan, "G[")) {
		if (in_brackets(scan, reg, &number, scan->at[-2] == 'G'))
			return -1;
	} else if (evg_scan_text(scan, "R")) {
		if (!evg_scan_number(scan, &number))
			return evg_scan_expected(scan, "a register's number");
	} else if (evg_scan_text(scan, "T")) {
		if (!evg_scan_number(scan, &number) || number > 3)
			return evg_scan_expected(scan, "T0 to T3");
		number = EVG_REGISTERS - 1 - number;
	} else {
		return evg_scan_expected(scan, "a register");
	}
	if (number >= EVG_REGISTERS)
		return evg_scan_fail(scan,
				     "register %u: expected a number "
				     "below %d",
				     number, EVG_REGISTERS);
	reg->number = (uint8_t)number;
	return 0;
}

int evg_scan_selects(struct evg_scan *scan, uint8_t *select, unsigned count)
{
	static const char letters[] = "xyzw01?_";

	if (*scan->at != '.')
		return evg_scan_expected(scan, "'.' and %u component%s", count,
					 count > 1 ? "s" : "");
	scan->at++;
	for (unsigned i = 0; i < count; i++, scan->at++) {
		const char *letter = *scan->at ? strchr(letters, *scan->at)
					       : NULL;

		if (!letter)
			return evg_scan_expected(scan, "one of x y z w 0 1 _");
		select[i] = (uint8_t)(letter - letters);
	}
	return 0;
}

uint8_t evg_scan_index(struct evg_scan *scan)
{
	for (uint8_t mode = 1; mode <= 2; mode++)
		if (evg_scan_text(scan, evg_index_suffix(mode)))
			return mode;
	return 0;
}

int evg_data_format_find(const char *word)
{
	char *end;
	unsigned long number;

	for (unsigned i = 0; i < EVG_DATA_FORMATS; i++)
		if (evg_data_format_name(i) &&
		    !strcmp(evg_data_format_name(i), word))
			return (int)i;
	number = strtoul(word, &end, 10);
	return *end || number > 63 ? -1 : (int)number;
}
