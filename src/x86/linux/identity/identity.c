/* Users and groups as guest processes see them. A process with CAP_SETUID may
 * take any id; others may switch between their ids. The host's files know the
 * user who runs the simulator; when that is the superuser, the host knows the
 * guest's ids and capabilities. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"

void identity_start(struct credentials *credentials, uint64_t capabilities)
{
	gid_t groups[GROUPS_MAX];
	int count = getgroups(GROUPS_MAX, groups);

	*credentials = (struct credentials){ 0 };
	for (int i = REAL; i <= FILES; i++) {
		credentials->user[i] = i == REAL ? getuid() : geteuid();
		credentials->group[i] = i == REAL ? getgid() : getegid();
	}
	credentials->group_count = count < 0 ? 0 : count;
	for (int i = 0; i < credentials->group_count; i++)
		credentials->groups[i] = groups[i];
	capabilities_start(credentials, capabilities);
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
	capabilities_enter(credentials);
	system->host_identity = *credentials;
}

bool in_group(const struct credentials *own, unsigned group)
{
	if (group == own->group[FILES])
		return true;
	for (int i = 0; i < own->group_count; i++)
		if (own->groups[i] == group)
			return true;
	return false;
}

bool may_signal(const struct process *from, const struct process *to,
		int number)
{
	const unsigned *own = from->credentials.user;
	const unsigned *other = to->credentials.user;

	if (!landlock_may_signal(from, to))
		return false;
	return (number == SIGCONT && from->session == to->session) ||
	       own[EFFECTIVE] == other[REAL] ||
	       own[EFFECTIVE] == other[SAVED] || own[REAL] == other[REAL] ||
	       own[REAL] == other[SAVED] ||
	       has_capability_in(from, to->credentials.users, CAP_KILL);
}

/* The calls of i386 with numbers below 200 have 16-bit ids. */
static bool has_narrow_ids(const struct context *context)
{
	return context->abi32 && context->call.number < 199;
}

/* Users and groups change alike, but the capability that it takes differs,
 * and others follow the users only. */
enum { USERS, GROUPS };

static unsigned shown_id(const struct context *context, int kind, unsigned id)
{
	const struct namespace *users = context->process->credentials.users;

	id = kind == USERS ? user_seen(users, id) : group_seen(users, id);
	return has_narrow_ids(context) && id > 0xffff ? 65534 : id;
}

/* An id that a call names, UINT32_MAX when it names none: false when it is not
 * mapped where the process is. */
static bool argument(const struct context *context, int kind, uint64_t value,
		     unsigned *id)
{
	const struct namespace *users = context->process->credentials.users;

	*id = (unsigned)value;
	if (has_narrow_ids(context))
		*id = (value & 0xffff) == 0xffff ? UINT32_MAX
						 : (unsigned)value & 0xffff;
	return *id == UINT32_MAX ||
	       (kind == USERS ? user_meant(users, *id, id)
			      : group_meant(users, *id, id));
}

/* ---- Asking ---- */

int64_t call_getuid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown_id(context, USERS,
			context->process->credentials.user[REAL]);
}

int64_t call_geteuid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown_id(context, USERS,
			context->process->credentials.user[EFFECTIVE]);
}

int64_t call_getgid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown_id(context, GROUPS,
			context->process->credentials.group[REAL]);
}

int64_t call_getegid(struct context *context, const uint64_t *a)
{
	(void)a;
	return shown_id(context, GROUPS,
			context->process->credentials.group[EFFECTIVE]);
}

static int64_t put_ids(struct context *context, int kind, const uint64_t *a,
		       const unsigned *ids)
{
	size_t size = has_narrow_ids(context) ? 2 : 4;

	for (int i = 0; i < 3; i++) {
		unsigned id = shown_id(context, kind, ids[i]);

		if (guest_put(context, a[i], &id, size))
			return -EFAULT;
	}
	return 0;
}

int64_t call_getresuid(struct context *context, const uint64_t *a)
{
	return put_ids(context, USERS, a, context->process->credentials.user);
}

int64_t call_getresgid(struct context *context, const uint64_t *a)
{
	return put_ids(context, GROUPS, a,
		       context->process->credentials.group);
}

