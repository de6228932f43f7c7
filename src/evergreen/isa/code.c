#include "evergreen/isa/code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/action.h"
#include "evergreen/isa/table.h"

/* What a unit of the code belongs to: nothing, a CF instruction, or the
 * clause of CF instruction (owner - OWNER_CLAUSE). */
enum { OWNER_NONE, OWNER_CF, OWNER_CLAUSE };

struct walk {
	struct evg_code *code;
	const uint32_t *words;
	uint32_t *owner;     /* per unit */
	uint32_t *todo;      /* CF addresses still to be visited */
	size_t todo_count, todo_capacity;
	uint32_t *returns;   /* addresses behind RET */
	size_t return_count, return_capacity;
	uint32_t group_capacity, fetch_capacity;
	uint32_t number;     /* of groups and fetches so far */
	uint32_t lowest_clause;
};

static void visit_later(struct walk *walk, uint32_t address)
{
	ARRAY_GROW(walk->todo, walk->todo_count, walk->todo_capacity);
	walk->todo[walk->todo_count++] = address;
}

/* --- CF instructions ---------------------------------------------------- */

static enum evg_clause_kind clause_kind(const struct evg_cf_inst *inst)
{
	if (evg_cf_has_alu_clause(inst->op))
		return EVG_CLAUSE_ALU;
	if (!evg_cf_has_fetch_clause(inst->op))
		return EVG_CLAUSE_NONE;
	return inst->op == EVG_CF_GDS ? EVG_CLAUSE_GDS : EVG_CLAUSE_FETCH;
}

/* Whether control always leaves the instruction for another place than the
 * next instruction. No lane passes COND 1. */
static bool is_last(const struct evg_cf_inst *inst)
{
	if (evg_cf_does(inst->op, EVG_EFFECT_RETURN))
		return true;
	return evg_cf_does(inst->op, EVG_EFFECT_JUMP) &&
	       !evg_control[inst->op].is_clause && inst->condition == 1;
}

static void add_successors(struct walk *walk, const struct evg_code_cf *cf)
{
	const struct evg_cf_inst *inst = &cf->inst;
	uint32_t next = cf->address + cf->size;

	if (evg_cf_has_target(inst->op))
		visit_later(walk, inst->address);
	if (inst->end_of_program || inst->op == EVG_CF_END_PROGRAM)
		return;
	if (is_last(inst)) {
		ARRAY_GROW(walk->returns, walk->return_count,
			   walk->return_capacity);
		walk->returns[walk->return_count++] = next;
		return;
	}
	visit_later(walk, next);
}

static int cf_read(struct walk *walk, uint32_t address, struct error *error)
{
	struct evg_code *code = walk->code;
	struct evg_code_cf *cf;
	int taken;

	if (address >= code->size)
		return error_set(error, "control goes to address %u, but the "
					"kernel has %u units",
				 address, code->size);
	cf = &code->cf[address];
	if (cf->size)
		return 0;
	taken = evg_cf_decode(&cf->inst, walk->words + 2 * (size_t)address,
			      code->size - address, error);
	if (taken < 0)
		return error_prefix(error, "CF instruction at %u", address);
	for (uint32_t i = address; i < address + (uint32_t)taken; i++) {
		if (walk->owner[i] != OWNER_NONE)
			return error_set(error, "CF instruction at %u "
						"overlaps another one",
					 i);
		walk->owner[i] = OWNER_CF;
	}
	cf->address = address;
	cf->size = (uint8_t)taken;
	cf->clause = clause_kind(&cf->inst);
	if (cf->clause != EVG_CLAUSE_NONE &&
	    cf->inst.address < walk->lowest_clause)
		walk->lowest_clause = cf->inst.address;
	if (code->cf_count < address + (uint32_t)taken)
		code->cf_count = address + (uint32_t)taken;
	add_successors(walk, cf);
	return 0;
}

