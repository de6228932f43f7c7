#include "base/output.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wall/broker.h"

static int fails(struct error *error, const char *path, int code)
{
	return error_set(error, "%s: cannot write: %s", path, strerror(code));
}

/* ---- What stays ---- */

/* The bytes that say for which machine an ELF file is. */
static bool read_elf(int file, uint16_t *machine)
{
	Elf64_Ehdr header; /* Elf32_Ehdr begins alike */

	if (pread(file, &header, offsetof(Elf64_Ehdr, e_version), 0) !=
		    (ssize_t)offsetof(Elf64_Ehdr, e_version) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	*machine = header.e_machine;
	return true;
}

/* Why the file is not to be replaced, or NULL. */
static const char *what_stays(int file, const struct stat *status,
			      const struct output_rules *rules)
{
	uint16_t machine;
	bool elf = read_elf(file, &machine);

	for (size_t i = 0; i < rules->input_count; i++)
		if (rules->inputs[i].device == status->st_dev &&
		    rules->inputs[i].inode == status->st_ino)
			return "an input of this run";
	if (elf && rules->kernels && machine != EM_386 && machine != EM_X86_64)
		return NULL;
	if (elf)
		return "an ELF file";
	return status->st_mode & 0111 ? "an executable" : NULL;
}

/* The file that has the name now: rules, and whether another process follows
 * it up (output_publish). */
static int check_present(const char *path, const char *target,
			 const struct output_rules *rules, struct error *error)
{
	int file = broker_open(target, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	const char *what = NULL;
	struct stat status;
	bool locked;

	if (file < 0) /* one that cannot be read is no program or input */
		return 0;
	if (rules && !rules->overwrite && fstat(file, &status) == 0)
		what = what_stays(file, &status, rules);
	locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	close(file);
	if (what)
		return error_set(error, "%s: the file is not replaced, because "
					"it is %s%s",
				 path, what,
				 rules->kernels ? ""
						: " (--overwrite replaces it)");
	if (locked)
		return error_set(error, "%s: another run is writing it", path);
	return 0;
}

/* ---- Opening ---- */

static FILE *standard_stream(const char *path)
{
	if (!strcmp(path, "-") || !strcmp(path, "stdout") ||
	    !strcmp(path, "/dev/stdout"))
		return stdout;
	if (!strcmp(path, "stderr") || !strcmp(path, "/dev/stderr"))
		return stderr;
	return NULL;
}

/* The number of /dev/fd/N, or -1. */
static int descriptor(const char *path)
{
	int number, length = 0;

	if ((sscanf(path, "/dev/fd/%d%n", &number, &length) == 1 ||
	     sscanf(path, "/proc/self/fd/%d%n", &number, &length) == 1) &&
	    length && !path[length])
		return number;
	return -1;
}

/* Files that must be written in place, not replaced. */
static bool is_special(const char *path)
{
	struct stat status;

	return descriptor(path) >= 0 ||
	       (broker_stat(path, &status, 0) == 0 &&
		!S_ISREG(status.st_mode));
}

static int open_special(const char *path, struct error *error)
{
	int number = descriptor(path);
	int file = number >= 0
			   ? fcntl(number, F_DUPFD_CLOEXEC, 0)
			   : broker_open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY, 0);

	if (file < 0)
		fails(error, path, errno);
	return file;
}

static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	int folder = slash ? (int)(slash + 1 - target) : 0;

	return xasprintf("%.*s.%s.m2s-part", folder, target, target + folder);
}

