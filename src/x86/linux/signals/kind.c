/* Names of signals. */
#include "base/memory.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/state.h"

const char *signal_name(int number)
{
	static const char *const names[] = {
		"0", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP",
		"SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
		"SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM",
		"SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP",
		"SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ",
		"SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR",
		"SIGSYS"
	};

	if (number >= 0 && number < (int)ARRAY_SIZE(names))
		return names[number];
	return number <= SIGNALS ? "SIGRT" : "?";
}
