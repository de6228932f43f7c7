/* Reads --net-config files. */
#include "network/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "network/script.h"

struct general_config {
#define NETWORK_GENERAL CONFIG_MEMBER
#include "network/config.def"
};

struct node_config {
#define NETWORK_NODE CONFIG_MEMBER
#include "network/config.def"
};

struct link_config {
#define NETWORK_LINK CONFIG_MEMBER
#include "network/config.def"
};

/* Values of a link's Type. */
enum { LINK_ONE_WAY, LINK_BOTH_WAYS };

static const struct config_variable general_table[] = {
#define NETWORK_GENERAL(...)                                                   \
	CONFIG_NAMED(struct general_config, "General", __VA_ARGS__)
#include "network/config.def"
};

static const struct config_variable default_table[] = {
#define NETWORK_DEFAULT(...)                                                   \
	CONFIG_NAMED(struct network_defaults, NULL, __VA_ARGS__)
#include "network/config.def"
};

static const struct config_variable topology_table[] = {
#define NETWORK_TOPOLOGY(...)                                                  \
	CONFIG_NAMED(struct network_topology, NULL, __VA_ARGS__)
#include "network/config.def"
};

static const struct config_variable node_table[] = {
#define NETWORK_NODE(...) CONFIG_NAMED(struct node_config, NULL, __VA_ARGS__)
#include "network/config.def"
};

static const struct config_variable link_table[] = {
#define NETWORK_LINK(...) CONFIG_NAMED(struct link_config, NULL, __VA_ARGS__)
#include "network/config.def"
};

/* Splits "Network.<n>.<kind>.<x>": 0 when it is a section of network `n` of
 * that kind, with *rest at <x>. `kind` is ".Node." or the like. */
static int split_section_name(const char *section,
			      const struct network *network, const char *kind,
			      const char **rest)
{
	const char *tail = ini_name_tail(section, "Network.");

	tail = tail ? ini_name_tail(tail, network->name) : NULL;
	tail = tail ? ini_name_tail(tail, kind) : NULL;
	*rest = tail;
	return tail && *tail ? 0 : -1;
}

int network_read_defaults(struct ini *ini, struct ini_section *section,
			  struct network_defaults *defaults,
			  struct error *error)
{
	config_defaults(default_table, ARRAY_SIZE(default_table), defaults);
	return config_read(default_table, ARRAY_SIZE(default_table), ini,
			   section, defaults, error);
}

/* Variables that only some kinds of node have. */
static int check_node(struct ini_section *section, int kind,
		      struct error *error)
{
	static const struct {
		const char *name, *whose;
		int kinds; /* bits */
	} only[] = {
		{ "Bandwidth", "a Switch or a Bus has a bandwidth of its own",
		  1 << NETWORK_SWITCH | 1 << NETWORK_BUS },
		{ "Lanes", "a Bus has lanes", 1 << NETWORK_BUS },
		{ "InputBufferSize", "an EndNode or a Switch has buffers",
		  1 << NETWORK_END_NODE | 1 << NETWORK_SWITCH },
		{ "OutputBufferSize", "an EndNode or a Switch has buffers",
		  1 << NETWORK_END_NODE | 1 << NETWORK_SWITCH },
	};

	for (size_t i = 0; i < ARRAY_SIZE(only); i++) {
		struct ini_value *value = ini_find(section, only[i].name);

		if (value && !(only[i].kinds >> kind & 1))
			return ini_error(value, error, "only %s",
					 only[i].whose);
	}
	return 0;
}

static int read_node(struct network *network, struct ini *ini,
		     struct ini_section *section, const char *name,
		     struct error *error)
{
	struct network_node *node;
	struct node_config config;

	config_defaults(node_table, ARRAY_SIZE(node_table), &config);
	if (config_read(node_table, ARRAY_SIZE(node_table), ini, section,
			&config, error) ||
	    check_node(section, config.type, error))
		return -1;
	node = network_add_node(network, (enum network_node_kind)config.type,
				name, config.input_buffer,
				config.output_buffer, config.bandwidth);
	if (config.type == NETWORK_BUS)
		network_bus_lanes(node, config.lanes);
	return 0;
}

/* The node that Source or Dest names. */
static struct network_node *find_end(const struct network *network,
				     const struct ini_value *value,
				     struct error *error)
{
	struct network_node *node;
	const char *near;
	const char **names;

