/* Finding a program and its interpreter, and loading both. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/memory.h"
#include "x86/linux/processes/exec-image.h"
#include "x86/linux/state.h"

/* Position-independent programs are loaded where Linux puts them without
 * randomization (i386), or low. */
#define PIE_BASE_32 UINT64_C(0x56555000)
#define PIE_BASE_64 UINT64_C(0x10000000)

enum { SCRIPT_LINE = 256 };

/* Whether what a path leads to may be executed: 0 or a negative errno. */
static int check_program(const struct host_path *host, const char *path,
			 struct error *error)
{
	struct stat status;

	int result = path_status(host, 0, &status);

	if (result)
		return result;
	if (S_ISDIR(status.st_mode))
		error_set(error, "%s: is a directory, not a program", path);
	else if (!S_ISREG(status.st_mode))
		error_set(error, "%s: not a regular file", path);
	else if (faccessat(host->folder, host->text, X_OK, AT_EACCESS) != 0 ||
		 !(status.st_mode & 0111))
		error_set(error,
			  "%s: is not executable (its x permission is not "
			  "set)", path);
	else
		return 0;
	return -EACCES;
}

int open_program(struct context *context, const char *path, char *real,
		 struct error *error)
{
	struct host_path host;
	int result, file;

	result = path_resolve_text(context, AT_FDCWD, path, true, &host);
	if (result) {
		error_set(error, "%s: %s", path, strerror(-result));
		return result;
	}
	/* Before it is opened: a device would notice. */
	result = check_program(&host, path, error);
	if (!result && context->landlock) {
		result = landlock_execute(context, &host);
		if (result)
			error_set(error, "%s: Landlock forbids executing this "
					 "program",
				  path);
	}
	if (result) {
		path_release(&host);
		return result;
	}
	file = openat(host.folder, host.text,
		      O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	result = file < 0 ? -errno : file;
	path_release(&host);
	if (result < 0)
		error_set(error, "%s: cannot open: %s", path,
			  strerror(-result));
	else
		path_of_host(file, real, PATH_MAX);
	return result;
}

int expand_script(int file, const char *path, struct strings *arguments,
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

int load_program(struct context *context, struct guest_memory *memory,
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
	memory_lay_out(memory, context->process->system->options,
		       image->high +
			       (image->relocatable && !memory->abi32
					? PIE_BASE_64 : 0));
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
				 "%s: the program's addresses reach 0x%" PRIx64
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
		return error_set(error, "%s: no memory for the program's stack",
				 image->path);
	return 0;
}
