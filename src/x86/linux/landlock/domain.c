/* The layers that hold for a thread: each call of landlock_restrict_self() adds
 * one, and all have to allow what is done. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"

struct landlock_domain *domain_hold(struct landlock_domain *domain)
{
	if (domain)
		domain->references++;
	return domain;
}

void domain_drop(struct landlock_domain *domain)
{
	while (domain && !--domain->references) {
		struct landlock_domain *outer = domain->outer;

		ruleset_drop(domain->rules);
		free(domain);
		domain = outer;
	}
}

bool domain_contains(const struct landlock_domain *outer,
		     const struct landlock_domain *inner)
{
	while (inner && inner != outer)
		inner = inner->outer;
	return inner == outer;
}

struct landlock_domain *domain_create(struct landlock_domain *outer,
				      const struct ruleset *rules)
{
	struct landlock_domain *domain = xcalloc(1, sizeof *domain);

	domain->references = 1;
	domain->outer = domain_hold(outer);
	domain->layers = outer ? outer->layers + 1 : 1;
	domain->rules = ruleset_copy(rules);
	return domain;
}

/* ---- Threads ---- */

void landlock_clone(struct context *child, const struct context *parent)
{
	child->landlock = domain_hold(parent->landlock);
}

void landlock_leave(struct context *context)
{
	domain_drop(context->landlock);
	context->landlock = NULL;
}

void landlock_socket_made(const struct context *context, struct file *file)
{
	file->socket.domain = domain_hold(context->landlock);
}

void landlock_file_forget(struct file *file)
{
	domain_drop(file->socket.domain);
	ruleset_drop(file->ruleset);
	file->socket.domain = NULL;
	file->ruleset = NULL;
}

bool landlock_in_use(const struct linux_system *system)
{
	for (const struct context *context = system->contexts; context;
	     context = context->next)
		if (!context->ended && context->landlock)
			return true;
	for (const struct process *process = system->processes; process;
	     process = process->next)
		for (int i = 0; process->files && i < process->files->count;
		     i++)
			if (process->files->list[i].file &&
			    process->files->list[i].file->ruleset)
				return true;
	return false;
}

/* ---- landlock_restrict_self ---- */

int64_t call_landlock_restrict_self(struct context *context, const uint64_t *a)
{
	struct landlock_domain *old = context->landlock;
	struct ruleset *rules;
	int64_t result;

	if (!context->process->no_new_privileges &&
	    !has_own_capability(context->process, CAP_SYS_ADMIN))
		return -EPERM;
	if ((uint32_t)a[1])
		return -EINVAL;
	result = ruleset_of_descriptor(context, a[0], &rules);
	if (result)
		return result;
	if (old && old->layers == LANDLOCK_LAYERS_MAX)
		return -E2BIG;
	context->landlock = domain_create(old, rules);
	domain_drop(old);
	return 0;
}
