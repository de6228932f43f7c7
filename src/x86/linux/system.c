/* Calls about the machine and about the program's identity. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/uts.h"

int64_t call_absent(struct context *context, const uint64_t *a)
{
	(void)a;
	context->process->system->counts.unknown_calls++;
	return -ENOSYS;
}

int64_t call_not_permitted(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return -EPERM;
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

	uts_names(context, &name);
	/* As on a 64-bit kernel: i386 programs see x86_64 too, unless they
	 * run under the 32-bit personality. */
	memset(name.machine, 0, sizeof name.machine);
	strcpy(name.machine,
	       (context->process->personality & 0xff) == PER_LINUX32
		       ? "i686"
		       : "x86_64");
	return guest_put(context, a[0], &name, 6 * 65);
}

/* The fields of the time before domain names: five of 65 bytes. */
int64_t call_olduname(struct context *context, const uint64_t *a)
{
	struct utsname name;

	uts_names(context, &name);
	return guest_put(context, a[0], &name, 5 * 65);
}

/* Other mechanisms that decide about access: capabilities and Landlock. */
int64_t call_lsm_list_modules(struct context *context, const uint64_t *a)
{
	static const uint64_t ids[] = { 100, 110 }; /* LSM_ID_* */
	const uint32_t need = sizeof ids;
	uint32_t size;

	if (a[2])
		return -EINVAL;
	if (guest_get(context, a[1], &size, sizeof size) ||
	    guest_put(context, a[1], &need, sizeof need))
		return -EFAULT;
	if (size < need)
		return -E2BIG;
	return guest_put(context, a[0], ids, sizeof ids)
		       ? -EFAULT : (int64_t)ARRAY_SIZE(ids);
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
	int64_t up = clock_monotonic(context->process->system) +
		     clock_offset(context, CLOCK_BOOTTIME);
	uint64_t uptime = (uint64_t)(up + 999999999) / 1000000000;

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

static bool limit_allowed(const struct linux_system *system, uint64_t which,
			  const uint64_t *old, const uint64_t *new)
{
	if (which == RLIMIT_NOFILE && new[1] > system->descriptors_max)
		return false;
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
	if (!limit_allowed(context->process->system, a[0],
			   context->process->limit[a[0]], new))
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
	if (!limit_allowed(process->system, a[1], limit, new))
		return -EPERM;
	memcpy(limit, new, sizeof new);
	return 0;
}
