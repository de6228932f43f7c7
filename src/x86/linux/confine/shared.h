/* The folder that confined guests see as /dev/shm. A small process of its own
 * removes it when the run has ended, in whatever way. */
#ifndef M2S_X86_LINUX_CONFINE_SHARED_H
#define M2S_X86_LINUX_CONFINE_SHARED_H

#include <sys/types.h>

#include "base/error.h"

struct shared_folder {
	char path[64]; /* "": there is none */
	int folder;    /* O_PATH, or -1 */
	pid_t keeper;  /* the process that removes the folder */
	/* Connects simulator and keeper; each knows by its end that the other
	 * is done. */
	int socket;
};

/* Makes the folder in /dev/shm or /tmp. 0, or -1 and *error. */
int shared_open(struct shared_folder *shared, struct error *error);
/* Has the folder removed, and returns when it is gone. */
void shared_close(struct shared_folder *shared);

#endif
