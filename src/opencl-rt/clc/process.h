/* Child processes under limits, with their input and output in memory.
 *
 * A compiler may crash, hang or eat all memory; whoever calls it must not.
 * A child's standard streams are files in memory (memfd), so nobody has to
 * pump pipes, and a child that ends early cannot raise SIGPIPE. Children die
 * with the thread that started them. */
#ifndef M2S_OPENCL_RT_CLC_PROCESS_H
#define M2S_OPENCL_RT_CLC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A process that does not use up its processor time, since it waits for
 * something, is stopped after so many times that by the clock. It is far more
 * than a loaded machine makes of it. */
enum { PROCESS_PATIENCE = 20 };

struct process_limits {
	double seconds;        /* of processor time, without that of the
				  process's own children; 0: no limit */
	uint64_t memory_bytes; /* address space; 0: no limit */
	/* Asked now and then; true ends it. NULL: nobody. */
	bool (*stop)(void *owner);
	void *stop_owner;
};

struct process_result {
	/* What happened: one of these describes the end. */
	bool timed_out;  /* killed because it ran past the limit ... */
	bool stuck;      /* ... by the clock, not in processor time */
	bool stopped;    /* killed because limits->stop() said so */
	int signal;      /* killed by this signal, else 0 */
	int exit_status; /* when neither of the above */
	/* What it wrote; both end in a zero byte that is not counted. */
	char *output, *messages;
	size_t output_size, messages_size;
};

/* Runs a program to its end. `argv` ends in NULL; argv[0] is looked up in
 * PATH when it has no slash. `input` becomes standard input (NULL: the
 * caller's own). `pass_messages`: standard error goes where the caller's goes
 * and is not collected. Fills in *result (process_result_free) and returns 0,
 * however the program ended; -1 and *error when it could not be started:
 * errno is then ENOENT if there is no such program. */
int process_run(char *const argv[], const void *input, size_t input_size,
		bool pass_messages, const struct process_limits *limits,
		struct process_result *result, struct error *error);

/* Runs a function in a forked child. It writes its product to `output`, its
 * messages to standard error, and returns the exit status. */
int process_call(int (*function)(void *argument, int output), void *argument,
		 const struct process_limits *limits,
		 struct process_result *result, struct error *error);
/* Writes all of it, as such a function does to `output`. -1 and errno when that
 * fails. */
int process_write(int file, const void *content, size_t size);

void process_result_free(struct process_result *result);

/* A file in memory with this content, for children to read; `name` is for
 * whoever looks at the process. A descriptor, to be closed, or -1 and *error.
 * Children do not inherit it; they open its path (to be freed), which is good
 * as long as this process has it open. */
int process_memory_file(const char *name, const void *content, size_t size,
			struct error *error);
char *process_file_path(int file);

/* "ended with status 1", "was killed by signal 11 (Segmentation fault)" ... */
void process_describe(const struct process_result *result,
		      const struct process_limits *limits, char *text,
		      size_t size);

#endif
