/* [ Network ] sections of a memory configuration, and the places of modules in
 * networks. */
#include "memsys/read/reader.h"

#include <stdlib.h>
#include <strings.h>

#include "base/config.h"
#include "base/memory.h"

enum { LINKS_SWITCH, LINKS_DIRECT };

struct network_config {
#define MEMORY_NETWORK CONFIG_MEMBER
#include "memsys/config.def"
};

static const struct config_variable network_table[] = {
#define MEMORY_NETWORK(...)                                                    \
	CONFIG_NAMED(struct network_config, NULL, __VA_ARGS__)
#include "memsys/config.def"
};

void reader_network_help(FILE *stream)
{
	config_help(network_table, ARRAY_SIZE(network_table), stream);
}

int reader_networks(struct reader *reader)
{
	struct network_set *set = &reader->memsys->internal;
	struct error *error = reader->error;

	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		const char *name =
			ini_name_after(ini_section_name(section), "Network");
		struct network_defaults defaults;
		struct network_config config;

		if (!name)
			continue;
		if (networks_find(&reader->memsys->external, name))
			return ini_section_error(section, error,
						 "the network configuration "
						 "already has a network of "
						 "this name");
		config_defaults(network_table, ARRAY_SIZE(network_table),
				&config);
		config.frequency = reader->memsys->config.frequency;
		if (network_read_defaults(reader->ini, section, &defaults,
					  error) ||
		    config_read(network_table, ARRAY_SIZE(network_table),
				reader->ini, section, &config, error))
			return -1;
		ARRAY_GROW(set->networks, set->count, set->capacity);
		reader->network_sections =
			xrealloc(reader->network_sections,
				 (set->count + 1) *
					 sizeof *reader->network_sections);
		reader->switches = xrealloc(reader->switches,
					    (set->count + 1) *
						    sizeof *reader->switches);
		reader->network_sections[set->count] = section;
		set->networks[set->count] =
			network_create(reader->memsys->events, name,
				       config.frequency, &defaults,
				       reader->memsys->log);
		network_set_exact(set->networks[set->count],
				  reader_exact(reader, config.frequency));
		network_set_watchdog(set->networks[set->count],
				     reader->memsys->config.watchdog);
		reader->switches[set->count] =
			config.links == LINKS_DIRECT
				? NULL
				: network_add_node(set->networks[set->count],
						   NETWORK_SWITCH, "Switch", 0,
						   0, 0);
		set->count++;
	}
	return 0;
}

/* The module's place in an internal network: an end node, with a link in each
 * direction to the switch if there is one. */
static struct network_node *join_network(struct reader *reader,
					 size_t network_index,
					 const struct module *module)
{
	struct network *network =
		reader->memsys->internal.networks[network_index];
	struct network_node *node = network_find_node(network, module->name);
	struct network_defaults defaults;

	if (node)
		return node; /* the same network on both sides */
	network_read_defaults(reader->ini,
			      reader->network_sections[network_index],
			      &defaults, reader->error);
	node = network_add_node(network, NETWORK_END_NODE, module->name, 0, 0,
				0);
	if (!reader->switches[network_index]) {
		network_node_one_port(node);
		return node;
	}
	network_add_link(network, node, reader->switches[network_index], 0,
			 defaults.latency, 1);
	network_add_link(network, reader->switches[network_index], node, 0,
			 defaults.latency, 1);
	return node;
}

/* --- Direct links --------------------------------------------------------- */

struct pair {
	struct network_node *from, *to;
};

/* Whether a pair of modules is of this network, and its links are direct. */
static bool is_direct(const struct reader *reader, const struct module *module,
		      size_t network_index)
{
	return module->low_network ==
		       reader->memsys->internal.networks[network_index] &&
	       !reader->switches[network_index];
}

static size_t add_pair(struct pair *pairs, size_t count,
		       struct network_node *from, struct network_node *to)
{
	for (size_t i = 0; i < count; i++)
		if (pairs[i].from == from && pairs[i].to == to)
			return count;
	pairs[count++] = (struct pair){ from, to };
	return count;
}

