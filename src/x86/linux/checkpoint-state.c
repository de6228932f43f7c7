/* The system, its processes and contexts in a checkpoint. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <fcntl.h>
#include <errno.h>
#include <zlib.h>

#include "base/memory.h"
#include "x86/linux/checkpoint.h"

/* ---- What the table of fields makes ---- */

/* Each structure once more, from its rows and without padding: if a row is
 * missing or in another place, offsets or sizes differ. */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FIELD(type, field) __typeof__(((struct type *)0)->field) field;
#define BEGIN(type) struct __attribute__((packed)) shadow_##type {
#define VALUE(type, field) FIELD(type, field)
#define ARRAY(type, field) FIELD(type, field)
#define NESTED(type, field, nested) FIELD(type, field)
#define SERIES(type, field, nested) FIELD(type, field)
#define LINK(type, field) FIELD(type, field)
#define HOLE(type, bytes) uint8_t JOIN(hole_, __LINE__)[bytes];
#define END(type)                                                              \
	}                                                                      \
	;                                                                      \
	_Static_assert(sizeof(struct shadow_##type) == sizeof(struct type),    \
		       "checkpoint-fields.def: fields of " #type " changed");
#include "x86/linux/checkpoint-fields.def"
#undef FIELD

#define FIELD(type, field)                                                     \
	_Static_assert(offsetof(struct shadow_##type, field) ==                \
			       offsetof(struct type, field),                   \
		       "checkpoint-fields.def: fields of " #type               \
		       " changed before " #field);
#define BEGIN(type)
#define VALUE(type, field) FIELD(type, field)
#define ARRAY(type, field) FIELD(type, field)
#define NESTED(type, field, nested) FIELD(type, field)
#define SERIES(type, field, nested) FIELD(type, field)
#define LINK(type, field) FIELD(type, field)
#define HOLE(type, bytes)
#define END(type)
#include "x86/linux/checkpoint-fields.def"
#undef FIELD

/* Both directions of each structure. */
#define BEGIN(type)                                                            \
	void exchange_##type(struct archive *archive, struct type *it)         \
	{
#define VALUE(type, field) ARCHIVE_VALUE(archive, it->field, #type "." #field);
#define ARRAY(type, field) archive_bytes(archive, &it->field, sizeof it->field);
#define NESTED(type, field, nested) exchange_##nested(archive, &it->field);
#define SERIES(type, field, nested)                                            \
	for (size_t i = 0; i < ARRAY_SIZE(it->field); i++)                     \
		exchange_##nested(archive, &it->field[i]);
#define LINK(type, field)
#define HOLE(type, bytes)
#define END(type) }
#include "x86/linux/checkpoint-fields.def"

uint32_t checkpoint_layout(void)
{
	static const struct {
		const char *row;
		size_t size;
	} rows[] = {
#define BEGIN(type) { #type, sizeof(struct type) },
#define VALUE(type, field) { #field, sizeof(((struct type *)0)->field) },
#define ARRAY(type, field) VALUE(type, field)
#define NESTED(type, field, nested) VALUE(type, field)
#define SERIES(type, field, nested) VALUE(type, field)
#define LINK(type, field)
#define HOLE(type, bytes)
#define END(type)
#include "x86/linux/checkpoint-fields.def"
	};
	uLong sum = 0;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint32_t size = (uint32_t)rows[i].size;

		sum = crc32_z(sum, (const uint8_t *)rows[i].row,
			      strlen(rows[i].row) + 1);
		sum = crc32_z(sum, (const uint8_t *)&size, sizeof size);
	}
	return (uint32_t)sum;
}

int64_t list_index(void *list, size_t count, const void *item)
{
	void **items = list;

	for (size_t i = 0; i < count; i++)
		if (items[i] == item)
			return (int64_t)i;
	return -1;
}

void checkpoint_owner(const struct checkpoint *checkpoint,
		      const struct file *file, char *text, size_t size)
{
	for (size_t p = 0; p < checkpoint->process_count; p++) {
		const struct process *process = checkpoint->processes[p];

		for (int i = 0; process->files && i < process->files->count;
		     i++)
			if (process->files->list[i].file == file) {
				snprintf(text, size, "process %d (%.15s), "
					 "descriptor %d", process->pid,
					 process->name, i);
				return;
			}
	}
	snprintf(text, size, "a process");
}

/* Takes over a text that the system points to from now on. */
static const char *keep_text(struct checkpoint *checkpoint, char *text)
{
	struct loaded_state *loaded = checkpoint->system->loaded;

	if (!text)
		return "";
	ARRAY_GROW(loaded->texts, loaded->text_count, loaded->text_capacity);
	return loaded->texts[loaded->text_count++] = text;
}

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
	model->name = archive->loading ? keep_text(checkpoint, name) : name;
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
	const struct context *turn = checkpoint->system->turn;

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

	archive_expect(archive, system->quantum &&
		       system->quantum <= INT64_MAX / 2, "quantum",
		       system->quantum, "at least 1 and below 2^62");
	archive_expect(archive, system->turn_left <= system->quantum,
		       "turn_left", system->turn_left, "at most the quantum");
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
	bool begun = system->turn_begun;
	int64_t turn = checkpoint->loading ? -1
					   : turn_index(checkpoint, &begun);
	int64_t now = checkpoint->loading ? 0 : clock_monotonic(system);
	uint8_t clock = options->clock;

	exchange_linux_system(archive, system);
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
	system->turn_begun = begun;
	options->clock = (enum linux_clock)clock;
	if (options->clock == LINUX_CLOCK_HOST) {
		/* The guest's clock goes on where it stood. */
		system->clock_skipped = 0;
		system->clock_skipped = now - clock_monotonic(system);
	}
	system->paused = system->instructions == options->pause_at;
	checkpoint->turn = turn;
}

/* ---- Descriptor tables ---- */

void exchange_tables(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;

	for (size_t t = 0; t < checkpoint->expected.tables; t++) {
		struct file_table *table =
			checkpoint->loading ? files_create()
					    : checkpoint->tables[t];
		size_t count = archive_count(archive, (size_t)table->count, 9,
					     "descriptors");

		if (checkpoint->loading) {
			ARRAY_GROW(checkpoint->tables, checkpoint->table_count,
				   checkpoint->table_capacity);
			checkpoint->tables[checkpoint->table_count++] = table;
		}
		archive_expect(archive, count <= 1 << 16, "descriptors", count,
			       "at most 65536");
		if (archive->failed)
			return;
		if (checkpoint->loading) {
			table->list = xcalloc(count + 1, sizeof *table->list);
			table->count = (int)count;
		}
		for (size_t i = 0; i < count; i++) {
			struct descriptor *descriptor = table->list + i;
			int64_t file = list_index(checkpoint->files,
						  checkpoint->file_count,
						  descriptor->file);

			file = archive_index(archive, file,
					     checkpoint->file_count, true,
					     "file");
			ARCHIVE_VALUE(archive, descriptor->close_on_exec,
				      "close_on_exec");
			if (checkpoint->loading && file >= 0)
				descriptor->file =
					file_hold(checkpoint->files[file]);
		}
	}
}

/* ---- Signals ---- */

static void check_signal(struct archive *archive, int number, bool none,
			 const char *name)
{
	archive_expect(archive, number >= !none && number <= SIGNALS, name,
		       (uint64_t)number, "a signal");
}

static void exchange_queue(struct archive *archive, struct signal_queue *queue)
{
	size_t count = archive_count(archive, queue->count, 40, "signals");

	if (archive->loading) {
		queue->list = xcalloc(count + 1, sizeof *queue->list);
		queue->count = count;
		queue->capacity = count + 1;
	}
	for (size_t i = 0; i < count; i++) {
		exchange_signal_information(archive, queue->list + i);
		check_signal(archive, queue->list[i].number, false, "signal");
	}
	if (archive->failed && archive->loading)
		queue->count = 0;
}

static void check_timer(struct archive *archive,
			const struct interval_timer *timer)
{
	const int64_t limit = INT64_MAX / 2;

	archive_expect(archive, timer->expires >= 0 && timer->expires < limit,
		       "timer.expires", (uint64_t)timer->expires,
		       "a time below 2^62");
	archive_expect(archive,
		       timer->interval >= 0 && timer->interval < limit,
		       "timer.interval", (uint64_t)timer->interval,
		       "a time below 2^62");
	check_signal(archive, timer->signal, true, "timer.signal");
}

/* ---- Processes ---- */

static void exchange_cwd(struct checkpoint *checkpoint,
			 struct process *process)
{
	struct archive *archive = checkpoint->archive;
	char path[PATH_MAX] = "", *text = path;

	process->made_cwd[sizeof process->made_cwd - 1] = 0;
	if (!checkpoint->loading) {
		checkpoint_name(process->cwd, path);
		if (access(path, F_OK) != 0)
			archive_fail(archive, "process %d (%.15s) is in a "
				     "folder that has no name any more",
				     process->pid, process->name);
	}
	archive_text(archive, &text);
	if (!checkpoint->loading)
		return;
	if (!archive->failed && !checkpoint->source->detached && text) {
		process->cwd = checkpoint_open(checkpoint, text,
					       O_PATH | O_DIRECTORY);
		if (process->cwd < 0)
			archive_fail(archive, "%s: the current folder of "
				     "process %d: %s", text, process->pid,
				     strerror(errno));
	}
	free(text);
}

static void exchange_timers(struct archive *archive, struct process *process)
{
	size_t count = archive_count(archive, process->timer_count, 40,
				     "timers");

	if (archive->loading) {
		process->timers = xcalloc(count + 1, sizeof *process->timers);
		process->timer_count = count;
	}
	for (size_t i = 0; i < count; i++) {
		exchange_interval_timer(archive, process->timers + i);
		check_timer(archive, process->timers + i);
	}
	check_timer(archive, &process->real_timer);
	check_timer(archive, &process->virtual_timer);
}

/* What a process that has not ended has. */
static void exchange_live(struct checkpoint *checkpoint,
			  struct process *process)
{
	struct archive *archive = checkpoint->archive;
	int64_t memory = list_index(checkpoint->memories,
				    checkpoint->memory_count, process->memory);
	int64_t table = list_index(checkpoint->tables, checkpoint->table_count,
				   process->files);

	memory = archive_index(archive, memory, checkpoint->memory_count,
			       false, "memory");
	table = archive_index(archive, table, checkpoint->table_count, false,
			      "descriptor table");
	if (checkpoint->loading && !archive->failed) {
		process->memory = checkpoint->memories[memory];
		process->memory->references++;
		process->files = checkpoint->tables[table];
		process->files->references++;
	}
	exchange_cwd(checkpoint, process);
}

static void exchange_one_process(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct process *process = checkpoint->processes[index];
	int64_t parent = list_index(checkpoint->processes, index,
				    process->parent);

	exchange_process(archive, process);
	process->name[sizeof process->name - 1] = 0;
	/* Parents are older, so there cannot be a circle. */
	parent = archive_index(archive, parent, index, true, "parent");
	if (checkpoint->loading && parent >= 0)
		process->parent = checkpoint->processes[parent];
	exchange_queue(archive, &process->pending);
	exchange_timers(archive, process);
	check_signal(archive, process->parent_signal, true, "parent_signal");
	check_signal(archive, process->death_signal, true, "death_signal");
	check_signal(archive, process->exit_signal, true, "exit_signal");
	if (!process->ended)
		exchange_live(checkpoint, process);
}

void exchange_processes(struct checkpoint *checkpoint)
{
	struct linux_system *system = checkpoint->system;
	struct process **last = &system->processes;

	for (size_t i = 0; i < checkpoint->expected.processes; i++) {
		if (checkpoint->archive->failed)
			return;
		if (checkpoint->loading) {
			struct process *process = xcalloc(1, sizeof *process);

			ARRAY_GROW(checkpoint->processes,
				   checkpoint->process_count,
				   checkpoint->process_capacity);
			checkpoint->processes[checkpoint->process_count++] =
				process;
			process->system = system;
			process->cwd = -1;
			*last = process;
			last = &process->next;
		}
		exchange_one_process(checkpoint, i);
	}
}

/* ---- Contexts ---- */

static void check_cpu(struct archive *archive, struct x86_cpu *cpu)
{
	const uint32_t flags = X86_ARITHMETIC | X86_FIXED_1 | X86_TF | X86_IF |
			       X86_DF | X86_NT | X86_RF | X86_AC | X86_ID;

	archive_expect(archive, cpu->flags_kind <= X86_FLAGS_SUB64,
		       "flags_kind", cpu->flags_kind, "a kind");
	archive_expect(archive, !(cpu->eflags & ~flags), "eflags", cpu->eflags,
		       "no other bits than Linux programs can have");
	archive_expect(archive, !(cpu->mxcsr & ~UINT32_C(0xffff)), "mxcsr",
		       cpu->mxcsr, "bits 0 to 15 only");
	archive_expect(archive, cpu->x87.top < 8, "x87.top", cpu->x87.top,
		       "0 to 7");
	cpu->reg[X86_ZERO] = 0;
	if (cpu->mode != X86_MODE_32)
		return;
	cpu->rip = (uint32_t)cpu->rip;
	for (int i = 0; i < X86_REG_COUNT; i++)
		cpu->reg[i] = (uint32_t)cpu->reg[i];
}

static void exchange_wait_files(struct checkpoint *checkpoint,
				struct wait *wait)
{
	struct archive *archive = checkpoint->archive;
	size_t count = archive_count(archive, wait->file_count, 10,
				     "descriptors waited for");

	if (checkpoint->loading) {
		wait->files = xcalloc(count + 1, sizeof *wait->files);
		wait->file_count = count;
		wait->file_capacity = count + 1;
	}
	for (size_t i = 0; i < count; i++) {
		struct wait_file *file = wait->files + i;
		int64_t index = -1;

		for (size_t f = 0; !checkpoint->loading &&
				   f < checkpoint->file_count; f++)
			if (checkpoint->files[f]->host == file->host)
				index = (int64_t)f;
		index = archive_index(archive, index, checkpoint->file_count,
				      true, "file waited for");
		ARCHIVE_VALUE(archive, file->events, "events");
		if (checkpoint->loading)
			file->host = index < 0 ? -1
					       : checkpoint->files[index]->host;
	}
}

static void exchange_wait_links(struct checkpoint *checkpoint,
				struct wait *wait)
{
	struct archive *archive = checkpoint->archive;
	char *what = checkpoint->loading ? NULL
					 : (char *)(uintptr_t)wait->what;
	int64_t memory = list_index(checkpoint->memories,
				    checkpoint->memory_count,
				    wait->futex_memory);

	archive_expect(archive, wait->kind <= WAIT_STOPPED, "wait.kind",
		       wait->kind, "a kind");
	archive_text(archive, &what);
	memory = archive_index(archive, memory, checkpoint->memory_count, true,
			       "memory of a futex");
	exchange_wait_files(checkpoint, wait);
	if (!checkpoint->loading)
		return;
	wait->what = keep_text(checkpoint, what);
	if (memory >= 0)
		wait->futex_memory = checkpoint->memories[memory];
	archive_expect(archive, wait->kind != WAIT_FUTEX || memory >= 0,
		       "wait.kind", wait->kind, "a memory with it");
}

static void exchange_one_context(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct context *context = checkpoint->contexts[index];
	uint64_t instructions = context->cpu ? x86_instructions(context->cpu)
					     : 0;
	int64_t process = list_index(checkpoint->processes,
				     checkpoint->process_count,
				     context->process);

	process = archive_index(archive, process, checkpoint->process_count,
				false, "process");
	if (archive->failed)
		return;
	if (checkpoint->loading) {
		context->process = checkpoint->processes[process];
		if (!context->process->memory) {
			archive_fail(archive, "a context of process %d, which "
				     "has ended", context->process->pid);
			return;
		}
		context->process->live_contexts++;
		context->cpu = x86_cpu_create(
			context->process->memory->emulator);
	}
	exchange_context(archive, context);
	context->name[sizeof context->name - 1] = 0;
	exchange_wait_links(checkpoint, &context->wait);
	exchange_queue(archive, &context->pending);
	exchange_x86_cpu(archive, context->cpu);
	ARCHIVE_VALUE(archive, instructions, "instructions");
	if (!checkpoint->loading)
		return;
	check_cpu(archive, context->cpu);
	context->cpu->budget = 0;
	context->cpu->budget_base = instructions;
}

void exchange_contexts(struct checkpoint *checkpoint)
{
	struct linux_system *system = checkpoint->system;
	struct context **last = &system->contexts;

	for (size_t i = 0; i < checkpoint->expected.contexts; i++) {
		if (checkpoint->archive->failed)
			return;
		if (checkpoint->loading) {
			struct context *context = xcalloc(1, sizeof *context);

			ARRAY_GROW(checkpoint->contexts,
				   checkpoint->context_count,
				   checkpoint->context_capacity);
			checkpoint->contexts[checkpoint->context_count++] =
				context;
			*last = context;
			last = &context->next;
		}
		exchange_one_context(checkpoint, i);
	}
	if (!checkpoint->loading || checkpoint->archive->failed)
		return;
	for (size_t i = 0; i < checkpoint->process_count; i++)
		if (!checkpoint->processes[i]->ended &&
		    !checkpoint->processes[i]->live_contexts)
			archive_fail(checkpoint->archive, "process %d has not "
				     "ended, but has no context",
				     checkpoint->processes[i]->pid);
	if (checkpoint->turn >= 0)
		system->turn = checkpoint->contexts[checkpoint->turn];
}
