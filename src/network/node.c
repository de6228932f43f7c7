/* Nodes of a network: finding them, and who receives at them. */
#include <strings.h>

#include "network/internal.h"

struct network_node *network_find_node(const struct network *network,
				       const char *name)
{
	for (size_t i = 0; i < network->node_count; i++)
		if (!strcasecmp(network->nodes[i]->name, name))
			return network->nodes[i];
	return NULL;
}

void network_node_attach(struct network_node *node, network_receive *receive,
			 network_room *room, void *owner)
{
	node->receive = receive;
	node->room = room;
	node->owner = owner;
}
