/* Namespaces, as other folders see them. */
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

/* The namespace that a thread is in; NULL: the first of the kind. */
static inline struct namespace *namespace_of(const struct context *context,
					     enum namespace_slot slot)
{
	if (slot == SLOT_USER)
		return context->process->credentials.users;
	return slot == SLOT_PID ? context->process->pids
				: context->namespaces[slot];
}

/* ---- namespaces/namespace.c ---- */
/* Add or drop a reference. NULL is allowed. */
struct namespace *namespace_hold(struct namespace *space);
void namespace_release(struct namespace *space);
const char *namespace_slot_name(enum namespace_slot slot);
void namespaces_leave(struct context *context);
/* Whether there are namespaces other than the first ones. */
bool namespaces_in_use(const struct linux_system *system);

/* ---- namespaces/enter.c ---- */
/* Namespaces that clone() or unshare() has made and no thread has entered
 * yet. */
struct new_namespaces {
	uint64_t flags;
	struct namespace *space[NAMESPACE_SLOTS];
};
/* 0, or the error of clone() for these flags in the caller's namespaces. */
int64_t namespaces_check_clone(struct context *context, uint64_t flags);
/* Makes the namespaces of CLONE_NEW*, or drops them again. 0 or a negative
 * errno. */
int64_t namespaces_make(struct context *context, uint64_t flags,
			struct new_namespaces *made);
void namespaces_drop(struct new_namespaces *made);
/* To be called before a new process has a thread: sets the PID namespace of its
 * ids. */
void namespaces_begin(struct context *context, struct process *process,
		      const struct new_namespaces *made);
/* namespaces_clone(): puts a new thread into the namespaces of its creator.
 * namespaces_took(): puts it into the namespaces made for it. */
void namespaces_clone(struct context *child, const struct context *parent);
void namespaces_took(struct context *child, uint64_t flags,
		     struct new_namespaces *made);
void namespaces_executes(struct context *context);
int64_t namespaces_unshare(struct context *context, uint64_t flags);

/* ---- namespaces/file.c ---- */
/* Resolve, open and read as a link a row PROC_NAMESPACE. */
int namespace_path(struct context *context, const struct proc_place *place,
		   struct host_path *path);
int64_t namespace_open(struct context *context,
		       const struct proc_place *place, uint64_t flags);
int namespace_link(struct context *context, const struct proc_place *place,
		   char *target, size_t size);
/* Makes a descriptor of a namespace. */
int64_t namespace_install(struct context *context, struct namespace *space,
			  enum namespace_kind kind, bool close_on_exec);
/* The inode of a namespace's file, by the open file or by its path in /proc.
 * False when it is no such file. */
bool namespace_file_number(const struct file *file, uint64_t *number);
bool namespace_path_number(struct context *context, const char *made,
			   uint64_t *number);
int64_t namespace_ioctl(struct context *context, const struct file *file,
			uint32_t request, uint64_t address);

/* ---- namespaces/users.c ---- */
/* Map ids between the first user namespace and another: user_seen() and
 * group_seen() from the first one, 65534 when the id is not mapped;
 * user_meant() and group_meant() to the first one, false when the id is not
 * mapped. */
uint32_t user_seen(const struct namespace *users, uint32_t id);
uint32_t group_seen(const struct namespace *users, uint32_t id);
bool user_meant(const struct namespace *users, uint32_t id, uint32_t *meant);
bool group_meant(const struct namespace *users, uint32_t id, uint32_t *meant);
bool user_is_mapped(const struct namespace *users, uint32_t user,
		    uint32_t group);
bool users_may_set_groups(const struct namespace *users);
/* Whether a process has an effective capability for objects of a user
 * namespace, or of its own user namespace. */
bool has_capability_in(const struct process *process,
		       const struct namespace *users, int capability);
bool has_own_capability(const struct process *process, int capability);
/* Write and print uid_map, gid_map and setgroups of /proc/PID. */
int64_t users_write(struct context *context, struct process *process,
		    const char *name, const char *bytes, size_t size);
void users_print(const struct context *context, const struct process *process,
		 const char *name, FILE *out);

/* ---- namespaces/ids.c ---- */
/* Map ids between the first PID namespace and another: id_seen() from the first
 * one, 0 when the id is not visible; id_meant() to the first one, INT_MAX when
 * no process has the id. */
int id_seen(const struct namespace *pids, int id);
int id_meant(const struct namespace *pids, int id);
/* Gives a new thread its ids. */
void id_taken(struct namespace *pids, int id);
/* /proc/sys/kernel/ns_last_pid. */
int ids_last(const struct context *context);
int64_t ids_set_last(struct context *context, const char *text, size_t size);
bool id_visible(const struct process *to, const struct process *process);
/* Whether the process is process 1 of a namespace and protected from the
 * signal. */
bool ids_protect(const struct process *process,
		 const struct signal_information *information);

/* ---- namespaces/ids-call.c ---- */
/* Makes a call of a process that is not in the first PID namespace. */
int64_t ids_call(struct context *context, call_handler *handler,
		 const uint64_t *a);

/* ---- namespaces/first.c ---- */
/* If the process is process 1 of a namespace, ends all others in it. */
void ids_first_ended(struct process *process);
/* The process that adopts an orphan, or NULL. */
struct process *ids_heir(const struct process *process);

/* ---- namespaces/time.c ---- */
/* Print and write /proc/PID/timens_offsets. */
void time_offsets_print(const struct process *process, FILE *out);
int64_t time_offsets_write(struct context *context,
			   const struct process *process, const char *bytes,
			   size_t size);

#endif
