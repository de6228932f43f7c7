/* The layers that hold for a thread: each call of landlock_restrict_self() adds
 * one, and all have to allow what is done. Their rulesets, and who holds
 * them. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/state.h"

/* ---- Rulesets ---- */

struct ruleset *ruleset_hold(struct ruleset *rules)
{
	if (rules)
		rules->references++;
	return rules;
}

void ruleset_drop(struct ruleset *rules)
{
	if (!rules || --rules->references)
		return;
	for (size_t i = 0; i < rules->file_count; i++)
		close(rules->files[i].host);
	free(rules->files);
	free(rules->ports);
	free(rules);
}

struct ruleset *ruleset_copy(const struct ruleset *from)
{
	struct ruleset *to = xcalloc(1, sizeof *to);

	*to = (struct ruleset){ .references = 1, .fs = from->fs,
				.net = from->net, .scoped = from->scoped };
	for (size_t i = 0; i < from->file_count; i++) {
		ARRAY_GROW(to->files, to->file_count, to->file_capacity);
		to->files[to->file_count] = from->files[i];
		to->files[to->file_count++].host =
			fcntl(from->files[i].host, F_DUPFD_CLOEXEC, 0);
	}
	for (size_t i = 0; i < from->port_count; i++) {
		ARRAY_GROW(to->ports, to->port_count, to->port_capacity);
		to->ports[to->port_count++] = from->ports[i];
	}
	return to;
}

/* ---- Layers ---- */

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
