/* Capabilities as capabilities(7) has them: what becomes of a process's sets
 * when its ids change, and the calls that show and change them. */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"

#define BIT(capability) (UINT64_C(1) << (capability))

/* Capabilities that belong to the file-access id 0. */
#define FILE_SET                                                               \
	(BIT(CAP_CHOWN) | BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) |   \
	 BIT(CAP_FOWNER) | BIT(CAP_FSETID) | BIT(CAP_LINUX_IMMUTABLE) |        \
	 BIT(CAP_MAC_OVERRIDE) | BIT(CAP_MKNOD))

bool has_capability(const struct process *process, int capability)
{
	return !process->credentials.users &&
	       has_own_capability(process, capability);
}

/* ---- The host's ---- */

static bool get_host(struct __user_cap_data_struct *sets)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};

	return syscall(SYS_capget, &header, sets) == 0;
}

void capabilities_start(struct credentials *credentials, uint64_t told)
{
	struct __user_cap_data_struct sets[2];

	if (told && geteuid() == 0) {
		credentials->bounding = credentials->permitted =
			credentials->effective = told;
		return;
	}
	for (int i = 0; i <= CAPABILITY_LAST; i++)
		if (prctl(PR_CAPBSET_READ, i, 0, 0, 0) == 1)
			credentials->bounding |= BIT(i);
	/* A user who is not the superuser has only the user's rights. */
	if (geteuid() == 0 && get_host(sets))
		credentials->permitted = credentials->effective =
			sets[0].permitted |
			(uint64_t)sets[1].permitted << 32;
}

void capabilities_enter(const struct credentials *credentials)
{
	/* Those that the way back takes stay. In a user namespace of its own
	 * a guest has none over what the host has. */
	const uint64_t wanted =
		(credentials->users ? 0 : credentials->effective) |
		BIT(CAP_SETUID) | BIT(CAP_SETGID);
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct sets[2];

	if (!get_host(sets))
		return;
	sets[0].effective = sets[0].permitted & (uint32_t)wanted;
	sets[1].effective = sets[1].permitted & (uint32_t)(wanted >> 32);
	syscall(SYS_capset, &header, sets);
}

/* ---- Ids change ---- */

static bool is_root(const struct credentials *credentials, unsigned id)
{
	uint32_t root;

	return user_meant(credentials->users, 0, &root) && id == root;
}

static bool any_root(const struct credentials *credentials,
		     const unsigned *ids)
{
	return is_root(credentials, ids[REAL]) ||
	       is_root(credentials, ids[EFFECTIVE]) ||
	       is_root(credentials, ids[SAVED]);
}

