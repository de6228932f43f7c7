#include "opencl-rt/clc/code/edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "evergreen/isa/ports.h"
#include "evergreen/isa/table.h"

enum {
	GROUP_WORDS_MAX = 2 * (EVG_SLOT_COUNT + 2),
};

/* --- Opening ------------------------------------------------------------ */

/* The result of a slot of the group before. */
static struct edit_link link_to(const struct edit_group *before, unsigned slot)
{
	const struct evg_alu_inst *inst = &before->group.inst[slot];
	struct edit_link link = { before->id, (uint8_t)slot, EDIT_NO_REGISTER,
				  0 };

	if ((inst->write_mask || evg_alu_info[inst->op].op3) &&
	    !inst->dest_relative) {
		link.gpr = inst->dest_gpr;
		link.channel = inst->dest_channel;
	}
	return link;
}

static void find_links(struct edit_group *group,
		       const struct edit_group *before)
{
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++) {
		const struct evg_alu_inst *inst = &group->group.inst[slot];

		if (!(group->group.slot_mask >> slot & 1))
			continue;
		for (unsigned k = 0; k < inst->source_count; k++) {
			const struct evg_source *source = &inst->source[k];

			if (source->select == EVG_SELECT_PV)
				group->link[slot][k] =
					link_to(before, source->channel);
			else if (source->select == EVG_SELECT_PS)
				group->link[slot][k] = link_to(before, EVG_T);
		}
	}
}

static void open_clause(struct edit *edit, struct edit_cf *cf)
{
	const struct evg_code_cf *original = cf->original;

	if (original->clause != EVG_CLAUSE_ALU)
		return;
	for (uint32_t i = 0; i < original->count; i++) {
		struct edit_group *group = edit_insert(edit, cf, i);

		group->group = edit->code->groups[original->first + i].group;
		group->origin =
			edit->code->groups[original->first + i].address;
		if (i)
			find_links(group, group - 1);
	}
}

static void mark_relocation(struct edit *edit, uint32_t place)
{
	for (size_t i = 0; i < edit->cf_count; i++) {
		struct edit_cf *cf = &edit->cf[i];

		for (size_t g = 0; g < cf->count; g++) {
			const struct evg_code_group *original =
				&edit->code->groups[cf->original->first + g];
			uint32_t first = 8 * (original->address +
					      original->group.inst_count);

			if (place >= first &&
			    place < first + 4u * original->group.literal_count)
				cf->groups[g].relocation[(place - first) / 4] =
					place;
		}
	}
}

struct edit *edit_open(const struct evg_code *code,
		       const uint32_t *relocations, size_t count)
{
	struct edit *edit = xcalloc(1, sizeof *edit);

	edit->code = code;
	edit->next_id = 1;
	edit->cf = xcalloc(code->cf_count, sizeof *edit->cf);
	for (uint32_t i = 0; i < code->cf_count; i++) {
		struct edit_cf *cf = &edit->cf[edit->cf_count];

		if (!code->cf[i].size)
			continue;
		cf->original = &code->cf[i];
		cf->inst = code->cf[i].inst;
		open_clause(edit, cf);
		edit->cf_count++;
	}
	for (size_t i = 0; i < count; i++)
		mark_relocation(edit, relocations[i]);
	return edit;
}

void edit_free(struct edit *edit)
{
	for (size_t i = 0; edit && i < edit->cf_count; i++)
		free(edit->cf[i].groups);
	if (edit)
		free(edit->cf);
	free(edit);
}

/* --- Changes ------------------------------------------------------------ */

struct edit_group *edit_insert(struct edit *edit, struct edit_cf *cf,
			       size_t index)
{
	ARRAY_GROW(cf->groups, cf->count, cf->capacity);
	memmove(cf->groups + index + 1, cf->groups + index,
		(cf->count - index) * sizeof *cf->groups);
	cf->count++;
	memset(&cf->groups[index], 0, sizeof *cf->groups);
	cf->groups[index].id = edit->next_id++;
	return &cf->groups[index];
}

void edit_remove(struct edit_cf *cf, size_t index)
{
	cf->count--;
	memmove(cf->groups + index, cf->groups + index + 1,
		(cf->count - index) * sizeof *cf->groups);
}

void edit_put(struct evg_alu_group *group, unsigned slot,
	      const struct evg_alu_inst *inst)
{
	unsigned last = slot;

	group->inst[slot] = *inst;
	group->slot_mask |= (uint8_t)(1u << slot);
	group->inst_count = 0;
	for (unsigned s = 0; s < EVG_SLOT_COUNT; s++)
		if (group->slot_mask >> s & 1) {
			group->order[group->inst_count++] = (uint8_t)s;
			group->inst[s].last = false;
			last = s;
		}
	group->inst[last].last = true;
}

/* --- Writing ------------------------------------------------------------ */

/* The source that a link is, given the group before. False when the result is
 * nowhere any more. */
