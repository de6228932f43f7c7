#include "report/outputs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct entry {
	enum outputs_kind kind;
	const char *option;
	char *path;   /* as given */
	char *target; /* NULL: written directly */
	struct output output;
};

struct outputs {
	struct output_rules rules;
	struct entry **list; /* their addresses are given out */
	size_t count, capacity;
};

struct outputs *outputs_create(const struct output_rules *rules)
{
	struct outputs *outputs = xcalloc(1, sizeof *outputs);

	outputs->rules = *rules;
	return outputs;
}

static void free_entry(struct entry *entry)
{
	free(entry->path);
	free(entry->target);
	free(entry);
}

void outputs_free(struct outputs *outputs)
{
	if (!outputs)
		return;
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->list[i]->output.stream)
			output_close(&outputs->list[i]->output, -1, NULL);
		free_entry(outputs->list[i]);
	}
	free(outputs->list);
	free(outputs);
}

const struct output_rules *outputs_rules(const struct outputs *outputs)
{
	return &outputs->rules;
}

static struct entry *find_output(const struct outputs *outputs,
				 const char *target)
{
	for (size_t i = 0; target && i < outputs->count; i++)
		if (outputs->list[i]->target &&
		    !strcmp(outputs->list[i]->target, target))
			return outputs->list[i];
	return NULL;
}

static int open_entry(struct outputs *outputs, struct entry *entry,
		      const char *path, struct error *error)
{
	switch (entry->kind) {
	case OUTPUTS_REPORT:
	case OUTPUTS_TRACE:
		return output_open(&entry->output, path, &outputs->rules,
				   error);
	case OUTPUTS_LATER:
		return output_may_replace(path, &outputs->rules, error);
	case OUTPUTS_PREFIX:
		break;
	}
	return 0;
}

/* "--option path: what is wrong". */
static int with_option(const char *option, struct error *error)
{
	struct error why = *error;

	return error_set(error, "--%s %s", option, why.text);
}

int outputs_add(struct outputs *outputs, enum outputs_kind kind,
		const char *option, const char *path, struct output **output,
		struct error *error)
{
	struct entry *entry = xcalloc(1, sizeof *entry), *other;

	*entry = (struct entry){ kind, option, xstrdup(path),
				   output_target(path), { 0 } };
	other = find_output(outputs, entry->target);
	if (other ? kind != OUTPUTS_TRACE || other->kind != kind
		  : open_entry(outputs, entry, path, error)) {
		if (other)
			error_set(error, "%s: --%s names this file, too", path,
				  other->option);
		free_entry(entry);
		return with_option(option, error);
	}
	if (other) {
		free_entry(entry);
		entry = other;
	} else {
		ARRAY_GROW(outputs->list, outputs->count, outputs->capacity);
		outputs->list[outputs->count++] = entry;
	}
	if (output)
		*output = &entry->output;
	return 0;
}

int outputs_start(struct outputs *outputs, const struct output_rules *rules,
		  struct error *error)
{
	outputs->rules = *rules;
	for (size_t i = 0; i < outputs->count; i++) {
		struct entry *entry = outputs->list[i];

		if ((entry->kind != OUTPUTS_PREFIX && entry->target &&
		     output_may_replace(entry->target, rules, error)) ||
		    (entry->kind == OUTPUTS_TRACE &&
		     output_publish(&entry->output, error)))
			return with_option(entry->option, error);
	}
	return 0;
}

void outputs_each(const struct outputs *outputs,
		  void (*visit)(void *owner, const char *path), void *owner)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i]->target)
			visit(owner, outputs->list[i]->path);
}

int outputs_end(struct outputs *outputs, const char *end, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < outputs->count; i++) {
		struct entry *entry = outputs->list[i];

		if (entry->kind != OUTPUTS_TRACE)
			continue;
		if (entry->target)
			fprintf(entry->output.stream, "; SimEnd = %s\n", end);
		if (output_close(&entry->output, 0, status ? NULL : error) &&
		    !status)
			status = with_option(entry->option, error);
	}
	return status;
}
