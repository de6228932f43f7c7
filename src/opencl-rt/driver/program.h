/* Building programs: the functions that the building calls share. */
#ifndef M2S_OPENCL_RT_DRIVER_PROGRAM_H
#define M2S_OPENCL_RT_DRIVER_PROGRAM_H

#include "opencl-rt/clc/compile.h"
#include "opencl-rt/driver/internal.h"

/* The task of one call for the compiler, and the call's error codes for its
 * outcomes. */
struct program_task {
	const char *call; /* its name, for messages */
	enum clc_task task;
	const char *name; /* of the source; NULL: none */
	const struct clc_part *parts; /* headers or objects */
	size_t part_count;
	cl_int failure, bad_options, not_available;
};

/* Creates an empty program. */
struct program *program_create(struct opencl_driver *driver,
			       struct context *context, uint64_t handle,
			       enum program_origin origin);

/* Runs the task; the former contents of the program are lost. The error is one
 * of the task's codes, or CL_INVALID_BINARY for a program that was made of a
 * binary. */
cl_int program_run_task(struct opencl_driver *driver, struct program *program,
			const struct program_task *task);

/* Reads the options of the task from the simulated program; address 0: none. */
cl_int program_take_options(struct opencl_driver *driver,
			    struct program *program, uint64_t address);

/* Calls the simulated program's callback, if it has given one. The compiler
 * runs outside simulated time, so every build is finished when the call
 * returns. */
void program_notify(struct opencl_driver *driver, struct program *program,
		    uint64_t notify, uint64_t user_data);

#endif
