/* [ Network ] sections of a memory configuration, and the places of modules in
 * networks. */
#include "memsys/reader.h"

#include <strings.h>

#include "base/memory.h"

int reader_networks(struct reader *reader)
{
	struct network_set *set = &reader->memsys->internal;
	struct error *error = reader->error;

	for (size_t i = 0; i < ini_section_count(reader->ini); i++) {
		struct ini_section *section = ini_section_at(reader->ini, i);
		const char *name =
			reader_after(ini_section_name(section), "Network");
		double frequency = reader->memsys->frequency;
		struct network_defaults defaults;
		struct ini_value *value;

		if (!name)
			continue;
		if (networks_find(&reader->memsys->external, name))
			return ini_section_error(section, error,
						 "the network configuration "
						 "has a network of that name");
		if (network_read_defaults(reader->ini, section, &defaults,
					  error))
			return -1;
		value = ini_find(section, "Frequency");
		if (value && ini_get_double(value, 1, 1e6, &frequency, error))
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
			network_create(reader->memsys->events, name, frequency,
				       &defaults, reader->memsys->log);
		reader->switches[set->count] =
			network_add_node(set->networks[set->count],
					 NETWORK_SWITCH, "Switch", 0, 0, 0);
		set->count++;
	}
	return 0;
}

/* The module's place in an internal network: an end node with a link in each
 * direction to the switch. */
static struct network_node *join(struct reader *reader, size_t network_index,
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
	network_add_link(network, node, reader->switches[network_index], 0,
			 defaults.latency, 1);
	network_add_link(network, reader->switches[network_index], node, 0,
			 defaults.latency, 1);
	return node;
}

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
		const char *side, const char *node_name,
		struct network **network, struct network_node **node)
{
	struct ini_section *section = reader->sections[module->index];
	struct ini_value *value = ini_find(section, side);
	struct ini_value *place = ini_find(section, node_name);
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
					 "only for a network of the network "
					 "configuration");
		*node = join(reader, i, module);
		return 0;
	}
	*network = networks_find(&reader->memsys->external, value->text);
	if (!*network)
		return reader_no_such(reader, value, "Network", value->text,
				      "network, neither here nor in the "
				      "network configuration");
	if (!place)
		return ini_error(value, reader->error,
				 "%s is missing: the network is one of the "
				 "network configuration", node_name);
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
