/* The folder at which a process's absolute paths begin. */
#include <fcntl.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/confine/confinement.h"
#include "x86/linux/state.h"

int process_root(const struct process *process)
{
	return process->paths.root >= 0
		       ? process->paths.root
		       : process->system->confinement->root.host;
}

void process_enter_root(struct process *process)
{
	int host;

	if (process->paths.root >= 0)
		close(process->paths.root);
	process->paths.root = -1;
	host = fcntl(process_root(process), F_DUPFD_CLOEXEC, 0);
	if (host < 0)
		return;
	close(process->paths.cwd);
	process->paths.cwd = host;
	process->paths.made_cwd[0] = 0;
}
