/* Namespaces (namespaces(7)) of guest threads. All of them exist only in the
 * simulator: the host's namespaces are never entered or made. struct
 * linux_system holds the contents of the first namespace of each kind, and NULL
 * stands for it. The others are reference-counted objects.
 *
 * Guests cannot change mounts and control groups, so all namespaces of these
 * kinds show the same. There is only one network namespace. */
#ifndef M2S_X86_LINUX_NAMESPACE_H
#define M2S_X86_LINUX_NAMESPACE_H

#include "x86/linux/namespaces/namespaces.h"

enum { MAP_USERS, MAP_GROUPS, MAP_KINDS };
enum { MAP_EXTENTS_MAX = 340 }; /* user_namespaces(7) */

/* A range of ids of a user namespace, mapped to ids of the first one. */
struct id_extent {
	uint32_t inside, outside, count;
};

struct id_map {
	struct id_extent *list;
	size_t count;
	bool set;
};

/* A thread's id in the first PID namespace and in another one. */
struct id_pair {
	int outside, inside;
};

enum { OFFSET_MONOTONIC, OFFSET_BOOT, OFFSETS };

struct namespace {
	struct linux_system *system;
	struct namespace *next;
	unsigned references;
	enum namespace_kind kind;
	uint64_t number;            /* in links and as inode */
	struct namespace *owner;    /* the user namespace, held */
	struct namespace *parent;   /* PID, user: held */
	unsigned level;             /* PID, user: from 1 */
	/* UTS: */
	struct uts_name uts_name[UTS_NAMES];
	/* Called when no process is in the namespace any more; may be NULL. */
	void (*left)(struct namespace *space);
	/* IPC: */
	struct sysv_ipc *ipc;       /* sysv/sysv.h; may be NULL */
	/* Time: ns to be added. The offsets are fixed once a process is in the
	 * namespace. */
	int64_t offset[OFFSETS];
	bool fixed;
	/* PID: process 1 or NULL, whether it has ended, and the last id. */
	struct process *first;
	bool over;
	int last;
	/* A guest has set `last`, so ids may be reused. */
	bool last_set;
	struct id_pair *ids;
	size_t id_count, id_capacity;
	/* User: the creator's effective ids in the first namespace. */
	unsigned user, group;
	struct id_map map[MAP_KINDS];
	bool no_setgroups;
	bool with_setfcap;          /* the creator had CAP_SETFCAP */
};

/* ---- namespace.c ---- */
/* Creates a namespace with one reference. The namespace holds its owner. */
struct namespace *namespace_create(struct linux_system *system,
				   enum namespace_kind kind,
				   struct namespace *owner);
/* Changes a namespace that the thread itself holds (any slot but SLOT_PID and
 * SLOT_USER). Takes over the reference. */
void namespace_set(struct context *context, enum namespace_slot slot,
		   struct namespace *space);
/* The flag CLONE_NEW* of a kind (clone(2)). */
uint64_t namespace_flag(enum namespace_kind kind);
enum namespace_kind namespace_slot_kind(enum namespace_slot slot);
/* The number that links and inodes show. */
uint64_t namespace_number(const struct namespace *space,
			  enum namespace_kind kind);
const char *namespace_name(enum namespace_kind kind);
/* The slot of a name such as "uts", or -1. */
int namespace_slot_of(const char *name);
/* Whether `inner` is `outer` or below it, for user and PID namespaces. */
bool namespace_within(const struct namespace *inner,
		      const struct namespace *outer);

/* ---- users.c ---- */
/* Creates a user namespace for `process`. 0 or a negative errno. */
int64_t users_create(struct process *process, struct namespace **made);
/* Puts the process into a user namespace, with all capabilities there. */
void users_enter(struct process *process, struct namespace *users);

#endif
