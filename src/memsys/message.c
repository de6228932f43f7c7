/* What a module does with the messages that it receives. */
#include "base/optimize.h"

#include "memsys/access/access.h"

static bool receive_message(void *owner, void *payload, uint32_t size)
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

static void room_in_network(void *owner)
{
	struct module *module = owner;

	/* The two sides may share a node. */
	outbox_flush(&module->down);
	outbox_flush(&module->up);
	module_changed(module);
}

static void attach(struct module *module, struct network_node *node,
		   uint32_t largest)
{
	if (!node)
		return;
	network_node_attach(node, receive_message, room_in_network, module);
	network_node_accept(node, largest);
}

/* A message is at most a block of the module or of one below it. */
void module_attach_networks(struct module *module)
{
	uint32_t block = module->block_size;

	for (size_t i = 0; i < module->low_count; i++)
		if (module->low[i]->block_size > block)
			block = module->low[i]->block_size;
	attach(module, module->up.node, MEMSYS_HEADER + block);
	attach(module, module->down.node, MEMSYS_HEADER + block);
}