static bool link_source(const struct edit_link *link,
			const struct edit_group *before,
			struct evg_source *source)
{
	if (before && before->id == link->group) {
		source->select = link->slot == EVG_T ? EVG_SELECT_PS
						     : EVG_SELECT_PV;
		source->channel = link->slot == EVG_T ? 0 : link->slot;
		return true;
	}
	source->select = link->gpr;
	source->channel = link->channel;
	return link->gpr != EDIT_NO_REGISTER;
}

/* Turns the links into sources. *fits: their registers can be read at once. */
static int settle_group(struct edit_group *group,
			const struct edit_group *before, bool *fits,
			struct error *error)
{
	bool changed = false;

	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned k = 0; k < 3; k++) {
			const struct edit_link *link = &group->link[slot][k];
			struct evg_source *source =
				&group->group.inst[slot].source[k];
			unsigned old = source->select;

			if (!link->group)
				continue;
			if (!link_source(link, before, source))
				return error_set(error, "a result that is in "
						 "no register is needed later");
			changed |= source->select != old;
		}
	*fits = !changed || evg_ports_assign(&group->group);
	return 0;
}

/* A group of MOVs in front of the index-th that has all its links in PV and
 * PS. */
static int insert_moves(struct edit *edit, struct edit_cf *cf, size_t index,
			struct error *error)
{
	struct edit_group *moves = edit_insert(edit, cf, index), *group;
	unsigned used = 0;

	group = moves + 1;
	moves->origin = group->origin;
	for (unsigned slot = 0; slot < EVG_SLOT_COUNT; slot++)
		for (unsigned k = 0; k < 3; k++) {
			struct edit_link *link = &group->link[slot][k];
			struct evg_alu_inst move = {
				.op = EVG_ALU_MOV,
				.source_count = 1,
			};
			unsigned to = 0;

			if (!link->group)
				continue;
			while (to < used &&
			       memcmp(&moves->link[to][0], link, sizeof *link))
				to++;
			if (to == EVG_SLOT_COUNT)
				return error_set(error, "a group's registers "
						 "cannot be read at once");
			if (to == used) {
				move.dest_channel = (uint8_t)(to % 4);
				edit_put(&moves->group, to, &move);
				moves->link[to][0] = *link;
				used++;
			}
			link->group = moves->id;
			link->slot = (uint8_t)to;
			link->gpr = EDIT_NO_REGISTER;
		}
	return 0;
}

static int settle_clause(struct edit *edit, struct edit_cf *cf,
			 struct error *error)
{
	for (size_t i = 0; i < cf->count; i++) {
		bool fits;

		if (settle_group(&cf->groups[i], i ? &cf->groups[i - 1] : NULL,
				 &fits, error))
			return -1;
		if (fits)
			continue;
		if (insert_moves(edit, cf, i, error) ||
		    settle_group(&cf->groups[i],
				 i ? &cf->groups[i - 1] : NULL, &fits, error))
			return -1;
		if (!fits)
			return error_set(error, "a group's registers cannot be "
					 "read at once");
	}
	return 0;
}

static uint32_t clause_size(const struct edit_cf *cf)
{
	uint32_t size = 0;

	if (cf->original->clause != EVG_CLAUSE_ALU)
		return cf->original->clause == EVG_CLAUSE_NONE
			       ? 0
			       : 2u * cf->original->count;
	for (size_t i = 0; i < cf->count; i++)
		size += cf->groups[i].group.inst_count +
			cf->groups[i].group.literal_count / 2u;
	return size;
}

/* Addresses of the CF instructions, of the fetch clauses, which are aligned, and
 * of the others; the size in units. */
static uint32_t lay_out(struct edit *edit)
{
	uint32_t at = 0;

	for (size_t i = 0; i < edit->cf_count; i++) {
		edit->cf[i].address = at;
		at += edit->cf[i].original->size;
	}
	at += at % 2;
	for (size_t i = 0; i < edit->cf_count; i++) {
		struct edit_cf *cf = &edit->cf[i];

		if (cf->original->clause == EVG_CLAUSE_NONE ||
		    cf->original->clause == EVG_CLAUSE_ALU)
			continue;
		cf->inst.address = at;
		at += clause_size(cf);
	}
	for (size_t i = 0; i < edit->cf_count; i++) {
		struct edit_cf *cf = &edit->cf[i];

		if (cf->original->clause != EVG_CLAUSE_ALU)
			continue;
		cf->inst.address = at;
		cf->inst.count = (uint16_t)clause_size(cf);
		at += clause_size(cf);
	}
	return at;
}

/* The new address of a target: that of the first instruction there or
 * behind. */
static uint32_t new_address(const struct edit *edit, uint32_t old)
{
	for (size_t i = 0; i < edit->cf_count; i++)
		if (edit->cf[i].original->address >= old)
			return edit->cf[i].address;
	return edit->cf_count ? edit->cf[edit->cf_count - 1].address + 1 : 0;
}

