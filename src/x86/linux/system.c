/* Calls about the machine and about who the program is. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "x86/linux/process.h"

int64_t call_absent(struct context *context, const uint64_t *a)
{
	(void)a;
	context->process->system->unknown_calls++;
	return -ENOSYS;
}

int64_t call_accept_quietly(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return 0;
}

int64_t call_not_permitted(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return -EPERM;
}

/* ---- Identity: the user who runs the simulator ---- */

int64_t call_getuid(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return getuid();
}

int64_t call_geteuid(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return geteuid();
}

int64_t call_getgid(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return getgid();
}

int64_t call_getegid(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return getegid();
}

/* The 16-bit calls of i386 write 16-bit ids. */
static int64_t put_ids(struct context *context, const uint64_t *a,
		       const unsigned *ids)
{
	size_t size = context->abi32 && context->call_number < 200 ? 2 : 4;

	for (int i = 0; i < 3; i++)
		if (guest_put(context, a[i], ids + i, size))
			return -EFAULT;
	return 0;
}

int64_t call_getresuid(struct context *context, const uint64_t *a)
{
	unsigned ids[3];

	if (getresuid(ids, ids + 1, ids + 2))
		return -errno;
	return put_ids(context, a, ids);
}

int64_t call_getresgid(struct context *context, const uint64_t *a)
{
	unsigned ids[3];

	if (getresgid(ids, ids + 1, ids + 2))
		return -errno;
	return put_ids(context, a, ids);
}

int64_t call_getgroups(struct context *context, const uint64_t *a)
{
	size_t size = context->abi32 && context->call_number < 200 ? 2 : 4;
	gid_t groups[256];
	int count = getgroups(256, groups);

	if (count < 0)
		return -errno;
	if (!(int)a[0])
		return count;
	if ((int)a[0] < count)
		return -EINVAL;
	for (int i = 0; i < count; i++)
		if (guest_put(context, a[1] + (unsigned)i * size, groups + i,
			      size))
			return -EFAULT;
	return count;
}

/* A process may become who it is already, nobody else. */
static int64_t set_identity(const struct context *context, const uint64_t *a,
			    int count)
{
	const unsigned own[] = { getuid(), geteuid(), getgid(), getegid() };
	bool narrow = context->abi32 && context->call_number < 200;

	for (int i = 0; i < count; i++) {
		uint32_t id = narrow ? (uint32_t)a[i] & 0xffff
				     : (uint32_t)a[i];

		if (id != (narrow ? 0xffff : UINT32_MAX) && id != own[0] &&
		    id != own[1] && id != own[2] && id != own[3])
			return -EPERM;
	}
	return 0;
}

int64_t call_set_one_id(struct context *context, const uint64_t *a)
{
	return set_identity(context, a, 1);
}

int64_t call_set_two_ids(struct context *context, const uint64_t *a)
{
	return set_identity(context, a, 2);
}

int64_t call_set_three_ids(struct context *context, const uint64_t *a)
{
	return set_identity(context, a, 3);
}

int64_t call_capget(struct context *context, const uint64_t *a)
{
	const uint32_t version = 0x20080522;
	uint32_t header[2], sets[6] = { 0 };

	if (guest_get(context, a[0], header, sizeof header))
		return -EFAULT;
	if (header[0] != version) {
		header[0] = version;
		guest_put(context, a[0], header, sizeof header);
		return a[1] ? -EINVAL : 0;
	}
	return a[1] ? guest_put(context, a[1], sets, sizeof sets) : 0;
}

int64_t call_personality(struct context *context, const uint64_t *a)
{
	unsigned old = context->process->personality;

	if ((uint32_t)a[0] != UINT32_MAX)
		context->process->personality = (unsigned)a[0];
	return old;
}

/* ---- The machine ---- */

int64_t call_uname(struct context *context, const uint64_t *a)
{
	struct utsname name;

	if (uname(&name) != 0)
		return -errno;
	/* As on a 64-bit kernel: i386 programs see x86_64 too, unless they
	 * run under the 32-bit personality. */
	memset(name.machine, 0, sizeof name.machine);
	strcpy(name.machine,
	       (context->process->personality & 0xff) == PER_LINUX32
		       ? "i686"
		       : "x86_64");
	return guest_put(context, a[0], &name, 6 * 65);
}

