/* Calls about file systems and the host's page cache: ustat, sysfs,
 * cachestat. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

/* struct ustat as the host's kernel fills it in. */
struct host_ustat {
	int32_t free_blocks;
	uint64_t free_inodes;
	char name[6], pack[6];
};

int64_t call_ustat(struct context *context, const uint64_t *a)
{
	struct host_ustat host = { 0 };
	uint32_t narrow[5];

	if (syscall(SYS_ustat, (unsigned)a[0], &host))
		return -errno;
	if (!context->abi32)
		return guest_put(context, a[1], &host, sizeof host);
	narrow[0] = (uint32_t)host.free_blocks;
	narrow[1] = (uint32_t)host.free_inodes;
	memcpy(narrow + 2, host.name, sizeof host.name + sizeof host.pack);
	return guest_put(context, a[1], narrow, sizeof narrow);
}

int64_t call_sysfs(struct context *context, const uint64_t *a)
{
	char name[64] = { 0 };
	int length;

	switch ((int)a[0]) {
	case 1: /* name to number */
		length = guest_get_string(context, a[1], name, sizeof name);
		if (length < 0)
			return length == -ENAMETOOLONG ? -EINVAL : length;
		return host_result(syscall(SYS_sysfs, 1, name));
	case 2: /* number to name */
		if (syscall(SYS_sysfs, 2, (unsigned)a[1], name))
			return -errno;
		return guest_put(context, a[2], name, strlen(name) + 1);
	case 3: /* number of file systems */
		return host_result(syscall(SYS_sysfs, 3));
	default:
		return -EINVAL;
	}
}

/* Linux 6.5. Both structures are the same in both ABIs. */
enum { CALL_CACHESTAT = 451 };

int64_t call_cachestat(struct context *context, const uint64_t *a)
{
	const struct file *file = file_get(context->process, (int)a[0]);
	uint64_t range[2], counts[5] = { 0 };

	if (!file)
		return -EBADF;
	if (guest_get(context, a[1], range, sizeof range))
		return -EFAULT;
	if (syscall(CALL_CACHESTAT, file->host, range, counts, (unsigned)a[3]))
		return -errno;
	return guest_put(context, a[2], counts, sizeof counts);
}
