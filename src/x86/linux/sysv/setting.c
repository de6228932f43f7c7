/* Limits of System V IPC in /proc/sys/kernel (proc(5)). The limits belong to
 * the run, not to the host. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/namespaces/namespace.h"
#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"
#include "x86/linux/sysv/sysv.h"

enum { OBJECTS_MAX = 32768 }; /* what an id has room for */

/* Names, and the highest value. */
static const struct {
	const char *name;
	enum ipc_setting first;
	unsigned count;
	uint64_t most;
} settings[] = {
	{ "shmmax", IPC_SEGMENT_BYTES, 1, UINT64_MAX },
	{ "shmall", IPC_SHARED_PAGES, 1, UINT64_MAX },
	{ "shmmni", IPC_SEGMENTS, 1, OBJECTS_MAX },
	{ "msgmax", IPC_MESSAGE_BYTES, 1, INT32_MAX },
	{ "msgmnb", IPC_QUEUE_BYTES, 1, INT32_MAX },
	{ "msgmni", IPC_QUEUES, 1, OBJECTS_MAX },
	{ "sem", IPC_PER_SET, 4, INT32_MAX },
	{ "shm_next_id", IPC_NEXT_ID + IPC_SHARED, 1, INT32_MAX },
	{ "sem_next_id", IPC_NEXT_ID + IPC_SEMAPHORES, 1, INT32_MAX },
	{ "msg_next_id", IPC_NEXT_ID + IPC_MESSAGES, 1, INT32_MAX },
};

static const uint64_t usual[IPC_SETTINGS] = {
	[IPC_SEGMENT_BYTES] = UINT64_MAX - (1 << 24),
	[IPC_SHARED_PAGES] = UINT64_MAX - (1 << 24),
	[IPC_SEGMENTS] = 4096,
	[IPC_MESSAGE_BYTES] = 8192,
	[IPC_QUEUE_BYTES] = 16384,
	[IPC_QUEUES] = 32000,
	[IPC_PER_SET] = 32000,
	[IPC_ALL_SEMAPHORES] = 1024000000,
	[IPC_OPERATIONS] = 500,
	[IPC_SETS] = 32000,
	[IPC_NEXT_ID + IPC_SHARED] = UINT64_MAX,
	[IPC_NEXT_ID + IPC_SEMAPHORES] = UINT64_MAX,
	[IPC_NEXT_ID + IPC_MESSAGES] = UINT64_MAX,
};

void ipc_settings_start(struct sysv_ipc *ipc)
{
	memcpy(ipc->setting, usual, sizeof usual);
}

static struct sysv_ipc *create_ipc(struct namespace *space)
{
	struct sysv_ipc *ipc = xcalloc(1, sizeof *ipc);

	ipc->space = space;
	ipc_settings_start(ipc);
	return ipc;
}

struct sysv_ipc *sysv_of(struct linux_system *system)
{
	if (!system->ipc)
		system->ipc = create_ipc(NULL);
	return system->ipc;
}

struct sysv_ipc *ipc_of(struct context *context)
{
	struct sysv_ipc *first = sysv_of(context->process->system);
	struct namespace *space = namespace_of(context, SLOT_IPC);

	if (!space)
		return first;
	if (!space->ipc) {
		space->ipc = create_ipc(space);
		space->ipc->next = first->next;
		first->next = space->ipc;
	}
	return space->ipc;
}

bool ipc_capable(struct context *context, int capability)
{
	const struct namespace *space = namespace_of(context, SLOT_IPC);

	return has_capability_in(context->process,
				 space ? space->owner : NULL, capability);
}

uint64_t sysv_setting(struct context *context, enum ipc_setting which)
{
	return ipc_of(context)->setting[which];
}

bool ipc_settings_changed(const struct sysv_ipc *ipc)
{
	return memcmp(ipc->setting, usual, sizeof usual) != 0;
}

static int find_ipc_setting(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		if (!strcmp(settings[i].name, name))
			return (int)i;
	return -1;
}

bool sysv_print_setting(struct context *context, const char *name, FILE *out)
{
	const struct sysv_ipc *ipc = ipc_of(context);
	int row = find_ipc_setting(name);

	if (row < 0)
		return false;
	for (unsigned i = 0; i < settings[row].count; i++) {
		unsigned which = settings[row].first + i;

		if (i)
			fputc('\t', out);
		if (which >= IPC_NEXT_ID)
			fprintf(out, "%" PRId64, (int64_t)ipc->setting[which]);
		else
			fprintf(out, "%" PRIu64, ipc->setting[which]);
	}
	fputc('\n', out);
	return true;
}

/* Reads a number. *text moves behind it. */
static bool take_number(const char **text, uint64_t most, uint64_t *value)
{
	const char *at = *text + strspn(*text, " \t");
	char *end;

	errno = 0;
	*value = strtoull(at, &end, 10);
	*text = end;
	return end != at && *at != '-' && !errno && *value <= most;
}

int64_t sysv_write_setting(struct context *context, const char *name,
			   const char *text)
{
	struct sysv_ipc *ipc = ipc_of(context);
	uint64_t values[4];
	int row = find_ipc_setting(name);

	if (row < 0)
		return -ENOENT;
	if (context->process->credentials.user[FILES])
		return -EACCES;
	for (unsigned i = 0; i < settings[row].count; i++)
		if (!take_number(&text, settings[row].most, values + i))
			return -EINVAL;
	if (text[strspn(text, " \t")])
		return -EINVAL;
	for (unsigned i = 0; i < settings[row].count; i++)
		ipc->setting[settings[row].first + i] = values[i];
	return 0;
}