static int walk_cf(struct walk *walk, struct error *error)
{
	visit_later(walk, 0);
	for (;;) {
		while (walk->todo_count) {
			if (cf_read(walk, walk->todo[--walk->todo_count],
				    error))
				return -1;
		}
		if (!walk->return_count)
			return 0;
		/* What lies behind a RET may be the rest of an if around it,
		 * behind a JUMP the next entry of a table, or nothing at all:
		 * zero words or the first clause. */
		uint32_t next = walk->returns[--walk->return_count];

		if (next < walk->code->size && next < walk->lowest_clause &&
		    (walk->words[2 * next] || walk->words[2 * next + 1]))
			visit_later(walk, next);
	}
}

/* --- Clauses ------------------------------------------------------------ */

static int alu_clause_read(struct walk *walk, struct evg_code_cf *cf,
			   struct error *error)
{
	struct evg_code *code = walk->code;
	uint32_t at = cf->inst.address, end = at + cf->inst.count;

	cf->first = code->group_count;
	while (at < end) {
		struct evg_code_group *group;
		int taken;

		ARRAY_GROW(code->groups, code->group_count,
			   walk->group_capacity);
		group = &code->groups[code->group_count++];
		taken = evg_alu_group_decode(&group->group,
					     walk->words + 2 * (size_t)at,
					     end - at, error);
		if (taken < 0)
			return error_prefix(error, "ALU group at %u in the "
						   "clause of CF instruction "
						   "%u",
					    at, cf->address);
		group->address = at;
		group->number = walk->number++;
		at += (uint32_t)taken;
	}
	cf->count = code->group_count - cf->first;
	return 0;
}

static int fetch_clause_read(struct walk *walk, struct evg_code_cf *cf,
			     struct error *error)
{
	struct evg_code *code = walk->code;
	uint32_t at = cf->inst.address;

	cf->first = code->fetch_count;
	cf->count = cf->inst.count;
	for (uint32_t i = 0; i < cf->count; i++, at += 2) {
		const uint32_t *words = walk->words + 2 * (size_t)at;
		struct evg_code_fetch *fetch;
		int taken;

		ARRAY_GROW(code->fetches, code->fetch_count,
			   walk->fetch_capacity);
		fetch = &code->fetches[code->fetch_count++];
		taken = cf->clause == EVG_CLAUSE_GDS
				? evg_gds_decode(&fetch->inst, words, error)
				: evg_fetch_decode(&fetch->inst, words, error);
		if (taken < 0)
			return error_prefix(error, "fetch at %u in the clause "
						   "of CF instruction %u",
					    at, cf->address);
		fetch->address = at;
		fetch->number = walk->number++;
	}
	return 0;
}

/* 1 when another CF instruction has the very same clause, which *cf then
 * shares; 0 when the clause is new and now belongs to *cf. */
static int clause_claim(struct walk *walk, struct evg_code_cf *cf,
			struct error *error)
{
	const struct evg_code *code = walk->code;
	bool is_alu = cf->clause == EVG_CLAUSE_ALU;
	uint32_t first = cf->inst.address;
	uint32_t size = is_alu ? cf->inst.count : 2u * cf->inst.count;

	if (first >= code->size || size > code->size - first)
		return error_set(error, "CF instruction at %u: its clause "
					"takes the units %u to %u, but the "
					"kernel has %u",
				 cf->address, first, first + size - 1,
				 code->size);
	if (!is_alu && first % 2)
		return error_set(error, "CF instruction at %u: its fetch "
					"clause at %u is not aligned to 16 "
					"bytes",
				 cf->address, first);
	if (walk->owner[first] >= OWNER_CLAUSE) {
		const struct evg_code_cf *other =
			&code->cf[walk->owner[first] - OWNER_CLAUSE];

		if (other->clause == cf->clause &&
		    other->inst.address == first &&
		    other->inst.count == cf->inst.count) {
			cf->first = other->first;
			cf->count = other->count;
			return 1;
		}
	}
	for (uint32_t i = first; i < first + size; i++) {
		if (walk->owner[i] != OWNER_NONE)
			return error_set(error, "CF instruction at %u: its "
						"clause overlaps %s at %u",
					 cf->address,
					 walk->owner[i] == OWNER_CF
						 ? "a CF instruction"
						 : "another clause",
					 i);
		walk->owner[i] = OWNER_CLAUSE + cf->address;
	}
	return 0;
}

