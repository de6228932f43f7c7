/* prctl(PR_SET_SECCOMP) and seccomp(). */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/seccomp/filter.h"
#include "x86/linux/seccomp/seccomp.h"
#include "x86/linux/state.h"

enum {
	/* Instructions of all filters of a thread, with 4 for each filter. */
	PATH_MAX_INSTRUCTIONS = (1 << 18) / sizeof(struct sock_filter),
	FILTER_COST = 4,
};

static int set_strict(struct context *context)
{
	if (context->seccomp && !context->seccomp->strict)
		return -EINVAL;
	if (!context->seccomp)
		context->seccomp = xcalloc(1, sizeof *context->seccomp);
	context->seccomp->strict = true;
	return 0;
}

/* ---- Filters ---- */

/* Reads a struct sock_fprog and what it leads to: 0 or a negative errno. */
static int get_filter(struct context *context, uint64_t address,
		      struct seccomp_filter **made)
{
	struct seccomp_filter *filter;
	uint16_t count;
	uint64_t code;
	size_t size;

	if (guest_get(context, address, &count, sizeof count) ||
	    guest_get_word(context, address + (context->abi32 ? 4 : 8), &code))
		return -EFAULT;
	if (!count || count > BPF_MAXINSNS)
		return -EINVAL;
	if (!context->process->no_new_privileges &&
	    !has_own_capability(context->process, CAP_SYS_ADMIN))
		return -EACCES;
	filter = xcalloc(1, sizeof *filter);
	filter->count = count;
	size = count * sizeof *filter->code;
	filter->code = xmalloc(size);
	filter->references = 1;
	*made = filter;
	if (guest_get(context, code, filter->code, size))
		return -EFAULT;
	return seccomp_program_valid(filter->code, count) ? 0 : -EINVAL;
}

static bool descends(const struct seccomp_filter *filter,
		     const struct seccomp_filter *from)
{
	while (filter && filter != from)
		filter = filter->before;
	return filter == from;
}

/* A thread that cannot take over the caller's filters, or NULL. */
static const struct context *cannot_follow(const struct context *context)
{
	const struct seccomp_filter *own =
		context->seccomp ? context->seccomp->filter : NULL;

	for (const struct context *other = context->process->system->contexts;
	     other; other = other->next)
		if (other->process == context->process && !other->ended &&
		    other->seccomp &&
		    (other->seccomp->strict ||
		     !descends(own, other->seccomp->filter)))
			return other;
	return NULL;
}

static void follow(const struct context *context)
{
	for (struct context *other = context->process->system->contexts; other;
	     other = other->next)
		if (other != context && other->process == context->process &&
		    !other->ended) {
			seccomp_leave(other);
			seccomp_clone(other, context);
		}
}

static bool filter_fits(const struct context *context,
			const struct seccomp_filter *filter)
{
	size_t whole = filter->count;

	if (context->seccomp)
		for (const struct seccomp_filter *old =
			     context->seccomp->filter;
		     old; old = old->before)
			whole += old->count + FILTER_COST;
	return whole <= PATH_MAX_INSTRUCTIONS;
}

static int64_t add_filter(struct context *context, uint64_t flags,
			  struct seccomp_filter *filter)
{
	const struct context *other;

	if (context->seccomp && context->seccomp->strict)
		return -EINVAL;
	if (!filter_fits(context, filter))
		return -ENOMEM;
	if (flags & SECCOMP_FILTER_FLAG_TSYNC) {
		other = cannot_follow(context);
		if (other)
			return flags & SECCOMP_FILTER_FLAG_TSYNC_ESRCH
				       ? -ESRCH
				       : other->tid;
	}
	if (!context->seccomp)
		context->seccomp = xcalloc(1, sizeof *context->seccomp);
	filter->logs = flags & SECCOMP_FILTER_FLAG_LOG;
	filter->before = context->seccomp->filter;
	context->seccomp->filter = seccomp_hold(filter);
	if (flags & SECCOMP_FILTER_FLAG_TSYNC)
		follow(context);
	return 0;
}

static int64_t set_filter(struct context *context, uint64_t flags,
			  uint64_t address)
{
	const uint64_t known = SECCOMP_FILTER_FLAG_TSYNC |
			       SECCOMP_FILTER_FLAG_LOG |
			       SECCOMP_FILTER_FLAG_SPEC_ALLOW |
			       SECCOMP_FILTER_FLAG_TSYNC_ESRCH;
	struct seccomp_filter *filter = NULL;
	int64_t result;

	if (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER)
		log_warning_once(context->process->system->log,
				 "seccomp listener",
				 "the program wants another program to decide "
				 "about its system calls "
				 "(SECCOMP_FILTER_FLAG_NEW_LISTENER), which is "
				 "not supported; it gets EINVAL");
	if (flags & ~known)
		return -EINVAL;
	result = get_filter(context, address, &filter);
	if (!result)
		result = add_filter(context, flags, filter);
	seccomp_drop(filter);
	return result;
}

/* ---- Calls ---- */

static int64_t action_available(struct context *context, uint64_t address)
{
	uint32_t action;

	if (guest_get(context, address, &action, sizeof action))
		return -EFAULT;
	switch (action) {
	case SECCOMP_RET_KILL_PROCESS:
	case SECCOMP_RET_KILL_THREAD:
	case SECCOMP_RET_TRAP:
	case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE:
	case SECCOMP_RET_LOG:
	case SECCOMP_RET_ALLOW:
		return 0;
	default: /* SECCOMP_RET_USER_NOTIF, too */
		return -EOPNOTSUPP;
	}
}

int64_t call_seccomp(struct context *context, const uint64_t *a)
{
	uint32_t operation = (uint32_t)a[0], flags = (uint32_t)a[1];

	switch (operation) {
	case SECCOMP_SET_MODE_STRICT:
		return flags || a[2] ? -EINVAL : set_strict(context);
	case SECCOMP_SET_MODE_FILTER:
		return set_filter(context, flags, a[2]);
	case SECCOMP_GET_ACTION_AVAIL:
		return flags ? -EINVAL : action_available(context, a[2]);
	default: /* SECCOMP_GET_NOTIF_SIZES: there are no listeners */
		return -EINVAL;
	}
}

int64_t seccomp_prctl(struct context *context, uint64_t mode, uint64_t address)
{
	switch (mode) {
	case SECCOMP_MODE_STRICT:
		return set_strict(context);
	case SECCOMP_MODE_FILTER:
		return set_filter(context, 0, address);
	default:
		return -EINVAL;
	}
}
