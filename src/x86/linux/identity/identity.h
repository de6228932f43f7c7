/* Who a process is to others: its ids and capabilities, and how both change. */
#ifndef M2S_X86_LINUX_IDENTITY_IDENTITY_H
#define M2S_X86_LINUX_IDENTITY_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/state.h"

/* Indices of credentials.user and .group. */
enum { REAL, EFFECTIVE, SAVED, FILES };

/* Those of the simulator; `capabilities`: as struct linux_options. */
void identity_start(struct credentials *credentials, uint64_t capabilities);
/* Host files are accessed with these ids from now on, where we may. */
void identity_enter(struct linux_system *system,
		    const struct credentials *credentials);
/* A group is the one for files or among the others. */
bool in_group(const struct credentials *own, unsigned group);
/* Whether a process may send this signal to another; SIGCONT goes to all of its
 * session (Linux, check_kill_permission). */
bool may_signal(const struct process *from, const struct process *to,
		int number);
/* Ids for access rights have changed: what Linux takes from the process. */
void identity_changed(struct process *process);

struct program_identity {
	struct credentials credentials;
	bool secure; /* AT_SECURE: the program has more rights than its user */
};
/* Who a process will be that executes an open file: 0 or a negative errno. */
int identity_of_program(const struct process *process, int program,
			struct program_identity *identity);

#endif
