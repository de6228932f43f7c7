/* Interconnects: end nodes, switches, buses and links that carry sealed
 * messages.
 *
 *      end node                 switch                  end node
 *   +------------+       +--------------------+      +-----------+
 *   | out buffer |==link=>in buffer  out buffer|=link=>in buffer |
 *   +------------+       +--------------------+      +-----------+
 *
 * A message moves as a whole (store and forward). A link takes
 * ceil(size / bandwidth) cycles plus its wire latency, a switch
 * ceil(size / bandwidth) cycles between two of its buffers. A bus has no
 * buffers: each of its lanes takes one message at a time, in
 * ceil(size / bandwidth) cycles, from the output buffer of a node into the
 * input buffer of another, in turn among the nodes that have one; a node
 * receives one message of the bus at a time. Links to and
 * from a bus are its taps and take no time of their own. A message starts
 * to move only when the buffer ahead is known to have room for all of it, so
 * pressure propagates backwards to the sender: room in an input buffer is
 * known at the other end of the link a cycle and the link's latency after it
 * was made (at once without latency). Messages between two nodes on the same
 * route arrive in the order in which they were sent. */
#ifndef M2S_NETWORK_NETWORK_H
#define M2S_NETWORK_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/config.h"
#include "base/error.h"
#include "base/ini.h"
#include "sim/event.h"
#include "stats/stats.h"

struct log;
struct network;
struct network_node;
struct network_link;

/* Sizes used for nodes and links that do not give their own; see config.def,
 * which makes them. */
struct network_defaults {
#define NETWORK_DEFAULT CONFIG_MEMBER
#include "network/config.def"
};

struct network *network_create(struct event_queue *events, const char *name,
			       double megahertz,
			       const struct network_defaults *defaults,
			       struct log *log);
void network_free(struct network *network);
const char *network_name(const struct network *network);

/* --- Building -------------------------------------------------------- */

enum network_node_kind { NETWORK_END_NODE, NETWORK_SWITCH, NETWORK_BUS };

/* Zero sizes stand for the network's defaults; an end node has no bandwidth
 * of its own, a bus no buffers. */
struct network_node *network_add_node(struct network *network,
				      enum network_node_kind kind,
				      const char *name, uint32_t input_buffer,
				      uint32_t output_buffer,
				      uint32_t bandwidth);
struct network_node *network_find_node(const struct network *network,
				       const char *name);
const char *network_node_name(const struct network_node *node);
enum network_node_kind network_node_kind(const struct network_node *node);

/* The end node sends one message at a time, whatever the number of links. */
void network_node_one_port(struct network_node *node);

/* How many messages a bus moves at a time; 1 without this. */
void network_bus_lanes(struct network_node *bus, uint32_t lanes);

/* One direction. `channels`: virtual channels, each with its own buffers. */
void network_add_link(struct network *network, struct network_node *from,
		      struct network_node *to, uint32_t bandwidth,
		      uint32_t latency, unsigned channels);

/* What a node does with messages for another: the neighbour to send them to
 * and the virtual channel. Pairs without a route take a shortest way, with
 * ties going to the link added first. */
int network_add_route(struct network *network, struct network_node *at,
		      struct network_node *to, struct network_node *next,
		      unsigned channel, struct error *error);

/* Computes the routes and checks that they cannot block each other: when the
 * buffers along the routes wait for each other in a circle, the error names
 * the circle. Call once, after everything was added. */
int network_finish(struct network *network, struct error *error);

/* The largest message that fits every buffer between two nodes; 0 when there
 * is no way. */
uint32_t network_largest_message(const struct network *network,
				 const struct network_node *from,
				 const struct network_node *to);

/* --- Running --------------------------------------------------------- */

/* A message has arrived. Returns false to leave it in the input buffer (and
 * block what is behind it) until network_node_resume(). */
typedef bool network_receive(void *owner, void *payload, uint32_t size);
/* The output buffer of a node has got room after a failed network_send. */
typedef void network_room(void *owner);

