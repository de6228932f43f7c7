/* A system of guest processes: creation, the first program, statistics. */
#include "x86/linux/linux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "stats/stats.h"
#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/lock.h"
#include "x86/linux/files/path.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/mqueue/mqueue.h"
#include "x86/linux/outcome.h"
#include "x86/linux/processes/exec.h"
#include "x86/linux/processes/host-pid.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/sockets/address.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/trace/trace.h"
#include "x86/linux/wait.h"
#include "x86/linux/namespaces/namespaces.h"

enum { QUANTUM = 100000 };

void linux_pause_at(struct linux_system *system, uint64_t instructions)
{
	system->own_options.pause_at = instructions;
	system->paused = false;
}

struct linux_system *linux_create(const struct linux_options *options,
				  struct error *error)
{
	struct linux_system *system = xcalloc(1, sizeof *system);

	system->own_options = *options;
	system->options = &system->own_options;
	system->log = options->log;
	system->end_process = process_exit;
	system->next_id = FIRST_CONTEXT;
	system->regions_max = MEMORY_REGIONS_MAX;
	system->descriptors_max = NR_OPEN_USUAL;
	system->schedule.quantum =
		options->quantum ? options->quantum : QUANTUM;
	system->random[0] = options->seed;
	identity_start(&system->own_identity, 0);
	system->host_identity = system->own_identity;
	if (confine_create(system, error) || host_pids_create(system, error)) {
		linux_free(system);
		return NULL;
	}
	return system;
}

void linux_free(struct linux_system *system)
{
	struct context *context;
	struct process *process;

	if (!system)
		return;
	/* Freed ones are in no list: closing files looks at all that wait. */
	while ((context = system->contexts)) {
		system->contexts = context->next;
		signal_queue_free(&context->signals.pending);
		free(context->wait.files);
		trace_free(context);
		free(context->wait.futex.list);
		free(context->tracee);
		free(context->trace.text);
		file_release(context->call.fifo);
		x86_cpu_free(context->cpu);
		keys_leave(context);
		seccomp_leave(context);
		landlock_leave(context);
		namespaces_leave(context);
		free(context);
	}
	while ((process = system->processes)) {
		system->processes = process->next;
		process_free(process);
	}
	x86_decoder_free(system->decoder[0]);
	x86_decoder_free(system->decoder[1]);
	for (size_t i = 0; i < system->images.count; i++) {
		free(system->images.list[i].path);
		elf_free(system->images.list[i].image);
	}
	free(system->images.list);
	free(system->timer_files.list);
	free(system->pid_files.list);
	identity_enter(system, &system->own_identity);
	address_free(system);
	lock_free(system);
	sysv_free(system);
	mqueue_free(system);
	keys_free(system);
	async_free(system);
	confine_free(system);
	debug_free(system);
	host_pids_free(system);
	loaded_state_free(system->loaded);
	free(system);
}

