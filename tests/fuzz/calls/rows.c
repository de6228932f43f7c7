/* The table of system calls with the kinds of their arguments: the simulator's
 * own, with more about some. */
#include <string.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"
#include "x86/linux/linux.h"

const struct row rows[] = {
#define CALL(name, i386, x86_64, restart, arguments, handler)                  \
	{ #name, { x86_64, i386 }, arguments },
#define ABSENT(name, i386, x86_64) { #name, { x86_64, i386 }, "xxxxxx" },
#include "x86/linux/calls.def"
};
const size_t row_count = ARRAY_SIZE(rows);

/* What the table calls a pointer or a number, for the trace. */
static const struct {
	const char *name, *kinds;
} refined[] = {
	{ "clone", "Kpppp" },
	{ "clock_nanosleep", "cxtp" },
	{ "clock_nanosleep_time64", "cxtp" },
	{ "epoll_ctl", "fef6" },
	{ "epoll_pwait", "fpddqz" },
	{ "epoll_pwait2", "fpdtqz" },
	{ "fcntl", "fF?" },
	{ "fcntl64", "fF?" },
	{ "futex", "pUdtpx" },
	{ "futex_time64", "pUdtpx" },
	{ "futex_waitv", "7uxtc" },
	{ "futimesat", "fst" },
	{ "ioctl", "fI?" },
	{ "msgsnd", "d8zx" },
	{ "openat2", "fs5z" },
	{ "ppoll", "jutqz" },
	{ "ppoll_time64", "jutqz" },
	{ "preadv", "fidxx" },
	{ "preadv2", "fidxxx" },
	{ "prlimit64", "dr5p" },
	{ "process_vm_readv", "diuiux" },
	{ "process_vm_writev", "diuiux" },
	{ "pselect6", "d333tq" },
	{ "pselect6_time64", "d333tq" },
	{ "pwritev", "fidxx" },
	{ "pwritev2", "fidxxx" },
	{ "readv", "fid" },
	{ "recvmmsg", "f2uxt" },
	{ "recvmmsg_time64", "f2uxt" },
	{ "recvmsg", "f1x" },
	{ "select", "d333t" },
	{ "_newselect", "d333t" },
	{ "semop", "d8u" },
	{ "semtimedop", "d8ut" },
	{ "semtimedop_time64", "d8ut" },
	{ "sendmmsg", "f2ux" },
	{ "sendmsg", "f1x" },
	{ "set_robust_list", "5z" },
	{ "setitimer", "dtp" },
	{ "setrlimit", "r5" },
	{ "setsockopt", "fddpz" },
	{ "sigaltstack", "5p" },
	{ "timer_create", "c4p" },
	{ "timer_settime", "dxtp" },
	{ "timer_settime64", "dxtp" },
	{ "timerfd_settime", "fxtp" },
	{ "timerfd_settime64", "fxtp" },
	{ "utime", "st" },
	{ "utimensat", "fstx" },
	{ "utimensat_time64", "fstx" },
	{ "utimes", "st" },
	{ "vmsplice", "fiux" },
	{ "writev", "fid" },
};

static const char *kinds_of(const struct row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(refined); i++)
		if (!strcmp(refined[i].name, row->name))
			return refined[i].kinds;
	return row->kinds;
}

const struct row *row_choose(unsigned number, bool narrow)
{
	static struct row row;
	size_t at = number % row_count;

	while (rows[at].number[narrow] < 0)
		at = (at + 1) % row_count;
	row = rows[at];
	row.kinds = kinds_of(&row);
	return &row;
}
