/* Calls that programs often get slightly wrong: the specification's error, and
 * a line for the person in front of the program, who may not see that error. */
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/internal.h"

/* Whether these bytes are the three elements of a vector of three, which takes
 * the place of four (OpenCL C 1.2, section 6.1.5). */
static bool is_packed_three(const struct evg_argument *wanted, uint64_t size)
{
	size_t length = strlen(wanted->type_name);

	return length && wanted->type_name[length - 1] == '3' &&
	       size * 4 == (uint64_t)wanted->size * 3;
}

void advise_argument_size(struct opencl_driver *driver,
			  const struct kernel *kernel, uint32_t index,
			  uint64_t size)
{
	const struct evg_argument *wanted = &kernel->code->arguments[index];
	const char *type = *wanted->type_name ? wanted->type_name : "value";
	char *key = xasprintf("argument %u of %s", index, kernel->code->name);

	log_warning_once(
	    driver->options.log, key,
	    "clSetKernelArg: argument %u of kernel %s is a %s of %u bytes, and "
	    "the program gives %llu; it gets CL_INVALID_ARG_SIZE%s", index,
	    kernel->code->name, type, wanted->size, (unsigned long long)size,
	    is_packed_three(wanted, size)
		    ? " (a vector of 3 has the size of one of 4)" : "");
	free(key);
}

void advise_argument_info(struct opencl_driver *driver,
			  const struct program *program)
{
	log_warning_once(
	    driver->options.log, "clGetKernelArgInfo",
	    "clGetKernelArgInfo: %s; the program gets "
	    "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
	    program->origin == FROM_SOURCE
		    ? "the program was built without -cl-kernel-arg-info"
		    : "only programs from source have this information");
}

void advise_options(struct opencl_driver *driver, const char *call,
		    const char *log)
{
	char *line = xasprintf("%s: %.*s", call, (int)strcspn(log, "\n"), log);

	log_warning_once(driver->options.log, line, "%s", line);
	free(line);
}