static bool is_named(int file, const char *path)
{
	struct stat one, other;

	return fstat(file, &one) == 0 &&
	       broker_stat(path, &other, AT_SYMLINK_NOFOLLOW) == 0 &&
	       one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* An empty file under the temporary name, locked as long as it is open: of two
 * runs that write one file the second is told. What a run that was killed has
 * left is taken over. -1 and errno; EWOULDBLOCK: locked. */
static int open_temporary(const char *path)
{
	for (;;) {
		struct stat status;
		int file = broker_open(path, O_WRONLY | O_CREAT | O_NOFOLLOW |
					      O_NONBLOCK | O_CLOEXEC, 0666);

		if (file < 0)
			return -1;
		if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
			errno = EEXIST;
		/* A file system may have no locks. */
		else if (flock(file, LOCK_EX | LOCK_NB) != 0 &&
			 errno == EWOULDBLOCK)
			;
		else if (!is_named(file, path)) { /* renamed meanwhile */
			close(file);
			continue;
		} else if (ftruncate(file, 0) == 0)
			return file;
		close(file); /* keeps errno */
		return -1;
	}
}

static void forget(struct output *output)
{
	free(output->path);
	free(output->target);
	free(output->temporary);
	*output = (struct output){ 0 };
}

char *output_target(const char *path)
{
	char *target;

	if (standard_stream(path) || is_special(path))
		return NULL;
	target = realpath(path, NULL);
	return target ? target : xstrdup(path);
}

static int open_replacement(struct output *output,
			    const struct output_rules *rules,
			    struct error *error)
{
	int file;

	if (check_present(output->path, output->target, rules, error))
		return -1;
	output->temporary = temporary_name(output->target);
	file = open_temporary(output->temporary);
	if (file < 0 && errno == EWOULDBLOCK)
		error_set(error, "%s: another run is writing it",
			  output->path);
	else if (file < 0)
		fails(error, output->path, errno);
	return file;
}

/* The same file under a high number; under its own where there is none. */
static int move_apart(int file)
{
	const rlim_t enough = 512;
	struct rlimit limit;
	int high;

	if (file < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return file;
	if (limit.rlim_cur / 2 < enough)
		high = (int)(limit.rlim_cur / 2);
	else
		high = (int)enough;
	high = fcntl(file, F_DUPFD_CLOEXEC, high);
	if (high < 0)
		return file;
	close(file);
	return high;
}

/* A descriptor and the file that it was opened for. */
struct own_file {
	int file;
	dev_t device;
	ino_t inode;
};

static bool is_own(const struct own_file *own)
{
	struct stat status;

	return fstat(own->file, &status) == 0 &&
	       status.st_dev == own->device && status.st_ino == own->inode;
}

static ssize_t write_own(void *cookie, const char *bytes, size_t size)
{
	const struct own_file *own = cookie;
	ssize_t part;

	if (!is_own(own)) {
		errno = EBADF;
		return 0;
	}
	do
		part = write(own->file, bytes, size);
	while (part < 0 && errno == EINTR);
	return part < 0 ? 0 : part;
}

static int close_own(void *cookie)
{
	struct own_file *own = cookie;
	int status = is_own(own) ? close(own->file) : 0;

	free(own);
	return status;
}

/* A stream that leaves a program's file alone which has its descriptor. */
static FILE *own_stream(struct output *output, int file)
{
	const cookie_io_functions_t functions = {
		.write = write_own,
		.close = close_own,
	};
	struct own_file *own = xmalloc(sizeof *own);
	struct stat status;
	FILE *stream = NULL;

	if (fstat(file, &status) == 0) {
		*own = (struct own_file){ file, status.st_dev, status.st_ino };
		stream = fopencookie(own, "w", functions);
	}
	if (stream) /* also so that leak checkers find it */
		output->own = own;
	else
		free(own);
	return stream ? stream : fdopen(file, "w");
}

int output_open(struct output *output, const char *path,
		const struct output_rules *rules, struct error *error)
{
	int file;

	*output = (struct output){ .stream = standard_stream(path) };
	if (output->stream)
		return 0;
	if (!*path)
		return error_set(error, "the name of an output file is empty");
	output->path = xstrdup(path);
	output->target = output_target(path);
	file = output->target ? open_replacement(output, rules, error)
			      : open_special(path, error);
	if (rules && rules->apart)
		file = move_apart(file);
	if (file >= 0) {
		output->file = file;
		output->stream = rules && rules->apart ? own_stream(output, file)
						       : fdopen(file, "w");
		return 0;
	}
	forget(output);
	return -1;
}

int output_check(const char *path, const struct output_rules *rules,
		 struct error *error)
{
	struct output output;

	/* Opening a named pipe waits for its reader. */
	if (!standard_stream(path) && is_special(path))
		return access(path, W_OK) ? fails(error, path, errno) : 0;
	if (output_open(&output, path, rules, error))
		return -1;
	output_close(&output, -1, NULL);
	return 0;
}

int output_may_replace(const char *path, const struct output_rules *rules,
		       struct error *error)
{
	char *target = output_target(path);
	int status = target ? check_present(path, target, rules, error) : 0;

	free(target);
	return status;
}

/* ---- The end ---- */

int output_publish(struct output *output, struct error *error)
{
	if (output->temporary &&
	    broker_rename(output->temporary, output->target) != 0)
		return fails(error, output->path, errno);
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

int output_close(struct output *output, int status, struct error *error)
{
	const char *name = output->path	   ? output->path
			   : output->stream == stderr ? "standard error"
						      : "standard output";
	bool failed = ferror(output->stream);
	int lock = -1; /* no other output uses the name while it is open */

	if (fflush(output->stream) && !status)
		status = fails(error, name, errno);
	else if (failed && !status)
		status = error_set(error, "%s: not all of the file could be "
					  "written",
				   name);
	if (output->path) {
		lock = fcntl(output->file, F_DUPFD_CLOEXEC, 0);
		if (fclose(output->stream) && !status)
			status = fails(error, name, errno);
	}
	if (!status)
		status = output_publish(output, error);
	if (status && output->temporary)
		broker_unlink(output->temporary);
	if (lock >= 0)
		close(lock);
	forget(output);
	return status;
}

int output_write(const char *path, const void *bytes, size_t size,
		 const struct output_rules *rules, struct error *error)
{
	struct output output;

	if (output_open(&output, path, rules, error))
		return -1;
	fwrite(bytes, 1, size, output.stream);
	return output_close(&output, 0, error);
}
