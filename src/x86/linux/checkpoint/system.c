/* The system in a checkpoint, and the processor models of its programs. */
#include <stdlib.h>
#include <string.h>

#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/uts.h"

/* ---- Processor models ---- */

static void exchange_model(struct checkpoint *checkpoint,
			   struct x86_model *model)
{
	struct archive *archive = checkpoint->archive;
	char *name = (char *)(uintptr_t)model->name;
	static const char *const names[X86_FEATURE_COUNT] = {
#define FEATURE(id, ...) #id,
#include "x86/isa/features.def"
	};
	size_t count = 0;

	archive_text(archive, &name);
	model->name = archive->loading ? checkpoint_keep_text(checkpoint, name)
				       : name;
	exchange_x86_model(archive, model);
	model->brand[sizeof model->brand - 1] = 0;
	for (int i = 0; i < X86_FEATURE_COUNT; i++)
		count += model->has[i];
	count = archive_count(archive, count, 8, "features of a processor");
	if (!archive->loading) {
		for (int i = 0; i < X86_FEATURE_COUNT; i++) {
			char *name = (char *)(uintptr_t)names[i];

			if (model->has[i])
				archive_text(archive, &name);
		}
		return;
	}
	memset(model->has, 0, sizeof model->has);
	for (size_t n = 0; n < count; n++) {
		char *name;
		int i = 0;

		archive_text(archive, &name);
		while (name && i < X86_FEATURE_COUNT && strcmp(name, names[i]))
			i++;
		if (!name || i == X86_FEATURE_COUNT)
			archive_fail(archive, "the checkpoint's processor has "
				     "%s, which this m2s does not know",
				     name ? name : "a feature without a name");
		else
			model->has[i] = true;
		free(name);
	}
}

/* The model that programs of an ABI have. */
static const struct x86_model *model_of(const struct checkpoint *checkpoint,
					bool abi32)
{
	const struct linux_options *options = checkpoint->system->options;

	for (size_t i = 0; i < checkpoint->memory_count; i++)
		if (checkpoint->memories[i]->abi32 == abi32)
			return x86_emulator_model(
				checkpoint->memories[i]->emulator);
	return abi32 ? options->model_i386 : options->model_x86_64;
}

static void exchange_models(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	struct linux_system *system = checkpoint->system;
	struct linux_options *options = &system->own_options;

	for (int abi32 = 0; abi32 < 2; abi32++) {
		const struct x86_model *model =
			checkpoint->loading ? NULL
					    : model_of(checkpoint, abi32);
		struct x86_model copy = { 0 };
		bool present = model != NULL;

		ARCHIVE_VALUE(archive, present, "presence of a model");
		if (!present)
			continue;
		if (model)
			copy = *model;
		exchange_model(checkpoint, &copy);
		if (!checkpoint->loading)
			continue;
		system->loaded->model[abi32] = copy;
		model = &system->loaded->model[abi32];
		if (!archive->failed &&
		    x86_model_check(model, checkpoint->error))
			archive->failed = true;
		if (abi32)
			options->model_i386 = model;
		else
			options->model_x86_64 = model;
	}
}

/* ---- The system ---- */

/* The context whose turn it is, as an index: -1 between rounds. One that has
 * ended meanwhile hands over to the next. */
static int64_t turn_index(const struct checkpoint *checkpoint, bool *begun)
{
	const struct context *turn = checkpoint->system->schedule.turn;

	while (turn && turn->ended) {
		turn = turn->next;
		*begun = false;
	}
	return list_index(checkpoint->contexts, checkpoint->context_count,
			  turn);
}

static void check_system(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	struct linux_system *system = checkpoint->system;

	archive_expect(archive,
		       system->schedule.quantum &&
			       system->schedule.quantum <= INT64_MAX / 2,
		       "quantum", system->schedule.quantum,
		       "at least 1 and below 2^62");
	archive_expect(
		archive, system->schedule.turn_left <= system->schedule.quantum,
		"turn_left", system->schedule.turn_left, "at most the quantum");
	archive_expect(archive, system->next_id > 0 &&
		       system->next_id < INT32_MAX / 2, "next_id",
		       (uint64_t)system->next_id, "from 1 to 2^30");
}

void exchange_system(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	struct linux_system *system = checkpoint->system;
	struct linux_options *options = &system->own_options;
	struct checkpoint_counts counts = {
		checkpoint->object_count, checkpoint->file_count,
		checkpoint->table_count, checkpoint->memory_count,
		checkpoint->process_count, checkpoint->context_count,
	};
	bool begun = system->schedule.turn_begun;
	int64_t turn = checkpoint->loading ? -1
					   : turn_index(checkpoint, &begun);
	int64_t now = checkpoint->loading ? 0 : clock_monotonic(system);
	/* Another run may or may not have a timing model, too. */
	bool model = options->clock == LINUX_CLOCK_MODEL;
	uint8_t clock = model ? LINUX_CLOCK_SIMULATED : options->clock;

	exchange_linux_system(archive, system);
	system->core_pattern[sizeof system->core_pattern - 1] = 0;
	for (int i = 0; i < UTS_NAMES; i++)
		system->uts_name[i].text[sizeof system->uts_name[i].text - 1] =
			0;
	ARCHIVE_VALUE(archive, begun, "turn_begun");
	ARCHIVE_VALUE(archive, clock, "clock");
	archive_expect(archive, clock <= LINUX_CLOCK_SIMULATED, "clock", clock,
		       "0 (host) or 1 (simulated)");
	ARCHIVE_VALUE(archive, now, "time");
	ARCHIVE_VALUE(archive, options->stack_size, "stack_size");
	exchange_checkpoint_counts(archive, &counts);
	checkpoint->expected = counts;
	turn = archive_index(archive, turn, counts.contexts, true, "turn");
	exchange_models(checkpoint);
	if (!checkpoint->loading || archive->failed)
		return;
	check_system(checkpoint);
	system->schedule.turn_begun = begun;
	if (!model)
		options->clock = (enum linux_clock)clock;
	/* The guest's clock continues from its saved time. */
	system->loaded->time = now;
	system->clock_skipped = 0;
	system->clock_skipped = now - clock_monotonic(system);
	system->paused = system->counts.instructions == options->pause_at;
	checkpoint->turn = turn;
}
