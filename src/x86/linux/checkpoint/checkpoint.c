/* Saving a whole system and restoring it: what comes in which order. */
#include "x86/linux/checkpoint/checkpoint.h"
#include "base/memory.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/lock.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "x86/linux/namespaces/namespaces.h"

static void checkpoint_clear(struct checkpoint *checkpoint)
{
	objects_free(checkpoint);
	if (checkpoint->loading)
		for (size_t i = 0; i < checkpoint->table_count; i++)
			files_release(checkpoint->system,
				      checkpoint->tables[i]);
	free(checkpoint->tables);
	memories_free(checkpoint);
	free(checkpoint->processes);
	free(checkpoint->contexts);
}

/* ---- Saving ---- */

#define COLLECT(checkpoint, list, count, capacity, item)                       \
	do {                                                                   \
		if (!(item) || list_index((checkpoint)->list,                  \
					  (checkpoint)->count, item) >= 0)     \
			break;                                                 \
		ARRAY_GROW((checkpoint)->list, (checkpoint)->count,            \
			   (checkpoint)->capacity);                            \
		(checkpoint)->list[(checkpoint)->count++] = (item);            \
	} while (0)

static void collect_files(struct checkpoint *checkpoint,
			  const struct file_table *table)
{
	for (int i = 0; table && i < table->count; i++)
		COLLECT(checkpoint, files, file_count, file_capacity,
			table->list[i].file);
}

/* Fills the lists with everything that can be reached. */
static void collect_lists(struct checkpoint *checkpoint)
{
	struct linux_system *system = checkpoint->system;
	const struct process *traced;

	for (struct process *process = system->processes; process;
	     process = process->next) {
		/* No process can ask about it any more. */
		if (process->ended && process->reaped && !process->loaded)
			continue;
		if (process->made_requests && !process->ended &&
		    !checkpoint->archive->failed) {
			error_set(checkpoint->error, "process %d (%.15s) uses "
				  "OpenCL, and a checkpoint cannot hold the "
				  "state of its device: save before the "
				  "program calls OpenCL", process->pid,
				  process->name);
			checkpoint->archive->failed = true;
		}
		COLLECT(checkpoint, processes, process_count,
			process_capacity, process);
		COLLECT(checkpoint, tables, table_count, table_capacity,
			process->files);
		COLLECT(checkpoint, memories, memory_count, memory_capacity,
			process->memory);
	}
	if (lock_count(system) && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program holds record locks "
			  "(fcntl), which a checkpoint cannot hold: save when "
			  "it has released them");
		checkpoint->archive->failed = true;
	}
	if (sysv_count(system) && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program has shared memory, "
			  "semaphores or message queues of System V, which a "
			  "checkpoint cannot hold: save before it makes them "
			  "or when it has removed them");
		checkpoint->archive->failed = true;
	}
	if (system->queues && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program has POSIX message "
			  "queues, which a checkpoint cannot hold: save "
			  "before it opens them or when it has closed and "
			  "unlinked them");
		checkpoint->archive->failed = true;
	}
	if (landlock_in_use(system) && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program restricts itself "
			  "(Landlock), which a checkpoint cannot hold: save "
			  "before landlock_create_ruleset");
		checkpoint->archive->failed = true;
	}
	if (namespaces_in_use(system) && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program has made namespaces "
					     "(clone, unshare), which a "
					     "checkpoint cannot hold: save "
					     "before it makes them, or when no "
					     "process is in them any more");
		checkpoint->archive->failed = true;
	}
	if (system->async_files.count && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "the program has a file that "
					     "sends signals or has a lease "
					     "(O_ASYNC, F_NOTIFY, F_SETLEASE), "
					     "which a checkpoint cannot hold: "
					     "save before the program asks for "
					     "this, or when the file is "
					     "closed");
		checkpoint->archive->failed = true;
	}
	for (size_t i = 0; i < checkpoint->memory_count; i++)
		if (checkpoint->memories[i]->aio &&
		    !checkpoint->archive->failed) {
			error_set(checkpoint->error, "the program has made a "
						     "context of asynchronous "
						     "input and output "
						     "(io_setup), which a "
						     "checkpoint cannot hold: "
						     "save before io_setup or "
						     "after io_destroy");
			checkpoint->archive->failed = true;
		}
	traced = ptrace_user(system);
	if (traced && !checkpoint->archive->failed) {
		error_set(checkpoint->error, "process %d (%.15s) traces or is "
			  "traced (ptrace), which a checkpoint cannot hold: "
			  "save before a debugger starts or when it has gone",
			  traced->pid, traced->name);
		checkpoint->archive->failed = true;
	}
	for (struct context *context = system->contexts; context;
	     context = context->next) {
		if (!context->ended && context->wait.kind == WAIT_FUTEX &&
		    context->wait.futex.count && !checkpoint->archive->failed) {
			error_set(checkpoint->error, "thread %d waits for "
				  "several futexes at once, which a checkpoint "
				  "cannot hold", context->tid);
			checkpoint->archive->failed = true;
		}
		if (!context->ended)
			COLLECT(checkpoint, contexts, context_count,
				context_capacity, context);
	}
	for (size_t i = 0; i < checkpoint->table_count; i++)
		collect_files(checkpoint, checkpoint->tables[i]);
	checkpoint->file_links = xcalloc(checkpoint->file_count + 1,
					 sizeof *checkpoint->file_links);
	objects_collect(checkpoint);
	memories_collect(checkpoint);
}

