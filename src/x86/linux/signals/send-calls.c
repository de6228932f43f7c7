/* System calls that send signals. */
#include <errno.h>
#include <signal.h>

#include "x86/linux/calls.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/processes/find.h"
#include "x86/linux/processes/host-pid.h"
#include "x86/linux/signals/information.h"
#include "x86/linux/signals/kind.h"
#include "x86/linux/signals/signal.h"
#include "x86/linux/state.h"

int64_t call_kill(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	int target = (int)a[0], number = (int)a[1];
	const struct process *own = context->process;
	struct process *next;
	bool found = false, refused = false, sent = false;
	struct signal_information information = {
		.number = number, .code = SI_USER,
		.pid = context->process->pid,
		.uid = (int)context->process->credentials.user[0],
	};

	if (number < 0 || number > SIGNALS)
		return -EINVAL;
	for (struct process *process = system->processes; process;
	     process = next) {
		next = process->next;
		if (process->reaped ||
		    !(target > 0 ? process->pid == target
		      : target == 0
			      ? process->group == context->process->group
		      : target == -1
			      ? process != context->process &&
				(!own->pids ||
				 (id_visible(own, process) &&
				  own->pids->first != process))
				     : process->group == -target))
			continue;
		found = true;
		if (!may_signal(context->process, process, number)) {
			refused = true;
			continue;
		}
		sent = true;
		if (number)
			signal_send_process(process, &information);
	}
	if (!found)
		return host_pid_kill(system, target, number);
	return refused && !sent ? -EPERM : 0;
}

static int64_t send_thread(struct context *context, int group, int thread,
			   const struct signal_information *information)
{
	struct context *target =
		context_find(context->process->system, thread);

	if (thread <= 0 || information->number < 0 ||
	    information->number > SIGNALS)
		return -EINVAL;
	if (!target || (group && target->process->pid != group))
		return -ESRCH;
	if (!may_signal(context->process, target->process,
			information->number))
		return -EPERM;
	if (signal_queue_full(target->process, information))
		return -EAGAIN;
	if (information->number)
		signal_send_context(target, information);
	return 0;
}

int64_t call_tkill(struct context *context, const uint64_t *a)
{
	return send_thread(context, 0, (int)a[0],
			   &(struct signal_information){
				   .number = (int)a[1], .code = SI_TKILL,
				   .pid = context->process->pid,
				   .uid = (int)context->process
						  ->credentials.user[0],
			   });
}

int64_t call_tgkill(struct context *context, const uint64_t *a)
{
	if ((int)a[0] <= 0)
		return -EINVAL;
	return send_thread(context, (int)a[0], (int)a[1],
			   &(struct signal_information){
				   .number = (int)a[2], .code = SI_TKILL,
				   .pid = context->process->pid,
				   .uid = (int)context->process
						  ->credentials.user[0],
			   });
}

static int get_information(struct context *context, uint64_t address,
			   int number, struct signal_information *information)
{
	uint8_t bytes[128];

	if (guest_get(context, address, bytes, sizeof bytes))
		return -EFAULT;
	signal_unpack(information, context->abi32, bytes);
	information->number = number;
	return information->code >= 0 ? -EPERM : 0;
}

int64_t call_rt_sigqueueinfo(struct context *context, const uint64_t *a)
{
	/* Any thread stands for its process. */
	const struct context *target =
		context_find(context->process->system, (int)a[0]);
	struct process *process =
		target ? target->process
		       : process_find(context->process->system, (int)a[0]);
	struct signal_information information;
	int result = get_information(context, a[2], (int)a[1], &information);

	if (result == -EPERM && process == context->process)
		result = 0; /* oneself one may tell anything */
	if (result)
		return result;
	if (!process)
		return -ESRCH;
	if ((int)a[1] < 0 || (int)a[1] > SIGNALS)
		return -EINVAL;
	if (!may_signal(context->process, process, (int)a[1]))
		return -EPERM;
	if (signal_queue_full(process, &information))
		return -EAGAIN;
	if ((int)a[1])
		signal_send_process(process, &information);
	return 0;
}

int64_t call_rt_tgsigqueueinfo(struct context *context, const uint64_t *a)
{
	struct signal_information information;
	int result = get_information(context, a[3], (int)a[2], &information);

	return result ? result
		      : send_thread(context, (int)a[0], (int)a[1],
				    &information);
}
