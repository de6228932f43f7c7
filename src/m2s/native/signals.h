/* The end of a native program that a signal ends, or --max-time: its reports
 * are written before. */
#ifndef M2S_M2S_NATIVE_SIGNALS_H
#define M2S_M2S_NATIVE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Catches the signals that would end the program now, and starts the thread
 * that calls `end` when one has come (its number), or after `seconds` of the
 * host (0; seconds 0: never). `end` does not return. Signals for which the
 * program has a handler of its own, or that it ignores, stay its own. A fault
 * inside a request calls `crash` in the thread that has the request. */
void native_signals_start(uint64_t seconds, void (*end)(int signal),
			  void (*crash)(int signal));

/* The reason to end now, as SimEnd, or NULL. */
const char *native_signals_reason(void);

/* In a forked child, where the thread is missing: signals have their default
 * action again. */
void native_signals_forked(void);

/* Ends this process by a signal's default action. */
_Noreturn void native_signals_die(int signal);

/* Whether this thread is inside a request: then a signal lets the request end
 * first. */
extern _Thread_local volatile int native_requests
	__attribute__((tls_model("initial-exec")));

#endif
