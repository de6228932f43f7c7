#include "m2s/confinement.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wall/broker.h"
#include "base/wall/wall.h"
#include "opencl-rt/clc/cache.h"
#include "opencl-rt/clc/wall.h"

/* --- System calls ------------------------------------------------------- */

static const struct wall_call calls_local[] = {
#include "base/wall/call.h"
#include "opencl-rt/clc/wall-calls.def"
#include "base/wall/call.h"
#include "m2s/wall-calls.def"
	{ .number = SYS_socket, .limited = true, .argument = 0,
	  .value = AF_UNIX },
};

static const struct wall_call calls_network[] = {
#include "base/wall/call.h"
#include "opencl-rt/clc/wall-calls.def"
#include "base/wall/call.h"
#include "m2s/wall-calls.def"
	{ .number = SYS_socket },
};

/* A namespace would give rights. The user's shell would read what a program
 * puts into the input of the terminal. */
#define BITS(name, on, bits) \
	{ .number = SYS_##name, .argument = (on), .mask = (bits), \
	  .value = (bits) }
#define EXACTLY(name, on, only) \
	{ .number = SYS_##name, .argument = (on), .mask = UINT32_MAX, \
	  .value = (only) }
static const struct wall_refusal refusals[] = {
	BITS(clone, 0, CLONE_NEWUSER),
	BITS(clone, 0, CLONE_NEWNS),
	BITS(clone, 0, CLONE_NEWNET),
	BITS(clone, 0, CLONE_NEWPID),
	BITS(clone, 0, CLONE_NEWIPC),
	BITS(clone, 0, CLONE_NEWUTS),
	BITS(clone, 0, CLONE_NEWCGROUP),
	EXACTLY(ioctl, 1, TIOCSTI),
	EXACTLY(ioctl, 1, TIOCLINUX),
	EXACTLY(ioctl, 1, TIOCCONS),
};
#undef BITS
#undef EXACTLY

/* --- Places ------------------------------------------------------------- */

enum { EVERYTHING = WALL_READ | WALL_CHANGE };

/* The files of the host's /proc and /dev that guests see. */
static const struct {
	const char *where, *name, *kind, *seen, *target;
} table[] = {
#define NAME(where, name, kind, seen, target)                                  \
	{ #where, name, #kind, #seen, target },
#include "x86/linux/proc/names.def"
#undef NAME
};

/* Files that m2s reads itself to show them to guests. */
static const char *const machine[] = {
	"/proc/meminfo", "/proc/self/cgroup", "/proc/self/fdinfo",
	"/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/mountstats",
	"/proc/self/pagemap", "/sys/devices/system/cpu/online",
};

/* A program's standard streams, which it may open once more by name. */
static void add_streams(struct wall *wall, const int streams[3])
{
	for (int i = 0; i < 3; i++) {
		char name[PATH_MAX];

		wall_add_descriptor(wall, streams[i]);
		if (!ttyname_r(streams[i], name, sizeof name))
			wall_add(wall, name, EVERYTHING | WALL_DEVICE);
	}
}

static void add_machine(struct wall *wall, bool whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		bool node = !strcmp(table[i].kind, "NODE");
		char *path = node ? xasprintf("/dev/%s", table[i].name)
				  : xasprintf("/proc/%s", table[i].target);

		if (node)
			wall_add(wall, path, EVERYTHING | WALL_DEVICE);
		else if (!strcmp(table[i].kind, "HOST") &&
			 (whole || strcmp(table[i].seen, "ROOT")))
			wall_add(wall, path, WALL_READ);
		free(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(machine); i++)
		wall_add(wall, machine[i], WALL_READ);
	wall_add(wall, "/proc", WALL_LIST);
}

/* Whether the program sees the host's whole tree. */
static bool is_whole(const struct options *options)
{
	char path[PATH_MAX];

	return !options->x86_root || (realpath(options->x86_root, path) &&
				      !strcmp(path, "/"));
}

/* --x86-writable: paths as the program sees them. */
static void add_writable(struct wall *wall, const struct options *options)
{
	const char *list = options->x86_writable;

	while (list && *list) {
		size_t length = strcspn(list, ",");
		char *path = xasprintf("%s%.*s",
				       options->x86_root && *list == '/'
					       ? options->x86_root
					       : "",
				       (int)length, list);

		wall_add(wall, path, EVERYTHING);
		free(path);
		list += length + (list[length] == ',');
	}
}

/* The contents of a root folder, without the memory of processes and without
 * devices. */
static void add_base(struct wall *wall, const char *base, unsigned access)
{
	DIR *folder = opendir(base);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char path[sizeof entry->d_name + 1] = "/";

		strcat(path, entry->d_name);
		if (strcmp(path, "/.") && strcmp(path, "/..") &&
		    strcmp(path, "/proc") && strcmp(path, "/dev"))
			wall_add(wall, path, access | WALL_BASE);
	}
	if (folder)
		closedir(folder);
	wall_add(wall, "/", WALL_LIST | WALL_BASE);
	wall_add(wall, "/dev/shm", access | WALL_BASE);
}

