/* System V IPC: the structures of shmctl(), semctl() and msgctl(), in three
 * kinds: those of x86-64, those of i386, and older ones of i386 with 16-bit
 * ids. Only ipc() without IPC_64 uses the older ones. */
#include <errno.h>
#include <string.h>

#include "x86/linux/state.h"
#include "x86/linux/sysv/object.h"

enum { CALL_IPC = 117 };

enum ipc_layout ipc_layout_of(const struct context *context, int *command)
{
	if (!context->abi32)
		return IPC_64_BITS;
	if (context->call.number != CALL_IPC)
		return IPC_32_BITS;
	if (!(*command & IPC_WIDE))
		return IPC_OLD;
	*command &= ~IPC_WIDE;
	return IPC_32_BITS;
}

void ipc_store(uint8_t *buffer, enum ipc_layout layout,
	       const struct ipc_field *field, uint64_t value)
{
	memcpy(buffer + field->offset[layout], &value, field->size[layout]);
}

uint64_t ipc_fetch(const uint8_t *buffer, enum ipc_layout layout,
		   const struct ipc_field *field)
{
	uint64_t value = 0;

	memcpy(&value, buffer + field->offset[layout], field->size[layout]);
	return value;
}

static const struct ipc_field key = { { 0, 0, 0 }, { 4, 4, 4 } };
static const struct ipc_field user = { { 4, 4, 4 }, { 4, 4, 2 } };
static const struct ipc_field group = { { 8, 8, 6 }, { 4, 4, 2 } };
static const struct ipc_field creator = { { 12, 12, 8 }, { 4, 4, 2 } };
static const struct ipc_field creator_group = { { 16, 16, 10 }, { 4, 4, 2 } };
static const struct ipc_field mode = { { 20, 20, 12 }, { 4, 2, 2 } };
static const struct ipc_field sequence = { { 24, 24, 14 }, { 2, 2, 2 } };

static unsigned narrow_id(enum ipc_layout layout, unsigned id)
{
	return layout == IPC_OLD && id > 0xffff ? 65534 : id;
}

void ipc_store_owner(uint8_t *buffer, enum ipc_layout layout,
		     const struct ipc_object *object)
{
	ipc_store(buffer, layout, &key, (uint32_t)object->key);
	ipc_store(buffer, layout, &user, narrow_id(layout, object->user));
	ipc_store(buffer, layout, &group, narrow_id(layout, object->group));
	ipc_store(buffer, layout, &creator, narrow_id(layout, object->creator));
	ipc_store(buffer, layout, &creator_group,
		  narrow_id(layout, object->creator_group));
	ipc_store(buffer, layout, &mode, object->mode);
	ipc_store(buffer, layout, &sequence, object->sequence);
}

int ipc_set_owner(struct context *context, const uint8_t *buffer,
		  enum ipc_layout layout, struct ipc_object *object)
{
	unsigned new_user = (unsigned)ipc_fetch(buffer, layout, &user);
	unsigned new_group = (unsigned)ipc_fetch(buffer, layout, &group);
	unsigned none = layout == IPC_OLD ? 0xffff : UINT32_MAX;

	if (new_user == none || new_group == none)
		return -EINVAL;
	object->user = new_user;
	object->group = new_group;
	object->mode = (object->mode & ~0777U) |
		       (ipc_fetch(buffer, layout, &mode) & 0777);
	object->changed = ipc_seconds(context->process->system);
	return 0;
}