void capabilities_follow_users(struct credentials *credentials,
			       const unsigned *old)
{
	const unsigned *new = credentials->user;
	const bool old_root = is_root(credentials, old[EFFECTIVE]);
	const bool new_root = is_root(credentials, new[EFFECTIVE]);

	if (credentials->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	if (any_root(credentials, old) && !any_root(credentials, new)) {
		if (!(credentials->securebits & SECBIT_KEEP_CAPS))
			credentials->permitted = credentials->effective = 0;
		credentials->ambient = 0;
	}
	if (old_root && !new_root)
		credentials->effective = 0;
	if (!old_root && new_root)
		credentials->effective = credentials->permitted;
}

void capabilities_follow_files(struct credentials *credentials, unsigned old)
{
	const bool old_root = is_root(credentials, old);
	const bool new_root = is_root(credentials, credentials->user[FILES]);

	if (credentials->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	if (old_root && !new_root)
		credentials->effective &= ~FILE_SET;
	if (!old_root && new_root)
		credentials->effective |= credentials->permitted & FILE_SET;
}

void capabilities_of_real_user(struct credentials *credentials)
{
	if (credentials->securebits & SECBIT_NO_SETUID_FIXUP)
		return;
	credentials->effective =
		is_root(credentials, credentials->user[REAL])
			? credentials->permitted : 0;
}

/* ---- capget, capset ---- */

/* 32-bit words of each set in the version of a header: 1, 2, or a negative
 * errno; of an unknown version the header learns the newest. */
static int version_words(struct context *context, uint64_t address,
			 uint32_t *header)
{
	if (guest_get(context, address, header, 4))
		return -EFAULT;
	switch (*header) {
	case _LINUX_CAPABILITY_VERSION_1:
		return 1;
	case _LINUX_CAPABILITY_VERSION_2:
	case _LINUX_CAPABILITY_VERSION_3:
		return 2;
	default:
		*header = _LINUX_CAPABILITY_VERSION_3;
		return guest_put(context, address, header, 4) ? -EFAULT
							      : -EINVAL;
	}
}

int64_t call_capget(struct context *context, const uint64_t *a)
{
	const struct process *process = context->process;
	const struct credentials *own;
	uint32_t header[2], data[6];
	int words = version_words(context, a[0], header);

	if (words < 0)
		return words == -EINVAL && !a[1] ? 0 : words;
	if (!a[1])
		return 0;
	if (guest_get(context, a[0], header, sizeof header))
		return -EFAULT;
	if ((int)header[1] < 0)
		return -EINVAL;
	if (header[1]) {
		const struct context *target = context_find(
			process->system,
			id_meant(process->pids, (int)header[1]));

		if (!target)
			return -ESRCH;
		process = target->process;
	}
	own = &process->credentials;
	for (int i = 0; i < words; i++) {
		data[3 * i] = (uint32_t)(own->effective >> 32 * i);
		data[3 * i + 1] = (uint32_t)(own->permitted >> 32 * i);
		data[3 * i + 2] = (uint32_t)(own->inheritable >> 32 * i);
	}
	return guest_put(context, a[1], data, (size_t)words * 12);
}

static int set_sets(struct process *process, uint64_t effective,
		    uint64_t permitted, uint64_t inheritable)
{
	struct credentials *own = &process->credentials;

	if (!has_own_capability(process, CAP_SETPCAP) &&
	    (inheritable & ~(own->inheritable | own->permitted)))
		return -EPERM;
	if ((inheritable & ~(own->inheritable | own->bounding)) ||
	    (permitted & ~own->permitted) || (effective & ~permitted))
		return -EPERM;
	own->effective = effective;
	own->permitted = permitted;
	own->inheritable = inheritable;
	own->ambient &= permitted & inheritable;
	return 0;
}

int64_t call_capset(struct context *context, const uint64_t *a)
{
	uint32_t header[2], data[6] = { 0 };
	uint64_t sets[3];
	int words = version_words(context, a[0], header);

	if (words < 0)
		return words;
	if (guest_get(context, a[0], header, sizeof header))
		return -EFAULT;
	if (header[1] && (int)header[1] != id_seen(context->process->pids,
						   context->tid))
		return -EPERM;
	if (guest_get(context, a[1], data, (size_t)words * 12))
		return -EFAULT;
	for (int i = 0; i < 3; i++)
		sets[i] = (data[i] | (uint64_t)data[3 + i] << 32) &
			  CAPABILITY_ALL;
	return set_sets(context->process, sets[0], sets[1], sets[2]);
}

/* ---- prctl ---- */

static int64_t set_securebits(struct process *process, uint64_t bits)
{
	unsigned *own = &process->credentials.securebits;
	const unsigned locked = *own & SECURE_ALL_LOCKS;

	/* A lock stays, and so does what it is for: the bit below it. */
	if ((bits & ~(uint64_t)(SECURE_ALL_BITS | SECURE_ALL_LOCKS)) ||
	    ((locked | locked >> 1) & (*own ^ bits)) ||
	    !has_own_capability(process, CAP_SETPCAP))
		return -EPERM;
	*own = (unsigned)bits;
	return 0;
}

static int64_t keep_capabilities(struct credentials *own, uint64_t keep)
{
	if (keep > 1)
		return -EINVAL;
	if (own->securebits & SECBIT_KEEP_CAPS_LOCKED)
		return -EPERM;
	own->securebits &= ~SECBIT_KEEP_CAPS;
	own->securebits |= keep ? SECBIT_KEEP_CAPS : 0;
	return 0;
}

static int64_t drop_bounding(struct process *process, uint64_t capability)
{
	if (!has_own_capability(process, CAP_SETPCAP))
		return -EPERM;
	if (capability > CAPABILITY_LAST)
		return -EINVAL;
	process->credentials.bounding &= ~BIT(capability);
	return 0;
}

static int64_t ambient(struct credentials *own, const uint64_t *a)
{
	if (a[1] == PR_CAP_AMBIENT_CLEAR_ALL) {
		if (a[2] || a[3] || a[4])
			return -EINVAL;
		own->ambient = 0;
		return 0;
	}
	if (a[2] > CAPABILITY_LAST || a[3] || a[4])
		return -EINVAL;
	switch (a[1]) {
	case PR_CAP_AMBIENT_IS_SET:
		return (int64_t)(own->ambient >> a[2] & 1);
	case PR_CAP_AMBIENT_RAISE:
		if (!(own->permitted & own->inheritable & BIT(a[2])) ||
		    (own->securebits & SECBIT_NO_CAP_AMBIENT_RAISE))
			return -EPERM;
		own->ambient |= BIT(a[2]);
		return 0;
	case PR_CAP_AMBIENT_LOWER:
		own->ambient &= ~BIT(a[2]);
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t capability_prctl(struct context *context, const uint64_t *a)
{
	struct process *process = context->process;
	struct credentials *own = &process->credentials;

	switch ((int)a[0]) {
	case PR_GET_SECUREBITS:
		return own->securebits;
	case PR_SET_SECUREBITS:
		return set_securebits(process, a[1]);
	case PR_GET_KEEPCAPS:
		return !!(own->securebits & SECBIT_KEEP_CAPS);
	case PR_SET_KEEPCAPS:
		return keep_capabilities(own, a[1]);
	case PR_CAPBSET_READ:
		return a[1] > CAPABILITY_LAST
			       ? -EINVAL
			       : (int64_t)(own->bounding >> a[1] & 1);
	case PR_CAPBSET_DROP:
		return drop_bounding(process, a[1]);
	default: /* PR_CAP_AMBIENT */
		return ambient(own, a);
	}
}
