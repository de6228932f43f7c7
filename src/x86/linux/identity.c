/* Users, groups and capabilities, as processes tell each other: a process
 * whose effective user is 0 may become anybody, others may go back and forth
 * between their ids. The host's files know the user who runs the simulator;
 * when that is the superuser, they know the guest's ids. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/process.h"

enum { REAL, EFFECTIVE, SAVED, FILES };

void identity_start(struct credentials *credentials)
{
	gid_t groups[GROUPS_MAX];
	int count = getgroups(GROUPS_MAX, groups);

	for (int i = REAL; i <= FILES; i++) {
		credentials->user[i] = i == REAL ? getuid() : geteuid();
		credentials->group[i] = i == REAL ? getgid() : getegid();
	}
	credentials->group_count = count < 0 ? 0 : count;
	for (int i = 0; i < credentials->group_count; i++)
		credentials->groups[i] = groups[i];
}

/* Only the superuser can lend the guest another identity at its files. */
void identity_enter(struct linux_system *system,
		    const struct credentials *credentials)
{
	const struct credentials *last = &system->host_identity;
	bool groups = last->group_count != credentials->group_count ||
		      memcmp(last->groups, credentials->groups,
			     sizeof last->groups);

	if (geteuid() != 0)
		return;
	/* Groups first: afterwards we may not be allowed to. */
	setfsuid(0);
	if (groups) /* the library's call would be for all our threads */
		syscall(SYS_setgroups, credentials->group_count,
			credentials->groups);
	setfsgid(credentials->group[FILES]);
	setfsuid(credentials->user[FILES]);
	system->host_identity = *credentials;
}

static bool is_root(const struct process *process)
{
	return process->credentials.user[EFFECTIVE] == 0;
}

bool may_signal(const struct process *from, const struct process *to)
{
	const unsigned *own = from->credentials.user;
	const unsigned *other = to->credentials.user;

	return is_root(from) || own[EFFECTIVE] == other[REAL] ||
	       own[EFFECTIVE] == other[SAVED] || own[REAL] == other[REAL] ||
	       own[REAL] == other[SAVED];
}

/* The calls of i386 with numbers below 200 have 16-bit ids. */
static bool narrow(const struct context *context)
{
	return context->abi32 && context->call_number < 199;
}

static unsigned shown(const struct context *context, unsigned id)
{
	return narrow(context) && id > 0xffff ? 65534 : id;
}

static unsigned argument(const struct context *context, uint64_t value)
{
	if (narrow(context))
		return (value & 0xffff) == 0xffff ? UINT32_MAX
						  : (unsigned)value & 0xffff;
	return (unsigned)value;
}

/* ---- Asking ---- */

int64_t call_getuid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown(context, context->process->credentials.user[REAL]);
}

int64_t call_geteuid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown(context, context->process->credentials.user[EFFECTIVE]);
}

int64_t call_getgid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown(context, context->process->credentials.group[REAL]);
}

int64_t call_getegid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown(context, context->process->credentials.group[EFFECTIVE]);
}

static int64_t put_ids(struct context *context, const uint64_t *a,
		       const unsigned *ids)
{
	size_t size = narrow(context) ? 2 : 4;

	for (int i = 0; i < 3; i++) {
		unsigned id = shown(context, ids[i]);

		if (guest_put(context, a[i], &id, size))
			return -EFAULT;
	}
	return 0;
}

int64_t call_getresuid(struct context *context, const uint64_t *a)
{
	return put_ids(context, a, context->process->credentials.user);
}

int64_t call_getresgid(struct context *context, const uint64_t *a)
{
	return put_ids(context, a, context->process->credentials.group);
}

int64_t call_getgroups(struct context *context, const uint64_t *a)
{
	const struct credentials *own = &context->process->credentials;
	size_t size = narrow(context) ? 2 : 4;

	if ((int)a[0] < 0)
		return -EINVAL;
	if (!(int)a[0])
		return own->group_count;
	if ((int)a[0] < own->group_count)
		return -EINVAL;
	for (int i = 0; i < own->group_count; i++) {
		unsigned id = shown(context, own->groups[i]);

		if (guest_put(context, a[1] + (unsigned)i * size, &id, size))
			return -EFAULT;
	}
	return own->group_count;
}

/* ---- Changing ---- */

static bool is_own(const unsigned *ids, unsigned id)
{
	return id == ids[REAL] || id == ids[EFFECTIVE] || id == ids[SAVED];
}

static int64_t set_one(struct context *context, unsigned *ids, uint64_t value)
{
	unsigned id = argument(context, value);

	if (id == UINT32_MAX)
		return -EINVAL;
	if (is_root(context->process))
		ids[REAL] = ids[SAVED] = id;
	else if (id != ids[REAL] && id != ids[SAVED])
		return -EPERM;
	ids[EFFECTIVE] = ids[FILES] = id;
	return 0;
}

