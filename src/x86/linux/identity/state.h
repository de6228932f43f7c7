/* Who a process is to others. */
#ifndef M2S_X86_LINUX_IDENTITY_STATE_H
#define M2S_X86_LINUX_IDENTITY_STATE_H

#include <stdint.h>

struct namespace;

/* Who a process is to others. Files are accessed with these ids and
 * capabilities when the simulator runs as the superuser, else as the user who
 * runs it. */
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
