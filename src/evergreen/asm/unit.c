#include "evergreen/asm/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"
#include "evergreen/isa/table.h"

enum {
	UNITS_MAX = 1 << 20, /* of a kernel: 8 MiB */
	PRELOADED = 2,       /* R0 and R1 hold the ids */
};

void asm_unit_clear(struct asm_unit *unit)
{
	free(unit->cf);
	free(unit->labels);
	free(unit->words);
	*unit = (struct asm_unit){ .registers = PRELOADED };
}

static void use_register(struct asm_unit *unit, unsigned gpr)
{
	if (gpr < EVG_FIRST_TEMPORARY && gpr >= unit->registers)
		unit->registers = gpr + 1;
}

static void add_words(struct asm_unit *unit, const uint32_t *words,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ARRAY_GROW(unit->words, unit->word_count, unit->word_capacity);
		unit->words[unit->word_count++] = words[i];
	}
}

static struct asm_cf *last_cf(struct asm_unit *unit)
{
	return unit->cf_count ? &unit->cf[unit->cf_count - 1] : NULL;
}

/* ---- Clauses ---- */

static void use_group_registers(struct asm_unit *unit,
				const struct evg_alu_group *group)
{
	for (unsigned i = 0; i < group->inst_count; i++) {
		const struct evg_alu_inst *inst = &group->inst[group->order[i]];

		if (inst->write_mask)
			use_register(unit, inst->dest_gpr);
		for (unsigned j = 0; j < inst->source_count; j++)
			if (inst->source[j].select < EVG_SELECT_KCACHE0)
				use_register(unit, inst->source[j].select);
	}
}

/* Encodes the group that the lines so far have built. */
static int end_group(struct asm_unit *unit, struct evg_scan *scan)
{
	uint32_t words[2 * EVG_SLOT_COUNT + 4];
	int size;

	if (!unit->group.inst_count)
		return 0;
	evg_group_end(&unit->group, &unit->literals);
	size = evg_alu_group_encode(words, &unit->group, scan->error);
	if (size < 0)
		return error_prefix(scan->error, "%s:%u: this group",
				    scan->name, unit->group_line);
	use_group_registers(unit, &unit->group);
	add_words(unit, words, 2 * (size_t)size);
	memset(&unit->group, 0, sizeof unit->group);
	memset(&unit->literals, 0, sizeof unit->literals);
	return 0;
}

static int alu_line(struct asm_unit *unit, struct evg_scan *scan, bool fresh)
{
	struct asm_cf *cf = last_cf(unit);
	struct evg_alu_inst inst;
	unsigned slot;

	if (!cf || !evg_cf_has_alu_clause(cf->inst.op))
		return evg_scan_fail(scan, "an ALU instruction outside of an "
				     "ALU clause");
	if (fresh && end_group(unit, scan))
		return -1;
	if (!unit->group.inst_count)
		unit->group_line = scan->line;
	return evg_alu_parse(scan, &inst, &slot, &unit->literals) ||
	       evg_group_add(scan, &unit->group, &inst, slot)
		       ? -1
		       : 0;
}

static int fetch_line(struct asm_unit *unit, struct evg_scan *scan)
{
	struct asm_cf *cf = last_cf(unit);
	struct evg_fetch_inst inst;
	uint32_t words[4];
	bool gds;

	if (!cf || !evg_cf_has_fetch_clause(cf->inst.op))
		return evg_scan_fail(scan, "a fetch instruction outside of a "
				     "TEX, VTX or GDS clause");
	if (evg_fetch_parse(scan, &inst))
		return -1;
	gds = evg_fetch_info[inst.op].layout == EVG_LAYOUT_GDS;
	if (gds != (cf->inst.op == EVG_CF_GDS))
		return evg_scan_fail(scan, "%s does not belong in a %s "
					   "clause", evg_fetch_info[inst.op].name,
				     evg_cf_info[cf->inst.op].name);
	if (evg_fetch_encode(words, &inst, scan->error) < 0)
		return error_prefix(scan->error, "%s:%u", scan->name,
				    scan->line);
	use_register(unit, inst.source_gpr);
	use_register(unit, inst.dest_gpr + inst.burst_count);
	cf->fetches++;
	add_words(unit, words, 4);
	return 0;
}

/* ---- Control flow ---- */

