/* Properties of signals: names, default actions, bits in a set. */
#ifndef M2S_X86_LINUX_SIGNALS_KIND_H
#define M2S_X86_LINUX_SIGNALS_KIND_H

#include <signal.h>
#include <stdint.h>

/* The bit of a signal in a set, by its number. */
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number)-1))

/* Signals that no mask can block. */
#define NEVER_BLOCKED (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))
/* Signals whose default action is none, a stop, or an end with a core dump. */
#define DEFAULT_IGNORED                                                        \
	(SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) | SIGNAL_BIT(SIGURG) |      \
	 SIGNAL_BIT(SIGWINCH))
#define DEFAULT_STOP                                                           \
	(SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) |     \
	 SIGNAL_BIT(SIGTTOU))
#define DEFAULT_CORE                                                           \
	(SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) |      \
	 SIGNAL_BIT(SIGABRT) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) |       \
	 SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGXCPU) | SIGNAL_BIT(SIGXFSZ) |     \
	 SIGNAL_BIT(SIGSYS))
/* Signals that a running instruction may cause. */
#define FAULT_SIGNALS                                                          \
	(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGILL) |       \
	 SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGTRAP))

/* Values of `handler` in struct signal_action that are not addresses. */
enum { HANDLER_DEFAULT, HANDLER_IGNORE };

/* "SIGHUP" and so on; never NULL. */
const char *signal_name(int number);

#endif
