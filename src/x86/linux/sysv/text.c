/* System V IPC in /proc/sysvipc: one line for each object. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/sysv/sysv.h"

static const struct {
	const char *name, *title;
} files[IPC_KINDS] = {
	[IPC_SHARED] = {
		"shm",
		"       key      shmid perms                  size  cpid  lpid "
		"nattch   uid   gid  cuid  cgid      atime      dtime      "
		"ctime                   rss                  swap",
	},
	[IPC_SEMAPHORES] = {
		"sem",
		"       key      semid perms      nsems   uid   gid  cuid  "
		"cgid      otime      ctime",
	},
	[IPC_MESSAGES] = {
		"msg",
		"       key      msqid perms      cbytes       qnum lspid "
		"lrpid   uid   gid  cuid  cgid      stime      rtime      "
		"ctime",
	},
};

static void print_object(struct linux_system *system,
			 const struct ipc_object *object, FILE *out)
{
	fprintf(out, "%10d %10d  %4o", object->key, object->id, object->mode);
	switch (object->kind) {
	case IPC_SHARED:
		shared_print(system, object, out);
		break;
	case IPC_SEMAPHORES:
		semaphores_print(object, out);
		break;
	default:
		messages_print(object, out);
		break;
	}
}

bool sysv_print(struct context *context, const char *name, FILE *out)
{
	struct linux_system *system = context->process->system;

	for (size_t kind = 0; kind < ARRAY_SIZE(files); kind++) {
		const struct ipc_table *table = ipc_of(context)->tables + kind;

		if (strcmp(name, files[kind].name))
			continue;
		fprintf(out, "%s\n", files[kind].title);
		for (size_t i = 0; i < table->capacity; i++)
			if (table->list[i])
				print_object(system, table->list[i], out);
		return true;
	}
	return false;
}
