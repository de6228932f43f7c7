/* /proc as the guest sees it: paths, folders and links. What the files say is
 * in proc-text.c. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

/* ---- Which process a path speaks of ---- */

/* Splits "/proc/self/maps" into process and "maps"; NULL when the path is not
 * of that kind. *missing: it is, but there is no such process. */
static struct process *split(struct context *context, const char *text,
			     const char **rest, bool *missing)
{
	struct linux_system *system = context->process->system;
	struct process *process = NULL;
	char *end;
	long id;

	*missing = false;
	if (strncmp(text, "/proc/", 6))
		return NULL;
	text += 6;
	text += strspn(text, "/");
	if (!strncmp(text, "self", 4) && (!text[4] || text[4] == '/')) {
		*rest = text + 4;
		process = context->process;
	} else if (!strncmp(text, "thread-self", 11) &&
		   (!text[11] || text[11] == '/')) {
		*rest = text + 11;
		process = context->process;
	} else if (*text >= '0' && *text <= '9') {
		struct context *thread;

		id = strtol(text, &end, 10);
		if (*end && *end != '/')
			return NULL;
		*rest = end;
		process = process_find(system, (int)id);
		if (!process &&
		    (thread = context_find(system, (int)id)) != NULL)
			process = thread->process;
		*missing = !process;
	} else {
		return NULL;
	}
	*rest += strspn(*rest, "/");
	if (process && !strncmp(*rest, "task/", 5)) {
		id = strtol(*rest + 5, &end, 10);
		if (context_find(system, (int)id) && (!*end || *end == '/'))
			*rest = end + strspn(end, "/");
	}
	return process;
}

/* The thread of "/proc/PID/task/TID/...", or NULL. */
static struct context *task_of(struct context *context, const char *made)
{
	const char *at = strstr(made, "/task/");

	if (!strncmp(made, "/proc/thread-self", 17))
		return context;
	return at ? context_find(context->process->system,
				 (int)strtol(at + 6, NULL, 10))
		  : NULL;
}

static const char *standard_name(const char *text)
{
	static const char *const names[][2] = {
		{ "/dev/stdin", "/proc/self/fd/0" },
		{ "/dev/stdout", "/proc/self/fd/1" },
		{ "/dev/stderr", "/proc/self/fd/2" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i][0]))
			return names[i][1];
	return NULL;
}

static int host_file(struct host_path *path, const char *text)
{
	path->folder = AT_FDCWD;
	snprintf(path->text, sizeof path->text, "%s", text);
	path->generated = true;
	return 0;
}

static int host_descriptor(struct host_path *path, int number,
			   const char *rest)
{
	path->folder = AT_FDCWD;
	snprintf(path->text, sizeof path->text, "/proc/self/fd/%d%s", number,
		 rest);
	path->generated = true;
	return 0;
}

static bool is_writable(const char *name)
{
	return !strcmp(name, "comm") || !strcmp(name, "oom_score_adj");
}

static int make_file(struct context *context, struct process *process,
		     const struct context *task, const char *name,
		     struct host_path *path)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool known = process ? proc_print_process(process, task, name, out)
			     : proc_print_system(context, name, out);
	int file = -1;

	fclose(out);
	if (known) {
		file = memfd_create(name, MFD_CLOEXEC);
		if (file >= 0 && write(file, text, size) != (ssize_t)size) {
			close(file);
			file = -1;
		}
	}
	free(text);
	if (!known)
		return 1;
	if (file < 0)
		return -EMFILE;
	fchmod(file, process && is_writable(name) ? 0644 : 0444);
	path->close = file;
	/* What is written to such a copy would be lost. */
	path->fixed = !process || !is_writable(name);
	return host_descriptor(path, file, "");
}

/* The open file of "fd/3", or NULL. */
static struct file *descriptor_of(struct process *process, const char *name)
{
	char *end;
	long number;

	if (strncmp(name, "fd/", 3) || !process->files)
		return NULL;
	number = strtol(name + 3, &end, 10);
	if (end == name + 3 || *end)
		return NULL;
	return file_get(process, (int)number);
}

/* The host descriptor that a link of /proc leads to, or -1. */
static int link_target(struct context *context, const char *made)
{
	struct process *process;
	const char *name;
	struct file *file;
	bool missing;

	process = split(context, made, &name, &missing);
	if (!process || process->cwd < 0)
		return -1;
	if (!strcmp(name, "cwd"))
		return process->cwd;
	file = descriptor_of(process, name);
	return file ? file->host : -1;
}

static bool link_is_root(struct context *context, const char *made)
{
	const char *name;
	bool missing;

	return split(context, made, &name, &missing) && !strcmp(name, "root");
}

