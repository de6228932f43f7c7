/* socketcall(): how i386 programs make the calls about sockets. */
#include <errno.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

int64_t call_socketcall(struct context *context, const uint64_t *a)
{
	static const struct {
		call_handler *handler;
		unsigned arguments;
	} calls[] = {
		[1] = { call_socket, 3 },       [2] = { call_bind, 3 },
		[3] = { call_connect, 3 },      [4] = { call_listen, 2 },
		[5] = { call_accept, 3 },       [6] = { call_getsockname, 3 },
		[7] = { call_getpeername, 3 },  [8] = { call_socketpair, 4 },
		[9] = { call_sendto, 4 },       [10] = { call_recvfrom, 4 },
		[11] = { call_sendto, 6 },      [12] = { call_recvfrom, 6 },
		[13] = { call_shutdown, 2 },    [14] = { call_setsockopt, 5 },
		[15] = { call_getsockopt, 5 },  [16] = { call_sendmsg, 3 },
		[17] = { call_recvmsg, 3 },     [18] = { call_accept4, 4 },
		[19] = { call_recvmmsg, 5 },    [20] = { call_sendmmsg, 4 },
	};
	uint64_t b[CALL_ARGUMENTS] = { 0 };

	if (a[0] < 1 || a[0] >= ARRAY_SIZE(calls))
		return -EINVAL;
	for (unsigned i = 0; i < calls[a[0]].arguments; i++)
		if (guest_get_word(context, a[1] + 4 * i, b + i))
			return -EFAULT;
	return calls[a[0]].handler(context, b);
}
