/* Pending signals of a thread and its process, and the signalfds that show
 * them. */
#include <unistd.h>

#include "x86/linux/signals/pending.h"
#include "x86/linux/signals/queue.h"
#include "x86/linux/state.h"

void signal_update_descriptors(struct process *process)
{
	if (!process->files)
		return;
	for (int i = 0; i < process->files->count; i++) {
		struct file *file = process->files->list[i].file;
		uint64_t set, value = 1;
		bool ready;

		if (!file || file->kind != FILE_SIGNAL)
			continue;
		set = signal_queue_set(&process->signals.pending);
		for (const struct context *context =
			     process->system->contexts;
		     context; context = context->next)
			if (context->process == process && !context->ended)
				set |= signal_queue_set(
					&context->signals.pending);
		ready = set & file->signals.mask;
		if (ready == file->signals.armed)
			continue;
		file->signals.armed = ready;
		if ((ready ? write(file->host, &value, sizeof value)
			   : read(file->host, &value, sizeof value)) < 0)
			continue; /* never full, never empty here */
	}
}

bool signal_take(struct context *context, uint64_t set,
		 struct signal_information *information)
{
	bool taken = signal_queue_take(&context->signals.pending, set,
				       information) ||
		     signal_queue_take(&context->process->signals.pending, set,
				       information);

	if (taken)
		signal_update_descriptors(context->process);
	return taken;
}
