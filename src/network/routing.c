/* Routes: shortest paths, given routes, and the proof that the routes cannot
 * deadlock.
 *
 * A message that moves along a route holds one channel and waits for the next.
 * If these waits ("channel dependencies") form no circle, some message can
 * always move, and the network cannot deadlock (Dally and Seitz, 1987). */
#include "network/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int network_add_route(struct network *network, struct network_node *at,
		      struct network_node *to, struct network_node *next,
		      unsigned channel, struct error *error)
{
	bool linked = false;

	for (size_t i = 0; i < network->link_count; i++) {
		struct network_link *link = network->links[i];

		if (link->from != at || link->to != next)
			continue;
		linked = true;
		if (channel >= link->channel_count)
			continue;
		ARRAY_GROW(network->given, network->given_count,
			   network->given_capacity);
		network->given[network->given_count++] =
			(struct network_route){ at, to,
						&link->channels[channel] };
		return 0;
	}
	if (linked)
		return error_set(error, "the link from '%s' to '%s' has no "
				 "virtual channel %u", at->name, next->name,
				 channel);
	return error_set(error, "there is no link from '%s' to '%s'", at->name,
			 next->name);
}

/* Hops from every node to `to`, backwards from it; end nodes pass nothing
 * on. UINT32_MAX: no way. */
static void distances(const struct network *network,
		      const struct network_node *to, uint32_t *hops,
		      uint32_t *queue)
{
	size_t head = 0, tail = 0;

	for (size_t i = 0; i < network->node_count; i++)
		hops[i] = UINT32_MAX;
	hops[to->index] = 0;
	queue[tail++] = to->index;
	while (head < tail) {
		uint32_t at = queue[head++];

		if (at != to->index &&
		    network->nodes[at]->kind == NETWORK_END_NODE)
			continue;
		for (size_t i = 0; i < network->link_count; i++) {
			const struct network_link *link = network->links[i];

			if (link->to->index != at ||
			    hops[link->from->index] != UINT32_MAX)
				continue;
			hops[link->from->index] = hops[at] + 1;
			queue[tail++] = link->from->index;
		}
	}
}

static void shortest_routes(struct network *network)
{
	uint32_t *hops = xcalloc(network->node_count, sizeof *hops);
	uint32_t *queue = xcalloc(network->node_count, sizeof *queue);

	for (size_t i = 0; i < network->node_count; i++)
		network->nodes[i]->route =
			xcalloc(network->node_count,
				sizeof *network->nodes[i]->route);
	for (size_t i = 0; i < network->node_count; i++) {
		struct network_node *to = network->nodes[i];

		if (to->kind != NETWORK_END_NODE)
			continue;
		distances(network, to, hops, queue);
		for (size_t j = network->link_count; j-- > 0;) {
			struct network_link *link = network->links[j];
			uint32_t left = hops[link->to->index];

			/* From the last link to the first: the first wins. */
			if (link->from != to && left != UINT32_MAX &&
			    hops[link->from->index] == left + 1 &&
			    (link->to == to ||
			     link->to->kind != NETWORK_END_NODE))
				link->from->route[i] = &link->channels[0];
		}
	}
	free(hops);
	free(queue);
	for (size_t i = 0; i < network->given_count; i++) {
		struct network_route *given = &network->given[i];

		given->at->route[given->to->index] = given->channel;
	}
}

/* --- Channel dependencies --------------------------------------------- */

struct dependencies {
	size_t count;                      /* channels */
	struct network_channel **channels; /* by number */
	uint64_t *edges;                   /* count x words bits */
	size_t words;
	uint8_t *mark;                     /* of the search */
	size_t *stack, depth;
};

static size_t channel_number(const struct network_channel *channel)
{
	return channel->link->first_channel +
	       (size_t)(channel - channel->link->channels);
}

