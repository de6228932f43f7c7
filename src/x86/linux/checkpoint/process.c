/* Processes and contexts in a checkpoint. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

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

/* A folder that a process has by a descriptor; -1, its name is "", if not. */
static void exchange_folder(struct checkpoint *checkpoint,
			    const struct process *process, int *folder,
			    const char *what)
{
	struct archive *archive = checkpoint->archive;
	char path[PATH_MAX] = "", *text = path;

	if (!checkpoint->loading && *folder >= 0) {
		checkpoint_name(*folder, path);
		if (access(path, F_OK) != 0)
			archive_fail(archive, "the %s folder of process %d "
				     "(%.15s) has no name any more", what,
				     process->pid, process->name);
	}
	archive_text(archive, &text);
	if (!checkpoint->loading)
		return;
	if (!archive->failed && !checkpoint->source->detached && text &&
	    *text) {
		*folder = checkpoint_open(checkpoint, text,
					  O_PATH | O_DIRECTORY);
		if (*folder < 0)
			archive_fail(archive, "cannot open %s, the %s folder "
					      "of process %d: %s",
					      text, what, process->pid,
				     strerror(errno));
	}
	free(text);
}

static void exchange_timers(struct archive *archive, struct process *process)
{
	size_t count =
		archive_count(archive, process->timers.count, 40, "timers");

	if (archive->loading) {
		process->timers.list =
			xcalloc(count + 1, sizeof *process->timers.list);
		process->timers.count = count;
	}
	for (size_t i = 0; i < count; i++) {
		exchange_interval_timer(archive, process->timers.list + i);
		check_timer(archive, process->timers.list + i);
	}
	check_timer(archive, &process->timers.real);
	check_timer(archive, &process->timers.virtual);
}

/* The state of a process that has not ended. */
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
	process->paths.made_cwd[sizeof process->paths.made_cwd - 1] = 0;
	exchange_folder(checkpoint, process, &process->paths.cwd, "current");
	exchange_folder(checkpoint, process, &process->paths.root, "root");
}

static void exchange_one_process(struct checkpoint *checkpoint, size_t index)
{
	struct archive *archive = checkpoint->archive;
	struct process *process = checkpoint->processes[index];
	int64_t parent = list_index(checkpoint->processes, index,
				    process->parent);

	exchange_process(archive, process);
	process->name[sizeof process->name - 1] = 0;
	archive_expect(archive,
		       process->credentials.group_count >= 0 &&
			       process->credentials.group_count <= GROUPS_MAX,
		       "group_count",
		       (uint64_t)process->credentials.group_count,
		       "at most 64 groups");
	/* Parents are older, so there cannot be a circle. */
	parent = archive_index(archive, parent, index, true, "parent");
	if (checkpoint->loading && parent >= 0)
		process->parent = checkpoint->processes[parent];
	exchange_queue(archive, &process->signals.pending);
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
			process->paths.cwd = process->paths.root = -1;
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
		       "flags_kind", cpu->flags_kind,
		       "an operation that sets flags");
	archive_expect(archive, !(cpu->eflags & ~flags), "eflags", cpu->eflags,
		       "only bits that Linux programs can set");
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
	int64_t memory =
		list_index(checkpoint->memories, checkpoint->memory_count,
			   wait->futex.memory);

	archive_expect(archive, wait->kind <= WAIT_STOPPED, "wait.kind",
		       wait->kind, "a reason to wait");
	archive_text(archive, &what);
	memory = archive_index(archive, memory, checkpoint->memory_count, true,
			       "memory of a futex");
	exchange_wait_files(checkpoint, wait);
	if (!checkpoint->loading)
		return;
	wait->what = checkpoint_keep_text(checkpoint, what);
	if (memory >= 0)
		wait->futex.memory = checkpoint->memories[memory];
	archive_expect(archive, wait->kind != WAIT_FUTEX || memory >= 0,
		       "wait.kind", wait->kind,
		       "another wait, or an address space of the futex");
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
			archive_fail(archive, "a context belongs to process "
					      "%d, which has ended",
					      context->process->pid);
			return;
		}
		context->process->live_contexts++;
		context->cpu = x86_cpu_create(
			context->process->memory->emulator);
	}
	exchange_context(archive, context);
	context->name[sizeof context->name - 1] = 0;
	exchange_wait_links(checkpoint, &context->wait);
	exchange_queue(archive, &context->signals.pending);
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
		system->schedule.turn = checkpoint->contexts[checkpoint->turn];
}