/* The links of a network: which module sends to which, in the order of the
 * modules. */
static size_t find_pairs(const struct reader *reader, size_t network_index,
			 struct pair **pairs)
{
	const struct memsys *memsys = reader->memsys;
	size_t count = 0, most = 0;

	for (size_t i = 0; i < memsys->module_count; i++)
		most += 2 * memsys->modules[i]->low_count;
	*pairs = xcalloc(most + 1, sizeof **pairs);
	for (size_t i = 0; i < memsys->module_count; i++) {
		const struct module *module = memsys->modules[i];

		if (!is_direct(reader, module, network_index))
			continue;
		for (size_t j = 0; j < module->low_count; j++) {
			struct network_node *low = module->low[j]->up.node;

			count = add_pair(*pairs, count, module->down.node, low);
			count = add_pair(*pairs, count, low, module->down.node);
		}
	}
	return count;
}

/* Where messages to a node arrive from the wire: there, or at a multiplexer
 * before it when several send to it. */
static struct network_node *entrance(struct network *network,
				     const struct pair *pairs, size_t count,
				     struct network_node *node)
{
	size_t senders = 0;
	struct network_node *found;
	char *name;

	for (size_t i = 0; i < count; i++)
		senders += pairs[i].to == node;
	if (senders < 2)
		return node;
	name = xasprintf("%s.in", network_node_name(node));
	found = network_find_node(network, name);
	if (!found) {
		found = network_add_node(network, NETWORK_SWITCH, name, 0, 0,
					 0);
		network_add_link(network, found, node, 0, 0, 1);
	}
	free(name);
	return found;
}

void reader_direct_links(struct reader *reader)
{
	struct network_set *set = &reader->memsys->internal;

	for (size_t i = 0; i < set->count; i++) {
		struct network_defaults defaults;
		struct pair *pairs;
		size_t count;

		if (reader->switches[i])
			continue;
		network_read_defaults(reader->ini, reader->network_sections[i],
				      &defaults, reader->error);
		count = find_pairs(reader, i, &pairs);
		for (size_t j = 0; j < count; j++)
			network_add_link(set->networks[i], pairs[j].from,
					 entrance(set->networks[i], pairs,
						  count, pairs[j].to),
					 0, defaults.latency, 1);
		free(pairs);
	}
}

/* --- Places ------------------------------------------------------------- */

static bool node_in_use(const struct memsys *memsys,
			const struct network_node *node,
			const struct module *except)
{
	for (size_t i = 0; i < memsys->module_count; i++)
		if (memsys->modules[i] != except &&
		    (memsys->modules[i]->up.node == node ||
		     memsys->modules[i]->down.node == node))
			return true;
	return false;
}

int reader_side(struct reader *reader, struct module *module,
		const char *side, const struct ini_value *value,
		const struct ini_value *place, struct network **network,
		struct network_node **node)
{
	struct network_set *internal = &reader->memsys->internal;

	if (!value) {
		if (place)
			return ini_error(place, reader->error,
					 "%s is missing", side);
		return 0;
	}
	for (size_t i = 0; i < internal->count; i++) {
		*network = internal->networks[i];
		if (strcasecmp(network_name(*network), value->text))
			continue;
		if (place)
			return ini_error(place, reader->error,
					 "can be given only for a network of "
					 "the network configuration");
		*node = join_network(reader, i, module);
		return 0;
	}
	*network = networks_find(&reader->memsys->external, value->text);
	if (!*network)
		return reader_no_such(reader, value, "Network", value->text,
				      "network, neither here nor in the "
				      "network configuration");
	if (!place)
		return ini_error(value, reader->error,
				 "%sNode is missing, which a network of the "
				 "network configuration needs", side);
	*node = network_find_node(*network, place->text);
	if (!*node || network_node_kind(*node) != NETWORK_END_NODE)
		return ini_error(place, reader->error,
				 "no such end node in network '%s'",
				 value->text);
	if (node_in_use(reader->memsys, *node, module))
		return ini_error(place, reader->error,
				 "another module is at this node");
	return 0;
}