/* A guest that exists already has opened its folders. */
static void add_places(struct wall *wall, const struct linux_system *guest)
{
	struct linux_place places[64];
	size_t count = linux_places(guest, places, ARRAY_SIZE(places));

	for (size_t i = 0; i < count && i < ARRAY_SIZE(places); i++)
		if (strcmp(places[i].path, "/"))
			wall_add(wall, places[i].path,
				 places[i].writable ? EVERYTHING : WALL_READ);
	wall_add(wall, "/dev/shm", WALL_CLEAR);
}

static void add_files(struct wall *wall, const struct options *options,
		      const struct linux_system *guest)
{
	unsigned fixed = WALL_READ | (wall->view ? WALL_PIPES : 0);
	unsigned access = options->x86_read_only ? fixed : EVERYTHING;

	if (is_whole(options))
		add_base(wall, "/", access);
	else if (wall->base)
		add_base(wall, wall->base, access);
	else if (!guest)
		wall_add(wall, options->x86_root, access);
	if (guest) {
		add_places(wall, guest);
		return;
	}
	if (!wall->base)
		wall_add(wall, "/dev/shm", EVERYTHING | WALL_OWN);
	add_writable(wall, options);
}

static void add_path(struct wall *wall, const char *path, unsigned access)
{
	if (path)
		wall_add(wall, path, access);
}

/* m2s's own files. */
static void add_own(struct wall *wall, const struct options *options,
		    const struct paths *paths)
{
	const char *const read[] = {
		options->x86_config, options->evg_config, options->mem_config,
		options->net_config, options->config, options->ctx_config,
		options->evg_kernel_binary, options->x86_load_checkpoint,
		options->x86_phases,
		paths->opencl_i386, paths->opencl_x86_64, paths->vendors,
	};
	struct clc_tools tools;

	for (size_t i = 0; i < ARRAY_SIZE(read); i++)
		add_path(wall, read[i], WALL_READ);
	wall_add(wall, paths->compiler, WALL_READ | WALL_EXECUTE);
	if (!clc_find_tools(&tools, paths->compiler, NULL))
		clc_add_places(wall, &tools);
	clc_free_tools(&tools);
	if (paths->cache) {
		cache_make(paths->cache);
		wall_add(wall, paths->cache, EVERYTHING);
	}
}

/* Files that m2s writes or renames later. */
struct names {
	const char **list;
	size_t count, capacity;
};

static void add_name(void *owner, const char *path)
{
	struct names *names = owner;

	ARRAY_GROW(names->list, names->count, names->capacity);
	names->list[names->count++] = path;
}

static int start_broker(const struct outputs *outputs, struct error *error)
{
	struct names names = { 0 };
	int result;

	outputs_each(outputs, add_name, &names);
	result = broker_start(names.list, names.count, error);
	free(names.list);
	return result;
}

/* --- Entering ----------------------------------------------------------- */

