/* What the host sees in place of a name of /proc: a memory file with the bytes
 * that we make up, or its own file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "x86/linux/files/files.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/core/core.h"
#include "x86/linux/files/path.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/sysv.h"
#include "x86/linux/uts.h"

static int memory_file(const char *name, const char *text, size_t size,
		       mode_t mode, struct host_path *path)
{
	int file = memfd_create(name, MFD_CLOEXEC);

	if (file < 0)
		return -EMFILE;
	if (write(file, text, size) != (ssize_t)size) {
		close(file);
		return -EMFILE;
	}
	fchmod(file, mode);
	path_set_host(path, file);
	return 0;
}

static bool print(struct context *context, const char *at,
		  const struct proc_place *place, FILE *out)
{
	char full[PATH_MAX];

	if (place->process)
		return proc_print_process(context, place->process, place->task,
					  place->name, out);
	snprintf(full, sizeof full, "/proc/%s", at);
	return proc_print_system(context, full, out);
}

static int text_file(struct context *context, const char *at,
		     const struct proc_place *place, struct host_path *path)
{
	/* Those of the system are the superuser's. */
	bool setting = place->row->kind == PROC_SETTING &&
		       (place->process ||
			!context->process->credentials.user[3]);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool known = print(context, at, place, out);
	int result;

	fclose(out);
	result = known ? memory_file("proc", text, size,
				     setting ? 0644 : 0444, path)
		       : -ENOENT;
	free(text);
	/* What is written to such a copy would be lost. */
	path->fixed = !setting;
	return result;
}

/* A name in the host's /proc, which guests cannot change. */
static int host_file(struct context *context, const char *text,
		     struct host_path *path)
{
	path->folder = confine_proc(context->process->system);
	return snprintf(path->text, sizeof path->text, "%s", text) <
			       (int)sizeof path->text
		       ? 0
		       : -ENAMETOOLONG;
}

/* The link itself: the host has it open without following it. */
static int link_file(struct context *context, struct host_path *path)
{
	int host = openat(confine_proc(context->process->system), "self/exe",
			  O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (host < 0)
		return -errno;
	path_set_host(path, host);
	return 0;
}

/* The host's folder of that name is only there to tell its kind and owner, and
 * to be another one than those above and below it. */
static int folder_file(struct context *context, const struct proc_place *place,
		       struct host_path *path)
{
	char text[PROC_PATH];

	if (!place->process)
		return host_file(context, ".", path);
	snprintf(text, sizeof text, "%s/%s",
		 place->task ? "thread-self" : "self",
		 *place->name ? place->name : ".");
	return host_file(context, text, path);
}

static int host_tree(struct context *context, const struct proc_place *place,
		     struct host_path *path)
{
	char text[PROC_PATH];

	snprintf(text, sizeof text, "%s%s", place->row->target,
		 place->name + strlen(place->row->name));
	path->fixed = confine_has_root(context->process->system);
	path->ours = false;
	return host_file(context, text, path);
}

int proc_file(struct context *context, const char *at,
	      const struct proc_place *place, struct host_path *path)
{
	path->ours = true;
	snprintf(path->made, sizeof path->made, "/proc%s%s", *at ? "/" : "",
		 at);
	switch (place->row->kind) {
	case PROC_TEXT:
	case PROC_SETTING:
		return text_file(context, at, place, path);
	case PROC_HOST:
		return host_tree(context, place, path);
	case PROC_SPECIAL:
		return memory_file("proc", "", 0, 0600, path);
	case PROC_FOLDER:
		return folder_file(context, place, path);
	case PROC_LINK:
	case PROC_ALIAS:
	case PROC_NAMESPACE:
		return link_file(context, path);
	case PROC_NODE:
	case PROC_SHARED:
		break;
	}
	return -ENOENT;
}

int proc_machine_file(struct context *context, const struct proc_name *row,
		      struct host_path *path)
{
	char *text = NULL;
	char full[PROC_PATH];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int result;

	snprintf(full, sizeof full, "/sys/%s", row->name);
	proc_print_system(context, full, out);
	fclose(out);
	result = memory_file("sys", text, size, 0444, path);
	free(text);
	path->ours = path->fixed = true;
	return result;
}

/* Only the superuser may: 0 or a negative errno. */
static int set_number(const struct context *context, const char *text,
		      long least, long most, uint64_t *number)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (context->process->credentials.user[3])
		return -EACCES;
	if (end == text || *end || value < least || value > most)
		return -EINVAL;
	*number = (uint64_t)value;
	return 0;
}

/* /proc/sys: `text` is the beginning of the line. */
static int64_t write_setting(struct context *context, const char *name,
			     const char *bytes, const char *text, size_t size)
{
	struct linux_system *system = context->process->system;
	int64_t result;

	if (!strcmp(name, "core_pattern"))
		return core_set_pattern(context, bytes, size);
	if (!strcmp(name, "hostname"))
		return uts_write(context, UTS_HOST, bytes, size);
	if (!strcmp(name, "domainname"))
		return uts_write(context, UTS_DOMAIN, bytes, size);
	if (!strcmp(name, "ns_last_pid"))
		return ids_set_last(context, text, size);
	if (!strcmp(name, "max_map_count")) {
		result = set_number(context, text, 0, INT_MAX,
				    &system->regions_max);
		return result ? result : (int64_t)size;
	}
	if (!strcmp(name, "nr_open")) {
		result = set_number(context, text, NR_OPEN_LEAST,
				    INT_MAX & ~63, &system->descriptors_max);
		return result ? result : (int64_t)size;
	}
	result = sysv_write_setting(context, name, text);
	if (result == -ENOENT)
		return keys_write_setting(context, name, text, size);
	return result ? result : (int64_t)size;
}

int64_t proc_write(struct context *context, const char *made,
		   const char *bytes, size_t size)
{
	struct proc_place place;
	struct process *process;
	char text[64], *end;
	long value;
	size_t used = size < sizeof text - 1 ? size : sizeof text - 1;

	if (proc_look_up_made(context->process->system, made, &place))
		return -ESRCH;
	process = place.process;
	memcpy(text, bytes, used);
	text[used] = 0;
	text[strcspn(text, "\n")] = 0;
	if (!process)
		return write_setting(context, strrchr(place.name, '/') + 1,
				     bytes, text, size);
	if (!strcmp(place.name, "uid_map") ||
	    !strcmp(place.name, "gid_map") || !strcmp(place.name, "setgroups"))
		return users_write(context, process, place.name, bytes, size);
	if (!strcmp(place.name, "timens_offsets"))
		return time_offsets_write(context, process, bytes, size);
	if (!strcmp(place.name, "oom_score_adj")) {
		value = strtol(text, &end, 10);
		if (end == text || *end || value < -1000 || value > 1000)
			return -EINVAL;
		process->oom_adjust = (int)value;
		return (int64_t)size;
	}
	if (!strcmp(place.name, "comm")) {
		struct context *thread = place.task;

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
