#include <stdlib.h>

#include "opencl-rt/api/library.h"

struct handle library_platform = { &library_dispatch };
struct handle library_device = { &library_dispatch };

struct handle *handle_create(void)
{
	struct handle *handle = malloc(sizeof *handle);

	if (handle)
		handle->dispatch = &library_dispatch;
	return handle;
}

void *handle_result(struct handle *handle, cl_int status, cl_int *errcode_ret)
{
	if (!handle)
		status = CL_OUT_OF_HOST_MEMORY;
	if (errcode_ret)
		*errcode_ret = status;
	if (status == CL_SUCCESS)
		return handle;
	free(handle);
	return NULL;
}

void *refused(cl_int status, cl_int *errcode_ret)
{
	if (errcode_ret)
		*errcode_ret = status;
	return NULL;
}

struct handle *library_event(cl_event *event)
{
	return event ? handle_create() : NULL;
}

cl_int library_enqueued(struct handle *handle, cl_int status, cl_event *event)
{
	if (!event)
		return status;
	if (status == CL_SUCCESS)
		*event = (cl_event)handle;
	else
		free(handle);
	return status;
}
