/* Errors that end the simulation, and calls that are not supported. */
#include "opencl-rt/driver/internal.h"

cl_int driver_fail(struct opencl_driver *driver, const struct error *error)
{
	if (!driver->failed)
		driver->fatal = *error;
	driver->failed = true;
	return CL_OUT_OF_RESOURCES;
}

void driver_unsupported(struct opencl_driver *driver, const char *call,
			const char *what)
{
	log_warning_once(driver->options.log, call, "%s: %s", call, what);
}