static int label_line(struct asm_unit *unit, struct evg_scan *scan)
{
	struct asm_label *label;
	char name[EVG_WORD_SIZE];

	if (!evg_scan_word(scan, name) || evg_scan_need(scan, ":"))
		return evg_scan_expected(scan, "a label, as in '@name:'");
	for (size_t i = 0; i < unit->label_count; i++)
		if (!strcmp(unit->labels[i].name, name))
			return evg_scan_fail(scan, "label @%s is defined "
						   "twice", name);
	ARRAY_GROW(unit->labels, unit->label_count, unit->label_capacity);
	label = &unit->labels[unit->label_count++];
	memcpy(label->name, name, sizeof name);
	label->cf = unit->cf_count;
	return evg_scan_end(scan) ? 0 : evg_scan_expected(scan, "nothing more");
}

/* Whether it takes room on the stack. */
static bool pushes(enum evg_cf_op op)
{
	return evg_cf_does(op, EVG_EFFECT_PUSH) ||
	       evg_cf_does(op, EVG_EFFECT_ENTER) ||
	       evg_cf_does(op, EVG_EFFECT_CALL);
}

static int cf_line(struct asm_unit *unit, struct evg_scan *scan,
		   bool numbered, uint32_t number)
{
	struct asm_cf cf = { .line = scan->line };

	if (end_group(unit, scan) ||
	    evg_cf_parse(scan, &cf.inst, &cf.use))
		return -1;
	if (numbered && (number < unit->next_address || number >= UNITS_MAX))
		return evg_scan_fail(scan, "the instruction is numbered %u; "
				     "expected %u", number,
				     unit->next_address);
	cf.address = numbered ? number : unit->next_address;
	cf.first = unit->word_count;
	unit->next_address = cf.address + 1 +
		(cf.inst.format == EVG_CF_ALU_EXTENDED_WORD);
	unit->pushes += pushes(cf.inst.op);
	if (evg_cf_info[cf.inst.op].format >= EVG_CF_EXPORT_BUF) {
		use_register(unit, cf.inst.rw_gpr + cf.inst.burst_count);
		if (cf.inst.type & 1)
			use_register(unit, cf.inst.index_gpr);
	}
	ARRAY_GROW(unit->cf, unit->cf_count, unit->cf_capacity);
	unit->cf[unit->cf_count++] = cf;
	return 0;
}

/* Whether a fetch instruction comes next. */
static bool at_fetch(struct evg_scan *scan)
{
	const char *before = scan->at;
	char word[EVG_WORD_SIZE];
	bool found = false;

	if (evg_scan_word(scan, word))
		for (int op = 0; op < EVG_FETCH_COUNT && !found; op++)
			found = !strcmp(word, evg_fetch_info[op].name);
	scan->at = before;
	return found;
}

static bool at_slot(struct evg_scan *scan)
{
	evg_scan_end(scan); /* skips blanks */
	return *scan->at && strchr("xyzwt", *scan->at) && scan->at[1] == ':';
}

/* ALU instructions have no bit for the end of a program. */
static int end_line(struct asm_unit *unit, struct evg_scan *scan)
{
	struct asm_cf *cf = last_cf(unit);

	if (!cf)
		return evg_scan_fail(scan, "END_OF_PROGRAM without an "
				     "instruction before it");
	if (evg_cf_has_alu_clause(cf->inst.op))
		return evg_scan_fail(scan, "END_OF_PROGRAM behind %s, which "
				     "cannot end a program: put NOP between "
				     "them", evg_cf_info[cf->inst.op].name);
	cf->inst.end_of_program = true;
	return evg_scan_end(scan) ? 0
		: evg_scan_expected(scan, "nothing more");
}

int asm_unit_line(struct asm_unit *unit, struct evg_scan *scan)
{
	uint32_t number = 0;
	bool numbered;

	if (evg_scan_text(scan, "@"))
		return label_line(unit, scan);
	if (evg_scan_keyword(scan, "END_OF_PROGRAM"))
		return end_line(unit, scan);
	numbered = evg_scan_number(scan, &number);
	if (at_slot(scan))
		return alu_line(unit, scan, numbered);
	if (at_fetch(scan))
		return fetch_line(unit, scan);
	return cf_line(unit, scan, numbered, number);
}

/* ---- Addresses ---- */

static size_t clause_end(const struct asm_unit *unit, size_t index)
{
	return index + 1 < unit->cf_count ? unit->cf[index + 1].first
					  : unit->word_count;
}