static int walk_clauses(struct walk *walk, struct error *error)
{
	struct evg_code *code = walk->code;

	for (uint32_t i = 0; i < code->cf_count; i++) {
		struct evg_code_cf *cf = &code->cf[i];
		int claim;

		if (!cf->size || cf->clause == EVG_CLAUSE_NONE)
			continue;
		claim = clause_claim(walk, cf, error);
		if (claim < 0)
			return -1;
		if (claim)
			continue;
		if (cf->clause == EVG_CLAUSE_ALU
			    ? alu_clause_read(walk, cf, error)
			    : fetch_clause_read(walk, cf, error))
			return -1;
	}
	return 0;
}

/* --- Static instructions ------------------------------------------------ */

static int line_compare(const void *left, const void *right)
{
	const struct evg_code_line *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static void number_lines(struct evg_code *code)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < code->cf_count; i++)
		count += code->cf[i].size != 0;
	count += code->group_count + code->fetch_count;
	code->lines = xcalloc(count, sizeof(*code->lines));
	for (uint32_t i = 0; i < code->cf_count; i++) {
		if (code->cf[i].size)
			code->lines[code->line_count++] =
				(struct evg_code_line){
					.kind = EVG_LINE_CF,
					.address = i,
					.cf = &code->cf[i]};
	}
	for (uint32_t i = 0; i < code->group_count; i++)
		code->lines[code->line_count++] = (struct evg_code_line){
			.kind = EVG_LINE_ALU,
			.address = code->groups[i].address,
			.group = &code->groups[i]};
	for (uint32_t i = 0; i < code->fetch_count; i++)
		code->lines[code->line_count++] = (struct evg_code_line){
			.kind = EVG_LINE_FETCH,
			.address = code->fetches[i].address,
			.fetch = &code->fetches[i]};
	qsort(code->lines, code->line_count, sizeof(*code->lines),
	      line_compare);
	for (uint32_t i = 0; i < code->line_count; i++) {
		const struct evg_code_line *line = &code->lines[i];

		if (line->cf)
			code->cf[line->cf - code->cf].line = i;
		else if (line->group)
			code->groups[line->group - code->groups].line = i;
		else
			code->fetches[line->fetch - code->fetches].line = i;
	}
}

struct evg_code *evg_code_decode(const uint8_t *text, uint32_t size,
				 struct error *error)
{
	struct walk walk = {.lowest_clause = UINT32_MAX};
	struct evg_code *code;
	uint32_t *words;
	int result;

	if (!size || size % 8) {
		error_set(error, "the code has %u bytes, which is not a "
				 "positive multiple of 8",
			  size);
		return NULL;
	}
	code = xcalloc(1, sizeof(*code));
	code->size = size / 8;
	code->cf = xcalloc(code->size, sizeof(*code->cf));
	words = xmalloc(size); /* `text` may lie at any address */
	memcpy(words, text, size);
	walk.code = code;
	walk.words = words;
	walk.owner = xcalloc(code->size, sizeof(*walk.owner));
	result = walk_cf(&walk, error);
	if (!result)
		result = walk_clauses(&walk, error);
	free(walk.owner);
	free(walk.todo);
	free(walk.returns);
	free(words);
	if (result) {
		evg_code_free(code);
		return NULL;
	}
	code->cf = xrealloc(code->cf, code->cf_count * sizeof(*code->cf));
	number_lines(code);
	return code;
}

void evg_code_free(struct evg_code *code)
{
	if (!code)
		return;
	if (code->plan_free)
		code->plan_free(code->plan);
	free(code->cf);
	free(code->groups);
	free(code->fetches);
	free(code->lines);
	free(code);
}