int proc_jump(struct context *context, const char *text, bool follow,
	      char *made, const char **rest)
{
	size_t length = 0;

	made[0] = 0;
	*rest = "";
	for (;;) {
		size_t size;
		int host;

		text += strspn(text, "/");
		size = strcspn(text, "/");
		if (!size)
			break;
		if (size == 2 && !strncmp(text, "..", 2)) {
			while (length && made[length - 1] != '/')
				length--;
			length -= length > 0;
			made[length] = 0;
		} else if (size != 1 || *text != '.') {
			if (length + size + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			made[length] = '/';
			memcpy(made + length + 1, text, size);
			made[length += size + 1] = 0;
		}
		text += size;
		*rest = text + strspn(text, "/");
		if (!follow && !**rest)
			continue;
		host = link_target(context, made);
		if (host >= 0)
			return host;
		/* "root" is where we are when we leave /proc. */
		if (length > 5 && !strcmp(made + length - 5, "/root") &&
		    link_is_root(context, made)) {
			length = 0;
			made[0] = 0;
		}
	}
	if (!length)
		memcpy(made, "/", 2);
	return -1;
}

static void set_made(struct host_path *path, const char *made)
{
	if (strlen(made) < sizeof path->made)
		memcpy(path->made, made, strlen(made) + 1);
}

/* Files of /proc and /proc/sys that tell nothing about other processes and
 * can be read below a root. */
static bool is_harmless(const char *text)
{
	static const char *const names[] = {
		"/proc/devices", "/proc/diskstats", "/proc/filesystems",
		"/proc/meminfo", "/proc/vmstat",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(text, names[i]))
			return true;
	return !strncmp(text, "/proc/sys/", 10);
}

int64_t proc_write(struct context *context, const char *made,
		   const char *bytes, size_t size)
{
	struct process *process;
	const char *name;
	bool missing;
	char text[64], *end;
	long value;
	size_t used = size < sizeof text - 1 ? size : sizeof text - 1;

	process = split(context, made, &name, &missing);
	if (!process)
		return -ESRCH;
	memcpy(text, bytes, used);
	text[used] = 0;
	text[strcspn(text, "\n")] = 0;
	if (!strcmp(name, "oom_score_adj")) {
		value = strtol(text, &end, 10);
		if (end == text || *end || value < -1000 || value > 1000)
			return -EINVAL;
		process->oom_adjust = (int)value;
		return (int64_t)size;
	}
	if (!strcmp(name, "comm")) {
		struct context *thread = task_of(context, made);

		text[15] = 0;
		if (!thread)
			thread = context_find(process->system, process->pid);
		if (thread)
			memcpy(thread->name, text, sizeof thread->name);
		if (!thread || thread->tid == process->pid)
			memcpy(process->name, text, sizeof process->name);
		return (int64_t)size;
	}
	return -EACCES;
}

static int resolve_process(struct context *context, struct process *process,
			   const char *made, const char *name, bool follow,
			   struct host_path *path)
{
	char text[PATH_MAX];
	int result;

	/* The links themselves; proc_link() says where they lead. */
	if (!strcmp(name, "exe") || !strcmp(name, "cwd") ||
	    !strcmp(name, "root") || descriptor_of(process, name)) {
		if (follow && !strcmp(name, "exe"))
			return host_file(path, process->memory
						       ? process->memory
								 ->executable
						       : "");
		set_made(path, made);
		host_file(path, "/proc/self/exe");
		path->generated = false;
		return 0;
	}
	result = make_file(context, process, task_of(context, made), name,
			   path);
	if (!result && is_writable(name))
		set_made(path, made);
	if (result <= 0)
		return result;
	if (!*name || !strcmp(name, "fd") || !strcmp(name, "fdinfo") ||
	    !strcmp(name, "task"))
		set_made(path, made);
	else if (confine_has_root(process->system))
		return -ENOENT;
	/* What all processes share; the rest would tell about the
	 * simulator. */
	else if (strncmp(name, "mount", 5) && strncmp(name, "net", 3) &&
		 strcmp(name, "cgroup") && strncmp(name, "ns", 2))
		return -ENOENT;
	if (snprintf(text, sizeof text, "/proc/self/%s", name) >= PATH_MAX)
		return -ENAMETOOLONG;
	host_file(path, text);
	path->generated = false;
	return 0;
}

int proc_resolve(struct context *context, const char *text, bool follow,
		 struct host_path *path)
{
	const struct linux_system *system = context->process->system;
	const char *name = standard_name(text), *rest;
	char made[PATH_MAX], descriptor[PATH_MAX];
	struct process *process;
	bool missing;
	int jump, result;

	if (!strncmp(text, "/dev/fd/", 8)) {
		snprintf(descriptor, sizeof descriptor, "/proc/self/fd/%.*s",
			 PATH_MAX - 16, text + 8);
		name = descriptor;
	} else if (follow && !strcmp(text, "/dev/fd")) {
		name = "/proc/self/fd";
	}
	if (name)
		text = name;
	if (!strncmp(text, "/sys/", 5))
		return make_file(context, NULL, NULL, text, path);
	if (strncmp(text, "/proc", 5) || (text[5] && text[5] != '/'))
		return 1;
	jump = proc_jump(context, text, follow, made, &rest);
	if (jump < -1)
		return jump;
	if (jump >= 0)
		return host_descriptor(path, jump, rest);
	if (strncmp(made, "/proc", 5) || (made[5] && made[5] != '/'))
		return host_file(path, made);
	process = split(context, made, &name, &missing);
	if (missing)
		return -ENOENT;
	if (process)
		return resolve_process(context, process, made, name, follow,
				       path);
	if (!strcmp(made, "/proc")) {
		set_made(path, made);
		return host_file(path, made);
	}
	if (!follow && (!strcmp(made, "/proc/self") ||
			!strcmp(made, "/proc/thread-self")))
		set_made(path, made);
	if (!follow && !strcmp(made, "/proc/mounts"))
		return resolve_process(context, context->process, made,
				       "mounts", follow, path);
	result = make_file(context, NULL, NULL, made, path);
	if (result <= 0 || !confine_has_root(system))
		return result;
	path->fixed = true;
	return is_harmless(made) ? host_file(path, made) : -ENOENT;
}

/* ---- Folders ---- */

static void add_entry(FILE *out, const char *name)
{
	fwrite(name, 1, strlen(name) + 1, out);
}

static void add_number(FILE *out, int number)
{
	char name[16];

	snprintf(name, sizeof name, "%d", number);
	add_entry(out, name);
}

/* The host's /proc without its processes, and with the guest's. */
static void list_proc(struct context *context, FILE *out)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			add_entry(out, entry->d_name);
	if (folder)
		closedir(folder);
	for (const struct process *process =
		     context->process->system->processes;
	     process; process = process->next)
		if (!process->reaped)
			add_number(out, process->pid);
}

