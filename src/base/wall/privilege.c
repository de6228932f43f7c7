/* Capabilities: root's rights in parts (capabilities(7)). */
#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wall/internal.h"

#define BIT(capability) (UINT64_C(1) << (capability))

/* Capabilities that a guest's superuser uses for files and for ids. Not among
 * them are capabilities over the machine, other processes, mounts and devices;
 * and CAP_DAC_READ_SEARCH, which opens files by handle from outside every
 * root. */
static const uint64_t file_capabilities =
	BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_FOWNER) |
	BIT(CAP_FSETID) | BIT(CAP_SETUID) | BIT(CAP_SETGID) |
	BIT(CAP_SETFCAP) | BIT(CAP_LEASE);
/* Further capabilities if the host's files are not walled off. */
static const uint64_t device_capabilities = BIT(CAP_MKNOD);
static const uint64_t network_capabilities =
	BIT(CAP_NET_BIND_SERVICE) | BIT(CAP_NET_RAW);

static struct __user_cap_header_struct own_header(void)
{
	return (struct __user_cap_header_struct){
		.version = _LINUX_CAPABILITY_VERSION_3
	};
}

uint64_t wall_capabilities(void)
{
	struct __user_cap_header_struct header = own_header();
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return 0;
	return data[0].permitted | (uint64_t)data[1].permitted << 32;
}

uint64_t privilege_kept(const struct wall *wall)
{
	uint64_t kept = file_capabilities;

	if (!wall->files)
		kept |= device_capabilities;
	if (!wall->no_network)
		kept |= network_capabilities;
	return kept & wall_capabilities();
}

int privilege_drop(uint64_t kept, struct error *error)
{
	struct __user_cap_header_struct header = own_header();
	struct __user_cap_data_struct data[2] = { 0 };

	for (int i = 0; i < 2; i++)
		data[i].permitted = data[i].effective =
			(uint32_t)(kept >> 32 * i);
	/* Limits the capabilities of programs that the process executes.
	 * EINVAL: there is no such capability. */
	for (int i = 0; i < 64; i++)
		if (!(kept & BIT(i)))
			prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	if (syscall(SYS_capset, &header, data))
		return error_set(error, "cannot give up capabilities: %s",
				 strerror(errno));
	/* The kernel takes a process that changed its rights for one with
	 * secrets, whose /proc files not even its children may read. */
	prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return error_set(error, "cannot set PR_SET_NO_NEW_PRIVS: %s",
				 strerror(errno));
	return 0;
}
