/* Starting a program: its segments, its interpreter, its initial stack. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/isa/features.h"
#include "x86/linux/process.h"

/* AT_HWCAP2: user code may use RDFSBASE (asm/hwcap2.h). */
enum { CAPABILITY_FSGSBASE = 2 };

/* Position-independent programs are loaded where Linux puts them without
 * randomization (i386), or in the same place of the smaller window. */
#define PIE_BASE_32 UINT64_C(0x56555000)
#define PIE_BASE_64 UINT64_C(0x1555554000)

enum { SCRIPT_DEPTH = 4, SCRIPT_LINE = 256, ARGUMENTS_MAX = 1 << 16 };

/* ---- Strings of argv and envp, which scripts change ---- */

struct strings {
	char **list; /* NULL at the end */
	size_t count, capacity;
};

static void strings_add(struct strings *strings, const char *text)
{
	ARRAY_GROW(strings->list, strings->count, strings->capacity);
	strings->list[strings->count++] = xstrdup(text);
}

static void strings_insert(struct strings *strings, const char *text)
{
	strings_add(strings, text);
	char *last = strings->list[strings->count - 1];

	memmove(strings->list + 1, strings->list,
		(strings->count - 1) * sizeof *strings->list);
	strings->list[0] = last;
}

static void strings_free(struct strings *strings)
{
	for (size_t i = 0; i < strings->count; i++)
		free(strings->list[i]);
	free(strings->list);
}

static void strings_block(const struct strings *strings, char **block,
			  size_t *size)
{
	size_t at = 0;

	*size = 0;
	for (size_t i = 0; i < strings->count; i++)
		*size += strlen(strings->list[i]) + 1;
	*block = xmalloc(*size + 1);
	for (size_t i = 0; i < strings->count; i++) {
		size_t length = strlen(strings->list[i]) + 1;

		memcpy(*block + at, strings->list[i], length);
		at += length;
	}
}

/* ---- Finding the program ---- */

