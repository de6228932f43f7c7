/* Networks of regular shape, with routes that cannot block each other.
 *
 * A mesh routes by dimension order: along the row, then along the column
 * (Dally and Seitz, 1987). In a ring, and in each dimension of a torus, a
 * message goes the shorter way around. The circle of buffers that this makes
 * is cut at the date line, the link between the last node and the first:
 * while a message still has to cross it, it uses the virtual channels of the
 * lower half, otherwise those of the upper half; so the order of the channels
 * along every route is ascending. Of the channels of its half a message takes
 * the one that its destination gives, so that destinations get in each other's
 * way less and the order of messages is kept: along the row the destination's
 * row counts, so that what goes to one column uses all channels. */
#include "network/internal.h"

#include <stdlib.h>

#include "base/memory.h"

struct shape {
	struct network *network;
	const struct network_topology *topology;
	uint32_t columns, rows;
	bool wraps;
};

static struct network_node *add_node(struct shape *shape,
				     enum network_node_kind kind,
				     const char *prefix, uint32_t number)
{
	char name[32];

	snprintf(name, sizeof name, "%s%u", prefix, number);
	return network_add_node(shape->network, kind, name, 0, 0,
				kind == NETWORK_END_NODE
					? 0
					: shape->topology->switch_bandwidth);
}

static void join_nodes(struct shape *shape, struct network_node *a,
		       struct network_node *b)
{
	struct network *network = shape->network;
	bool bus = b->kind == NETWORK_BUS;
	uint32_t latency = bus ? 0 : network->defaults.latency;

	network_add_link(network, a, b, 0, latency,
			 shape->topology->channels);
	network_add_link(network, b, a, 0, latency,
			 shape->topology->channels);
}

/* One step from `at` towards `to` in a dimension of `size`: +1 or -1, with
 * *crosses true when the date line is still ahead. Both ways are equally long
 * for half of an even size: half of the nodes go up, half down. */
static int step_towards(const struct shape *shape, uint32_t at, uint32_t to,
			uint32_t size, bool *crosses)
{
	uint32_t up = (to + size - at) % size;
	bool rises = 2 * up < size || (2 * up == size && to % 2);

	if (!shape->wraps) {
		*crosses = false;
		return to > at ? 1 : -1;
	}
	*crosses = rises ? to < at : to > at;
	return rises ? 1 : -1;
}

static int add_route(struct shape *shape, struct network_node **ends,
		     struct network_node **switches, uint32_t at, uint32_t to,
		     struct error *error)
{
	uint32_t columns = shape->columns, rows = shape->rows;
	uint32_t x = at % columns, y = at / columns;
	uint32_t channels = shape->topology->channels, spread;
	bool crosses;

	/* Of two equally long ways, step() chooses by the lowest bit. */
	spread = rows == 1		? to
		 : x != to % columns	? to / columns
					: to / columns / 2;
	if (x != to % columns)
		x += columns + (uint32_t)step_towards(shape, x, to % columns,
						      columns, &crosses);
	else
		y += rows + (uint32_t)step_towards(shape, y, to / columns, rows,
						   &crosses);
	if (!shape->wraps)
		channels = spread % channels;
	else if (channels < 2)
		channels = 0; /* the circle will be found */
	else
		channels = spread % (channels / 2) +
			   (crosses ? 0 : channels / 2);
	return network_add_route(shape->network, switches[at], ends[to],
				 switches[y % rows * columns + x % columns],
				 channels, error);
}

/* A sender spreads its destinations over the virtual channels, too. */
static int add_entry(struct shape *shape, struct network_node **ends,
		     struct network_node *middle, uint32_t at, uint32_t to,
		     struct error *error)
{
	return network_add_route(shape->network, ends[at], ends[to], middle,
				 to % shape->topology->channels, error);
}

/* A bus or one switch, and all end nodes at it. */
static int add_star(struct shape *shape, struct network_node **ends,
		    enum network_node_kind kind, struct error *error)
{
	struct network_node *middle = network_add_node(
		shape->network, kind, kind == NETWORK_BUS ? "bus" : "s", 0, 0,
		shape->topology->switch_bandwidth);

