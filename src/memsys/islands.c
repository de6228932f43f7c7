/* Which modules and network nodes can be run at the same time: those between
 * which every message is on its way for a window or longer. Links with a
 * latency divide the hierarchy into islands; what links without join, and a
 * module with its nodes, stays together. */
#include "memsys/ahead.h"
#include "memsys/module.h"

#include <stdlib.h>

#include "base/memory.h"
#include "memsys/tlb/tlb.h"

/* Cycles of the slowest clock of all networks: with shorter windows threads
 * would wait for each other more than they work. */
enum { LEAST_LATENCY = 8 };

/* Union-find over modules, then the nodes of each network. */
struct division {
	size_t *parent;
	size_t first_node; /* of the network that is visited */
	picoseconds least; /* latency of links that divide */
	picoseconds window; /* the shortest of these */
};

static size_t find_island(struct division *division, size_t item)
{
	while (division->parent[item] != item)
		item = division->parent[item] =
			division->parent[division->parent[item]];
	return item;
}

/* The lower number stands for both. */
static void join_islands(struct division *division, size_t a, size_t b)
{
	a = find_island(division, a);
	b = find_island(division, b);
	if (a < b)
		division->parent[b] = a;
	else
		division->parent[a] = b;
}

static void visit_link(void *owner, unsigned from, unsigned to,
		       picoseconds latency)
{
	struct division *division = owner;

	if (latency < division->least)
		join_islands(division, division->first_node + from,
			     division->first_node + to);
	else if (latency < division->window)
		division->window = latency;
}

static const struct network_set *set(const struct memsys *memsys, int which)
{
	return which ? &memsys->external : &memsys->internal;
}

/* Number of the first node of a network among the items. */
static size_t first_node(const struct memsys *memsys,
			 const struct network *network)
{
	size_t first = memsys->module_count;

	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < set(memsys, which)->count; i++) {
			if (set(memsys, which)->networks[i] == network)
				return first;
			first += network_node_count(
				set(memsys, which)->networks[i]);
		}
	return first;
}

static void join_node(const struct memsys *memsys, struct division *division,
		      size_t module, const struct network *network,
		      const struct network_node *node)
{
	if (node)
		join_islands(division, module,
			     first_node(memsys, network) +
				 network_node_index(node));
}

static void join_modules(void *owner, const struct module *a,
			 const struct module *b)
{
	join_islands(owner, a->index, b->index);
}

/* Modules that send only to each other, like a slice of the last cache and its
 * memory channel: as messages between islands that would cost more than it
 * gains. */
static void join_pairs(const struct memsys *memsys, struct division *division)
{
	size_t *users = xcalloc(memsys->module_count + 1, sizeof *users);

	for (size_t i = 0; i < memsys->module_count; i++)
		for (size_t j = 0; j < memsys->modules[i]->low_count; j++)
			users[memsys->modules[i]->low[j]->index]++;
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		if (module->low_count == 1 && users[module->low[0]->index] == 1)
			join_islands(division, i, module->low[0]->index);
	}
	free(users);
}

static void divide(const struct memsys *memsys, struct division *division)
{
	tlb_divide(memsys, division->least, &division->window, join_modules,
		   division);
	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < set(memsys, which)->count; i++) {
			struct network *network =
				set(memsys, which)->networks[i];

			division->first_node = first_node(memsys, network);
			network_each_link(network, visit_link, division);
		}
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		join_node(memsys, division, i, module->low_network,
			  module->down.node);
		join_node(memsys, division, i, module->high_network,
			  module->up.node);
	}
	join_pairs(memsys, division);
}

struct memsys_pool *memsys_pool(struct memsys *memsys,
				struct event_queue *events)
{
	struct memsys_pool *pool;

	for (size_t i = 0; i < memsys->pool_count; i++)
		if (memsys->pools[i]->events == events)
			return memsys->pools[i];
	pool = xcalloc_aligned(sizeof *pool);
	pool->memsys = memsys;
	pool->events = events;
	ARRAY_GROW(memsys->pools, memsys->pool_count, memsys->pool_capacity);
	memsys->pools[memsys->pool_count++] = pool;
	return pool;
}

/* Whether a processor's accesses begin there. */
static bool has_entry(const struct memsys *memsys,
		      const struct event_queue *events)
{
	for (size_t i = 0; i < memsys->entry_count; i++) {
		const struct memsys_entry *entry = &memsys->entries[i];

		if (entry->data->events == events ||
		    (entry->instruction &&
		     entry->instruction->events == events))
			return true;
	}
	return false;
}

/* The others are at the back: nothing that they do takes effect elsewhere but by
 * messages. */
static void find_back(const struct memsys *memsys, struct islands *islands)
{
	for (size_t i = 1; i < islands_count(islands); i++)
		if (!has_entry(memsys, islands_queue(islands, i)))
			islands_set_back(islands, islands_queue(islands, i));
}

/* Whether all links between those and the others have a latency of two windows
 * or more. */
struct crossing {
	const struct memsys *memsys;
	struct division *division;
	struct event_queue *const *queues;
	picoseconds least;
	bool holds;
};

