/* Computed figures of a network under a pattern of traffic. */
#include <stdlib.h>

#include "base/memory.h"
#include "network/pattern.h"

static uint32_t transfer_cycles(uint32_t size, uint32_t bandwidth)
{
	return size <= bandwidth ? 1 : (size + bandwidth - 1) / bandwidth;
}

/* Cycles of one link, and of the switch that it leads into. */
static uint64_t hop_cycles(const struct network_link *link,
			   const struct network_node *to, uint32_t size)
{
	uint64_t cycles = 0;

	if (link->from->kind == NETWORK_BUS)
		cycles = transfer_cycles(size, link->from->bandwidth);
	else if (link->to->kind != NETWORK_BUS)
		cycles = transfer_cycles(size, link->bandwidth) +
			 (uint64_t)link->latency;
	if (link->to != to && link->to->kind == NETWORK_SWITCH)
		cycles += transfer_cycles(size, link->to->bandwidth);
	return cycles;
}

uint64_t network_zero_load(const struct network *network,
			   const struct network_node *from,
			   const struct network_node *to, uint32_t size)
{
	uint64_t cycles = 0;

	(void)network;
	while (from != to) {
		const struct network_link *link = from->route[to->index]->link;

		cycles += hop_cycles(link, to, size);
		from = link->to;
	}
	return cycles;
}

/* Busy cycles that one message per cycle and node would cause. */
struct load {
	double link, input, output; /* of a link and the ports at its ends */
};

struct loads {
	struct load *links; /* by first_channel */
	double *buses;      /* by node index */
};

static void add_route(struct loads *loads, const struct network_node *from,
		      const struct network_node *to, uint32_t size,
		      double weight)
{
	const struct network_link *last = NULL;

	while (from != to) {
		const struct network_link *link = from->route[to->index]->link;
		struct load *load = &loads->links[link->first_channel];

		if (from->kind == NETWORK_BUS) {
			load->link +=
				weight * transfer_cycles(size, from->bandwidth);
			loads->buses[from->index] +=
				weight * transfer_cycles(size, from->bandwidth);
		} else if (link->to->kind != NETWORK_BUS)
			load->link +=
				weight * transfer_cycles(size, link->bandwidth);
		if (from->kind == NETWORK_SWITCH) {
			double cycles = weight * transfer_cycles(
							 size, from->bandwidth);

			load->output += cycles;
			loads->links[last->first_channel].input += cycles;
		}
		last = link;
		from = link->to;
	}
}

static void consider(struct network_analysis *analysis, double load,
		     const char *what, const char *name)
{
	if (load <= 0 || 1 / load >= analysis->bound)
		return;
	analysis->bound = 1 / load;
	snprintf(analysis->bottleneck, sizeof analysis->bottleneck, "%s %s",
		 what, name);
}

static void find_bottleneck(const struct network *network,
			    const struct loads *loads,
			    struct network_analysis *analysis)
{
	for (size_t i = 0; i < network->link_count; i++) {
		const struct network_link *link = network->links[i];
		const struct load *load = &loads->links[link->first_channel];

		consider(analysis, load->link, "link", link->label);
		consider(analysis, load->input, "input port of", link->label);
		consider(analysis, load->output, "output port of",
			 link->label);
	}
	for (size_t i = 0; i < network->node_count; i++)
		if (network->nodes[i]->kind == NETWORK_BUS)
			consider(analysis,
				 loads->buses[i] /
					 network->nodes[i]->bus->lane_count,
				 "bus", network->nodes[i]->name);
}

int network_analyse(struct network *network,
		    const struct network_traffic_options *options,
		    struct network_analysis *analysis, struct error *error)
{
	struct network_ends ends = network_ends(network);
	struct loads loads = { 0 };
	double sum = 0, weights = 0;

	*analysis = (struct network_analysis){ .bound = 1e9 };
	if (pattern_check(options, network, &ends, error)) {
		free(ends.node);
		return -1;
	}
	loads.links = xcalloc(network->channel_count + 1, sizeof *loads.links);
	loads.buses = xcalloc(network->node_count + 1, sizeof *loads.buses);
	for (uint32_t i = 0; i < ends.count; i++)
		for (uint32_t j = 0; j < ends.count; j++) {
			double weight = pattern_weight(options, ends.count, i,
						       j);

			if (weight <= 0)
				continue;
			weights += weight;
			sum += weight * (double)network_zero_load(
						network, ends.node[i],
						ends.node[j], options->size);
			add_route(&loads, ends.node[i], ends.node[j],
				  options->size, weight);
		}
	analysis->zero_load = sum / weights;
	find_bottleneck(network, &loads, analysis);
	free(loads.links);
	free(loads.buses);
	free(ends.node);
	return 0;
}
