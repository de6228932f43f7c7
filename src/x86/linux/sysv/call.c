/* ipc() of i386: all calls of System V IPC under one number (ipc(2)). */
#include <errno.h>

#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/sysv/object.h"

enum {
	SEMOP = 1, SEMGET = 2, SEMCTL = 3, SEMTIMEDOP = 4, MSGSND = 11,
	MSGRCV = 12, MSGGET = 13, MSGCTL = 14, SHMAT = 21, SHMDT = 22,
	SHMGET = 23, SHMCTL = 24,
};

static int64_t attach_segment(struct context *context, const uint64_t *a)
{
	int64_t address = call_shmat(context,
				     (uint64_t[]){ a[1], a[4], a[2] });

	if (address < 0 && address > -4096)
		return address;
	return guest_put_word(context, a[3], (uint64_t)address);
}

/* Version 0 has the address and the type in a structure. */
static int64_t receive_old(struct context *context, const uint64_t *a)
{
	uint32_t pair[2] = { (uint32_t)a[4], (uint32_t)a[5] };

	if (!(a[0] >> 16)) {
		if (!a[4])
			return -EINVAL;
		if (guest_get(context, a[4], pair, sizeof pair))
			return -EFAULT;
	}
	return call_msgrcv(context, (uint64_t[]){ a[1], pair[0], a[2],
						  pair[1], a[3] });
}

/* a: call and version, first, second, third, pointer, fifth */
int64_t call_ipc(struct context *context, const uint64_t *a)
{
	uint64_t value;

	switch (a[0] & 0xffff) {
	case SEMOP:
		return call_semop(context, (uint64_t[]){ a[1], a[4], a[2] });
	case SEMTIMEDOP:
		return call_semtimedop(context, (uint64_t[]){ a[1], a[4],
							      a[2], a[5] });
	case SEMGET:
		return call_semget(context, a + 1);
	case SEMCTL:
		if (!a[4])
			return -EINVAL;
		if (guest_get_word(context, a[4], &value))
			return -EFAULT;
		return call_semctl(context, (uint64_t[]){ a[1], a[2], a[3],
							  value });
	case MSGSND:
		return call_msgsnd(context, (uint64_t[]){ a[1], a[4], a[2],
							  a[3] });
	case MSGRCV:
		return receive_old(context, a);
	case MSGGET:
		return call_msgget(context, a + 1);
	case MSGCTL:
		return call_msgctl(context, (uint64_t[]){ a[1], a[2], a[4] });
	case SHMAT:
		return a[0] >> 16 == 1 ? -EINVAL : attach_segment(context, a);
	case SHMDT:
		return call_shmdt(context, a + 4);
	case SHMGET:
		return call_shmget(context, a + 1);
	case SHMCTL:
		return call_shmctl(context, (uint64_t[]){ a[1], a[2], a[4] });
	default:
		return -ENOSYS;
	}
}