static bool list_process(struct process *process, const char *name, FILE *out)
{
	static const char *const files[] = {
		"auxv", "cgroup", "cmdline", "comm", "cwd", "environ", "exe",
		"fd", "fdinfo", "io", "limits", "maps", "mountinfo", "mounts",
		"oom_score", "oom_score_adj", "personality", "root",
		"schedstat", "smaps", "stat", "statm", "status", "task"
	};

	add_entry(out, ".");
	add_entry(out, "..");
	if (!*name) {
		for (size_t i = 0; i < ARRAY_SIZE(files); i++)
			add_entry(out, files[i]);
	} else if ((!strcmp(name, "fd") || !strcmp(name, "fdinfo")) &&
		   process->files) {
		for (int i = 0; i < process->files->count; i++)
			if (process->files->list[i].file)
				add_number(out, i);
	} else if (!strcmp(name, "task")) {
		for (const struct context *context =
			     process->system->contexts;
		     context; context = context->next)
			if (context->process == process && !context->ended)
				add_number(out, context->tid);
	} else {
		return false;
	}
	return true;
}

char *proc_list(struct context *context, const char *text, size_t *size,
		const char **folder)
{
	char *entries = NULL;
	struct process *process;
	bool missing, known = true;
	const char *name;
	FILE *out;

	process = split(context, text, &name, &missing);
	if (!process && strcmp(text, "/proc"))
		return NULL;
	out = open_memstream(&entries, size);
	if (process)
		known = list_process(process, name, out);
	else
		list_proc(context, out);
	fclose(out);
	if (!known) {
		free(entries);
		return NULL;
	}
	*folder = process ? "/proc/self" : "/proc";
	return entries;
}

static int descriptor_link(struct process *process, const char *name,
			   char *target, size_t size)
{
	const struct file *file = descriptor_of(process, name);
	char link[64], full[PATH_MAX];
	ssize_t length;

	switch (file->kind) {
	case FILE_LIST:
		return snprintf(target, size, "%s", file->made);
	case FILE_TIMER:
		return snprintf(target, size, "anon_inode:[timerfd]");
	case FILE_SIGNAL:
		return snprintf(target, size, "anon_inode:[signalfd]");
	case FILE_PROCESS:
		return snprintf(target, size, "anon_inode:[pidfd]");
	case FILE_MADE:
		return snprintf(target, size, "%s", file->made);
	case FILE_HOST:
	case FILE_RANDOM:
		break;
	}
	snprintf(link, sizeof link, "/proc/self/fd/%d", file->host);
	length = readlink(link, full, sizeof full - 1);
	if (length < 0)
		return -1;
	full[length] = 0;
	return snprintf(target, size, "%s",
			confine_name(process->system, full));
}

int proc_link(struct context *context, const char *text, char *target,
	      size_t size)
{
	struct process *process;
	const char *name;
	bool missing;

	if (!strcmp(text, "/proc/self"))
		return snprintf(target, size, "%d", context->process->pid);
	if (!strcmp(text, "/proc/thread-self"))
		return snprintf(target, size, "%d/task/%d",
				context->process->pid, context->tid);
	process = split(context, text, &name, &missing);
	if (!process || !process->memory)
		return -1;
	if (!strcmp(name, "exe"))
		return snprintf(target, size, "%s",
				confine_name(process->system,
					     process->memory->executable));
	if (!strcmp(name, "root"))
		return snprintf(target, size, "/");
	if (!strcmp(name, "cwd")) {
		char folder[PATH_MAX];
		int length = path_current(process, folder);

		return length < 0 ? -1
				  : snprintf(target, size, "%s", folder);
	}
	if (descriptor_of(process, name))
		return descriptor_link(process, name, target, size);
	return -1;
}
