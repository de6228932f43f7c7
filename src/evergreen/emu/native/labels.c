#include "evergreen/emu/native/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* An exit is looked for among so many that were made last. */
enum { EXITS_SEEN = 16 };

void native_labels_begin(struct native_labels *labels, struct native_code *code,
			 const uint32_t *parts, uint32_t cf_count)
{
	uint32_t count = 0;

	*labels = (struct native_labels){.code = code, .next = UINT32_MAX};
	labels->first = xcalloc(cf_count + 1, sizeof *labels->first);
	for (uint32_t i = 0; i < cf_count; i++) {
		labels->first[i] = count;
		count += parts[i];
	}
	labels->count = count * NATIVE_KINDS;
	labels->place = xcalloc(labels->count + 1, sizeof *labels->place);
}

void native_labels_free(struct native_labels *labels)
{
	free(labels->first);
	free(labels->place);
	free(labels->jumps);
	free(labels->exits);
}

uint32_t native_label(const struct native_labels *labels, uint32_t address,
		      uint32_t part, unsigned kind)
{
	return (labels->first[address] + part) * NATIVE_KINDS + kind;
}

static bool same_exit(const struct evg_chain_exit *a,
		      const struct evg_chain_exit *b)
{
	return a->stack == b->stack && a->pc == b->pc &&
	       a->position == b->position && a->empty == b->empty &&
	       a->fault == b->fault;
}

uint32_t native_exit_label(struct native_labels *labels,
			   const struct evg_chain_exit *exit)
{
	uint32_t i = labels->exit_count;

	for (uint32_t seen = 0; i && seen < EXITS_SEEN; seen++)
		if (same_exit(&labels->exits[--i], exit))
			return labels->count + i;
	ARRAY_GROW(labels->exits, labels->exit_count, labels->exit_capacity);
	labels->exits[labels->exit_count] = *exit;
	return labels->count + labels->exit_count++;
}

void native_bind(struct native_labels *labels, uint32_t label)
{
	labels->place[label] = labels->code->used;
}

void native_jump(struct native_labels *labels, enum native_condition condition,
		 uint32_t label)
{
	if (condition == NATIVE_ALWAYS && label == labels->next)
		return;
	ARRAY_GROW(labels->jumps, labels->jump_count, labels->jump_capacity);
	labels->jumps[labels->jump_count++] =
	    (struct native_jump){general_jump(labels->code, condition), label};
}

void native_labels_end(struct native_labels *labels)
{
	size_t *exits = xcalloc(labels->exit_count + 1, sizeof *exits);

	for (uint32_t i = 0; i < labels->exit_count; i++) {
		exits[i] = labels->code->used;
		general_load_number(labels->code, NATIVE_RAX, i);
		NATIVE_BYTES(labels->code, 0xc3); /* ret */
	}
	for (uint32_t i = 0; i < labels->jump_count; i++) {
		const struct native_jump *jump = &labels->jumps[i];

		native_fill(labels->code, jump->hole,
			    jump->label < labels->count
				? labels->place[jump->label]
				: exits[jump->label - labels->count]);
	}
	free(exits);
}