int64_t call_sysinfo(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t unit = 1, values[8];
	struct sysinfo host;
	uint8_t bytes[112] = { 0 };
	size_t at = 0;
	uint16_t processes = 0;
	uint32_t unit_32;

	if (sysinfo(&host) != 0)
		return -errno;
	for (const struct process *process =
		     context->process->system->processes;
	     process; process = process->next)
		processes++;
	/* i386 counts in units that make the total fit. */
	while (context->abi32 &&
	       host.totalram * host.mem_unit / unit > UINT32_MAX)
		unit *= 4096;
	values[0] = host.totalram;
	values[1] = host.freeram;
	values[2] = host.sharedram;
	values[3] = host.bufferram;
	values[4] = host.totalswap;
	values[5] = host.freeswap;
	values[6] = host.totalhigh;
	values[7] = host.freehigh;
	for (int i = 0; i < 8; i++)
		values[i] = values[i] * host.mem_unit / unit;
	/* uptime, loads[3], six memory figures, processes, two more figures,
	 * unit. */
	uint64_t uptime = (uint64_t)(clock_monotonic(context->process->system) /
				     1000000000);

	memcpy(bytes + at, &uptime, word);
	at += 4 * word;
	for (int i = 0; i < 6; i++, at += word)
		memcpy(bytes + at, values + i, word);
	memcpy(bytes + at, &processes, 2);
	at += word == 8 ? 8 : 4;
	for (int i = 6; i < 8; i++, at += word)
		memcpy(bytes + at, values + i, word);
	unit_32 = (uint32_t)unit;
	memcpy(bytes + at, &unit_32, 4);
	return guest_put(context, a[0], bytes, context->abi32 ? 64 : 112);
}

/* ---- Limits: the guest's own ---- */

static int put_limit(struct context *context, uint64_t address,
		     const uint64_t *limit)
{
	for (unsigned i = 0; i < 2; i++) {
		uint64_t value = limit[i];
		unsigned word = context->abi32 ? 4 : 8;

		if (context->abi32 && value > UINT32_MAX)
			value = UINT32_MAX;
		if (guest_put_word(context, address + i * word, value))
			return -EFAULT;
	}
	return 0;
}

static bool limit_allowed(const uint64_t *old, const uint64_t *new)
{
	return new[0] <= new[1] && (new[1] <= old[1]);
}

int64_t call_getrlimit(struct context *context, const uint64_t *a)
{
	if (a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	return put_limit(context, a[1], context->process->limit[a[0]]);
}

int64_t call_setrlimit(struct context *context, const uint64_t *a)
{
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t new[2];

	if (a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	for (unsigned i = 0; i < 2; i++) {
		if (guest_get_word(context, a[1] + i * word, new + i))
			return -EFAULT;
		if (context->abi32 && new[i] == UINT32_MAX)
			new[i] = UINT64_MAX;
	}
	if (new[0] > new[1])
		return -EINVAL;
	if (!limit_allowed(context->process->limit[a[0]], new))
		return -EPERM;
	memcpy(context->process->limit[a[0]], new, sizeof new);
	return 0;
}

int64_t call_prlimit(struct context *context, const uint64_t *a)
{
	struct process *process =
		(int)a[0] ? process_find(context->process->system, (int)a[0])
			  : context->process;
	uint64_t new[2], *limit;

	if (a[1] >= RLIM_NLIMITS)
		return -EINVAL;
	if (!process)
		return -ESRCH;
	limit = process->limit[a[1]];
	/* 64-bit fields in both ABIs. */
	if (a[2] && guest_get(context, a[2], new, sizeof new))
		return -EFAULT;
	if (a[3] && guest_put(context, a[3], limit, sizeof new))
		return -EFAULT;
	if (!a[2])
		return 0;
	if (new[0] > new[1])
		return -EINVAL;
	if (!limit_allowed(limit, new))
		return -EPERM;
	memcpy(limit, new, sizeof new);
	return 0;
}
