#include "opencl-rt/api/library.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Threads that wait for an event sleep here until some call reports that an
 * event has ended. (A shared library has nowhere else to keep this.) */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned count; /* of reports */
} progress = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0 };

static pthread_once_t no_driver_told = PTHREAD_ONCE_INIT;

/* Not NULL in a thread that runs a callback. */
static pthread_key_t in_callback;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static void make_key(void)
{
	if (pthread_key_create(&in_callback, NULL))
		abort(); /* no memory */
}

static void tell_no_driver(void)
{
	fputs("libm2s-opencl: this program is not running inside m2s, so there "
	      "is no simulated GPU.\nStart it with 'm2s PROGRAM ARGUMENTS', "
	      "or use another OpenCL platform.\n",
	      stderr);
}

static unsigned progress_count(void)
{
	unsigned count;

	pthread_mutex_lock(&progress.lock);
	count = progress.count;
	pthread_mutex_unlock(&progress.lock);
	return count;
}

static void progress_report(void)
{
	pthread_mutex_lock(&progress.lock);
	progress.count++;
	pthread_cond_broadcast(&progress.changed);
	pthread_mutex_unlock(&progress.lock);
}

static void progress_wait(unsigned seen)
{
	pthread_mutex_lock(&progress.lock);
	while (progress.count == seen)
		pthread_cond_wait(&progress.changed, &progress.lock);
	pthread_mutex_unlock(&progress.lock);
}

static void *pointer(uint64_t address)
{
	return (void *)(uintptr_t)address;
}

/* What a kernel printed. */
static void print(uint64_t handle, uint64_t size)
{
	char *text = malloc(size + 1);
	struct request_print request = REQUEST(print, handle, ADDRESS(text));

	if (text && !library_transport(&request.header) &&
	    request.header.status == CL_SUCCESS)
		fwrite(text, 1, size, stdout);
	free(text);
}

typedef void (CL_CALLBACK *event_function)(cl_event, cl_int, void *);
typedef void (CL_CALLBACK *object_function)(void *, void *);

/* Does what the driver wants done in the program. Callbacks may call us again:
 * see library_call. */
static void run_notices(void)
{
	struct request_notice notice;
	void *outside;
	uint64_t done = 0;

	outside = pthread_getspecific(in_callback);
	pthread_setspecific(in_callback, &in_callback);
	do {
		notice = REQUEST(notice, done, 0, 0, 0, 0, 0);
		if (library_transport(&notice.header))
			break;
		done = 0;
		if (notice.header.progress)
			progress_report();
		switch (notice.kind) {
		case OPENCL_NOTICE_FREE_HANDLE:
		case OPENCL_NOTICE_FREE_MAPPING:
			free(pointer(notice.handle));
			break;
		case OPENCL_NOTICE_EVENT:
			((event_function)(uintptr_t)notice.notify)(
				pointer(notice.handle), (cl_int)notice.status,
				pointer(notice.user_data));
			done = notice.handle;
			break;
		case OPENCL_NOTICE_PROGRAM:
		case OPENCL_NOTICE_MEMORY:
			((object_function)(uintptr_t)notice.notify)(
				pointer(notice.handle),
				pointer(notice.user_data));
			done = notice.handle;
			break;
		case OPENCL_NOTICE_PRINT:
			print(notice.handle, notice.status);
			break;
		}
	} while (done || notice.header.notices);
	pthread_setspecific(in_callback, outside);
}

/* What a callback's calls lead to is done when it has returned, by the loop that
 * called it: callbacks that lead to callbacks need no more stack the more there
 * are. But a callback that waits may wait for another one. */
static void take_notices(bool waits)
{
	pthread_once(&key_made, make_key);
	if (waits || !pthread_getspecific(in_callback))
		run_notices();
}

static cl_int call(struct opencl_header *header)
{
	unsigned seen;
	int status;

	for (;;) {
		seen = progress_count();
		status = library_transport(header);
		if (status < 0)
			pthread_once(&no_driver_told, tell_no_driver);
		if (status)
			return CL_PLATFORM_NOT_FOUND_KHR;
		if (header->progress)
			progress_report();
		if (header->notices)
			take_notices(header->status == OPENCL_AGAIN);
		if (header->status != OPENCL_AGAIN)
			return (cl_int)header->status;
		progress_wait(seen);
	}
}

/* A call is no place to cancel a thread: it would end with locks held. */
cl_int library_call(struct opencl_header *header)
{
	cl_int status;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	status = call(header);
	pthread_setcancelstate(state, NULL);
	return status;
}
