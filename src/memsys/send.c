/* Sending messages to other modules. */
#include "base/optimize.h"

#include "memsys/access/access.h"
#include "sim/queue.h"

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

/* Where the message goes to. */
static struct network_node *node_of(const struct access *access)
{
	bool down = access->type == MESSAGE_REQUEST ||
		    access->type == MESSAGE_WRITE_BACK ||
		    access->type == MESSAGE_PROBE_REPLY;

	return down ? access->to->up.node : access->to->down.node;
}

static bool try_send(struct outbox *outbox, struct access *access)
{
	/* After the access was sent, another module may own it. */
	struct module *through = access->keep ? access->from : NULL;

	if (!network_send(outbox->node, node_of(access), message_size(access),
			  access))
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
void outbox_flush(struct outbox *outbox)
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

static void depart_by_event(void *owner, uint64_t outbox)
{
	struct access *access = owner;
	struct module *writer = access->keep ? access->from : NULL;
	struct outbox *box = (struct outbox *)(uintptr_t)outbox;

	box->departing--;
	outbox_put(box, access);
	if (writer)
		module_changed(writer);
}

static void depart_at(struct outbox *outbox, struct access *access,
		      picoseconds when)
{
	struct module *module = outbox->module;
	picoseconds now = event_queue_now(module->events);

	outbox->departing++;
	event_put_after(module->events, when - now, module->source,
			depart_by_event, access, (uintptr_t)outbox);
}

void outbox_return(void *outbox, void *payload, picoseconds when)
{
	depart_at(outbox, payload, when);
}

/* False: the message goes by an event, and so do those that leave after it. */
static bool reserve(struct outbox *outbox, struct access *access,
		    picoseconds when)
{
	if (outbox->departing || outbox->waiting.first || outbox->flushing ||
	    access->keep ||
	    !network_send_at(outbox->node, node_of(access),
			     message_size(access), access, when)) {
		network_take_back(outbox->node, when);
		return false;
	}
	return true;
}

static void send_by(struct module *module, struct outbox *outbox,
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
	if (when < now)
		when = now;
	/* Ordered messages always by an event: one that leaves at this very
	 * time may still be waiting for its turn. */
	if (!outbox->reserves || !reserve(outbox, access, when))
		depart_at(outbox, access, when);
}

void module_send_down(struct module *module, struct access *access,
		      picoseconds when, bool ordered)
{
	access->to = module_low(module, access->address);
	send_by(module, &module->down, access, when, ordered);
}

void module_send_peer(struct module *module, struct module *to,
		      struct access *access, picoseconds when)
{
	access->to = to;
	send_by(module, &module->down, access, when, true);
}

void module_send_up(struct module *module, struct module *to,
		    struct access *access, picoseconds when, bool ordered)
{
	access->to = to;
	send_by(module, &module->up, access, when, ordered);
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
