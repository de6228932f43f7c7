#include "m2s/run/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "m2s/sampling/parts.h"

struct saved_parts {
	const char *prefix;
	const struct output_rules *rules;
	struct sampling_plan plan;
	struct sampling_part next; /* not saved yet */
	bool more;                 /* there is one */
	uint64_t saved;
};

static void find(struct saved_parts *parts)
{
	parts->more = sampling_part_of(&parts->plan, parts->saved,
				       &parts->next);
}

/* What says which parts there are, and nothing that contradicts it. */
static int check(const struct options *options, struct error *error)
{
	if (options->x86_save_checkpoint || options->x86_load_checkpoint)
		return error_set(error, "--x86-save-parts: not together with "
				 "other checkpoints");
	if (options->x86_region)
		return error_set(error, "--x86-save-parts: not with "
				 "--x86-region: where a region begins is not "
				 "known before");
	if (!options->x86_sample && !options->x86_phases)
		return error_set(error, "--x86-save-parts: needs --x86-sample "
				 "or --x86-phases, which say what the parts "
				 "are");
	return 0;
}

int saved_parts_create(const struct options *options, uint64_t fast_forward,
		       const struct output_rules *rules,
		       struct saved_parts **result,
		       struct linux_options *guest, struct error *error)
{
	struct saved_parts *parts;

	*result = NULL;
	if (!options->x86_save_parts)
		return 0;
	if (check(options, error))
		return -1;
	parts = *result = xcalloc(1, sizeof *parts);
	parts->prefix = options->x86_save_parts;
	parts->rules = rules;
	if (sampling_plan_read(options, fast_forward, &parts->plan, error))
		return -1;
	if (!options->x86_warm || parts->plan.warm == UINT64_MAX)
		return error_set(error, "--x86-save-parts: needs --x86-warm N: "
				 "a checkpoint has no caches, and the N "
				 "instructions behind it warm them");
	find(parts);
	guest->pause_at = parts->next.checkpoint;
	return 0;
}

void saved_parts_free(struct saved_parts *parts)
{
	if (!parts)
		return;
	sampling_plan_clear(&parts->plan);
	free(parts);
}

static char *name_of(const struct saved_parts *parts, uint64_t number)
{
	return xasprintf("%s.%" PRIu64 ".ckpt", parts->prefix, number);
}

int saved_parts_save(struct saved_parts *parts, struct linux_system *guest,
		     struct error *error)
{
	uint64_t now = linux_instructions(guest);

	/* Several may warm from the program's first instruction on. */
	while (parts->more && parts->next.checkpoint == now) {
		char *name = name_of(parts, parts->saved);
		int status = output_check(name, parts->rules, error) ||
			     linux_save_checkpoint(guest, name, error);

		free(name);
		if (status)
			return error_prefix(error, "--x86-save-parts");
		parts->saved++;
		find(parts);
	}
	linux_pause_at(guest, parts->more ? parts->next.checkpoint : 0);
	return 0;
}

int saved_parts_end(struct saved_parts *parts, uint64_t instructions,
		    struct error *error)
{
	struct output output;
	struct sampling_part part;
	char *name = xasprintf("%s.parts", parts->prefix);
	uint64_t length, count = 0;
	int status = output_open(&output, name, parts->rules, error);

	free(name);
	if (status)
		return error_prefix(error, "--x86-save-parts");
	length = sampling_parts_write(&parts->plan, instructions,
				      output.stream);
	for (uint64_t i = 0; i < parts->saved; i++) {
		sampling_part_of(&parts->plan, i, &part);
		if (instructions < part.start + length) {
			name = name_of(parts, i);
			unlink(name);
			free(name);
			continue;
		}
		sampling_part_write(&part, output.stream);
		count++;
	}
	if (!count) {
		error_set(error, "--x86-save-parts: the programs have executed "
			  "%" PRIu64 " instructions, and no part as a whole",
			  instructions);
		return output_close(&output, -1, error);
	}
	return output_close(&output, 0, error);
}
