/* The declarations that the files of the guest library share.
 *
 * The library runs inside the simulated program. It only marshals: a function
 * of the OpenCL interface packs its parameters into a request (protocol.h),
 * the driver does the rest. Objects of the program are small structs made
 * here, because an ICD loader finds our functions through their first word;
 * the driver knows them by their addresses. */
#ifndef M2S_OPENCL_RT_API_LIBRARY_H
#define M2S_OPENCL_RT_API_LIBRARY_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

#include <stdint.h>

#include "opencl-rt/protocol.h"

/* The object behind any cl_* handle. */
struct handle {
	const cl_icd_dispatch *dispatch;
};

extern const cl_icd_dispatch library_dispatch;

/* The one platform and the one device. */
extern struct handle library_platform, library_device;

/* A new handle, or NULL when there is no memory. The driver is told its
 * address. When the object dies, the driver asks the library to free the
 * handle. */
struct handle *handle_create(void);

/* The result of a clCreate function: the handle, or NULL after an error, which
 * frees the handle. `handle` may be NULL (no memory). */
void *handle_result(struct handle *handle, cl_int status, cl_int *errcode_ret);

/* For functions that return an object that cannot exist here. */
void *refused(cl_int status, cl_int *errcode_ret);

/* The optional event of a command: library_event makes a handle if `event` is
 * not NULL; library_enqueued stores or frees it. */
struct handle *library_event(cl_event *event);
cl_int library_enqueued(struct handle *handle, cl_int status, cl_event *event);

/* Sends a request. Waits, and runs callbacks of the program, as the driver
 * asks. Returns the OpenCL error code. */
cl_int library_call(struct opencl_header *header);

/* Sends one request to the driver; -1 when there is no driver, 1 when the user
 * has been told why. It is in transport.c, which tests replace by a direct call. */
int library_transport(struct opencl_header *header);

/* A pointer in the protocol's form, on every ABI. */
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

#define REQUEST(name, ...)                                                     \
	(struct request_##name)                                                \
	{                                                                      \
		.header = { .protocol = OPENCL_PROTOCOL,                       \
			    .call = OPENCL_##name,                             \
			    .word = sizeof(void *) },                          \
		__VA_ARGS__                                                    \
	}
#define SEND(name, ...) library_call(&REQUEST(name, __VA_ARGS__).header)

/* The wait list and the event of a command, as api.def's WAIT. */
#define WAIT_FIELDS(handle)                                                    \
	num_events_in_wait_list, ADDRESS(event_wait_list), ADDRESS(handle)

/* Each command: make the event's handle if the program wants one, send, keep
 * or drop the handle. */
#define ENQUEUE(name, ...)                                                     \
	do {                                                                   \
		struct handle *handle = library_event(event);                  \
		cl_int status = CL_OUT_OF_HOST_MEMORY;                         \
                                                                               \
		if (handle || !event)                                          \
			status = SEND(name, __VA_ARGS__, WAIT_FIELDS(handle)); \
		return library_enqueued(handle, status, event);                \
	} while (0)

/* Mappings are as aligned as any OpenCL type (long16) needs. */
enum { MAPPING_ALIGNMENT = 256, LENT_ALIGNMENT = 4096 };

#endif