static bool has_target(const struct edit_cf *cf)
{
	return cf->original->clause == EVG_CLAUSE_NONE &&
	       (evg_cf_has_target(cf->inst.op) ||
		evg_cf_info[cf->inst.op].operands == EVG_OPERANDS_POP);
}

struct writing {
	struct edit *edit;
	uint8_t *text;
	struct edit_move *moves;
	size_t move_count, move_capacity;
	struct error *error;
};

static void note_moves(struct writing *writing, const struct edit_group *group,
		       uint32_t address)
{
	for (unsigned k = 0; k < ARRAY_SIZE(group->relocation); k++) {
		if (!group->relocation[k])
			continue;
		ARRAY_GROW(writing->moves, writing->move_count,
			   writing->move_capacity);
		writing->moves[writing->move_count++] = (struct edit_move){
			group->relocation[k],
			8 * (address + group->group.inst_count) + 4 * k,
		};
	}
}

static int write_groups(struct writing *writing, struct edit_cf *cf)
{
	uint32_t at = cf->inst.address;

	for (size_t i = 0; i < cf->count; i++) {
		struct edit_group *group = &cf->groups[i];
		uint32_t words[GROUP_WORDS_MAX];
		int size = evg_alu_group_encode(words, &group->group,
						writing->error);

		if (size < 0)
			return error_prefix(writing->error, "clause of %u, "
					    "group %zu", cf->original->address,
					    i);
		memcpy(writing->text + 8 * (size_t)at, words,
		       8 * (size_t)size);
		note_moves(writing, group, at);
		at += (uint32_t)size;
	}
	return 0;
}

static int write_fetches(struct writing *writing, const struct edit_cf *cf)
{
	for (uint32_t i = 0; i < cf->original->count; i++) {
		const struct evg_code_fetch *fetch =
			&writing->edit->code
				 ->fetches[cf->original->first + i];

		memcpy(writing->text + 8 * (cf->inst.address + 2 * (size_t)i),
		       fetch->inst.word, sizeof fetch->inst.word);
	}
	return 0;
}

static int write_cf(struct writing *writing, struct edit_cf *cf)
{
	uint32_t words[4];
	int size;

	if (has_target(cf))
		cf->inst.address =
			new_address(writing->edit, cf->inst.address);
	size = evg_cf_encode(words, &cf->inst, writing->error);
	if (size < 0)
		return error_prefix(writing->error, "CF instruction at %u",
				    cf->original->address);
	memcpy(writing->text + 8 * (size_t)cf->address, words,
	       8 * (size_t)size);
	if (cf->original->clause == EVG_CLAUSE_ALU)
		return write_groups(writing, cf);
	if (cf->original->clause != EVG_CLAUSE_NONE)
		return write_fetches(writing, cf);
	return 0;
}

int edit_write(struct edit *edit, uint8_t *text, uint32_t size,
	       struct edit_move **moves, size_t *move_count,
	       struct error *error)
{
	struct writing writing = { .edit = edit, .text = text, .error = error };
	uint32_t needed;
	int status = 0;

	for (size_t i = 0; i < edit->cf_count; i++) {
		struct edit_cf *cf = &edit->cf[i];

		if (settle_clause(edit, cf, error))
			return error_prefix(error, "clause of %u",
					    cf->original->address);
		if (cf->original->clause == EVG_CLAUSE_ALU &&
		    clause_size(cf) > EVG_CLAUSE_UNITS)
			return error_set(error, "the clause of %u has grown to "
					 "%u units of at most %d",
					 cf->original->address,
					 clause_size(cf), EVG_CLAUSE_UNITS);
	}
	needed = 8 * lay_out(edit);
	if (needed > size)
		return error_set(error, "the code has grown from %u bytes to "
				 "%u", size, needed);
	memset(text, 0, size);
	for (size_t i = 0; !status && i < edit->cf_count; i++)
		status = write_cf(&writing, &edit->cf[i]);
	*moves = writing.moves;
	*move_count = writing.move_count;
	return status;
}

void edit_places(const struct edit *edit,
		 void (*place)(void *context, uint32_t from, uint32_t to),
		 void *context)
{
	for (size_t i = 0; i < edit->cf_count; i++) {
		const struct edit_cf *cf = &edit->cf[i];
		const struct evg_code_cf *original = cf->original;
		uint32_t at = cf->inst.address;

		place(context, original->address, cf->address);
		for (size_t g = 0; g < cf->count; g++) {
			place(context, cf->groups[g].origin, at);
			at += cf->groups[g].group.inst_count +
			      cf->groups[g].group.literal_count / 2u;
		}
		if (original->clause == EVG_CLAUSE_FETCH)
			for (uint32_t f = 0; f < original->count; f++)
				place(context, original->inst.address + 2 * f,
				      at + 2 * f);
	}
}