void network_node_attach(struct network_node *node, network_receive *receive,
			 network_room *room, void *owner);
/* False when the output buffer has no room: `room` will be called once.
 * Otherwise the payload is the network's until it is received. */
bool network_send(struct network_node *from, struct network_node *to,
		  uint32_t size, void *payload);
void network_node_resume(struct network_node *node);
/* The link from one node to another, by their names (case does not matter), or
 * NULL; and what it has carried. */
struct network_link *network_find_link(const struct network *network,
				       const char *from, const char *to);
void network_link_count(const struct network_link *link, uint64_t *messages,
			uint64_t *bytes);
/* Messages sent and not yet received. */
uint64_t network_pending(const struct network *network);
/* Bytes that links and buses have moved, each counted on every one it took. */
uint64_t network_moved(const struct network *network);
/* Messages under way for so many cycles, and none that arrives: an error. Not
 * watched without this, or with 0. */
void network_set_watchdog(struct network *network, uint64_t cycles);
/* Now and then, between windows; -1 and an error when it hangs. */
int network_watch(struct network *network, picoseconds now,
		  struct error *error);
/* The time from which it would look next. */
picoseconds network_watch_next(const struct network *network);
/* Where they are and what those in front wait for, as text; nothing when there
 * are none. */
void network_describe(const struct network *network, FILE *stream);

/* --- Parts ------------------------------------------------------------- */

/* A network may be spread over several event queues that are run window by
 * window (sim/island.h): its nodes, and what links they send to, live in one
 * queue each. Links between nodes in different queues need a latency of at
 * least the window. */
size_t network_node_count(const struct network *network);
/* From 0, in the order in which nodes were added. */
unsigned network_node_index(const struct network_node *node);
/* Every link, by the indices of its nodes, and its latency. */
void network_each_link(const struct network *network,
		       void (*visit)(void *owner, unsigned from, unsigned to,
				     picoseconds latency),
		       void *owner);
/* Before anything is sent, and before network_connect(). Without it a node lives
 * in the network's queue. `memory` is the carrier's: of all nodes in one queue
 * the same. */
void network_place(struct network *network, unsigned node,
		   struct event_queue *events, void *memory);

/* What messages carry is the sender's memory, which the receiver gets by its
 * address. Where another thread runs the receiver, it would have to come from
 * another processor, and go back there in the end. So its owner can have its
 * contents carried instead, beside the message. */
struct network_carrier {
	/* Writes what there is to say of a payload, NETWORK_CARRIED bytes at
	 * most, and ends it; returns how many bytes. */
	uint32_t (*pack)(void *memory, void *payload, void *bytes);
	/* Makes another one of them. */
	void *(*unpack)(void *memory, const void *bytes, uint32_t size);
};
enum { NETWORK_CARRIED = 96 };
/* All nodes have their places. `carrier`: NULL if payloads go by address. */
void network_connect(struct network *network,
		     const struct network_carrier *carrier);
/* Gathers the figures of the parts: to be called between windows, before
 * figures are read. */
void network_gather(struct network *network);

/* Sections Network.<n>.General, .Link.*, .Node.* of a report. */
void network_register_stats(struct network *network, struct stats *stats,
			    const char *report);

/* --- Configuration files --------------------------------------------- */

/* The networks of a --net-config file. */
struct network_set {
	struct network **networks;
	size_t count, capacity;
};

/* Adds the networks of the file to *set; what was added before an error is
 * freed with the set. Checks the whole file. */
int networks_read(struct network_set *set, struct event_queue *events,
		  struct log *log, struct ini *ini, struct error *error);
void networks_free(struct network_set *set);
struct network *networks_find(const struct network_set *set, const char *name);

/* DefaultInputBufferSize and its like from a section; all but the latency
 * must be there. */
int network_read_defaults(struct ini *ini, struct ini_section *section,
			  struct network_defaults *defaults,
			  struct error *error);

/* --net-help. */
void network_help(FILE *stream);

#endif
