#include <signal.h>

#include "base/memory.h"
#include "debug/gdb/internal.h"

/* The protocol has its own numbers (include/gdb/signals.def of gdb says
 * which); of real-time signals 33 to 63 are in one run. */
static const struct {
	uint8_t gdb, linux_number;
} pairs[] = {
	{ 1, SIGHUP },   { 2, SIGINT },   { 3, SIGQUIT },    { 4, SIGILL },
	{ 5, SIGTRAP },  { 6, SIGABRT },  { 8, SIGFPE },     { 9, SIGKILL },
	{ 10, SIGBUS },  { 11, SIGSEGV }, { 12, SIGSYS },    { 13, SIGPIPE },
	{ 14, SIGALRM }, { 15, SIGTERM }, { 16, SIGURG },    { 17, SIGSTOP },
	{ 18, SIGTSTP }, { 19, SIGCONT }, { 20, SIGCHLD },   { 21, SIGTTIN },
	{ 22, SIGTTOU }, { 23, SIGIO },   { 24, SIGXCPU },   { 25, SIGXFSZ },
	{ 26, SIGVTALRM }, { 27, SIGPROF }, { 28, SIGWINCH }, { 30, SIGUSR1 },
	{ 31, SIGUSR2 }, { 32, SIGPWR },  { 77, 32 },        { 78, 64 },
};
enum { FIRST_REAL_TIME = 45, UNKNOWN = 143 };

int gdb_signal_of_linux(int signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].linux_number == signal)
			return pairs[i].gdb;
	if (signal >= 33 && signal <= 63)
		return signal - 33 + FIRST_REAL_TIME;
	return UNKNOWN;
}

int gdb_signal_to_linux(uint64_t signal)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].gdb == signal)
			return pairs[i].linux_number;
	if (signal >= FIRST_REAL_TIME && signal <= FIRST_REAL_TIME + 63 - 33)
		return (int)signal - FIRST_REAL_TIME + 33;
	return 0;
}
