/* The folder that confined guests see as /dev/shm. It is gone when the run has
 * ended, in whatever way: a small process of its own removes it. */
#ifndef M2S_X86_LINUX_CONFINE_SHARED_H
#define M2S_X86_LINUX_CONFINE_SHARED_H

#include <sys/types.h>

#include "base/error.h"

struct shared_folder {
	char path[64]; /* "": there is none */
	int folder;    /* O_PATH, or -1 */
	pid_t keeper;  /* the process that will remove it */
	int socket;    /* it is done when this ends, here or there */
};

/* Makes it in /dev/shm or /tmp. 0, or -1 and *error. */
int shared_open(struct shared_folder *shared, struct error *error);
/* Returns when it is gone. */
void shared_close(struct shared_folder *shared);

#endif
