/* The identity of a process: its ids and capabilities, and how both change. */
#ifndef M2S_X86_LINUX_IDENTITY_IDENTITY_H
#define M2S_X86_LINUX_IDENTITY_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "x86/linux/state.h"

/* Indices of credentials.user and .group. */
enum { REAL, EFFECTIVE, SAVED, FILES };

/* Sets the credentials of the simulator. `capabilities` is as in struct
 * linux_options. */
void identity_start(struct credentials *credentials, uint64_t capabilities);
/* Makes host files be accessed with these ids from now on, as far as the
 * simulator's rights allow. */
void identity_enter(struct linux_system *system,
		    const struct credentials *credentials);
/* Whether a group is the one for file access or a supplementary group. */
bool in_group(const struct credentials *own, unsigned group);
/* Whether a process may send this signal to another. SIGCONT may go to every
 * process of its session (Linux, check_kill_permission). */
bool may_signal(const struct process *from, const struct process *to,
		int number);
/* To be called when ids for access rights have changed. Clears what Linux
 * clears in the process then. */
void identity_changed(struct process *process);

struct program_identity {
	struct credentials credentials;
	bool secure; /* AT_SECURE: the program has more rights than its user */
};
/* The identity of a process after it executes an open file. 0 or a negative
 * errno. */
int identity_of_program(const struct process *process, int program,
			struct program_identity *identity);

#endif
