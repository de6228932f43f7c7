/* Namespaces (namespaces(7)) of guest threads. All of them are the guest's
 * own: the host's are never entered or made. What the first one of a kind
 * holds is in struct linux_system, so that NULL stands for it; the others are
 * counted objects.
 *
 * Mounts and control groups cannot be changed by a guest, so that all their
 * namespaces show the same; there is one of the network. */
#ifndef M2S_X86_LINUX_NAMESPACE_H
#define M2S_X86_LINUX_NAMESPACE_H

#include "x86/linux/namespaces/namespaces.h"

enum { MAP_USERS, MAP_GROUPS, MAP_KINDS };
enum { MAP_EXTENTS_MAX = 340 }; /* user_namespaces(7) */

/* Ids of a user namespace that stand for ids of the first one. */
struct id_extent {
	uint32_t inside, outside, count;
};

struct id_map {
	struct id_extent *list;
	size_t count;
	bool set;
};

/* What a thread of the first PID namespace is called in another. */
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
	/* IPC: */
	struct sysv_ipc *ipc;       /* sysv/sysv.h; may be NULL */
	/* Time: ns to be added; fixed once a process is in it. */
	int64_t offset[OFFSETS];
	bool fixed;
	/* PID: process 1, or NULL; whether it has ended; the last id. */
	struct process *first;
	bool over;
	int last;
	bool last_set;              /* by a guest: ids come again */
	struct id_pair *ids;
	size_t id_count, id_capacity;
	/* User: the creator's effective ids, in the first one. */
	unsigned user, group;
	struct id_map map[MAP_KINDS];
	bool no_setgroups;
	bool with_setfcap;          /* the creator had CAP_SETFCAP */
};

/* ---- namespace.c ---- */
/* A new one, held once, which holds its owner. */
struct namespace *namespace_create(struct linux_system *system,
				   enum namespace_kind kind,
				   struct namespace *owner);
/* Of what a thread holds itself (not SLOT_PID, SLOT_USER): changes it; takes
 * the reference over. */
void namespace_set(struct context *context, enum namespace_slot slot,
		   struct namespace *space);
/* One with CLONE_NEW* of clone(2). */
uint64_t namespace_flag(enum namespace_kind kind);
enum namespace_kind namespace_slot_kind(enum namespace_slot slot);
/* The number that links and inodes show. */
uint64_t namespace_number(const struct namespace *space,
			  enum namespace_kind kind);
const char *namespace_name(enum namespace_kind kind);
/* The slot called "uts" and so on, or -1. */
int namespace_slot_of(const char *name);
/* Whether `inner` is `outer` or below it: users or PIDs. */
bool namespace_within(const struct namespace *inner,
		      const struct namespace *outer);

/* ---- users.c ---- */
/* For a user namespace that is being made by `process`: 0 or -errno. */
int64_t users_create(struct process *process, struct namespace **made);
/* All capabilities in the namespace that the process is in from now on. */
void users_enter(struct process *process, struct namespace *users);

#endif