	if (kind == NETWORK_BUS)
		network_bus_lanes(middle, shape->topology->lanes);
	for (uint32_t i = 0; i < shape->columns; i++) {
		ends[i] = add_node(shape, NETWORK_END_NODE, "n", i);
		join_nodes(shape, ends[i], middle);
	}
	for (uint32_t i = 0; i < shape->columns; i++)
		for (uint32_t j = 0; j < shape->columns; j++)
			if (i != j && add_entry(shape, ends, middle, i, j,
						error))
				return -1;
	return 0;
}

static void join_grid(struct shape *shape, struct network_node **switches)
{
	uint32_t columns = shape->columns, rows = shape->rows;
	bool wraps = shape->wraps;

	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < columns; x++) {
			struct network_node *at = switches[y * columns + x];

			if (x + 1 < columns)
				join_nodes(shape, at,
					   switches[y * columns + x + 1]);
			else if (wraps && columns > 2)
				join_nodes(shape, at, switches[y * columns]);
			if (y + 1 < rows)
				join_nodes(shape, at,
					   switches[(y + 1) * columns + x]);
			else if (wraps && rows > 2)
				join_nodes(shape, at, switches[x]);
		}
}

static int add_grid(struct shape *shape, struct network_node **ends,
		    struct error *error)
{
	uint32_t count = shape->columns * shape->rows;
	struct network_node **switches = xcalloc(count, sizeof *switches);
	int status = 0;

	for (uint32_t i = 0; i < count; i++) {
		ends[i] = add_node(shape, NETWORK_END_NODE, "n", i);
		switches[i] = add_node(shape, NETWORK_SWITCH, "s", i);
		join_nodes(shape, ends[i], switches[i]);
	}
	join_grid(shape, switches);
	for (uint32_t at = 0; at < count; at++)
		for (uint32_t to = 0; to < count && !status; to++) {
			if (at == to)
				continue;
			status = add_route(shape, ends, switches, at, to,
					   error);
			if (!status)
				status = add_entry(shape, ends, switches[at],
						   at, to, error);
		}
	free(switches);
	return status;
}

static int check_topology(const struct network_topology *topology,
			  struct error *error)
{
	bool grid = topology->topology == TOPOLOGY_MESH ||
		    topology->topology == TOPOLOGY_TORUS;
	bool wraps = topology->topology == TOPOLOGY_RING ||
		     topology->topology == TOPOLOGY_TORUS;

	if (topology->columns * topology->rows < 2)
		return error_set(error, "expected at least two end nodes: "
				 "give Columns%s", grid ? " and Rows" : "");
	if (!grid && topology->rows > 1)
		return error_set(error, "only a Mesh or a Torus has Rows");
	if (topology->topology != TOPOLOGY_BUS && topology->lanes > 1)
		return error_set(error, "only a Bus has Lanes");
	if (wraps && topology->channels > 1 && topology->channels % 2)
		return error_set(error, "expected an even number of virtual "
				 "channels (VC), half of them for messages "
				 "past the date line, not %u",
				 topology->channels);
	return 0;
}

int network_add_topology(struct network *network,
			 const struct network_topology *topology,
			 struct error *error)
{
	struct shape shape = {
		.network = network,
		.topology = topology,
		.columns = topology->columns,
		.rows = topology->rows,
		.wraps = topology->topology == TOPOLOGY_RING ||
			 topology->topology == TOPOLOGY_TORUS,
	};
	struct network_node **ends;
	int status;

	if (check_topology(topology, error))
		return -1;
	ends = xcalloc((size_t)shape.columns * shape.rows, sizeof *ends);
	if (topology->topology == TOPOLOGY_BUS)
		status = add_star(&shape, ends, NETWORK_BUS, error);
	else if (topology->topology == TOPOLOGY_CROSSBAR)
		status = add_star(&shape, ends, NETWORK_SWITCH, error);
	else
		status = add_grid(&shape, ends, error);
	free(ends);
	return status;
}
