/* Texts of the host's files of /proc. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/proc/text.h"
#include "x86/linux/state.h"

void proc_print_host(const struct linux_system *system, const char *name,
		     FILE *out)
{
	int file = openat(confine_proc(system), name, O_RDONLY | O_CLOEXEC);
	char bytes[4096];
	ssize_t size;

	if (file < 0)
		return;
	while ((size = read(file, bytes, sizeof bytes)) > 0)
		fwrite(bytes, 1, (size_t)size, out);
	close(file);
}