static int find_label(const struct asm_unit *unit, const struct asm_cf *cf,
		      uint32_t *address)
{
	for (size_t i = 0; i < unit->label_count; i++) {
		const struct asm_label *label = &unit->labels[i];

		if (strcmp(label->name, cf->use.name))
			continue;
		*address = label->cf < unit->cf_count
				   ? unit->cf[label->cf].address
				   : unit->next_address;
		return 0;
	}
	return -1;
}

/* Fills in address and length of the clause, or the target. `free` is where
 * clauses without an address go. */
static int place_clause(struct asm_unit *unit, size_t index,
			uint32_t *free_unit, struct evg_scan *scan)
{
	struct asm_cf *cf = &unit->cf[index];
	bool fetch = evg_cf_has_fetch_clause(cf->inst.op);
	uint32_t units;

	scan->line = cf->line;
	if (cf->use.name[0]) {
		if (find_label(unit, cf, &cf->inst.address))
			return evg_scan_fail(scan, "label @%s is not defined",
					     cf->use.name);
		return 0;
	}
	if (!fetch && !evg_cf_has_alu_clause(cf->inst.op))
		return 0;
	cf->count = clause_end(unit, index) - cf->first;
	units = (uint32_t)(cf->count / 2);
	if (!units)
		return evg_scan_fail(scan, "the clause of %s is empty",
				     evg_cf_info[cf->inst.op].name);
	if (cf->use.has_count &&
	    cf->inst.count != (fetch ? cf->fetches : units))
		return evg_scan_fail(scan, "CNT(%u), but the clause has %u",
				     cf->inst.count,
				     fetch ? cf->fetches : units);
	cf->inst.count = (uint16_t)(fetch ? cf->fetches : units);
	if (!cf->use.has_address) {
		*free_unit += fetch && *free_unit % 2;
		cf->inst.address = *free_unit;
	}
	if (cf->inst.address + units > *free_unit)
		*free_unit = cf->inst.address + units;
	if (cf->inst.address >= UNITS_MAX || *free_unit > UNITS_MAX)
		return evg_scan_fail(scan, "a kernel of more than %d units",
				     UNITS_MAX);
	return 0;
}

/* Copies a clause; another one may lie there if it is the same. */
static int put_clause(const struct asm_unit *unit, const struct asm_cf *cf,
		      uint32_t *image, bool *used, struct evg_scan *scan)
{
	for (size_t i = 0; i < cf->count; i++) {
		size_t at = 2 * (size_t)cf->inst.address + i;
		uint32_t word = unit->words[cf->first + i];

		if (used[at] && image[at] != word)
			return evg_scan_fail(scan, "ADDR(%u): something else is "
					     "at unit %zu", cf->inst.address,
					     at / 2);
		used[at] = true;
		image[at] = word;
	}
	return 0;
}

static int encode_cf(const struct asm_cf *cf, uint32_t *image, bool *used,
		     struct evg_scan *scan)
{
	int size;

	scan->line = cf->line;
	size = evg_cf_encode(image + 2 * (size_t)cf->address, &cf->inst,
			     scan->error);
	if (size < 0)
		return error_prefix(scan->error, "%s:%u", scan->name,
				    scan->line);
	memset(used + 2 * (size_t)cf->address, true, 2 * (size_t)size);
	return 0;
}

uint8_t *asm_unit_end(struct asm_unit *unit, struct evg_scan *scan,
		      uint32_t *size)
{
	uint32_t units = unit->next_address;
	uint32_t *image;
	bool *used;
	int result = end_group(unit, scan);

	for (size_t i = 0; i < unit->cf_count && !result; i++)
		result = place_clause(unit, i, &units, scan);
	if (result)
		return NULL;
	image = xcalloc(units + 1, 8);
	used = xcalloc(units + 1, 2);
	for (size_t i = 0; i < unit->cf_count && !result; i++)
		result = encode_cf(&unit->cf[i], image, used, scan);
	for (size_t i = 0; i < unit->cf_count && !result; i++) {
		scan->line = unit->cf[i].line;
		result = put_clause(unit, &unit->cf[i], image, used, scan);
	}
	free(used);
	*size = 8 * units;
	if (!result)
		return (uint8_t *)image;
	free(image);
	return NULL;
}
