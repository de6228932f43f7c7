/* What all commands with a wait list have in common. */
#ifndef M2S_TESTS_OPENCL_FUZZ_COMMAND_H
#define M2S_TESTS_OPENCL_FUZZ_COMMAND_H

#include "fuzz.h"

/* The faults that every command has behind its own: of its wait list. */
enum { WAIT_FAULTS = 4 };

struct command {
	struct slot *queue;
	int fault, own;        /* as drawn; how many are its own */
	struct slot *event;    /* that it waits for, or NULL */
	int keeps;             /* wants an event */
	void *handles[SIDES];
	cl_event list[SIDES][2];
};

/* Draws what all commands have. 0: there are no objects for it. `blocks`: user
 * events must not hold it back. */
int command_begin(struct command *c, int own_faults, int blocks);
/* Compares the codes, and keeps the event. True: success all over. */
int command_end(struct command *c, const char *name, const cl_int wants[]);

cl_uint wait_count(const struct command *c);
const cl_event *wait_list(const struct command *c, int s);
/* The last three arguments. */
#define WAITS(c)                                                               \
	wait_count(&c), wait_list(&c, s),                                      \
		c.keeps ? (cl_event *)&c.handles[s] : NULL
#define QUEUE_OF(c) (c.fault ? c.queue->handle[s] : NULL)

#endif
