/* Namespaces: what other folders need of them. */
#ifndef M2S_X86_LINUX_NAMESPACES_H
#define M2S_X86_LINUX_NAMESPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "x86/linux/calls.h"
#include "x86/linux/state.h"

struct host_path;
struct proc_place;

/* ---- namespaces/namespace.c ---- */
/* One reference more, or less; NULL is none. */
struct namespace *namespace_hold(struct namespace *space);
void namespace_release(struct namespace *space);
/* That a thread is in; NULL: the first of the kind. */
struct namespace *namespace_of(const struct context *context,
			       enum namespace_slot slot);
const char *namespace_slot_name(enum namespace_slot slot);
void namespaces_leave(struct context *context);
/* Whether there is any beside the first ones. */
bool namespaces_in_use(const struct linux_system *system);

/* ---- namespaces/enter.c ---- */
/* Those that clone() or unshare() has made and nobody has entered yet. */
struct new_namespaces {
	uint64_t flags;
	struct namespace *space[NAMESPACE_SLOTS];
};
/* What clone() refuses about flags and the caller's namespaces. */
int64_t namespaces_check_clone(struct context *context, uint64_t flags);
/* Makes those of CLONE_NEW*: 0 or a negative errno; or drops them again. */
int64_t namespaces_make(struct context *context, uint64_t flags,
			struct new_namespaces *made);
void namespaces_drop(struct new_namespaces *made);
/* Before a new process has a thread: where it has its ids. */
void namespaces_begin(struct context *context, struct process *process,
		      const struct new_namespaces *made);
/* A new thread is where its maker is; a new process's goes into those made. */
void namespaces_clone(struct context *child, const struct context *parent);
void namespaces_took(struct context *child, uint64_t flags,
		     struct new_namespaces *made);
void namespaces_executes(struct context *context);
int64_t namespaces_unshare(struct context *context, uint64_t flags);

/* ---- namespaces/file.c ---- */
/* What a PROC_NAMESPACE row is when it is followed, opened, read as a link. */
int namespace_path(struct context *context, const struct proc_place *place,
		   struct host_path *path);
int64_t namespace_open(struct context *context,
		       const struct proc_place *place, uint64_t flags);
int namespace_link(struct context *context, const struct proc_place *place,
		   char *target, size_t size);
/* A new descriptor of one. */
int64_t namespace_install(struct context *context, struct namespace *space,
			  enum namespace_kind kind, bool close_on_exec);
/* The inode of one, by file or by a path in /proc; false: it is none. */
bool namespace_file_number(const struct file *file, uint64_t *number);
bool namespace_path_number(struct context *context, const char *made,
			   uint64_t *number);
int64_t namespace_ioctl(struct context *context, const struct file *file,
			uint32_t request, uint64_t address);

/* ---- namespaces/users.c ---- */
/* An id of the first user namespace as another sees it: 65534 when it is not
 * mapped. And back: false when it is not. */
uint32_t user_seen(const struct namespace *users, uint32_t id);
uint32_t group_seen(const struct namespace *users, uint32_t id);
bool user_meant(const struct namespace *users, uint32_t id, uint32_t *meant);
bool group_meant(const struct namespace *users, uint32_t id, uint32_t *meant);
bool user_is_mapped(const struct namespace *users, uint32_t user,
		    uint32_t group);
bool users_may_set_groups(const struct namespace *users);
/* CAP_* in force for what belongs to a user namespace, and to the process's
 * own. */
bool has_capability_in(const struct process *process,
		       const struct namespace *users, int capability);
bool has_own_capability(const struct process *process, int capability);
/* uid_map, gid_map and setgroups of /proc/PID. */
int64_t users_write(struct context *context, struct process *process,
		    const char *name, const char *bytes, size_t size);
void users_print(const struct context *context, const struct process *process,
		 const char *name, FILE *out);

/* ---- namespaces/ids.c ---- */
/* An id of the first PID namespace as another sees it, 0 when it does not;
 * and back: INT_MAX when nobody has it. */
int id_seen(const struct namespace *pids, int id);
int id_meant(const struct namespace *pids, int id);
/* A new thread is given its ids. */
void id_taken(struct namespace *pids, int id);
/* /proc/sys/kernel/ns_last_pid. */
int ids_last(const struct context *context);
int64_t ids_set_last(struct context *context, const char *text, size_t size);
bool id_visible(const struct process *to, const struct process *process);
/* Makes a call of a process that is not in the first one. */
int64_t ids_call(struct context *context, call_handler *handler,
		 const uint64_t *a);
/* Whether a signal does not reach process 1 of a namespace. */
bool ids_protect(const struct process *process,
		 const struct signal_information *information);
/* If the process is such a one: all others end. */
void ids_first_ended(struct process *process);
/* Whose child an orphan becomes, or NULL. */
struct process *ids_heir(const struct process *process);

/* ---- namespaces/time.c ---- */
/* ns by which a clock of the thread differs from the first namespace's. */
int64_t clock_offset(const struct context *context, int clock);
/* /proc/PID/timens_offsets. */
void time_offsets_print(const struct process *process, FILE *out);
int64_t time_offsets_write(struct context *context,
			   const struct process *process, const char *bytes,
			   size_t size);

#endif
