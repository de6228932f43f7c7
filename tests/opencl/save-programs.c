/* To be preloaded (LD_PRELOAD): OpenCL programs that a host program builds, as files of
 * the folder that SAVE_PROGRAMS names. NUMBER.cl is a source; programs.list gets a
 * line for each build: NUMBER, the call's status, the kernels (0 where there are
 * none), and the options. A build that fails leaves its log as NUMBER.log. NUMBER
 * depends on source and options alone. For tests/opencl/suite-kernels. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRAMS = 1 << 16 };

/* The sources of programs, which are never forgotten. A program's address may be
 * that of an earlier one: the last counts. */
static struct {
	cl_program program;
	char *source;
} programs[PROGRAMS];
static unsigned program_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static char *join(cl_uint count, const char **strings, const size_t *lengths)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (cl_uint i = 0; i < count; i++)
		fwrite(strings[i], 1,
		       lengths && lengths[i] ? lengths[i] : strlen(strings[i]),
		       out);
	fclose(out);
	return text;
}

static const char *source_of(cl_program program)
{
	const char *source = NULL;

	pthread_mutex_lock(&lock);
	for (unsigned i = program_count; i-- > 0 && !source;)
		if (programs[i].program == program)
			source = programs[i].source;
	pthread_mutex_unlock(&lock);
	return source;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count,
				     const char **strings,
				     const size_t *lengths, cl_int *status)
{
	cl_program program = NEXT(clCreateProgramWithSource)(
		context, count, strings, lengths, status);

	pthread_mutex_lock(&lock);
	if (program && program_count < PROGRAMS) {
		programs[program_count].source = join(count, strings, lengths);
		programs[program_count++].program = program;
	}
	pthread_mutex_unlock(&lock);
	return program;
}

/* FNV-1a. */
static uint64_t hash(uint64_t state, const char *text)
{
	for (; *text; text++)
		state = (state ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return state;
}

static void save_text(uint64_t number, const char *suffix, const char *text)
{
	char *name = NULL;
	FILE *file;

	if (asprintf(&name, "%s/%016llx.%s", getenv("SAVE_PROGRAMS"),
		     (unsigned long long)number, suffix) < 0)
		return;
	file = fopen(name, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
	free(name);
}

static void save_log(uint64_t number, cl_program program)
{
	cl_device_id device;
	char log[4096] = "";

	if (!clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof device,
			      &device, NULL))
		clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG,
				      sizeof log, log, NULL);
	save_text(number, "log", log);
}

static void save(cl_program program, const char *options, cl_int status)
{
	const char *source = source_of(program);
	size_t kernels = 0;
	uint64_t number;
	char *line = NULL, *name = NULL;
	FILE *list;

	if (!source || !getenv("SAVE_PROGRAMS"))
		return;
	options = options ? options : "";
	number = hash(hash(UINT64_C(0xcbf29ce484222325), source), options);
	save_text(number, "cl", source);
	if (status)
		save_log(number, program);
	else
		clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS,
				 sizeof kernels, &kernels, NULL);
	if (asprintf(&line, "%016llx %d %zu %s\n", (unsigned long long)number,
		     status, kernels, options) >= 0 &&
	    asprintf(&name, "%s/programs.list", getenv("SAVE_PROGRAMS")) >= 0 &&
	    (list = fopen(name, "a"))) {
		/* One write: other processes have the file, too. */
		fwrite(line, 1, strlen(line), list);
		fclose(list);
	}
	free(line);
	free(name);
}

cl_int clBuildProgram(cl_program program, cl_uint count,
		      const cl_device_id *devices, const char *options,
		      void (*notify)(cl_program, void *), void *data)
{
	cl_int status = NEXT(clBuildProgram)(program, count, devices, options,
					     notify, data);

	save(program, options, status);
	return status;
}

cl_int clCompileProgram(cl_program program, cl_uint count,
			const cl_device_id *devices, const char *options,
			cl_uint header_count, const cl_program *headers,
			const char **names,
			void (*notify)(cl_program, void *), void *data)
{
	cl_int status = NEXT(clCompileProgram)(program, count, devices, options,
					       header_count, headers, names,
					       notify, data);

	save(program, options, status);
	return status;
}
