/* The layers that hold for a thread: each call of landlock_restrict_self() adds
 * one, and all have to allow what is done. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/landlock/ruleset.h"
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
	file->domain = domain_hold(context->landlock);
}

void landlock_file_forget(struct file *file)
{
	domain_drop(file->domain);
	ruleset_drop(file->ruleset);
	file->domain = NULL;
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