static int save(struct checkpoint *checkpoint,
		struct checkpoint_writer *writer)
{
	static const struct {
		const char *tag;
		void (*exchange)(struct checkpoint *checkpoint);
	} parts[] = {
		{ "SYST", exchange_system }, { "OBJS", exchange_objects },
		{ "FILE", exchange_files }, { "TABL", exchange_tables },
		{ "MEMO", NULL }, { "PROC", exchange_processes },
		{ "CTXT", exchange_contexts }, { "KEYS", exchange_keys },
		{ "FILT", exchange_seccomp },
	};

	collect_lists(checkpoint);
	if (writer->archive.failed)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t count = parts[i].exchange ? 1
						 : checkpoint->memory_count;

		for (size_t n = 0; n < count; n++) {
			writer_begin(writer, parts[i].tag);
			if (parts[i].exchange)
				parts[i].exchange(checkpoint);
			else
				exchange_memory(checkpoint, n);
			if (writer_end(writer))
				return -1;
		}
	}
	if (memories_save_pages(checkpoint, writer) ||
	    objects_save_data(checkpoint, writer))
		return -1;
	writer_begin(writer, "END ");
	return writer_end(writer);
}

int linux_save_checkpoint(struct linux_system *system, const char *path,
			  struct error *error)
{
	struct error own;
	struct checkpoint_writer writer;
	struct checkpoint checkpoint = {
		.system = system, .archive = &writer.archive,
		.error = error ? error : &own,
	};
	int result;

	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (context->core.state != CORE_NONE && !context->ended)
			return error_set(checkpoint.error, "a checkpoint "
					 "cannot be saved while a timing model "
					 "runs thread %d", context->tid);
	if (writer_open(&writer, path, checkpoint_layout(),
			checkpoint.error))
		return -1;
	result = save(&checkpoint, &writer);
	checkpoint_clear(&checkpoint);
	return writer_close(&writer, result == 0);
}

/* ---- Loading ---- */

static int load_part(struct checkpoint *checkpoint,
		     struct checkpoint_reader *reader, const char *tag,
		     void (*exchange)(struct checkpoint *checkpoint))
{
	if (reader_next(reader, tag))
		return -1;
	exchange(checkpoint);
	archive_end(&reader->archive);
	return reader->archive.failed ? -1 : 0;
}

static int load_memories(struct checkpoint *checkpoint,
			 struct checkpoint_reader *reader)
{
	for (size_t i = 0; i < checkpoint->expected.memories; i++) {
		if (reader_next(reader, "MEMO"))
			return -1;
		exchange_memory(checkpoint, i);
		archive_end(&reader->archive);
		if (reader->archive.failed)
			return -1;
	}
	return 0;
}

static int load_parts(struct checkpoint *checkpoint,
		      struct checkpoint_reader *reader)
{
	char tag[5];

	if (load_part(checkpoint, reader, "SYST", exchange_system) ||
	    load_part(checkpoint, reader, "OBJS", exchange_objects) ||
	    load_part(checkpoint, reader, "FILE", exchange_files) ||
	    load_part(checkpoint, reader, "TABL", exchange_tables) ||
	    load_memories(checkpoint, reader) ||
	    load_part(checkpoint, reader, "PROC", exchange_processes) ||
	    load_part(checkpoint, reader, "CTXT", exchange_contexts) ||
	    load_part(checkpoint, reader, "KEYS", exchange_keys) ||
	    load_part(checkpoint, reader, "FILT", exchange_seccomp))
		return -1;
	while (!strcmp(reader_peek(reader, tag), "PAGE"))
		if (load_part(checkpoint, reader, "PAGE", memories_load_pages))
			return -1;
	while (!strcmp(reader_peek(reader, tag), "DATA"))
		if (load_part(checkpoint, reader, "DATA", objects_load_data))
			return -1;
	memories_finish(checkpoint);
	/* Last, since it may change files. */
	return load_part(checkpoint, reader, "END ", objects_finish);
}

int linux_read_checkpoint(struct linux_system *system,
			  const struct linux_checkpoint *source,
			  struct error *error)
{
	struct error own;
	struct checkpoint_reader reader;
	struct checkpoint checkpoint = {
		.system = system, .archive = &reader.archive,
		.loading = true, .source = source,
		.error = error ? error : &own,
	};
	int result;

	system->loaded = xcalloc(1, sizeof *system->loaded);
	if (reader_open(&reader, source->bytes, source->size,
			checkpoint_layout(), source->unchecked,
			checkpoint.error))
		return -1;
	result = load_parts(&checkpoint, &reader);
	checkpoint_clear(&checkpoint);
	reader_close(&reader);
	return result;
}

int linux_load_checkpoint(struct linux_system *system, const char *path,
			  const int standard[3], struct error *error)
{
	struct linux_checkpoint source = {
		.standard = { standard[0], standard[1], standard[2] },
	};
	int file = open(path, O_RDONLY | O_CLOEXEC), result;
	struct stat status;
	void *bytes;

	if (file < 0 || fstat(file, &status) != 0) {
		error_set(error, "%s: %s", path, strerror(errno));
		if (file >= 0)
			close(file);
		return -1;
	}
	source.size = (size_t)status.st_size;
	bytes = S_ISREG(status.st_mode) && source.size
			? mmap(NULL, source.size, PROT_READ, MAP_PRIVATE, file,
			       0)
			: MAP_FAILED;
	close(file);
	if (bytes == MAP_FAILED)
		return error_set(error, "%s: this is not a checkpoint, it is "
					"%s",
				 path, S_ISREG(status.st_mode)
						? "an empty file"
						: "not a regular file");
	source.bytes = bytes;
	result = linux_read_checkpoint(system, &source, error);
	munmap(bytes, source.size);
	if (result)
		error_prefix(error, "%s", path);
	return result;
}
