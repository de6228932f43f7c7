/* execve: a program takes the place of another. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/isa/features.h"
#include "x86/linux/calls.h"
#include "x86/linux/debug/events.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/io.h"
#include "x86/linux/files/path.h"
#include "x86/linux/futex/futex.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/exec-image.h"
#include "x86/linux/processes/exec.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/ptrace/ptrace.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/trace/log.h"

enum { SCRIPT_DEPTH = 4, ARGUMENTS_MAX = 1 << 16 };

/* The process is whom the program makes it. */
static void take_identity(struct process *process,
			  const struct program_identity *identity)
{
	const struct credentials *new = &identity->credentials;
	const bool more = new->permitted & ~process->credentials.permitted;

	process->credentials = *new;
	process->dumpable = true;
	if (more || identity->secure || new->user[0] != new->user[1] ||
	    new->group[0] != new->group[1])
		identity_changed(process);
}

/* Replaces the process's memory and registers; other threads end. */
static void take_over(struct context *context, struct guest_memory *memory,
		      const struct loaded *loaded, uint64_t stack)
{
	struct process *process = context->process;
	struct linux_system *system = process->system;
	const char *base = strrchr(loaded->path, '/');
	uint64_t done = context->cpu ? x86_instructions(context->cpu) : 0;
	int former = context->tid;

	for (struct context *other = system->contexts; other;
	     other = other->next)
		if (other->process == process && other != context &&
		    !other->ended) {
			futex_exit(other);
			context_leave(other, 0);
		}
	futex_exit(context);
	x86_cpu_free(context->cpu);
	process->account.instructions += done;
	release_requests(process);
	sysv_process_executes(process);
	memory_release(process->memory);
	process->memory = memory;
	context->cpu = x86_cpu_create(memory->emulator);
	context->cpu->rip = loaded->entry;
	context->cpu->reg[X86_RSP] = stack;
	snprintf(process->name, sizeof process->name, "%.15s",
		 base ? base + 1 : loaded->path);
	memcpy(context->name, process->name, sizeof context->name);
	keys_executes(context);
	namespaces_executes(context);
	context->clear_tid = 0;
	context->robust_list = 0;
	context->signals.stack_base = context->signals.stack_size = 0;
	context->signals.stack_flags = 2; /* SS_DISABLE */
	/* The leader's id names the process; the thread that calls execve gets
	 * it. */
	context->tid = process->pid;
	process->tracing.end_tracer = NULL;
	for (int i = 1; i <= SIGNALS; i++) {
		if (process->signals.action[i].handler > 1)
			process->signals.action[i].handler = 0;
		process->signals.action[i].flags = 0;
		process->signals.action[i].mask = 0;
	}
	free(process->timers.list);
	process->timers.list = NULL;
	process->timers.count = 0;
	process->vfork_done = true;
	process->executed = true;
	process->barriers = false;
	context_log(context, "executes %s", memory->executable);
	ptrace_executed(context, former);
}

static int check_model(const struct linux_system *system, bool abi32,
		       struct error *error)
{
	const struct x86_model *model = system->options->model_x86_64;

	if (abi32 || !model || model->has[X86_FEATURE_LM])
		return 0;
	return error_set(error, "this is an x86-64 program, and the "
			 "processor (CPUModel %s) has no 64-bit mode: choose "
			 "another CPUModel", model->name);
}

static int start_program(struct context *context, const char *path,
			 struct elf_image *image,
			 const struct strings *arguments,
			 const struct strings *environment,
			 const struct program_identity *identity, int *code,
			 struct error *error)
{
	struct linux_system *system = context->process->system;
	FILE *log = log_stream(system->log, LOG_X86_LOADER);
	struct loaded loaded = { .path = path };
	struct guest_memory *memory;
	uint64_t stack;

