/* A debugger's requests to a thread. See debug/debug.c. */
#ifndef M2S_X86_LINUX_DEBUG_STATE_H
#define M2S_X86_LINUX_DEBUG_STATE_H

#include <stdbool.h>
#include <stdint.h>

struct thread_debug {
	uint8_t resume;          /* enum linux_resume */
	uint64_t step_start, step_end;
	bool stepped;            /* an instruction has been executed */
	bool stopped_at_breakpoint, watch_hit;
	uint8_t watch_kind;
	uint64_t watch_address;
	/* A signal from the debugger, which causes no stop. */
	int signal;
};

#endif