static const char *search_path(const struct linux_program *program)
{
	for (const char *const *variable = program->envp;
	     variable && *variable; variable++)
		if (!strncmp(*variable, "PATH=", 5))
			return *variable + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

static bool is_program(struct context *context, const char *text)
{
	struct host_path path;
	struct stat status;
	bool found;

	if (path_resolve_text(context, AT_FDCWD, text, true, &path))
		return false;
	found = faccessat(path.folder, path.text, X_OK, AT_EACCESS) == 0 &&
		fstatat(path.folder, path.text, &status, 0) == 0 &&
		S_ISREG(status.st_mode);
	path_release(&path);
	return found;
}

/* The first executable of that name in PATH; to be freed. */
static char *find_program(struct context *context,
			  const struct linux_program *program)
{
	const char *at = search_path(program);

	if (strchr(program->path, '/'))
		return xstrdup(program->path);
	for (;;) {
		size_t length = strcspn(at, ":");
		char *path = length ? xasprintf("%.*s/%s", (int)length, at,
						program->path)
				    : xasprintf("./%s", program->path);

		if (is_program(context, path))
			return path;
		free(path);
		if (!at[length])
			break;
		at += length + 1;
	}
	return NULL;
}

/* A folder among them would be a way out of the root. */
static int open_standard(struct process *process,
			 const struct linux_program *program,
			 struct error *error)
{
	struct stat status;

	process->files = files_create();
	for (int i = 0; i < 3; i++) {
		struct file *file;

		if (program->standard[i] < 0)
			continue;
		if (fstat(program->standard[i], &status) == 0 &&
		    S_ISDIR(status.st_mode) &&
		    !confine_is_inside(process->system, program->standard[i]))
			return error_set(error,
					 "standard stream %d is a folder "
					 "outside the program's root "
					 "(redirect it, for instance to "
					 "/dev/null)", i);
		file = file_create(program->standard[i], FILE_HOST);
		file->borrowed = true;
		file->stream = (uint8_t)i;
		file_install(process, file, i, false);
	}
	return 0;
}

/* The first current folder: the program's, or the simulator's where guests
 * see it, else the root. */
static int open_start_folder(struct context *context, const char *folder,
			     struct error *error)
{
	struct process *process = context->process;
	const struct linux_system *system = process->system;
	struct host_path path;
	int result;

	process->paths.cwd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (process->paths.cwd >= 0 &&
	    !confine_is_inside(system, process->paths.cwd)) {
		close(process->paths.cwd);
		process->paths.cwd = -1;
	}
	if (process->paths.cwd >= 0 && !folder)
		return 0;
	folder = folder ? folder : "/";
	result = path_resolve_text(context, AT_FDCWD, folder, true, &path);
	if (!result) {
		int first =
			process->paths.cwd; /* path.folder may be the same */

		process->paths.cwd = openat(path.folder, path.text,
					    O_PATH | O_DIRECTORY | O_CLOEXEC);
		result = process->paths.cwd < 0 ? -errno : 0;
		path_release(&path);
		if (first >= 0)
			close(first);
	}
	if (result)
		error_set(error, "%s: cannot make this the current folder: %s",
			  folder, strerror(-result));
	return result;
}

/* Gives the caller the program's file. */
static void give_file(struct context *context,
		      const struct linux_program *program, const char *text)
{
	struct host_path path;
	int file;

	if (!program->opened ||
	    path_resolve_text(context, AT_FDCWD, text, true, &path))
		return;
	file = openat(path.folder, path.text,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file >= 0)
		*program->opened = file;
	path_release(&path);
}

int linux_load(struct linux_system *system,
	       const struct linux_program *program, struct error *error)
{
	struct process *process;
	struct context *context;
	struct exec_request request;
	char *path;
	int code, result;

	process = process_create(system, NULL);
	context = context_create(process);
	if (open_start_folder(context, program->cwd, error) ||
	    open_standard(process, program, error))
		goto failed;
	path = find_program(context, program);
	if (!path) {
		error_set(error,
			  "%s: no such program in PATH (give its path, for "
			  "instance ./%s)", program->path, program->path);
		goto failed;
	}
	request = (struct exec_request){
		path, (char *const *)program->argv,
		(char *const *)program->envp
	};
	result = process_exec(context, &request, &code, error);
	if (!result)
		give_file(context, program, path);
	free(path);
	if (result)
		goto failed;
	process->loaded = true;
	if (!system->foreground_group)
		system->foreground_group = process->group;
	return process->pid;
failed:
	context->ended = true;
	process->ended = process->reaped = true;
	system_sweep(system);
	return -1;
}

const char *linux_end_name(enum linux_end end)
{
	switch (end) {
	case LINUX_END_FINISHED:
		return "ContextsFinished";
	case LINUX_END_INSTRUCTIONS:
		return "x86MaxInst";
	case LINUX_END_STOPPED:
		return "Stopped";
	case LINUX_END_PAUSE:
		return "x86Checkpoint";
	case LINUX_END_LAST:
		return "x86LastInst";
	case LINUX_END_REQUEST:
		return "RequestFailed";
	case LINUX_END_DEADLOCK:
		return "Deadlock";
	}
	return "Unknown";
}

int linux_guest_read(struct linux_system *system, uint64_t address,
		     void *buffer, uint64_t size)
{
	if (!system->current)
		return -1;
	return space_read(system->current->cpu->space, address, buffer, size);
}

int linux_guest_write(struct linux_system *system, uint64_t address,
		      const void *buffer, uint64_t size)
{
	if (!system->current)
		return -1;
	return space_write(system->current->cpu->space, address, buffer,
			   size);
}

int linux_guest_deliver(struct linux_system *system, uint64_t address,
			const void *buffer, uint64_t size)
{
	int status;

	system->delivers = true;
	status = linux_guest_write(system, address, buffer, size);
	system->delivers = false;
	return status;
}

bool linux_guest_delivers(const struct linux_system *system)
{
	return system->delivers;
}

struct space *linux_guest_space(const struct linux_system *system)
{
	return system->current ? system->current->cpu->space : NULL;
}

int64_t call_m2s_request(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	const struct linux_options *options = system->options;
	int result;

	if (!options->request)
		return -ENOSYS;
	context->process->made_requests = true;
	result = options->request(options->request_owner,
				  context->process->pid, a[0], system->error);
	if (result < 0) {
		system_fail(system, LINUX_END_REQUEST);
		return -EIO;
	}
	if (result == LINUX_REQUEST_WAITS)
		return wait_for(context, WAIT_REQUEST, "the device");
	return result ? -EFAULT : 0;
}

void linux_wake_requests(struct linux_system *system)
{
	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->wait.kind == WAIT_REQUEST)
			context->wait.woken = true;
}

uint64_t linux_instructions(const struct linux_system *system)
{
	return system->counts.instructions;
}

uint64_t linux_contexts(const struct linux_system *system)
{
	return system->counts.contexts;
}

void linux_register_stats(struct linux_system *system, struct stats *stats)
{
	struct stats_section *section = stats_section(stats, "x86", "Global");
	const struct linux_counts *count = &system->counts;

#define STATS_REGISTRATION
#include "x86/linux/linux.stat.def"
}