static int64_t set_two(struct context *context, unsigned *ids,
		       const uint64_t *a)
{
	unsigned real = argument(context, a[0]);
	unsigned effective = argument(context, a[1]), old = ids[REAL];

	if (!is_root(context->process) &&
	    ((real != UINT32_MAX && real != ids[REAL] &&
	      real != ids[EFFECTIVE]) ||
	     (effective != UINT32_MAX && !is_own(ids, effective))))
		return -EPERM;
	if (real != UINT32_MAX)
		ids[REAL] = real;
	if (effective != UINT32_MAX)
		ids[EFFECTIVE] = effective;
	if (real != UINT32_MAX || (effective != UINT32_MAX && effective != old))
		ids[SAVED] = ids[EFFECTIVE];
	ids[FILES] = ids[EFFECTIVE];
	return 0;
}

static int64_t set_three(struct context *context, unsigned *ids,
			 const uint64_t *a)
{
	unsigned new[3];

	for (int i = 0; i < 3; i++) {
		new[i] = argument(context, a[i]);
		if (new[i] != UINT32_MAX && !is_own(ids, new[i]) &&
		    !is_root(context->process))
			return -EPERM;
	}
	for (int i = 0; i < 3; i++)
		if (new[i] != UINT32_MAX)
			ids[i] = new[i];
	ids[FILES] = ids[EFFECTIVE];
	return 0;
}

int64_t call_setuid(struct context *context, const uint64_t *a)
{
	return set_one(context, context->process->credentials.user, a[0]);
}

int64_t call_setgid(struct context *context, const uint64_t *a)
{
	return set_one(context, context->process->credentials.group, a[0]);
}

int64_t call_setreuid(struct context *context, const uint64_t *a)
{
	return set_two(context, context->process->credentials.user, a);
}

int64_t call_setregid(struct context *context, const uint64_t *a)
{
	return set_two(context, context->process->credentials.group, a);
}

int64_t call_setresuid(struct context *context, const uint64_t *a)
{
	return set_three(context, context->process->credentials.user, a);
}

int64_t call_setresgid(struct context *context, const uint64_t *a)
{
	return set_three(context, context->process->credentials.group, a);
}

/* Answers the id there was, whether or not it changed. */
static int64_t set_files(struct context *context, unsigned *ids,
			 uint64_t value)
{
	unsigned id = argument(context, value), old = ids[FILES];

	if (id != UINT32_MAX &&
	    (is_own(ids, id) || id == old || is_root(context->process)))
		ids[FILES] = id;
	return shown(context, old);
}

int64_t call_setfsuid(struct context *context, const uint64_t *a)
{
	return set_files(context, context->process->credentials.user, a[0]);
}

int64_t call_setfsgid(struct context *context, const uint64_t *a)
{
	return set_files(context, context->process->credentials.group, a[0]);
}

int64_t call_setgroups(struct context *context, const uint64_t *a)
{
	struct credentials *own = &context->process->credentials;
	size_t size = narrow(context) ? 2 : 4;

	if (!is_root(context->process))
		return -EPERM;
	if (a[0] > GROUPS_MAX)
		return -EINVAL;
	for (uint64_t i = 0; i < a[0]; i++) {
		own->groups[i] = 0;
		if (guest_get(context, a[1] + i * size, own->groups + i, size))
			return -EFAULT;
	}
	own->group_count = (int)a[0];
	return 0;
}

/* ---- Capabilities: all of them as user 0, else none ---- */

int64_t call_capget(struct context *context, const uint64_t *a)
{
	static const uint32_t versions[] = { 0x19980330, 0x20071026,
					     0x20080522 };
	const struct process *process = context->process;
	uint32_t header[2], sets[6] = { 0 };
	int words = 0;

	if (guest_get(context, a[0], header, sizeof header))
		return -EFAULT;
	for (int i = 0; i < 3; i++)
		if (header[0] == versions[i])
			words = i ? 6 : 3;
	if (!words) {
		header[0] = versions[2];
		if (guest_put(context, a[0], header, sizeof header))
			return -EFAULT;
		return a[1] ? -EINVAL : 0;
	}
	if ((int)header[1] < 0)
		return -EINVAL;
	if (header[1])
		process = process_find(process->system, (int)header[1]);
	if (!process)
		return -ESRCH;
	if (is_root(process)) {
		sets[0] = sets[1] = UINT32_MAX;
		sets[3] = sets[4] = 0x1ff;
	}
	return a[1] ? guest_put(context, a[1], sets, (size_t)words * 4) : 0;
}

int64_t call_capset(struct context *context, const uint64_t *a)
{
	uint32_t header[2];

	if (guest_get(context, a[0], header, sizeof header))
		return -EFAULT;
	if (header[0] != 0x19980330 && header[0] != 0x20071026 &&
	    header[0] != 0x20080522)
		return -EINVAL;
	/* Giving capabilities up succeeds, but none is ever missed. */
	return is_root(context->process) &&
			       (!header[1] ||
				(int)header[1] == context->process->pid)
		       ? 0
		       : -EPERM;
}
