/* ioctl: terminals, interfaces, and what fcntl can do, too. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/process.h"

enum way { IN = 1, OUT = 2 };

/* Requests whose argument has one layout in both ABIs. */
static const struct {
	uint32_t number;
	uint16_t size; /* of the argument; 0: it is a value, not an address */
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
	 * on i386; what is asked for is in the first 32). */
	{ SIOCGIFNAME, 32, IN | OUT }, { SIOCGIFINDEX, 32, IN | OUT },
	{ SIOCGIFFLAGS, 32, IN | OUT }, { SIOCGIFADDR, 32, IN | OUT },
	{ SIOCGIFNETMASK, 32, IN | OUT }, { SIOCGIFBRDADDR, 32, IN | OUT },
	{ SIOCGIFMTU, 32, IN | OUT }, { SIOCGIFHWADDR, 32, IN | OUT },
	{ SIOCATMARK, 4, OUT },
	{ TIOCNOTTY, 0, 0 }, { TIOCEXCL, 0, 0 }, { TIOCNXCL, 0, 0 },
};

int64_t call_ioctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct file *file = file_get(process, (int)a[0]);
	uint8_t bytes[64] = { 0 };
	int32_t value;

	if (!file || (fcntl(file->host, F_GETFL) & O_PATH))
		return -EBADF;
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
		return 0;
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
	case TIOCSCTTY:
		return isatty(file->host) ? 0 : -ENOTTY;
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