	node = network_find_node(network, value->text);
	if (node)
		return node;
	names = xcalloc(network->node_count + 1, sizeof *names);
	for (size_t i = 0; i < network->node_count; i++)
		names[i] = network->nodes[i]->name;
	near = nearest_name(value->text, names, network->node_count);
	if (near)
		ini_error(value, error, "no such node in network '%s' (did "
			  "you mean '%s'?)", network->name, near);
	else
		ini_error(value, error, "no such node in network '%s'",
			  network->name);
	free(names);
	return NULL;
}

/* Links to and from a bus are its taps: time passes on the bus only. */
static int check_tap(struct ini_section *section,
		     const struct network_node *from,
		     const struct network_node *to, struct error *error)
{
	static const char *const none[] = { "Bandwidth", "Latency" };

	if (from->kind != NETWORK_BUS && to->kind != NETWORK_BUS)
		return 0;
	if (from->kind == to->kind)
		return ini_section_error(section, error, "'%s' and '%s' are "
					 "buses; join them through a switch",
					 from->name, to->name);
	for (size_t i = 0; i < ARRAY_SIZE(none); i++)
		if (ini_find(section, none[i]))
			return ini_error(ini_find(section, none[i]), error,
					 "a link to or from a bus has no %s of "
					 "its own, only the bus has a "
					 "bandwidth", none[i]);
	return 0;
}

static int read_link(struct network *network, struct ini *ini,
		     struct ini_section *section, struct error *error)
{
	struct network_node *from, *to;
	struct link_config config;

	config_defaults(link_table, ARRAY_SIZE(link_table), &config);
	config.latency = network->defaults.latency;
	if (config_read(link_table, ARRAY_SIZE(link_table), ini, section,
			&config, error))
		return -1;
	from = find_end(network, config.source, error);
	to = from ? find_end(network, config.dest, error) : NULL;
	if (!to)
		return -1;
	if (from == to)
		return ini_error(config.dest, error,
				 "expected two different nodes for a link");
	if (check_tap(section, from, to, error))
		return -1;
	/* A tap has no values of its own: check_tap() has made sure. */
	if (from->kind == NETWORK_BUS || to->kind == NETWORK_BUS)
		config.latency = 0;
	network_add_link(network, from, to, config.bandwidth, config.latency,
			 config.channels);
	if (config.type == LINK_BOTH_WAYS)
		network_add_link(network, to, from, config.bandwidth,
				 config.latency, config.channels);
	return 0;
}

/* "A.to.C = B" or "A.to.C = B:vc". */
static int read_route(struct network *network, struct ini_value *value,
		      struct error *error)
{
	struct network_node *at = NULL, *to = NULL, *next;
	const char *colon = strrchr(value->text, ':');
	unsigned long channel = 0;
	struct error why = { "" };
	char *name, *end;

	/* Node names may contain ".to." themselves: try every split. */
	for (const char *dot = strcasestr(value->name, ".to."); dot && !to;
	     dot = strcasestr(dot + 1, ".to.")) {
		name = xstrdup(value->name);
		name[dot - value->name] = '\0';
		at = network_find_node(network, name);
		to = at ? network_find_node(network, dot + 4) : NULL;
		free(name);
	}
	if (!to)
		return ini_error(value, error, "expected <node>.to.<node> with "
				 "two nodes of network '%s'", network->name);
	if (to->kind != NETWORK_END_NODE || at == to)
		return ini_error(value, error, "expected a route to another "
					       "end node");
	if (colon) {
		channel = strtoul(colon + 1, &end, 10);
		if (!isdigit((unsigned char)colon[1]) || *end ||
		    channel > 63)
			return ini_error(value, error, "expected <node>:<"
					 "virtual channel>");
	}
	name = xstrdup(value->text);
	if (colon)
		name[colon - value->text] = '\0';
	next = network_find_node(network, name);
	free(name);
	if (!next)
		return ini_error(value, error, "no such node in network '%s'",
				 network->name);
	if (network_add_route(network, at, to, next, (unsigned)channel, &why))
		return ini_error(value, error, "%s", why.text);
	return 0;
}

static int read_routes(struct network *network, struct ini_section *section,
		       struct error *error)
{
	ini_section_use(section);
	for (size_t i = 0; i < ini_value_count(section); i++)
		if (read_route(network, ini_value_at(section, i), error))
			return -1;
	return 0;
}

static int read_topology(struct network *network, struct ini *ini,
			 struct ini_section *own, struct error *error)
{
	struct network_topology topology;
	struct error why = { "" };