int64_t call_getgroups(struct context *context, const uint64_t *a)
{
	const struct credentials *own = &context->process->credentials;
	size_t size = has_narrow_ids(context) ? 2 : 4;

	if ((int)a[0] < 0)
		return -EINVAL;
	if (!(int)a[0])
		return own->group_count;
	if ((int)a[0] < own->group_count)
		return -EINVAL;
	for (int i = 0; i < own->group_count; i++) {
		unsigned id = shown_id(context, GROUPS, own->groups[i]);

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

static bool may_set(const struct context *context, int kind)
{
	return has_own_capability(context->process,
				  kind == USERS ? CAP_SETUID : CAP_SETGID);
}

static unsigned *ids_of(struct credentials *credentials, int kind)
{
	return kind == USERS ? credentials->user : credentials->group;
}

static int64_t commit(struct context *context, int kind, const unsigned *new)
{
	struct process *process = context->process;
	unsigned *ids = ids_of(&process->credentials, kind), old[FILES + 1];

	memcpy(old, ids, sizeof old);
	memcpy(ids, new, sizeof old);
	ids[FILES] = ids[EFFECTIVE];
	if (kind == USERS)
		capabilities_follow_users(&process->credentials, old);
	if (old[EFFECTIVE] != ids[EFFECTIVE] || old[FILES] != ids[FILES])
		identity_changed(process);
	return 0;
}

void identity_changed(struct process *process)
{
	process->dumpable = false;
	process->death_signal = 0;
}

static int64_t set_one(struct context *context, int kind, uint64_t value)
{
	unsigned id, ids[FILES + 1];

	memcpy(ids, ids_of(&context->process->credentials, kind), sizeof ids);
	if (!argument(context, kind, value, &id) || id == UINT32_MAX)
		return -EINVAL;
	if (may_set(context, kind))
		ids[REAL] = ids[SAVED] = id;
	else if (id != ids[REAL] && id != ids[SAVED])
		return -EPERM;
	ids[EFFECTIVE] = id;
	return commit(context, kind, ids);
}

static int64_t set_two(struct context *context, int kind, const uint64_t *a)
{
	unsigned real, effective, ids[FILES + 1], old;

	if (!argument(context, kind, a[0], &real) ||
	    !argument(context, kind, a[1], &effective))
		return -EINVAL;
	memcpy(ids, ids_of(&context->process->credentials, kind), sizeof ids);
	old = ids[REAL];
	if (!may_set(context, kind) &&
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
	return commit(context, kind, ids);
}

static int64_t set_three(struct context *context, int kind, const uint64_t *a)
{
	unsigned ids[FILES + 1], new;

	memcpy(ids, ids_of(&context->process->credentials, kind), sizeof ids);
	for (int i = 0; i < 3; i++) {
		if (!argument(context, kind, a[i], &new))
			return -EINVAL;
		if (new != UINT32_MAX &&
		    !is_own(ids_of(&context->process->credentials, kind),
			    new) &&
		    !may_set(context, kind))
			return -EPERM;
		if (new != UINT32_MAX)
			ids[i] = new;
	}
	return commit(context, kind, ids);
}

int64_t call_setuid(struct context *context, const uint64_t *a)
{
	return set_one(context, USERS, a[0]);
}

int64_t call_setgid(struct context *context, const uint64_t *a)
{
	return set_one(context, GROUPS, a[0]);
}

int64_t call_setreuid(struct context *context, const uint64_t *a)
{
	return set_two(context, USERS, a);
}

int64_t call_setregid(struct context *context, const uint64_t *a)
{
	return set_two(context, GROUPS, a);
}

int64_t call_setresuid(struct context *context, const uint64_t *a)
{
	return set_three(context, USERS, a);
}

int64_t call_setresgid(struct context *context, const uint64_t *a)
{
	return set_three(context, GROUPS, a);
}

/* Answers the id there was, whether or not it changed. */
static int64_t set_files(struct context *context, int kind, uint64_t value)
{
	struct credentials *own = &context->process->credentials;
	unsigned *ids = ids_of(own, kind), old = ids[FILES];
	unsigned id;

	if (!argument(context, kind, value, &id) || id == UINT32_MAX ||
	    id == old || (!is_own(ids, id) && !may_set(context, kind)))
		return shown_id(context, kind, old);
	ids[FILES] = id;
	if (kind == USERS)
		capabilities_follow_files(own, old);
	identity_changed(context->process);
	return shown_id(context, kind, old);
}

int64_t call_setfsuid(struct context *context, const uint64_t *a)
{
	return set_files(context, USERS, a[0]);
}

int64_t call_setfsgid(struct context *context, const uint64_t *a)
{
	return set_files(context, GROUPS, a[0]);
}

int64_t call_setgroups(struct context *context, const uint64_t *a)
{
	struct credentials *own = &context->process->credentials;
	size_t size = has_narrow_ids(context) ? 2 : 4;
	unsigned groups[GROUPS_MAX] = { 0 };

	if (!may_set(context, GROUPS) || !users_may_set_groups(own->users))
		return -EPERM;
	if ((unsigned)a[0] > NGROUPS_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < (unsigned)a[0]; i++) {
		unsigned group = 0;

		if (guest_get(context, a[1] + i * size, &group, size))
			return -EFAULT;
		if (!group_meant(own->users, group, &group))
			return -EINVAL;
		if (i < GROUPS_MAX)
			groups[i] = group;
	}
	if ((unsigned)a[0] > GROUPS_MAX)
		return -EINVAL;
	memcpy(own->groups, groups, sizeof groups);
	own->group_count = (int)a[0];
	return 0;
}