int confinement_read(const struct options *options,
		     enum confinement *confinement, struct error *error)
{
	static const char *const names[] = {
		[CONFINEMENT_EMULATED] = "emulated",
		[CONFINEMENT_LANDLOCK] = "landlock",
		[CONFINEMENT_KERNEL] = "kernel",
		[CONFINEMENT_ALONE] = "kernel-alone",
	};
	const char *wanted = options->x86_confine ? options->x86_confine
						  : "kernel";
	int found = CONFINEMENT_ALONE;

	while (found && strcmp(names[found], wanted))
		if (--found == CONFINEMENT_NONE)
			return error_set(error, "--x86-confine %s: expected "
					 "kernel, landlock or emulated",
					 wanted);
	if (!options->x86_root && !options->x86_read_only &&
	    !options->x86_no_network) {
		if (options->x86_confine)
			return error_set(error, "--x86-confine %s: needs "
						"--x86-root, --x86-read-only "
						"or --x86-no-network", wanted);
		found = CONFINEMENT_NONE;
	}
	*confinement = (enum confinement)found;
	return 0;
}

/* The option that asks for a wall, for messages. */
static const char *option_of(const struct options *options)
{
	return options->x86_root	? "--x86-root"
	       : options->x86_read_only ? "--x86-read-only"
					: "--x86-no-network";
}

static void describe(struct wall *wall, enum confinement confinement,
		     const struct options *options, const struct paths *paths,
		     const struct programs *programs,
		     const struct linux_system *guest)
{
	const int own[3] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
	bool files = options->x86_root || options->x86_read_only;
	bool view = files && confinement != CONFINEMENT_LANDLOCK;

	*wall = (struct wall){
		.files = files, .view = view,
		.no_network = options->x86_no_network,
		.private_names = options->x86_no_network || options->x86_root,
		.own_network = options->x86_no_network &&
			       confinement != CONFINEMENT_LANDLOCK &&
			       (view || wall_landlock() < 6),
		.refusals = refusals,
		.refusal_count = ARRAY_SIZE(refusals),
	};
	if (view && is_whole(options))
		wall->base = "/";
	else if (view && confinement == CONFINEMENT_ALONE)
		wall->base = options->x86_root;
	wall->base_changes = !options->x86_read_only;
	wall->calls = options->x86_no_network ? calls_local : calls_network;
	wall->call_count = options->x86_no_network ? ARRAY_SIZE(calls_local)
						   : ARRAY_SIZE(calls_network);
	if (!files)
		return;
	add_files(wall, options, guest);
	add_machine(wall, is_whole(options));
	add_streams(wall, own);
	for (size_t i = 0; i < programs->count; i++)
		add_streams(wall, programs->list[i].load.standard);
	add_own(wall, options, paths);
}

/* Says what can be done without what is missing. */
static int refuse(enum confinement confinement, const char *option,
		  struct error *error)
{
	const struct error missing = *error;
	bool landlock = confinement == CONFINEMENT_KERNEL && wall_landlock();

	return error_set(error, "%s: the host's kernel cannot confine the "
				"program: %s; %s--x86-confine emulated has "
				"only the emulator's own checks (see "
				"doc/confinement.md)", option,
			 missing.text,
			 landlock ? "--x86-confine landlock does without "
				    "namespaces, "
				  : "");
}

int confinement_enter(enum confinement confinement,
		      const struct options *options, const struct paths *paths,
		      const struct programs *programs,
		      const struct outputs *outputs,
		      const struct linux_system *guest, struct error *error)
{
	struct wall wall;
	int result;

	if (confinement <= CONFINEMENT_EMULATED ||
	    (confinement == CONFINEMENT_LANDLOCK) != (guest != NULL))
		return 0;
	describe(&wall, confinement, options, paths, programs, guest);
	result = wall.files ? start_broker(outputs, error) : 0;
	if (!result)
		result = wall_enter(&wall, error);
	wall_clear(&wall);
	return result ? refuse(confinement, option_of(options), error) : 0;
}
