/* Who a process is to others. */
#ifndef M2S_X86_LINUX_IDENTITY_STATE_H
#define M2S_X86_LINUX_IDENTITY_STATE_H

#include <stdint.h>

struct namespace;

/* The identity of a process. When the simulator runs as the superuser, files
 * are accessed with these ids and capabilities, else as the user who runs the
 * simulator. */
enum { GROUPS_MAX = 64 };
struct credentials {
	struct namespace *users;    /* its user namespace; NULL: the first */
	/* Sets of capabilities: bit CAP_* of each. */
	uint64_t permitted, effective, inheritable, bounding, ambient;
	unsigned user[4], group[4]; /* real, effective, saved, file system */
	unsigned groups[GROUPS_MAX];
	int group_count;
	unsigned securebits; /* SECBIT_* */
};

#endif
