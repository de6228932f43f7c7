/* The wire between the guest library libm2s-opencl and the driver.
 *
 * Each API call is one request: a struct of 64-bit fields in the program's
 * memory, the same for every ABI. Arrays, strings and results stay in the
 * program's memory; the driver reads and writes them there, in the program's
 * word size. A request travels by the reserved system call below with its
 * address as the first argument (or by a direct call where library and driver
 * are in one process). The call returns 0; the OpenCL error code comes back
 * inside the request. */
#ifndef M2S_OPENCL_RT_PROTOCOL_H
#define M2S_OPENCL_RT_PROTOCOL_H

#include <stdint.h>

/* Reserved: no Linux ABI has a system call of this number, so that outside of
 * the simulator the kernel answers ENOSYS. */
#define OPENCL_SYSTEM_CALL 0x0d325343

/* Natively: the simulator's library, beside the guest library, and its
 * function, which takes the request, and returns 0 or, when it has said itself
 * why there is no device, 1. */
#define OPENCL_NATIVE_LIBRARY "libm2s-native.so.1"
#define OPENCL_NATIVE_ENTRY "opencl_native_request"

/* This number changes with every incompatible change of api.def or of this
 * file. */
#define OPENCL_PROTOCOL UINT64_C(0x6d32736f636c0003)

enum opencl_call {
#define CALL(name, major, minor, state, fields) OPENCL_##name,
#define INTERNAL(name, fields) OPENCL_##name,
#include "opencl-rt/api.def"
	OPENCL_CALL_COUNT
};

struct opencl_header {
	uint64_t protocol; /* OPENCL_PROTOCOL */
	uint64_t call;     /* enum opencl_call */
	uint64_t word;     /* bytes of a pointer and of size_t: 4 or 8 */
	/* Answered by the driver: */
	int64_t status;    /* OpenCL error code, or OPENCL_AGAIN */
	uint64_t ticket;   /* with OPENCL_AGAIN: to send along again */
	uint64_t notices;  /* this many OPENCL_notice requests have work */
	uint64_t progress; /* an event ended: wake threads that wait */
};

/* Not an OpenCL code: the call has to wait for an event that another thread
 * of the program completes. Send the request again after some progress. */
#define OPENCL_AGAIN INT64_C(1)

enum opencl_notice {
	OPENCL_NOTICE_NONE,
	OPENCL_NOTICE_FREE_HANDLE,  /* handle: the object is gone */
	OPENCL_NOTICE_FREE_MAPPING, /* handle: storage of clEnqueueMapBuffer, or lent */
	OPENCL_NOTICE_EVENT,   /* notify(handle, status, user_data) */
	OPENCL_NOTICE_PROGRAM, /* notify(handle, user_data) */
	OPENCL_NOTICE_MEMORY,  /* notify(handle, user_data) */
	OPENCL_NOTICE_PRINT,   /* `status` bytes to print; request print */
};

#define FIELD(name, kind, detail) uint64_t name;
#define CALL(name, major, minor, state, fields)                                \
	struct request_##name {                                                \
		struct opencl_header header;                                   \
		fields                                                         \
	};
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"

#endif