/* Follows the route of every end node to `to`. */
static int add_dependencies(struct dependencies *graph,
			    const struct network *network,
			    const struct network_node *to,
			    struct error *error)
{
	for (size_t i = 0; i < network->node_count; i++) {
		struct network_node *at = network->nodes[i];
		size_t last = SIZE_MAX, steps = 0;

		if (at->kind != NETWORK_END_NODE || at == to)
			continue;
		while (at != to) {
			struct network_channel *channel =
				at->route[to->index];
			size_t number;

			if (!channel && last == SIZE_MAX)
				break; /* no way at all: nothing to check */
			if (!channel)
				return error_set(error,
						 "the route from '%s' to '%s' "
						 "ends at '%s'",
						 network->nodes[i]->name,
						 to->name, at->name);
			if (at->kind == NETWORK_END_NODE && last != SIZE_MAX)
				return error_set(error,
						 "the route from '%s' to '%s' "
						 "leads through the end node "
						 "'%s'",
						 network->nodes[i]->name,
						 to->name, at->name);
			if (++steps > network->node_count)
				return error_set(error,
						 "the route from '%s' to '%s' "
						 "never arrives",
						 network->nodes[i]->name,
						 to->name);
			number = channel_number(channel);
			if (last != SIZE_MAX)
				graph->edges[last * graph->words +
					     number / 64] |=
					1ull << (number % 64);
			last = number;
			at = channel->link->to;
		}
	}
	return 0;
}

/* Depth-first search; true when a circle was found: it is then the part of
 * the stack from the channel on top of it. */
static bool find_circle(struct dependencies *graph, size_t number)
{
	graph->mark[number] = 1;
	graph->stack[graph->depth++] = number;
	for (size_t word = 0; word < graph->words; word++) {
		uint64_t bits = graph->edges[number * graph->words + word];

		for (; bits; bits &= bits - 1) {
			size_t next = word * 64 +
				      (size_t)__builtin_ctzll(bits);

			if (graph->mark[next] == 1) {
				graph->stack[graph->depth++] = next;
				return true;
			}
			if (!graph->mark[next] && find_circle(graph, next))
				return true;
		}
	}
	graph->mark[number] = 2;
	graph->depth--;
	return false;
}

static int circle_error(const struct dependencies *graph, struct error *error)
{
	enum { MOST = 12 }; /* that are named */
	size_t last = graph->stack[graph->depth - 1], start = 0, used = 0, end;
	char text[512] = "", more[32] = "";

	while (graph->stack[start] != last)
		start++;
	end = graph->depth;
	if (end - start > MOST) {
		end = start + MOST;
		snprintf(more, sizeof more, " and %zu more",
			 graph->depth - 1 - end);
	}
	for (size_t i = start; i < end && used < sizeof text; i++) {
		const struct network_channel *channel =
			graph->channels[graph->stack[i]];
		const struct network_link *link = channel->link;

		used += (size_t)snprintf(text + used, sizeof text - used,
					 "%s%s-%s:%u", used ? ", " : "",
					 link->from->name, link->to->name,
					 (unsigned)(channel -
						    link->channels));
	}
	return error_set(error, "the routes can block each other: the buffers "
			 "of %s%s wait in a circle; give other routes, or use "
			 "a second virtual channel", text, more);
}

static int check_routes(const struct network *network, struct error *error)
{
	struct dependencies graph = { 0 };
	size_t number = 0;
	int status = 0;

	for (size_t i = 0; i < network->link_count; i++)
		graph.count += network->links[i]->channel_count;
	graph.words = (graph.count + 63) / 64;
	graph.channels = xcalloc(graph.count + 1, sizeof *graph.channels);
	graph.edges = xcalloc(graph.count * graph.words + 1,
			      sizeof *graph.edges);
	graph.mark = xcalloc(graph.count + 1, sizeof *graph.mark);
	graph.stack = xcalloc(graph.count + 1, sizeof *graph.stack);
	for (size_t i = 0; i < network->link_count; i++)
		for (unsigned j = 0; j < network->links[i]->channel_count; j++)
			graph.channels[number++] =
				&network->links[i]->channels[j];
	for (size_t i = 0; i < network->node_count && !status; i++)
		if (network->nodes[i]->kind == NETWORK_END_NODE)
			status = add_dependencies(&graph, network,
						  network->nodes[i], error);
	for (size_t i = 0; i < graph.count && !status; i++)
		if (!graph.mark[i] && find_circle(&graph, i))
			status = circle_error(&graph, error);
	free(graph.channels);
	free(graph.edges);
	free(graph.mark);
	free(graph.stack);
	return status;
}

int network_finish(struct network *network, struct error *error)
{
	shortest_routes(network);
	return check_routes(network, error);
}

uint32_t network_largest_message(const struct network *network,
				 const struct network_node *from,
				 const struct network_node *to)
{
	uint32_t size = UINT32_MAX;

	(void)network;
	while (from != to) {
		const struct network_channel *channel =
			from->route[to->index];

		if (!channel)
			return 0;
		if (channel->out.size < size)
			size = channel->out.size;
		if (channel->in.size < size)
			size = channel->in.size;
		from = channel->link->to;
	}
	return size;
}