	if (check_model(system, image->machine == ELF_I386, error)) {
		*code = ENOEXEC;
		return -1;
	}
	*code = ENOMEM;
	memory = memory_create(system, image->machine == ELF_I386, error);
	if (!memory)
		return -1;
	if (load_program(context, memory, image, &loaded, code, error)) {
		memory_release(memory);
		return -1;
	}
	stack = build_stack(system, identity, memory, arguments, environment,
			    &loaded);
	if (!stack) {
		memory_release(memory);
		*code = E2BIG;
		return error_set(error,
				 "%s: arguments and environment do not fit "
				 "the stack", path);
	}
	memory->executable = xstrdup(image->path);
	memory_open_program(memory, fcntl(image->file, F_DUPFD_CLOEXEC, 0));
	strings_block(arguments, &memory->command_line,
		      &memory->command_line_size);
	strings_block(environment, &memory->environment,
		      &memory->environment_size);
	if (log) {
		fprintf(log,
			"context %d: %s: %s program, entry 0x%" PRIx64
			", break 0x%" PRIx64 ", stack pointer 0x%" PRIx64
			"\n", context->tid, image->path,
			memory->abi32 ? "i386" : "x86-64", loaded.entry,
			memory->break_start, stack);
		for (size_t i = 0; i < arguments->count; i++)
			fprintf(log, "  argv[%zu] = \"%s\"\n", i,
				arguments->list[i]);
		print_start(log, memory, environment);
		elf_print(image, log);
	}
	take_over(context, memory, &loaded, stack);
	take_identity(context->process, identity);
	files_unshare(context->process);
	files_close_on_exec(system, context->process->files);
	debug_exec(context);
	return 0;
}

bool program_runs(const struct linux_system *system, const struct stat *file)
{
	const struct program_file *last = NULL;
	struct stat status;

	for (const struct process *process = system->processes; process;
	     process = process->next) {
		const struct program_file *program =
			process->memory ? process->memory->program : NULL;

		if (!program || program == last)
			continue;
		last = program;
		if (fstat(program->host, &status) == 0 &&
		    status.st_dev == file->st_dev &&
		    status.st_ino == file->st_ino)
			return true;
	}
	return false;
}

/* Some guest process has the file open for writing. */
static bool written_to(const struct linux_system *system, int program)
{
	struct stat own, other;

	if (fstat(program, &own) != 0)
		return false;
	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++) {
			const struct file *file = process->files->list[i].file;

			if (file && file->kind == FILE_HOST &&
			    file_writable(file) &&
			    fstat(file->host, &other) == 0 &&
			    own.st_dev == other.st_dev &&
			    own.st_ino == other.st_ino)
				return true;
		}
	return false;
}

int process_exec(struct context *context, const struct exec_request *request,
		 int *code, struct error *error)
{
	struct strings arguments = { 0 }, environment = { 0 };
	char program[PATH_MAX], real[PATH_MAX];
	struct program_identity identity;
	struct elf_image *image = NULL;
	int file, result = -1;

	for (char *const *text = request->argv; text && *text; text++)
		strings_add(&arguments, *text);
	for (char *const *text = request->envp; text && *text; text++)
		strings_add(&environment, *text);
	/* Linux since 5.18: a program always has an argv[0]. */
	if (!arguments.count)
		strings_add(&arguments, "");
	snprintf(program, sizeof program, "%s", request->path);
	for (int depth = 0;; depth++) {
		int script;

		file = open_program(context, program, real, error);
		if (file < 0) {
			*code = -file;
			goto done;
		}
		script = expand_script(file, depth ? program : request->path,
				       &arguments, program);
		if (!script)
			break;
		close(file);
		if (script < 0 || depth == SCRIPT_DEPTH) {
			*code = script < 0 ? -script : ELOOP;
			error_set(error, "%s: the #! line is malformed, or too "
					 "many scripts interpret each other",
					 program);
			goto done;
		}
	}
	if (written_to(context->process->system, file)) {
		close(file);
		*code = ETXTBSY;
		error_set(error, "%s: a process has the file open for writing",
			  program);
		goto done;
	}
	result = identity_of_program(context->process, file, &identity);
	if (result) {
		close(file);
		*code = -result;
		result = error_set(error, "%s: the program's file capabilities "
					  "cannot be granted", program);
		goto done;
	}
	result = -1;
	*code = ENOEXEC;
	image = elf_open_file(real, file, error);
	if (image && log_stream(context->process->system->log, LOG_ELF))
		elf_print(image, log_stream(context->process->system->log,
					    LOG_ELF));
	if (image)
		result =
			start_program(context, request->path, image, &arguments,
				      &environment, &identity, code, error);
done:
	elf_free(image);
	strings_free(&arguments);
	strings_free(&environment);
	return result;
}