	config_defaults(topology_table, ARRAY_SIZE(topology_table), &topology);
	if (config_read(topology_table, ARRAY_SIZE(topology_table), ini, own,
			&topology, error))
		return -1;
	if (!topology.topology) {
		for (size_t i = 1; i < ARRAY_SIZE(topology_table); i++)
			if (ini_find(own, topology_table[i].name))
				return ini_error(ini_find(
							 own,
							 topology_table[i].name),
						 error, "can be given only "
						 "together with Topology");
		return 0;
	}
	if (network_add_topology(network, &topology, &why))
		return ini_error(ini_find(own, "Topology"), error, "%s",
				 why.text);
	return 0;
}

/* Everything of one network, whose own section is `own`. */
static int read_network(struct network *network, struct ini *ini,
			struct ini_section *own, struct error *error)
{
	struct ini_section *given;
	struct error why = { "" };
	const char *rest;
	char *routes, *script;
	int status = 0;

	if (read_topology(network, ini, own, error))
		return -1;
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);

		if (split_section_name(ini_section_name(section), network,
				       ".Node.", &rest))
			continue;
		if (network_find_node(network, rest))
			return ini_section_error(section, error,
						 "the network already has a "
						 "node of this name");
		if (read_node(network, ini, section, rest, error))
			return -1;
	}
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);

		if (!split_section_name(ini_section_name(section), network,
					".Link.", &rest) &&
		    read_link(network, ini, section, error))
			return -1;
	}
	routes = xasprintf("Network.%s.Routes", network->name);
	given = ini_section_find(ini, routes);
	free(routes);
	if (given)
		status = read_routes(network, given, error);
	if (status)
		return -1;
	if (network_finish(network, &why))
		return ini_section_error(given ? given : own, error, "%s",
					 why.text);
	script = xasprintf("Network.%s.Commands", network->name);
	if (ini_section_find(ini, script))
		status = network_script_read(network,
					     ini_section_find(ini, script),
					     error);
	free(script);
	return status;
}

/* Sections Network.<n>.<kind>... are not networks themselves. */
static bool is_part(const char *name)
{
	return strcasestr(name, ".Node.") || strcasestr(name, ".Link.") ||
	       strcasestr(name, ".Routes") || strcasestr(name, ".Commands");
}

int networks_read(struct network_set *set, struct event_queue *events,
		  struct log *log, struct ini *ini, struct error *error)
{
	struct general_config general;

	config_defaults(general_table, ARRAY_SIZE(general_table), &general);
	if (config_read(general_table, ARRAY_SIZE(general_table), ini, NULL,
			&general, error))
		return -1;
	for (size_t i = 0; i < ini_section_count(ini); i++) {
		struct ini_section *section = ini_section_at(ini, i);
		const char *name = ini_name_tail(ini_section_name(section),
					 "Network.");
		struct network_defaults defaults;
		struct network *network;

		if (!name || !*name || is_part(name))
			continue;
		if (networks_find(set, name))
			return ini_section_error(section, error,
						 "another network already has "
						 "this name");
		if (network_read_defaults(ini, section, &defaults, error))
			return -1;
		network = network_create(events, name, general.frequency,
					 &defaults, log);
		ARRAY_GROW(set->networks, set->count, set->capacity);
		set->networks[set->count++] = network;
		network_set_watchdog(network, general.watchdog);
		if (read_network(network, ini, section, error))
			return -1;
	}
	return ini_check(ini, error);
}

void network_help(FILE *stream)
{
	fputs("Network configuration (--net-config): an INI file with the "
	      "networks that the\nNetwork variables of a memory configuration "
	      "name.\n\n", stream);
	config_help(general_table, ARRAY_SIZE(general_table), stream);
	fputs("\n[ Network.<network> ]\n", stream);
	config_help(default_table, ARRAY_SIZE(default_table), stream);
	config_help(topology_table, ARRAY_SIZE(topology_table), stream);
	fputs("\n[ Network.<network>.Node.<node> ]\n", stream);
	config_help(node_table, ARRAY_SIZE(node_table), stream);
	fputs("\n[ Network.<network>.Link.<link> ]\n", stream);
	config_help(link_table, ARRAY_SIZE(link_table), stream);
	fputs("\n[ Network.<network>.Routes ]\n"
	      "  <at>.to.<end node> = <next node>[:<virtual channel>]\n"
	      "      what node <at> does with messages for <end node>; pairs "
	      "that are not given\n      take a shortest way\n",
	      stream);
	fputs("\n[ Network.<network>.Commands ]\n"
	      "  Command[<i>] = <cycle> <command> <argument> ...\n"
	      "      a test that --net-sim runs; end nodes leave messages in "
	      "their input buffers\n      until they are told to receive them. "
	      "Commands of a cycle run after everything\n      else in it:\n",
	      stream);
	network_script_help(stream);
}
