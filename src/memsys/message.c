/* Objects in flight, and how they travel between modules. */
#include "memsys/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK_OBJECTS = 128 };

/* Fresh objects of one type on a free list that is linked by `next`. */
#define REFILL(pool, type, list)                                             \
	do {                                                                   \
		struct type *chunk =                                           \
			xcalloc_aligned(CHUNK_OBJECTS * sizeof *chunk);        \
		ARRAY_GROW((pool)->chunks, (pool)->chunk_count,            \
			   (pool)->chunk_capacity);                          \
		(pool)->chunks[(pool)->chunk_count++] = chunk;             \
		for (int i = 0; i < CHUNK_OBJECTS; i++) {                      \
			chunk[i].next = (pool)->list;                        \
			(pool)->list = &chunk[i];                              \
		}                                                              \
	} while (0)

struct access *access_take(struct memsys_pool *pool)
{
	struct access *access;

	if (!pool->free_access) {
		REFILL(pool, access, free_access);
		pool->access_count += CHUNK_OBJECTS;
		pool->short_of_accesses = true;
	}
	access = pool->free_access;
	pool->free_access = access->next;
	pool->access_count--;
	access->next = NULL;
	access->waited = access->dirty = access->present = false;
	access->through = access->keep = access->peer = false;
	access->written = 0;
	access->requester = NULL;
	access->instruction = 0;
	access->words = NULL;
	return access;
}

void access_free(struct memsys_pool *pool, struct access *access)
{
	access->next = pool->free_access;
	pool->free_access = access;
	pool->access_count++;
}

struct transaction *transaction_take(struct memsys_pool *pool)
{
	struct transaction *transaction;

	if (!pool->free_transaction)
		REFILL(pool, transaction, free_transaction);
	transaction = pool->free_transaction;
	pool->free_transaction = transaction->next;
	memset(transaction, 0, sizeof *transaction);
	transaction->line = -1;
	return transaction;
}

void transaction_free(struct memsys_pool *pool, struct transaction *transaction)
{
	transaction->next = pool->free_transaction;
	pool->free_transaction = transaction;
}

struct combine *combine_take(struct memsys_pool *pool)
{
	struct combine *combine;
	uint32_t generation;

	if (!pool->free_combine)
		REFILL(pool, combine, free_combine);
	combine = pool->free_combine;
	pool->free_combine = combine->next;
	/* Tells a timer that it was set for another use of the object. */
	generation = combine->generation + 1;
	memset(combine, 0, sizeof *combine);
	combine->generation = generation;
	return combine;
}

void combine_free(struct memsys_pool *pool, struct combine *combine)
{
	combine->sent = true;
	combine->next = pool->free_combine;
	pool->free_combine = combine;
}

void access_append(struct access_list *list, struct access *access)
{
	access->next = NULL;
	if (list->first)
		list->last->next = access;
	else
		list->first = access;
	list->last = access;
}

struct access *access_pop(struct access_list *list)
{
	struct access *access = list->first;

	if (access)
		list->first = access->next;
	return access;
}

/* --- Sending ------------------------------------------------------------ */

/* Bytes on the network. */
static uint32_t message_size(const struct access *access)
{
	uint32_t data = 0;

	switch (access->type) {
	case MESSAGE_REQUEST:
		if (access->kind == MEMSYS_ATOMIC || access->through ||
		    (access->kind == MEMSYS_NC_STORE &&
		     access->origin != ORIGIN_TRANSACTION))
			data = access->size;
		break;
	case MESSAGE_REPLY:
		if (!access->through && !access->peer &&
		    (access->kind != MEMSYS_NC_STORE ||
		     access->origin == ORIGIN_TRANSACTION))
			data = access->size;
		break;
	case MESSAGE_PEER:
		data = access->size;
		break;
	case MESSAGE_PROBE:
		break;
	case MESSAGE_WRITE_BACK:
	case MESSAGE_PROBE_REPLY:
		data = (uint32_t)__builtin_popcountll(access->written)
		       << access->grain;
		break;
	}
	return MEMSYS_HEADER + data;
}

static bool try_send(struct outbox *outbox, struct access *access)
{
	struct module *to = access->to;
	bool down = access->type == MESSAGE_REQUEST ||
		    access->type == MESSAGE_WRITE_BACK ||
		    access->type == MESSAGE_PROBE_REPLY;
	/* After the access was sent, another module may own it. */
	struct module *through = access->keep ? access->from : NULL;

	if (!network_send(outbox->node, down ? to->up.node : to->down.node,
			  message_size(access), access))
		return false;
	if (through)
		through->throughs_waiting--;
	return true;
}