/* Opens a program for execution: a descriptor or a negative errno. */
static int open_program(struct context *context, const char *path,
			char *real, struct error *error)
{
	struct host_path host;
	struct stat status;
	int result, file;

	result = path_resolve_text(context, AT_FDCWD, path, true, &host);
	if (result) {
		error_set(error, "%s: %s", path, strerror(-result));
		return result;
	}
	file = openat(host.folder, host.text,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	result = file < 0 ? -errno : 0;
	if (!result && fstat(file, &status) != 0)
		result = -errno;
	if (!result && S_ISDIR(status.st_mode)) {
		result = -EACCES;
		error_set(error, "%s: is a directory, not a program", path);
	} else if (!result && !S_ISREG(status.st_mode)) {
		result = -EACCES;
		error_set(error, "%s: not a regular file", path);
	} else if (!result && (faccessat(host.folder, host.text, X_OK,
					 AT_EACCESS) != 0 ||
			       !(status.st_mode & 0111))) {
		result = -EACCES;
		error_set(error,
			  "%s: is not executable (its x permission is not "
			  "set)", path);
	} else if (result) {
		error_set(error, "%s: cannot open: %s", path,
			  strerror(-result));
	}
	path_release(&host);
	if (result) {
		if (file >= 0)
			close(file);
		return result;
	}
	path_of_host(file, real, PATH_MAX);
	return file;
}

/* A "#!" line: puts the interpreter in front of the arguments. 1 when it was
 * one, 0 when not, or a negative errno. */
static int expand_script(int file, const char *path, struct strings *arguments,
			 char *program)
{
	char line[SCRIPT_LINE + 1], *name, *end, *rest;
	ssize_t size = pread(file, line, SCRIPT_LINE, 0);

	if (size < 2 || line[0] != '#' || line[1] != '!')
		return 0;
	line[size] = 0;
	line[strcspn(line, "\n")] = 0;
	name = line + 2 + strspn(line + 2, " \t");
	end = name + strcspn(name, " \t");
	rest = end + strspn(end, " \t");
	*end = 0;
	for (size_t i = strlen(rest); i && strchr(" \t\r", rest[i - 1]); i--)
		rest[i - 1] = 0;
	if (!*name)
		return -ENOEXEC;
	if (arguments->count) {
		free(arguments->list[0]);
		memmove(arguments->list, arguments->list + 1,
			--arguments->count * sizeof *arguments->list);
	}
	strings_insert(arguments, path);
	if (*rest)
		strings_insert(arguments, rest);
	strings_insert(arguments, name);
	snprintf(program, PATH_MAX, "%s", name);
	return 1;
}

/* ---- The stack ---- */

struct stack {
	struct guest_memory *memory;
	uint64_t at;
	bool failed;
};

static uint64_t push_bytes(struct stack *stack, const void *bytes, size_t size)
{
	if (size > stack->at - stack->memory->stack_low) {
		stack->failed = true;
		return 0;
	}
	stack->at -= size;
	if (space_write(stack->memory->space, stack->at, bytes, size))
		stack->failed = true;
	return stack->at;
}

static uint64_t push_string(struct stack *stack, const char *text)
{
	return push_bytes(stack, text, strlen(text) + 1);
}

struct words {
	uint64_t *list;
	size_t count, capacity;
};

static void words_add(struct words *words, uint64_t value)
{
	ARRAY_GROW(words->list, words->count, words->capacity);
	words->list[words->count++] = value;
}

static void words_pair(struct words *words, uint64_t type, uint64_t value)
{
	words_add(words, type);
	words_add(words, value);
}

struct loaded {
	const struct elf_image *image;
	uint64_t bias, interpreter_bias, entry;
	const char *path;
};

/* Everything above the program's first stack frame, as the kernel leaves it
 * (System V ABI, process initialization). Returns the stack pointer or 0. */
static uint64_t build_stack(struct linux_system *system,
			    const struct credentials *credentials,
			    struct guest_memory *memory,
			    const struct strings *arguments,
			    const struct strings *environment,
			    const struct loaded *loaded)
{
	struct stack stack = { memory, memory->stack_high, false };
	const struct x86_model *model =
		x86_emulator_model(memory->emulator);
	const struct elf_image *image = loaded->image;
	unsigned word = memory->abi32 ? 4 : 8;
	uint64_t zero = 0, name, platform, random, random_bytes[2];
	uint32_t capabilities[4];
	struct words words = { 0 };
	size_t auxiliary;

	push_bytes(&stack, &zero, word);
	name = push_string(&stack, loaded->path);
	uint64_t *where = xcalloc(arguments->count + environment->count + 1,
				  sizeof *where);

	for (size_t i = environment->count; i-- > 0;)
		where[arguments->count + i] =
			push_string(&stack, environment->list[i]);
	for (size_t i = arguments->count; i-- > 0;)
		where[i] = push_string(&stack, arguments->list[i]);
	platform = push_string(&stack, memory->abi32 ? "i686" : "x86_64");
	random_bytes[0] = random_next(system);
	random_bytes[1] = random_next(system);
	stack.at &= ~UINT64_C(15);
	random = push_bytes(&stack, random_bytes, sizeof random_bytes);

	words_add(&words, arguments->count);
	for (size_t i = 0; i < arguments->count; i++)
		words_add(&words, where[i]);
	words_add(&words, 0);
	for (size_t i = 0; i < environment->count; i++)
		words_add(&words, where[arguments->count + i]);
	words_add(&words, 0);
	free(where);
	auxiliary = words.count;
	x86_cpuid(model, 1, 0, capabilities);
	words_pair(&words, AT_HWCAP, capabilities[3]);
	words_pair(&words, AT_PAGESZ, SPACE_PAGE);
	words_pair(&words, AT_CLKTCK, 100);
	words_pair(&words, AT_PHDR, image->headers + loaded->bias);
	words_pair(&words, AT_PHENT, image->header_size);
	words_pair(&words, AT_PHNUM, image->header_count);
	words_pair(&words, AT_BASE, loaded->interpreter_bias);
	words_pair(&words, AT_FLAGS, 0);
	words_pair(&words, AT_ENTRY, image->entry + loaded->bias);
	words_pair(&words, AT_UID, credentials->user[0]);
	words_pair(&words, AT_EUID, credentials->user[1]);
	words_pair(&words, AT_GID, credentials->group[0]);
	words_pair(&words, AT_EGID, credentials->group[1]);
	words_pair(&words, AT_SECURE, 0);
	words_pair(&words, AT_RANDOM, random);
	words_pair(&words, AT_HWCAP2,
		   model->has[X86_FEATURE_FSGSBASE] ?
			   CAPABILITY_FSGSBASE : 0);
	words_pair(&words, AT_EXECFN, name);
	words_pair(&words, AT_PLATFORM, platform);
	words_pair(&words, AT_MINSIGSTKSZ, frame_size_max(model));
	words_pair(&words, AT_NULL, 0);

	/* The stack pointer of the entry point is a multiple of 16. */
	stack.at &= ~UINT64_C(15);
	if (words.count * word > stack.at - memory->stack_low)
		stack.failed = true;
	else
		stack.at = (stack.at - words.count * word) & ~UINT64_C(15);
	for (size_t i = 0; i < words.count && !stack.failed; i++)
		if (space_write(memory->space, stack.at + i * word,
				words.list + i, word))
			stack.failed = true;
	memory->auxiliary_size = (words.count - auxiliary) * word;
	memory->auxiliary = xmalloc(memory->auxiliary_size);
	for (size_t i = auxiliary; i < words.count; i++)
		memcpy(memory->auxiliary + (i - auxiliary) * word,
		       words.list + i, word);
	free(words.list);
	return stack.failed ? 0 : stack.at;
}

/* ---- Loading ---- */

/* Code for signal returns, for programs whose library brings none. */
static int map_sigreturn(struct guest_memory *memory)
{
	static const uint8_t code[] = {
		/* +0, sigreturn: pop %eax; mov $119, %eax; int $0x80 */
		0x58, 0xb8, 119, 0, 0, 0, 0xcd, 0x80,
		/* +8, rt_sigreturn: mov $173, %eax; int $0x80 */
		0xb8, 173, 0, 0, 0, 0xcd, 0x80,
	};

	if (!memory->abi32)
		return 0;
	memory->sigreturn = space_find_gap(memory->space, 0x10000,
					   memory->map_top, SPACE_PAGE, true);
	if (space_map(memory->space, memory->sigreturn, SPACE_PAGE,
		      SPACE_READ | SPACE_WRITE, false, -1, 0, "[sigreturn]") ||
	    space_write(memory->space, memory->sigreturn, code, sizeof code))
		return -1;
	return space_protect(memory->space, memory->sigreturn, SPACE_PAGE,
			     SPACE_READ | SPACE_EXECUTE);
}

static struct elf_image *open_interpreter(struct context *context,
					  const struct elf_image *image,
					  int *code, struct error *error)
{
	struct elf_image *interpreter = NULL;
	char real[PATH_MAX];
	int file = open_program(context, image->interpreter, real, error);

	if (file < 0) {
		*code = -file;
		error_prefix(error, "%s: its program interpreter",
			     image->path);
		if (file == -ENOENT && image->machine == ELF_I386)
			error_set(error,
				  "%s: its program interpreter %s does not "
				  "exist (Debian package libc6-i386 has the "
				  "i386 one)", image->path,
				  image->interpreter);
		return NULL;
	}
	interpreter = elf_open_file(real, file, error);
	if (interpreter && interpreter->machine != image->machine) {
		error_set(error,
			  "%s: its program interpreter %s is for another "
			  "machine", image->path, image->interpreter);
		elf_free(interpreter);
		interpreter = NULL;
	}
	if (!interpreter)
		*code = ELIBBAD;
	return interpreter;
}

static int load(struct context *context, struct guest_memory *memory,
		const struct elf_image *image, struct loaded *loaded,
		int *code, struct error *error)
{
	FILE *log = log_stream(context->process->system->log,
			       LOG_X86_LOADER);
	FILE *elf_log = log_stream(context->process->system->log, LOG_ELF);
	uint64_t size = image->high - image->low;

	if (elf_log)
		elf_describe(image, elf_log);
	*code = ENOMEM;
	loaded->image = image;
	loaded->bias = image->relocatable && image->interpreter
			       ? (memory->abi32 ? PIE_BASE_32 : PIE_BASE_64)
			       : 0;
	/* A shared object without interpreter (ld.so itself, static-pie)
	 * goes where mmap() would put it, as Linux does. */
	if (image->relocatable && !image->interpreter)
		loaded->bias = space_find_gap(memory->space, 0x10000,
					      memory->map_top, size, true) -
			       image->low;
	if (image->high + loaded->bias > memory->stack_low)
		return error_set(error,
				 "%s: its addresses reach 0x%" PRIx64
				 ", where the guest's stack is",
				 image->path, image->high + loaded->bias);
	if (elf_load(image, memory->space, loaded->bias, log, error))
		return -1;
	loaded->entry = image->entry + loaded->bias;
	loaded->interpreter_bias = 0;
	memory->break_start = image->high + loaded->bias;
	if (image->relocatable && !image->interpreter)
		memory->break_start = memory->abi32 ? PIE_BASE_32
						    : PIE_BASE_64;
	memory->break_end = memory->break_start;
	if (image->interpreter) {
		struct elf_image *interpreter =
			open_interpreter(context, image, code, error);
		int result;

		if (!interpreter)
			return -1;
		size = interpreter->high - interpreter->low;
		if (interpreter->relocatable)
			loaded->interpreter_bias =
				space_find_gap(memory->space, 0x10000,
					       memory->map_top, size, true) -
				interpreter->low;
		if (log)
			elf_describe(interpreter, log);
		result = elf_load(interpreter, memory->space,
				  loaded->interpreter_bias, log, error);
		loaded->entry = interpreter->entry +
				loaded->interpreter_bias;
		elf_free(interpreter);
		if (result)
			return -1;
	}
	if (space_map(memory->space, memory->stack_low,
		      memory->stack_high - memory->stack_low,
		      SPACE_READ | SPACE_WRITE |
			      (image->executable_stack ? SPACE_EXECUTE : 0),
		      false, -1, 0, "[stack]") ||
	    map_sigreturn(memory))
		return error_set(error, "%s: no memory for its stack",
				 image->path);
	return 0;
}

/* ---- The call ---- */

/* Replaces the process's memory and registers; other threads end. */
static void take_over(struct context *context, struct guest_memory *memory,
		      const struct loaded *loaded, uint64_t stack)
{
	struct process *process = context->process;
	struct linux_system *system = process->system;
	const char *base = strrchr(loaded->path, '/');
	uint64_t done = context->cpu ? x86_instructions(context->cpu) : 0;

	for (struct context *other = system->contexts; other;
	     other = other->next)
		if (other->process == process && other != context &&
		    !other->ended) {
			robust_list_exit(other);
			process->instructions +=
				x86_instructions(other->cpu);
			x86_cpu_free(other->cpu);
			other->cpu = NULL;
			other->ended = true;
			other->in_call = false;
			process->live_contexts--;
			wait_clear(other);
		}
	robust_list_exit(context);
	x86_cpu_free(context->cpu);
	process->instructions += done;
	release_requests(process);
	memory_release(process->memory);
	process->memory = memory;
	context->cpu = x86_cpu_create(memory->emulator);
	context->cpu->rip = loaded->entry;
	context->cpu->reg[X86_RSP] = stack;
	snprintf(process->name, sizeof process->name, "%.15s",
		 base ? base + 1 : loaded->path);
	memcpy(context->name, process->name, sizeof context->name);
	context->clear_tid = 0;
	context->robust_list = 0;
	context->stack_base = context->stack_size = 0;
	context->stack_flags = 2; /* SS_DISABLE */
	/* The leader's id names the process; whoever calls execve gets it. */
	context->tid = process->pid;
	for (int i = 1; i <= SIGNALS; i++) {
		if (process->action[i].handler > 1)
			process->action[i].handler = 0;
		process->action[i].flags = 0;
		process->action[i].mask = 0;
	}
	free(process->timers);
	process->timers = NULL;
	process->timer_count = 0;
	process->vfork_done = true;
	context_log(context, "executes %s", memory->executable);
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

/* For --x86-debug-loader: environment, stack and auxiliary vector. */
static void print_start(FILE *log, const struct guest_memory *memory,
			const struct strings *environment)
{
	static const struct {
		unsigned type;
		const char *name;
	} names[] = {
#define NAME(type) { AT_##type, "AT_" #type }
		NAME(PHDR), NAME(PHENT), NAME(PHNUM), NAME(PAGESZ),
		NAME(BASE), NAME(FLAGS), NAME(ENTRY), NAME(UID), NAME(EUID),
		NAME(GID), NAME(EGID), NAME(CLKTCK), NAME(HWCAP),
		NAME(HWCAP2), NAME(SECURE), NAME(RANDOM), NAME(EXECFN),
		NAME(PLATFORM), NAME(MINSIGSTKSZ), NAME(SYSINFO),
		NAME(SYSINFO_EHDR),
#undef NAME
	};
	size_t word = memory->abi32 ? 4 : 8;

	for (size_t i = 0; i < environment->count; i++)
		/* Values may be secret. */
		fprintf(log, "  envp[%zu] = \"%.*s=...\"\n", i,
			(int)strcspn(environment->list[i], "="),
			environment->list[i]);
	fprintf(log, "  stack 0x%" PRIx64 "-0x%" PRIx64 "\n",
		memory->stack_low, memory->stack_high);
	for (size_t at = 0; at + 2 * word <= memory->auxiliary_size;
	     at += 2 * word) {
		uint64_t type = 0, value = 0;
		const char *name = NULL;

		memcpy(&type, memory->auxiliary + at, word);
		memcpy(&value, memory->auxiliary + at + word, word);
		for (size_t i = 0; i < ARRAY_SIZE(names); i++)
			if (names[i].type == type)
				name = names[i].name;
		if (name)
			fprintf(log, "  %s = 0x%" PRIx64 "\n", name, value);
		else if (type)
			fprintf(log, "  auxiliary %" PRIu64 " = 0x%" PRIx64
				"\n", type, value);
	}
}

static int start(struct context *context, const char *path,
		 struct elf_image *image, const struct strings *arguments,
		 const struct strings *environment, int *code,
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
	if (load(context, memory, image, &loaded, code, error)) {
		memory_release(memory);
		return -1;
	}
	stack = build_stack(system, &context->process->credentials, memory, arguments, environment, &loaded);
	if (!stack) {
		memory_release(memory);
		*code = E2BIG;
		return error_set(error,
				 "%s: arguments and environment do not fit "
				 "the stack", path);
	}
	memory->executable = xstrdup(image->path);
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
	files_unshare(context->process);
	files_close_on_exec(system, context->process->files);
	debug_exec(context);
	return 0;
}

int process_exec(struct context *context, const struct exec_request *request,
		 int *code, struct error *error)
{
	struct strings arguments = { 0 }, environment = { 0 };
	char program[PATH_MAX], real[PATH_MAX];
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
			error_set(error, "%s: bad #! line", program);
			goto done;
		}
	}
	*code = ENOEXEC;
	image = elf_open_file(real, file, error);
	if (image && log_stream(context->process->system->log, LOG_ELF))
		elf_print(image, log_stream(context->process->system->log,
					    LOG_ELF));
	if (image)
		result = start(context, request->path, image, &arguments,
			       &environment, code, error);
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

int64_t call_execveat(struct context *context, const uint64_t *a)
{
	char path[PATH_MAX], full[PATH_MAX + 64];
	int length = guest_get_string(context, a[1], path, sizeof path);

	if (length < 0)
		return length;
	if (path[0] == '/' || (int)a[0] == AT_FDCWD)
		return exec_path(context, path, a[2], a[3]);
	if (!path[0] && !(a[4] & AT_EMPTY_PATH))
		return -ENOENT;
	if (!file_get(context->process, (int)a[0]))
		return -EBADF;
	snprintf(full, sizeof full, path[0] ? "/dev/fd/%d/%s"
					    : "/dev/fd/%d",
		 (int)a[0], path);
	return exec_path(context, full, a[2], a[3]);
}
