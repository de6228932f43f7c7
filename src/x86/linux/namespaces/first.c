/* Process 1 of a PID namespace: all end with it, and orphans become its. */
#include <signal.h>

#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/signal.h"

void ids_first_ended(struct process *process)
{
	struct namespace *pids = process->pids;

	if (!pids || pids->first != process)
		return;
	pids->over = true;
	for (struct process *other = process->system->processes; other;
	     other = other->next)
		if (other != process && !other->ended &&
		    namespace_within(other->pids, pids))
			signal_send_process(other,
					    &(struct signal_information){
						    .number = SIGKILL,
						    .code = SI_KERNEL,
					    });
}

struct process *ids_heir(const struct process *process)
{
	const struct namespace *pids = process->pids;

	return pids && pids->first != process && !pids->over ? pids->first
							     : NULL;
}
