/* System V semaphores: the declarations that their files share. */
#ifndef M2S_X86_LINUX_SYSV_SEMAPHORE_H
#define M2S_X86_LINUX_SYSV_SEMAPHORE_H

#include <stddef.h>
#include <stdint.h>

#include "x86/linux/sysv/object.h"

struct context;
struct linux_system;

/* Linux's limits (linux/sem.h). */
enum { SEMAPHORE_VALUE_MAX = 32767, SEMAPHORE_ADJUST_MAX = 32767 };

struct semaphore {
	int value;
	int pid; /* of the last operation */
};

struct undo {
	struct undo *next;
	int pid;
	int *adjust; /* one per semaphore */
};

struct semaphore_set {
	struct ipc_object object;
	size_t count;
	struct semaphore *list;
	struct undo *undo;
	int64_t operated; /* seconds */
};

/* The set of an id, or NULL. */
struct semaphore_set *semaphore_find_set(struct context *context, uint64_t id);
/* The number of semaphores in all sets. */
size_t semaphores_total(struct context *context);
/* To be called when values have changed. Calls that wait for zero continue
 * first. */
void semaphores_update(struct linux_system *system,
		       struct semaphore_set *set);

#endif
