/* System V IPC among the guest processes of one system: the common part of
 * shared memory, semaphores and message queues. Only the memory of segments is
 * the host's. */
#ifndef M2S_X86_LINUX_SYSV_OBJECT_H
#define M2S_X86_LINUX_SYSV_OBJECT_H

#include <stdio.h>

#include "x86/linux/state.h"

enum ipc_kind { IPC_SHARED, IPC_SEMAPHORES, IPC_MESSAGES, IPC_KINDS };

/* Values that <sys/ipc.h> and related headers do not define. */
enum {
	IPC_ANY_READ = 0444,
	IPC_ANY_WRITE = 0222,
	IPC_WIDE = 0x100, /* IPC_64: the newer layout, in ipc() of i386 */
};

/* The first member of a segment, a semaphore set and a queue. */
struct ipc_object {
	enum ipc_kind kind;
	int id;
	int32_t key;      /* IPC_PRIVATE: cannot be found by a key */
	unsigned user, group, creator, creator_group;
	/* Permissions; of segments also SHM_DEST and SHM_LOCKED. */
	unsigned mode;
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

/* A waiting call. The call that makes its operation possible performs the
 * operation for it, in order of arrival, as Linux does. The entry is void once
 * its context waits for something else. */
struct ipc_wait {
	struct ipc_wait *next;
	struct ipc_object *object;
	int tid, pid;
	uint64_t serial;
	bool done;
	int64_t result;
	/* semop */
	struct sem_operation *operations;
	size_t count, blocking; /* index of the operation that has to wait */
	bool alters;
	/* msgsnd, msgrcv */
	bool receives;
	struct message *message; /* the message sent or received */
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

/* Settings in /proc/sys/kernel, which the superuser can change. */
enum ipc_setting {
	IPC_SEGMENT_BYTES, IPC_SHARED_PAGES, IPC_SEGMENTS,
	IPC_MESSAGE_BYTES, IPC_QUEUE_BYTES, IPC_QUEUES,
	/* The four numbers of "sem". */
	IPC_PER_SET, IPC_ALL_SEMAPHORES, IPC_OPERATIONS, IPC_SETS,
	/* IPC_NEXT_ID + enum ipc_kind: the id of the next object, or -1. */
	IPC_NEXT_ID,
	IPC_SETTINGS = IPC_NEXT_ID + IPC_KINDS,
};

/* The contents of an IPC namespace. */
struct sysv_ipc {
	/* List of all; the first namespace comes first. */
	struct sysv_ipc *next;
	struct namespace *space; /* NULL: the first */
	struct ipc_table tables[IPC_KINDS];
	uint64_t setting[IPC_SETTINGS];
	/* Only in the first namespace: waits of all, oldest first. */
	struct ipc_wait *waits;
};

/* ---- sysv/object.c ---- */
/* The object of an id, or NULL. */
struct ipc_object *ipc_find(struct context *context, enum ipc_kind kind,
			    int id);
/* Finds an object by its key for shmget() and related calls. *found is NULL
 * when the object is to be made. 0 or a negative errno. Does not check
 * permissions. */
int ipc_look_up(struct context *context, enum ipc_kind kind, int32_t key,
		uint64_t flags, struct ipc_object **found);
/* Gives a new object its id, key, owner and mode. The id or -ENOSPC. */
int64_t ipc_add(struct context *context, struct ipc_object *object,
		enum ipc_kind kind, int32_t key, uint64_t flags, size_t limit);
/* Takes an object out of its table; calls that wait for it get EIDRM. */
void ipc_remove(struct linux_system *system, struct ipc_object *object);
/* -EACCES when the mode does not grant `wanted` (of 0777), else 0. */
int ipc_permitted(struct context *context,
		  const struct ipc_object *object, unsigned wanted);
/* -EPERM unless the caller is owner or creator or has CAP_SYS_ADMIN, else 0. */
int ipc_owned(struct context *context, const struct ipc_object *object);
int64_t ipc_seconds(struct linux_system *system);
/* The object of an index (SHM_STAT and related commands), or NULL. */
struct ipc_object *ipc_at_index(struct context *context,
				enum ipc_kind kind, int index);
/* The highest index in use, or 0, as IPC_INFO returns it. */
int64_t ipc_highest(struct context *context, enum ipc_kind kind);

/* ---- sysv/setting.c ---- */
/* The IPC state of the first namespace, and of a thread's namespace. Made on
 * first use. */
struct sysv_ipc *sysv_of(struct linux_system *system);
struct sysv_ipc *ipc_of(struct context *context);
/* Whether the caller has a capability over the objects of its IPC namespace. */
bool ipc_capable(struct context *context, int capability);
void ipc_settings_start(struct sysv_ipc *ipc);
bool ipc_settings_changed(const struct sysv_ipc *ipc);
/* The present value of a limit for the caller. */
uint64_t sysv_setting(struct context *context, enum ipc_setting which);

/* ---- sysv/layout.c: the structures of the *ctl calls ---- */
enum ipc_layout { IPC_64_BITS, IPC_32_BITS, IPC_OLD, IPC_LAYOUTS };
struct ipc_field {
	uint8_t offset[IPC_LAYOUTS], size[IPC_LAYOUTS];
};
enum { IPC_STRUCTURE_MAX = 128 };
/* The layout for a command. Removes IPC_WIDE from *command where it only
 * chooses the layout. */
enum ipc_layout ipc_layout_of(const struct context *context, int *command);
void ipc_store(uint8_t *buffer, enum ipc_layout layout,
	       const struct ipc_field *field, uint64_t value);
uint64_t ipc_fetch(const uint8_t *buffer, enum ipc_layout layout,
		   const struct ipc_field *field);
/* Stores the first part of each structure: struct ipc64_perm or ipc_perm. */
void ipc_store_owner(uint8_t *buffer, enum ipc_layout layout,
		     const struct ipc_object *object);
/* IPC_SET: sets owner and permissions. -EINVAL for invalid ids. */
int ipc_set_owner(struct context *context, const uint8_t *buffer,
		  enum ipc_layout layout, struct ipc_object *object);

/* ---- sysv/wait.c ---- */
/* Makes the call wait. The caller completes the entry. */
struct ipc_wait *ipc_block(struct context *context, struct ipc_object *object);
/* The entry of a restarted call, or NULL. */
struct ipc_wait *ipc_waiting(struct context *context);
/* Completes a waiting call, which will return `result`. */
void ipc_complete(struct linux_system *system, struct ipc_wait *wait,
		  int64_t result);
/* Removes an entry and frees it. */
void ipc_wait_free(struct linux_system *system, struct ipc_wait *wait);
/* Frees the entries of calls that were interrupted. */
void ipc_wait_clean(struct linux_system *system);

/* ---- each kind's own ---- */
void shared_free(struct ipc_object *object);
void semaphores_free(struct ipc_object *object);
void messages_free(struct ipc_object *object);
/* Print the rest of a line of /proc/sysvipc, after key, id and mode. */
void shared_print(struct linux_system *system, const struct ipc_object *object,
		  FILE *out);
void semaphores_print(const struct ipc_object *object, FILE *out);
void messages_print(const struct ipc_object *object, FILE *out);
/* Prints owner and creator in such a line. */
void ipc_print_owner(const struct ipc_object *object, FILE *out);
void shared_memory_left(struct process *process);

#endif
