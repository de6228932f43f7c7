/* Turns host SIGSEGV and SIGBUS inside guest memory, and SIGFPE of vector
 * arithmetic on the guest's behalf, into a return from sigsetjmp().
 *
 *	struct host_fault fault;
 *	host_fault_enter(&fault, space->base, size);
 *	if (sigsetjmp(fault.environment, 0)) {
 *		// an access to [base, base + size) failed: see fault
 *	} else {
 *		// accesses
 *	}
 *	host_fault_leave(&fault);
 *
 * Frames nest. Faults at other addresses go to the signal handlers that were
 * installed before. SIGFPE goes to the innermost frame that asks for it. The
 * first host_fault_enter() installs the process-wide signal handlers. They find
 * the innermost frame of their thread through a thread-local pointer, because a
 * signal handler gets no argument of its own. */
#ifndef M2S_MEMSYS_SPACE_HOST_FAULT_H
#define M2S_MEMSYS_SPACE_HOST_FAULT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_fault {
	sigjmp_buf environment;
	const uint8_t *base;
	size_t size;
	/* If not NULL, decides instead of [base, base + size) whether an
	 * address belongs to this frame. */
	bool (*holds)(const void *owner, const uint8_t *address);
	const void *owner;
	struct host_fault *outer;
	bool arithmetic;        /* also catch SIGFPE of floating point */
	/* Filled in by a fault. */
	int signal;             /* SIGSEGV, SIGBUS or SIGFPE */
	int code;               /* si_code */
	const uint8_t *address; /* the host address touched */
	bool write;
	/* The page was mapped but did not allow the access. */
	bool present;
	uint32_t mxcsr;         /* at the fault; the handler ran with a fresh
	                         * floating-point state */
};

void host_fault_enter(struct host_fault *fault, const uint8_t *base,
		      size_t size);
void host_fault_leave(struct host_fault *fault);

#endif
