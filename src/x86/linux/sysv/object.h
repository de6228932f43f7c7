/* System V IPC among the guest processes of one system: what shared memory,
 * semaphores and message queues have in common. Nothing of it is the host's
 * but the memory behind a segment. */
#ifndef M2S_X86_LINUX_SYSV_OBJECT_H
#define M2S_X86_LINUX_SYSV_OBJECT_H

#include <stdio.h>

#include "x86/linux/state.h"

enum ipc_kind { IPC_SHARED, IPC_SEMAPHORES, IPC_MESSAGES, IPC_KINDS };

/* Commands that <sys/ipc.h> and its kind keep to themselves. */
enum {
	IPC_ANY_READ = 0444,
	IPC_ANY_WRITE = 0222,
	IPC_WIDE = 0x100, /* IPC_64: the newer layout, in ipc() of i386 */
};

/* First member of a segment, a semaphore set, a queue. */
struct ipc_object {
	enum ipc_kind kind;
	int id;
	int32_t key;      /* IPC_PRIVATE: cannot be found by a key */
	unsigned user, group, creator, creator_group;
	unsigned mode;    /* permissions; of segments also SHM_DEST, _LOCKED */
	unsigned sequence;
	int64_t changed;  /* seconds of the real-time clock */
	struct sysv_ipc *home;
};

struct sem_operation {
	uint16_t number;
	int16_t change;
	int16_t flags;
};

struct message {
	struct message *next;
	int64_t type;
	size_t size;
	uint8_t bytes[];
};

/* A call that waits: done on its behalf by whoever makes that possible, in
 * order of arrival, as Linux does. It is void once its context waits for
 * something else. */
struct ipc_wait {
	struct ipc_wait *next;
	struct ipc_object *object;
	int tid, pid;
	uint64_t serial;
	bool done;
	int64_t result;
	/* semop */
	struct sem_operation *operations;
	size_t count, blocking; /* the operation that has to wait */
	bool alters;
	/* msgsnd, msgrcv */
	bool receives;
	struct message *message; /* to be sent, or received */
	int64_t type;
	uint64_t size;
	int flags;
};

/* Objects of a kind by the lower part of their ids. */
struct ipc_table {
	struct ipc_object **list;
	size_t capacity, count;
	size_t last;      /* index + 1 of the newest */
	unsigned sequence;
};

/* What /proc/sys/kernel tells and lets the superuser set. */
enum ipc_setting {
	IPC_SEGMENT_BYTES, IPC_SHARED_PAGES, IPC_SEGMENTS,
	IPC_MESSAGE_BYTES, IPC_QUEUE_BYTES, IPC_QUEUES,
	/* The four numbers of "sem". */
	IPC_PER_SET, IPC_ALL_SEMAPHORES, IPC_OPERATIONS, IPC_SETS,
	IPC_NEXT_ID, /* + enum ipc_kind: the next object's id, or -1 */
	IPC_SETTINGS = IPC_NEXT_ID + IPC_KINDS,
};

/* What an IPC namespace has. */
struct sysv_ipc {
	struct sysv_ipc *next;  /* the first namespace's is the first */
	struct namespace *space; /* NULL: the first */
	struct ipc_table tables[IPC_KINDS];
	uint64_t setting[IPC_SETTINGS];
	struct ipc_wait *waits; /* of all, oldest first; in the first */
};

/* ---- sysv/object.c ---- */
/* The object of an id, or NULL. */
struct ipc_object *ipc_find(struct context *context, enum ipc_kind kind,
			    int id);
/* shmget() and its like: finds by key (*found, or NULL: to be made). 0 or a
 * negative errno; permissions have not been looked at. */
int ipc_look_up(struct context *context, enum ipc_kind kind, int32_t key,
		uint64_t flags, struct ipc_object **found);
/* Gives a new object its id, key, owner, mode: the id or -ENOSPC. */
int64_t ipc_add(struct context *context, struct ipc_object *object,
		enum ipc_kind kind, int32_t key, uint64_t flags, size_t limit);
