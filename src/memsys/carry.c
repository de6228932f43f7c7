/* How an access goes to a module that another thread runs: its contents travel
 * beside the message that stands for it, and there are two objects, each in the
 * memory of its thread. Of most, a part is all that there is to say. */
#include "memsys/module.h"

#include <assert.h>
#include <stddef.h>

struct carried {
	struct transaction *target; /* or whatever else it is about */
	uint32_t bits;
	/* Nothing more of a reply. */
	uint32_t size;
	uint64_t address;
	uint32_t from; /* its index */
	uint32_t instruction;
	/* Nothing more of a load. */
	uint64_t written;
	uint32_t extent, elements;
	/* Members of probes with a requester, and of messages with data
	 * (shadow.h). */
	struct module *requester;
	struct transaction *requester_transaction;
	uint32_t *words;
};
enum {
	CARRIED_REPLY = offsetof(struct carried, address),
	CARRIED_LOAD = offsetof(struct carried, written),
	CARRIED_STORE = offsetof(struct carried, requester),
	CARRIED_ALL = sizeof(struct carried),
};
static_assert((int)CARRIED_ALL <= (int)NETWORK_CARRIED,
	      "the network has no room for an access");

static uint32_t needed(const struct access *access)
{
	if (access->requester || access->words)
		return CARRIED_ALL;
	if (access->type == MESSAGE_REPLY)
		return CARRIED_REPLY;
	if (access->written || access->extent != access->size)
		return CARRIED_STORE;
	return CARRIED_LOAD;
}

static uint32_t pack(void *memory, void *payload, void *bytes)
{
	struct access *access = payload;
	struct carried *carried = bytes;
	uint32_t size = needed(access);

	carried->target = access->transaction;
	carried->bits = access->bits;
	carried->size = access->size;
	if (size >= CARRIED_LOAD) {
		carried->address = access->address;
		carried->from = access->from->index;
		carried->instruction = access->instruction;
	}
	if (size >= CARRIED_STORE) {
		carried->written = access->written;
		carried->extent = access->extent;
		carried->elements = access->elements;
	}
	if (size >= CARRIED_ALL) {
		carried->requester = access->requester;
		carried->requester_transaction = access->requester_transaction;
		carried->words = access->words;
	}
	access_free(memory, access);
	return size;
}

static void *unpack(void *memory, const void *bytes, uint32_t size)
{
	struct memsys_pool *pool = memory;
	struct access *access = access_take(pool);
	const struct carried *carried = bytes;

	access->transaction = carried->target;
	access->bits = carried->bits;
	access->size = access->extent = carried->size;
	if (size >= CARRIED_LOAD) {
		access->address = carried->address;
		access->from = pool->memsys->modules[carried->from];
		access->instruction = carried->instruction;
	}
	if (size >= CARRIED_STORE) {
		access->written = carried->written;
		access->extent = carried->extent;
		access->elements = carried->elements;
	}
	if (size >= CARRIED_ALL) {
		access->requester = carried->requester;
		access->requester_transaction = carried->requester_transaction;
		access->words = carried->words;
	}
	return access;
}

const struct network_carrier access_carrier = { pack, unpack };
