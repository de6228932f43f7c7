/* The library fetches notices one by one, and tells which callbacks have
 * returned. */
#include <stdlib.h>

#include "opencl-rt/driver/internal.h"

/* A callback has returned: the newest one on this handle, for callbacks may
 * nest when they call OpenCL themselves. */
static void callback_returned(struct opencl_driver *driver, uint64_t handle)
{
	struct notice **place = &driver->running, *notice;

	while (*place && (*place)->handle != handle)
		place = &(*place)->next;
	notice = *place;
	if (!notice)
		return;
	*place = notice->next;
	object_drop(driver, notice->object);
	free(notice);
}

cl_int serve_notice(struct opencl_driver *driver,
		    struct request_notice *request)
{
	struct notice *notice;

	if (request->done)
		callback_returned(driver, request->done);
	notice = driver->first_notice;
	if (!notice) {
		request->kind = OPENCL_NOTICE_NONE;
		return CL_SUCCESS;
	}
	driver->first_notice = notice->next;
	if (!driver->first_notice)
		driver->last_notice = NULL;
	driver->notice_count--;
	request->kind = notice->kind;
	request->handle = notice->handle;
	request->notify = notice->notify;
	request->user_data = notice->user_data;
	request->status = (uint64_t)notice->status;
	if (notice->object) {
		notice->next = driver->running;
		driver->running = notice;
	} else {
		free(notice);
	}
	return CL_SUCCESS;
}