/* Takes an object out of its table; calls that wait for it get EIDRM. */
void ipc_remove(struct linux_system *system, struct ipc_object *object);
/* -EACCES when the mode does not grant `wanted` (of 0777), else 0. */
int ipc_permitted(struct context *context,
		  const struct ipc_object *object, unsigned wanted);
/* -EPERM unless owner, creator or with CAP_SYS_ADMIN. */
int ipc_owned(struct context *context, const struct ipc_object *object);
int64_t ipc_seconds(struct linux_system *system);
/* The object of an index (SHM_STAT and its like), or NULL. */
struct ipc_object *ipc_at_index(struct context *context,
				enum ipc_kind kind, int index);
/* Highest index in use, or 0: what IPC_INFO answers. */
int64_t ipc_highest(struct context *context, enum ipc_kind kind);

/* ---- sysv/setting.c ---- */
/* The first namespace's, and that of where a thread is; made on first use. */
struct sysv_ipc *sysv_of(struct linux_system *system);
struct sysv_ipc *ipc_of(struct context *context);
/* For what belongs to its objects. */
bool ipc_capable(struct context *context, int capability);
void ipc_settings_start(struct sysv_ipc *ipc);
bool ipc_settings_changed(const struct sysv_ipc *ipc);
/* A limit as it is now, for a caller. */
uint64_t sysv_setting(struct context *context, enum ipc_setting which);

/* ---- sysv/layout.c: the structures of the *ctl calls ---- */
enum ipc_layout { IPC_64_BITS, IPC_32_BITS, IPC_OLD, IPC_LAYOUTS };
struct ipc_field {
	uint8_t offset[IPC_LAYOUTS], size[IPC_LAYOUTS];
};
enum { IPC_STRUCTURE_MAX = 128 };
/* *command loses IPC_WIDE where it says which layout. */
enum ipc_layout ipc_layout_of(const struct context *context, int *command);
void ipc_store(uint8_t *buffer, enum ipc_layout layout,
	       const struct ipc_field *field, uint64_t value);
uint64_t ipc_fetch(const uint8_t *buffer, enum ipc_layout layout,
		   const struct ipc_field *field);
/* The first part of each structure, struct ipc64_perm or ipc_perm. */
void ipc_store_owner(uint8_t *buffer, enum ipc_layout layout,
		     const struct ipc_object *object);
/* IPC_SET: takes owner and permissions; -EINVAL for ids that are none. */
int ipc_set_owner(struct context *context, const uint8_t *buffer,
		  enum ipc_layout layout, struct ipc_object *object);

/* ---- sysv/wait.c ---- */
/* Makes the call wait; the entry is to be filled in further. */
struct ipc_wait *ipc_block(struct context *context, struct ipc_object *object);
/* What the call that is made again waits for, or NULL. */
struct ipc_wait *ipc_waiting(struct context *context);
/* The call will return `result`. */
void ipc_complete(struct linux_system *system, struct ipc_wait *wait,
		  int64_t result);
/* Takes an entry out and frees it. */
void ipc_wait_free(struct linux_system *system, struct ipc_wait *wait);
/* Frees the entries of calls that were interrupted. */
void ipc_wait_clean(struct linux_system *system);

/* ---- each kind's own ---- */
void shared_free(struct ipc_object *object);
void semaphores_free(struct ipc_object *object);
void messages_free(struct ipc_object *object);
/* The rest of a line of /proc/sysvipc, after key, id and mode. */
void shared_print(struct linux_system *system, const struct ipc_object *object,
		  FILE *out);
void semaphores_print(const struct ipc_object *object, FILE *out);
void messages_print(const struct ipc_object *object, FILE *out);
/* Owner and creator in such a line. */
void ipc_print_owner(const struct ipc_object *object, FILE *out);
void shared_memory_left(struct process *process);

#endif
