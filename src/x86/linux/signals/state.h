/* The signal state of processes and threads. */
#ifndef M2S_X86_LINUX_SIGNALS_STATE_H
#define M2S_X86_LINUX_SIGNALS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIGNALS = 64 }; /* numbered from 1 */

/* SS_AUTODISARM: the alternate stack is disabled while a handler runs on it. */
#define STACK_AUTODISARM UINT32_C(0x80000000)

struct signal_information {
	int number, error, code;
	int pid, uid;      /* kill, SIGCHLD */
	int status;        /* SIGCHLD */
	uint64_t address;  /* faults */
	uint64_t value;    /* sigqueue, timers; SIGIO: si_band */
	int timer, overrun;
	/* For the frame of a fault. */
	/* A fault of the processor: vector and error_code are valid. */
	bool fault;
	bool poll;  /* about a descriptor; `status` is the descriptor */
	uint8_t vector;
	uint16_t error_code;
};

struct signal_action {
	uint64_t handler; /* 0 SIG_DFL, 1 SIG_IGN */
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

struct signal_queue {
	struct signal_information *list; /* oldest first */
	size_t count, capacity;
};

struct process_signals {
	struct signal_action action[SIGNALS + 1];
	struct signal_queue pending;
};

struct thread_signals {
	uint64_t mask, saved_mask;
	/* Of the last fault; every later frame shows them, as in Linux. */
	uint8_t trap_vector;
	bool restore_mask;       /* saved_mask returns after the handler */
	uint16_t trap_error;
	uint64_t trap_address;   /* CR2 */
	struct signal_queue pending;
	uint64_t stack_base, stack_size; /* sigaltstack */
	uint32_t stack_flags;
};

#endif