static void outbox_put(struct outbox *outbox, struct access *access)
{
	if (outbox->waiting.first || outbox->flushing ||
	    !try_send(outbox, access))
		access_append(&outbox->waiting, access);
}

/* The network may deliver a message at once, and the answer may arrive during
 * the call: messages that are sent then queue behind the waiting ones. */
static void outbox_flush(struct outbox *outbox)
{
	struct access_list *waiting = &outbox->waiting;
	struct access *access;

	while (!outbox->flushing && (access = access_pop(waiting))) {
		bool gone;

		outbox->flushing = true;
		gone = try_send(outbox, access);
		outbox->flushing = false;
		if (gone)
			continue;
		access->next = waiting->first;
		if (!waiting->first)
			waiting->last = access;
		waiting->first = access;
		break;
	}
}

static void depart(void *owner, uint64_t outbox)
{
	struct access *access = owner;
	struct module *writer = access->keep ? access->from : NULL;

	outbox_put((struct outbox *)(uintptr_t)outbox, access);
	if (writer)
		module_changed(writer);
}

static void send(struct module *module, struct outbox *outbox,
		 struct access *access, picoseconds when, bool ordered)
{
	picoseconds now = event_queue_now(module->events);

	if (ordered) {
		if (when < outbox->last)
			when = outbox->last;
		outbox->last = when;
	} else if (when <= now) {
		outbox_put(outbox, access);
		return;
	}
	/* Ordered messages always by an event: one that leaves at this very
	 * time may still be waiting for its turn. */
	event_schedule(module->events, when > now ? when - now : 0,
		       module->source, depart, access, (uintptr_t)outbox);
}

void module_send_down(struct module *module, struct access *access,
		      picoseconds when, bool ordered)
{
	access->to = module_low(module, access->address);
	send(module, &module->down, access, when, ordered);
}

void module_send_peer(struct module *module, struct module *to,
		      struct access *access, picoseconds when)
{
	access->to = to;
	send(module, &module->down, access, when, true);
}

void module_send_up(struct module *module, struct module *to,
		    struct access *access, picoseconds when, bool ordered)
{
	access->to = to;
	send(module, &module->up, access, when, ordered);
}

struct module *module_low(const struct module *module, uint64_t address)
{
	if (module->low_count == 1)
		return module->low[0];
	if (module->low_shifts)
		return module->low[address >> module->low_divide_shift &
				   (module->low_modulo - 1)];
	if (module->low_interleaved)
		return module->low[address / module->low_divide %
				   module->low_modulo];
	/* Bounds, in the order of addresses, without gaps (read.c). */
	for (size_t i = 0; i + 1 < module->low_count; i++)
		if (address <= module->low[i]->range.high)
			return module->low[i];
	return module->low[module->low_count - 1];
}

/* --- Receiving ---------------------------------------------------------- */

static bool receive(void *owner, void *payload, uint32_t size)
{
	struct module *module = owner;
	struct access *access = payload;
	picoseconds start;

	(void)size;
	access->to = module;
	switch (access->type) {
	case MESSAGE_REQUEST:
		start = module_port(module);
		if (module->dram)
			controller_submit(module, access, start);
		else
			module_resolve(module, access, start, false);
		break;
	case MESSAGE_REPLY:
		if (access->origin == ORIGIN_TRANSACTION)
			module_receive_reply(module, access);
		else
			module_receive_passed(module, access);
		break;
	case MESSAGE_WRITE_BACK:
		module_receive_write_back(module, access);
		break;
	case MESSAGE_PROBE:
		module_receive_probe(module, access);
		break;
	case MESSAGE_PROBE_REPLY:
		module_receive_probe_reply(module, access);
		break;
	case MESSAGE_PEER:
		module_receive_peer(module, access);
		break;
	}
	module_changed(module);
	return true;
}

static void room(void *owner)
{
	struct module *module = owner;

	/* The two sides may share a node. */
	outbox_flush(&module->down);
	outbox_flush(&module->up);
	module_changed(module);
}

void module_attach_networks(struct module *module)
{
	if (module->up.node)
		network_node_attach(module->up.node, receive, room, module);
	if (module->down.node)
		network_node_attach(module->down.node, receive, room, module);
}