/* argv or envp of the guest; NULL and *code on failure. */
static int read_strings(struct context *context, uint64_t address,
			struct strings *strings)
{
	unsigned word = context->abi32 ? 4 : 8;
	char *text = xmalloc(128 << 10);
	int result = 0;

	for (; address; address += word) {
		uint64_t where;

		result = guest_get_word(context, address, &where);
		if (result || !where)
			break;
		result = guest_get_string(context, where, text, 128 << 10);
		if (result < 0) {
			result = result == -ENAMETOOLONG ? -E2BIG : result;
			break;
		}
		result = 0;
		strings_add(strings, text);
		if (strings->count > ARGUMENTS_MAX) {
			result = -E2BIG;
			break;
		}
	}
	free(text);
	ARRAY_GROW(strings->list, strings->count, strings->capacity);
	strings->list[strings->count] = NULL;
	return result;
}

static int64_t exec_path(struct context *context, const char *path,
			 uint64_t argv, uint64_t envp)
{
	struct strings arguments = { 0 }, environment = { 0 };
	int code = 0;
	int result = read_strings(context, argv, &arguments);

	if (!result)
		result = read_strings(context, envp, &environment);
	if (!result) {
		struct exec_request request = { path, arguments.list,
						environment.list };
		struct error error;

		if (process_exec(context, &request, &code, &error)) {
			FILE *log = log_stream(context->process->system->log,
					       LOG_X86_LOADER);

			if (log)
				fprintf(log, "context %d: execve: %s\n",
					context->tid, error.text);
			result = -code;
		}
	}
	strings_free(&arguments);
	strings_free(&environment);
	return result ? result : CALL_NO_RESULT;
}

int64_t call_execve(struct context *context, const uint64_t *a)
{
	char path[PATH_MAX];
	int length = guest_get_string(context, a[0], path, sizeof path);

	return length < 0 ? length : exec_path(context, path, a[1], a[2]);
}

/* Whether a name leads to a program, and with AT_SYMLINK_NOFOLLOW to no link:
 * 0 or a negative errno. */
static int check_name(struct context *context, int folder, const char *path,
		      bool follow)
{
	struct host_path found;
	struct stat status;
	int result = path_resolve_text(context, folder, path, follow, &found);

	if (result)
		return result;
	if (fstatat(found.folder, found.text, &status,
		    follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
		result = -errno;
	else if (!follow && !found.generated && S_ISLNK(status.st_mode))
		result = -ELOOP;
	path_release(&found);
	return result;
}

int64_t call_execveat(struct context *context, const uint64_t *a)
{
	char path[PATH_MAX], full[PATH_MAX + 64];
	int length = guest_get_string(context, a[1], path, sizeof path);
	int result;

	if (a[4] & ~(uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	if (length < 0)
		return length;
	if (!path[0] && !(a[4] & AT_EMPTY_PATH))
		return -ENOENT;
	if (!path[0] && (int)a[0] == AT_FDCWD)
		return -EACCES; /* a folder */
	result = path[0] ? check_name(context, (int)a[0], path,
				      !(a[4] & AT_SYMLINK_NOFOLLOW))
			 : 0;
	if (result)
		return result;
	if (path[0] == '/' || (int)a[0] == AT_FDCWD)
		return exec_path(context, path, a[2], a[3]);
	if (!file_get(context->process, (int)a[0]))
		return -EBADF;
	snprintf(full, sizeof full, path[0] ? "/dev/fd/%d/%s"
					    : "/dev/fd/%d",
		 (int)a[0], path);
	return exec_path(context, full, a[2], a[3]);
}
