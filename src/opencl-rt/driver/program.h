/* Building programs: what the calls that do it share. */
#ifndef M2S_OPENCL_RT_DRIVER_PROGRAM_H
#define M2S_OPENCL_RT_DRIVER_PROGRAM_H

#include "opencl-rt/clc/compile.h"
#include "opencl-rt/driver/internal.h"

/* What one of the calls wants from the compiler, and the errors that it has for
 * what may become of it. */
struct program_task {
	const char *call; /* its name, for messages */
	enum clc_task task;
	const char *name; /* of the source; NULL: none */
	const struct clc_part *parts; /* headers or objects */
	size_t part_count;
	cl_int failure, bad_options, not_available;
};

/* A new program without anything. */
struct program *program_create(struct opencl_driver *driver,
			       struct context *context, uint64_t handle,
			       enum program_origin origin);

/* Does the task; what the program was before is gone. The error is one of the
 * task's, or CL_INVALID_BINARY for a program that was made of one. */
cl_int program_run_task(struct opencl_driver *driver, struct program *program,
			const struct program_task *task);

/* The options of the task, from the simulated program; 0: none. */
cl_int program_take_options(struct opencl_driver *driver,
			    struct program *program, uint64_t address);

/* Tells the program that it is done, if it wants to know. The compiler runs
 * outside simulated time, so that every build is over when the call
 * returns. */
void program_notify(struct opencl_driver *driver, struct program *program,
		    uint64_t notify, uint64_t user_data);

#endif
