/* ioctl: terminals, interfaces, and the requests that fcntl() has, too. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/async/async.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/processes/pidfd.h"
#include "x86/linux/state.h"

enum way { IN = 1, OUT = 2 };

/* Requests whose argument has one layout in both ABIs. */
static const struct {
	uint32_t number;
	/* size of the argument; 0: the argument is a value, not an address */
	uint16_t size;
	uint16_t way;
} requests[] = {
	{ TCGETS, 36, OUT }, { TCSETS, 36, IN }, { TCSETSW, 36, IN },
	{ TCSETSF, 36, IN }, { TCGETA, 18, OUT }, { TCSETA, 18, IN },
	{ 0x802c542a /* TCGETS2 */, 44, OUT },
	{ 0x402c542b /* TCSETS2 */, 44, IN },
	{ 0x402c542c /* TCSETSW2 */, 44, IN },
	{ 0x402c542d /* TCSETSF2 */, 44, IN },
	{ TCSBRK, 0, 0 }, { TCXONC, 0, 0 }, { TCFLSH, 0, 0 },
	{ TIOCGWINSZ, 8, OUT }, { TIOCSWINSZ, 8, IN }, { TIOCOUTQ, 4, OUT },
	{ FIONREAD, 4, OUT }, { TIOCGPTN, 4, OUT }, { TIOCSPTLCK, 4, IN },
	/* struct ifreq: 16 bytes of name and the value (40 bytes on x86-64, 32
	 * on i386; these requests use the first 32). */
	{ SIOCGIFNAME, 32, IN | OUT }, { SIOCGIFINDEX, 32, IN | OUT },
	{ SIOCGIFFLAGS, 32, IN | OUT }, { SIOCGIFADDR, 32, IN | OUT },
	{ SIOCGIFNETMASK, 32, IN | OUT }, { SIOCGIFBRDADDR, 32, IN | OUT },
	{ SIOCGIFMTU, 32, IN | OUT }, { SIOCGIFHWADDR, 32, IN | OUT },
	{ SIOCSIFFLAGS, 32, IN }, { SIOCATMARK, 4, OUT },
	{ 0x80086601 /* FS_IOC_GETFLAGS */, 4, OUT },
	{ 0x80046601 /* FS_IOC_GETFLAGS of i386 */, 4, OUT },
	{ TIOCNOTTY, 0, 0 }, { TIOCEXCL, 0, 0 }, { TIOCNXCL, 0, 0 },
};

/* FS_IOC_SETFLAGS: attributes of a file, chattr(1). */
static int64_t set_attributes(struct context *context, const struct file *file,
			      uint64_t address)
{
	int32_t flags;

	if (guest_get(context, address, &flags, sizeof flags))
		return -EFAULT;
	if (file_may_change(context, file))
		return -EROFS;
	return host_result(ioctl(file->host, FS_IOC_SETFLAGS, &flags));
}

/* struct ifconf: room in bytes, and the address for struct ifreq (40 bytes on
 * x86-64, 32 on i386). Without room the call returns the needed room. */
static int64_t list_interfaces(struct context *context,
			       const struct file *file, uint64_t address)
{
	const unsigned word = context->abi32 ? 4 : 8;
	const unsigned size = context->abi32 ? 32 : sizeof(struct ifreq);
	struct ifreq list[64];
	struct ifconf host = { .ifc_len = sizeof list, .ifc_req = list };
	int32_t room;
	uint64_t to;
	int count;

	if (guest_get(context, address, &room, sizeof room) ||
	    guest_get_word(context, address + word, &to))
		return -EFAULT;
	if (ioctl(file->host, SIOCGIFCONF, &host) != 0)
		return -errno;
	count = host.ifc_len / (int)sizeof *list;
	if (to && count > room / (int)size)
		count = room < 0 ? 0 : room / (int)size;
	for (int i = 0; to && i < count; i++)
		if (guest_put(context, to + (unsigned)i * size, list + i,
			      size))
			return -EFAULT;
	room = count * (int)size;
	return guest_put(context, address, &room, sizeof room);
}

int64_t call_ioctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct file *file = file_get(process, (int)a[0]);
	uint8_t bytes[64] = { 0 };
	int32_t value;

	if (!file || (fcntl(file->host, F_GETFL) & O_PATH))
		return -EBADF;
	if (file->denied && landlock_ioctl(file, (uint32_t)a[1]))
		return -EACCES;
	if (file->kind == FILE_NAMESPACE && ((uint32_t)a[1] & 0xff00) == 0xb700)
		return namespace_ioctl(context, file, (uint32_t)a[1], a[2]);
	if (file->kind == FILE_PROCESS && ((uint32_t)a[1] & 0xff00) == 0xff00)
		return pidfd_ioctl(context, file, (uint32_t)a[1], a[2]);
	switch ((uint32_t)a[1]) {
	case FIONBIO:
		if (guest_get(context, a[2], &value, sizeof value))
			return -EFAULT;
		file->nonblock = value;
		return 0;
	case FIOCLEX:
	case FIONCLEX:
		process->files->list[(int)a[0]].close_on_exec =
			(uint32_t)a[1] == FIOCLEX;
		return 0;
	case FIOASYNC:
		if (guest_get(context, a[2], &value, sizeof value))
			return -EFAULT;
		return async_set(context, file, (int)a[0], value);
	case TIOCGPGRP:
	case TIOCGSID:
		if (!isatty(file->host))
			return -ENOTTY;
		value = (uint32_t)a[1] == TIOCGSID
				? process->session
				: process->system->foreground_group;
		return guest_put(context, a[2], &value, sizeof value);
	case TIOCSPGRP:
		if (!isatty(file->host))
			return -ENOTTY;
		if (guest_get(context, a[2], &value, sizeof value))
			return -EFAULT;
		process->system->foreground_group = value;
		return 0;
	case 0x40086602: /* FS_IOC_SETFLAGS, on x86-64 and on i386 */
	case 0x40046602:
		return set_attributes(context, file, a[2]);
	case SIOCGIFCONF:
		return file->is_socket
			       ? list_interfaces(context, file, a[2])
			       : -ENOTTY;
	case RNDGETENTCNT:
		/* A ready generator has that much entropy (random(4)). */
		if (file->kind != FILE_RANDOM)
			return -ENOTTY;
		return guest_put(context, a[2], &(int32_t){ 256 }, 4);
	case 0xc0686611: /* PROCMAP_QUERY */
		return proc_query_map(context, file, a[2]);
	case TIOCSCTTY:
		return isatty(file->host) ? 0 : -ENOTTY;
	case SIOCSIFFLAGS: /* they set up the host's interfaces */
		if (confine_has_root(process->system) ||
		    process->system->options->read_only ||
		    process->system->options->no_network)
			return -EPERM;
		break;
	default:
		break;
	}
	for (size_t i = 0; i < ARRAY_SIZE(requests); i++) {
		int64_t result;

		if (requests[i].number != (uint32_t)a[1])
			continue;
		if (!requests[i].size)
			return host_result(
				ioctl(file->host, requests[i].number, a[2]));
		if ((requests[i].way & IN) &&
		    guest_get(context, a[2], bytes, requests[i].size))
			return -EFAULT;
		result = host_result(
			ioctl(file->host, requests[i].number, bytes));
		if (result >= 0 && (requests[i].way & OUT) &&
		    guest_put(context, a[2], bytes, requests[i].size))
			return -EFAULT;
		return result;
	}
	return -ENOTTY;
}