static bool node_has_entry(const struct crossing *crossing, unsigned node)
{
	struct division *division = crossing->division;
	size_t item = find_island(division, division->first_node + node);

	return has_entry(crossing->memsys, crossing->queues[item]);
}

static void check_crossing(void *owner, unsigned from, unsigned to,
			   picoseconds latency)
{
	struct crossing *crossing = owner;

	if (latency < crossing->least && node_has_entry(crossing, from) !=
						 node_has_entry(crossing, to))
		crossing->holds = false;
}

/* A message over a link is answered by a credit. Translations have ways of
 * their own, which are not considered. */
static bool are_staggered(const struct memsys *memsys,
			  struct division *division,
			  struct event_queue *const *queues)
{
	struct crossing crossing = {
		.memsys = memsys, .division = division, .queues = queues,
		.least = 2 * division->window, .holds = !memsys->tlb_count,
	};

	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < set(memsys, which)->count; i++) {
			struct network *network =
				set(memsys, which)->networks[i];

			division->first_node = first_node(memsys, network);
			network_each_link(network, check_crossing, &crossing);
		}
	return crossing.holds;
}

static void place_node(struct memsys *memsys, struct network *network,
		       unsigned node, struct event_queue *events)
{
	network_place(network, node, events, memsys_pool(memsys, events));
}

/* The entries of compute units that share something. */
static void join_units(struct memsys *memsys, struct division *division,
		       unsigned units, unsigned together)
{
	for (unsigned i = 0; together && i < units; i++) {
		const struct module *first = memsys_entry(
			memsys, MEMSYS_EVERGREEN, i - i % together, 0);
		const struct module *own =
			memsys_entry(memsys, MEMSYS_EVERGREEN, i, 0);

		if (first && own)
			join_islands(division, first->index, own->index);
	}
}

void memsys_split(struct memsys *memsys, const struct memsys_options *options)
{
	struct islands *islands = options->islands;
	struct division division = {
		.least = (picoseconds)((options->least_latency
						? options->least_latency
						: LEAST_LATENCY) *
				       1e6 / memsys->config.frequency),
		.window = options->window,
	};
	size_t items = first_node(memsys, NULL);
	struct event_queue **queues = xcalloc(items + 1, sizeof *queues);

	division.parent = xcalloc(items + 1, sizeof *division.parent);
	for (size_t i = 0; i < items; i++)
		division.parent[i] = i;
	divide(memsys, &division);
	for (int i = 0; i < 2; i++)
		join_units(memsys, &division, options->compute_units,
			   options->units_together[i]);
	for (size_t i = 0; i < items; i++)
		if (find_island(&division, i) == i)
			queues[i] = islands_count(islands) < ISLANDS_MAX
					    ? islands_add(islands)
					    : islands_queue(islands, 0);
	for (size_t i = 0; i < memsys->module_count; i++) {
		struct module *module = memsys->modules[i];

		module->events = queues[find_island(&division, i)];
		module->pool = memsys_pool(memsys, module->events);
		if (module->dram)
			dram_set_events(module->dram, module->events);
	}
	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < set(memsys, which)->count; i++) {
			struct network *network =
				set(memsys, which)->networks[i];
			size_t first = first_node(memsys, network);

			for (unsigned n = 0; n < network_node_count(network);
			     n++)
				place_node(
				    memsys, network, n,
				    queues[find_island(&division, first + n)]);
			network_connect(network, &access_carrier);
		}
	tlb_place(memsys);
	/* Some may be in the hub. */
	if (islands_count(islands) < ISLANDS_MAX)
		find_back(memsys, islands);
	memsys->islands = islands;
	islands_set_window(islands, division.window,
			   are_staggered(memsys, &division, queues));
	free(queues);
	free(division.parent);
}

/* Most accesses end where they began; write-backs and probes do not. So pools
 * with many free objects give some to pools that had to allocate. */
static void balance_accesses(struct memsys *memsys)
{
	enum { KEPT = 1024 };
	struct access *spare = NULL;
	size_t spares = 0, takers = 0;

	for (size_t i = 0; i < memsys->pool_count; i++)
		takers += memsys->pools[i]->short_of_accesses;
	for (size_t i = 0; takers && i < memsys->pool_count; i++) {
		struct memsys_pool *pool = memsys->pools[i];

		for (; pool->access_count > KEPT; spares++) {
			struct access *access = access_take(pool);

			access->next = spare;
			spare = access;
		}
	}
	for (size_t i = 0; i < memsys->pool_count; i++) {
		struct memsys_pool *pool = memsys->pools[i];

		if (!pool->short_of_accesses)
			continue;
		pool->short_of_accesses = false;
		for (size_t n = spares / takers + 1; spare && n; n--) {
			struct access *access = spare;

			spare = access->next;
			access_free(pool, access);
		}
	}
}

void memsys_balance(struct memsys *memsys)
{
	if (memsys->pool_count > 1)
		balance_accesses(memsys);
	memsys_settle(memsys);
	for (int which = 0; which < 2; which++)
		for (size_t i = 0; i < set(memsys, which)->count; i++)
			network_gather(set(memsys, which)->networks[i]);
}

struct event_queue *module_events(const struct module *module)
{
	return module->events;
}

struct islands *memsys_islands(const struct memsys *memsys)
{
	return memsys->islands;
}
