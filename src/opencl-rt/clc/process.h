/* Child processes under limits, with their input and output in memory.
 *
 * A compiler may crash, hang or use up all memory without harming its caller. A
 * child's standard streams are files in memory (memfd). So no pipes have to be
 * served, and a child that ends early cannot raise SIGPIPE. Children die with
 * the thread that started them. */
#ifndef M2S_OPENCL_RT_CLC_PROCESS_H
#define M2S_OPENCL_RT_CLC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* A process that waits, and so does not use up its processor time, is stopped:
 * when it has used less than one PROCESS_PROGRESS-th of that time within this
 * multiple of it by the clock. However loaded a machine is, what computes gets
 * that much (one part in 2,000 of a processor). */
enum { PROCESS_PATIENCE = 20, PROCESS_PROGRESS = 100 };

struct process_limits {
	/* Of processor time, without that of the process's own children; 0: no
	 * limit. */
	double seconds;
	uint64_t memory_bytes; /* address space; 0: no limit */
	/* Called now and then; true ends the process. NULL: never called. */
	bool (*stop)(void *owner);
	void *stop_owner;
};

struct process_result {
	/* The end of the process: one of these describes it. */
	bool timed_out;  /* killed because of the time limit ... */
	bool stuck;      /* ... that it did not use: it waited */
	bool stopped;    /* killed because limits->stop() said so */
	int signal;      /* killed by this signal, else 0 */
	int exit_status; /* valid when none of the above holds */
	/* Its output and its messages; both end in a zero byte that is not
	 * counted. */
	char *output, *messages;
	size_t output_size, messages_size;
};

/* Runs a program to its end. `argv` ends in NULL; argv[0] is looked up in PATH
 * when it has no slash. `input` becomes standard input (NULL: the caller's
 * own). `pass_messages`: standard error goes where the caller's goes and is not
 * collected. Returns 0 and *result (process_result_free), however the program
 * ended; -1 and *error when it could not be started. errno is then ENOENT if
 * the program does not exist. */
int process_run(char *const argv[], const void *input, size_t input_size,
		bool pass_messages, const struct process_limits *limits,
		struct process_result *result, struct error *error);

/* Runs a function in a forked child. The function writes its product to
 * `output` and its messages to standard error, and returns the exit status. */
int process_call(int (*function)(void *argument, int output), void *argument,
		 const struct process_limits *limits,
		 struct process_result *result, struct error *error);
/* Writes all of `content`, for use in such a function. -1 and errno on a
 * failure. */
int process_write(int file, const void *content, size_t size);

void process_result_free(struct process_result *result);

/* Makes a file in memory with this content, for children to read. `name` shows
 * in the list of the process's files. Returns a descriptor, which the caller
 * closes, or -1 and *error. Children do not inherit it; they open its path
 * (which the caller frees), valid as long as this process has the file open. */
int process_memory_file(const char *name, const void *content, size_t size,
			struct error *error);
char *process_file_path(int file);

/* Describes the end of a process: "ended with status 1", "was killed by signal
 * 11 (Segmentation fault)" ... */
void process_describe(const struct process_result *result,
		      const struct process_limits *limits, char *text,
		      size_t size);

#endif
