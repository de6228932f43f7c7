/* Options of sockets. */
#include <errno.h>
#include <limits.h>
#include <linux/if_packet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sockets/socket.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

/* Options whose value holds an address or a descriptor, and options of kernel
 * parts that programs do not need, are not offered. */
static bool option_offered(int level, int name)
{
	switch (level) {
	case SOL_SOCKET:
		return name != SO_ATTACH_FILTER && name != SO_ATTACH_BPF &&
		       name != SO_ATTACH_REUSEPORT_CBPF &&
		       name != SO_ATTACH_REUSEPORT_EBPF;
	case IPPROTO_IP: /* packet filters are from 64 on */
		return name < 64;
	case IPPROTO_IPV6:
		return name < 64 || name > 66;
	case IPPROTO_TCP:
		return name != 35; /* TCP_ZEROCOPY_RECEIVE */
	case SOL_PACKET:
		return name != PACKET_FANOUT_DATA;
	case IPPROTO_UDP:
	case IPPROTO_ICMPV6:
	case IPPROTO_RAW:
	case 270: /* SOL_NETLINK */
		return true;
	default:
		return false;
	}
}

/* The error for the others: known levels without that option, or none. */
static int option_error(int level)
{
	return level < 256 ? -EOPNOTSUPP : -ENOPROTOOPT;
}

static bool is_time_option(const uint64_t *a)
{
	return (int)a[1] == SOL_SOCKET &&
	       ((int)a[2] == SO_RCVTIMEO || (int)a[2] == SO_SNDTIMEO);
}

int64_t call_setsockopt(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	uint8_t value[512];

	if (!file)
		return socket_error(context, a[0]);
	if (is_time_option(a)) {
		uint64_t time[2];
		unsigned word = context->abi32 ? 4 : 8;

		if (guest_get_word(context, a[3], time) ||
		    guest_get_word(context, a[3] + word, time + 1))
			return -EFAULT;
		if (a[4] < 2 * word)
			return -EINVAL;
		if (context->abi32) {
			time[0] = (uint64_t)(int32_t)time[0];
			time[1] = (uint64_t)(int32_t)time[1];
		}
		if (setsockopt(file->host, SOL_SOCKET, (int)a[2], time,
			       sizeof time))
			return -errno;
		/* The host never waits: the simulator applies the limit. */
		if ((int64_t)time[0] < 0)
			time[0] = time[1] = 0;
		if (time[0] > TIME_END / 1000000000)
			time[0] = TIME_END / 1000000000;
		file->socket.timeout[(int)a[2] == SO_SNDTIMEO] =
			(int64_t)(time[0] * 1000000000 + time[1] * 1000);
		return 0;
	}
	if (!option_offered((int)a[1], (int)a[2]))
		return option_error((int)a[1]);
	if (a[4] > sizeof value)
		return -EINVAL;
	if (guest_get(context, a[3], value, a[4]))
		return -EFAULT;
	return host_result(setsockopt(file->host, (int)a[1], (int)a[2], value,
				      (socklen_t)a[4]));
}

/* struct ucred: to the host all guests are one process. The other end of a
 * pair, and who listened where this socket connected, are known. */
static void peer_identity(struct context *context, const struct file *file,
			  uint8_t *value, socklen_t size)
{
	int32_t words[3];

	if (size < sizeof words)
		return;
	memcpy(words, value, sizeof words);
	if (words[0] != getpid())
		return;
	words[0] =
		file->socket.peer ? file->socket.peer : context->process->pid;
	memcpy(value, words, sizeof words);
}

int64_t call_getsockopt(struct context *context, const uint64_t *a)
{
	struct file *file = get_socket(context, a[0]);
	uint8_t value[512];
	socklen_t length;

	if (!file)
		return socket_error(context, a[0]);
	if (guest_get(context, a[4], &length, sizeof length))
		return -EFAULT;
	if ((int)length < 0)
		return -EINVAL;
	if (is_time_option(a) && context->abi32) {
		int64_t time[2];
		int32_t narrow[2];

		length = sizeof time;
		if (getsockopt(file->host, SOL_SOCKET, (int)a[2], time,
			       &length))
			return -errno;
		narrow[0] = (int32_t)time[0];
		narrow[1] = (int32_t)time[1];
		length = sizeof narrow;
		memcpy(value, narrow, sizeof narrow);
	} else if (!option_offered((int)a[1], (int)a[2])) {
		/* The host's error for an option that there never is. */
		length = 0;
		return getsockopt(file->host, (int)a[1], INT_MAX, value,
				  &length)
			       ? -errno
			       : option_error((int)a[1]);
	} else {
		if (length > sizeof value)
			length = sizeof value;
		if (getsockopt(file->host, (int)a[1], (int)a[2], value,
			       &length))
			return -errno;
		if ((int)a[1] == SOL_SOCKET && (int)a[2] == SO_PEERCRED)
			peer_identity(context, file, value, length);
	}
	if (guest_put(context, a[3], value, length))
		return -EFAULT;
	return guest_put(context, a[4], &length, sizeof length);
}
