/* PID namespaces (pid_namespaces(7)): ids of processes and threads as another
 * than the first namespace sees them. Everywhere else an id is that of the
 * first. */
#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/signals/information.h"

/* No thread has this id; /proc/sys/kernel/pid_max. */
enum { NOBODY = INT_MAX, ID_LIMIT = 4194304 };

int id_seen(const struct namespace *pids, int id)
{
	if (!pids)
		return id;
	for (size_t i = pids->id_count; i-- > 0;)
		if (pids->ids[i].outside == id)
			return pids->ids[i].inside;
	return 0;
}

int id_meant(const struct namespace *pids, int id)
{
	if (!pids)
		return id;
	for (size_t i = pids->id_count; i-- > 0;)
		if (pids->ids[i].inside == id)
			return pids->ids[i].outside;
	return NOBODY;
}

/* Whether a process has this id, or had it and has not been waited for. */
static bool is_taken(const struct namespace *pids, int id)
{
	int meant = id_meant(pids, id);

	return context_find(pids->system, meant) ||
	       process_find(pids->system, meant);
}

void id_taken(struct namespace *pids, int id)
{
	for (; pids; pids = pids->parent) {
		do
			pids->last++;
		while (pids->last_set && is_taken(pids, pids->last));
		ARRAY_GROW(pids->ids, pids->id_count, pids->id_capacity);
		pids->ids[pids->id_count++] =
			(struct id_pair){ id, pids->last };
	}
}

int ids_last(const struct context *context)
{
	const struct namespace *pids = context->process->pids;

	return pids ? pids->last : context->process->system->next_id - 1;
}

int64_t ids_set_last(struct context *context, const char *text, size_t size)
{
	struct process *process = context->process;
	struct namespace *pids = process->pids;
	const struct namespace *users = pids ? pids->owner : NULL;
	char *end;
	long value = strtol(text, &end, 10);

	if (!has_capability_in(process, users, CAP_SYS_ADMIN) &&
	    !has_capability_in(process, users, CAP_CHECKPOINT_RESTORE))
		return -EPERM;
	if (end == text || *end || value < 0 || value >= ID_LIMIT)
		return -EINVAL;
	if (pids) {
		pids->last = (int)value;
		pids->last_set = true;
	} else if (!process->system->host_pids) {
		process->system->next_id = (int)value + 1;
		process->system->ids_set = true;
	}
	return (int64_t)size;
}

bool id_visible(const struct process *to, const struct process *process)
{
	return namespace_within(process->pids, to->pids);
}

/* ---- Process 1 ---- */

/* Signals that it has no handler for do not reach it, but what nobody can
 * handle from above. */
bool ids_protect(const struct process *process,
		 const struct signal_information *information)
{
	const struct context *sender = process->system->current;
	const int number = information->number;

	if (!process->pids || process->pids->first != process ||
	    information->fault || process->pids->over ||
	    process->signals.action[number].handler)
		return false;
	return (number != SIGKILL && number != SIGSTOP) || !sender ||
	       namespace_within(sender->process->pids, process->pids);
}
