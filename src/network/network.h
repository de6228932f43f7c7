/* Interconnects: end nodes, switches, buses and links that carry sealed
 * messages.
 *
 *      end node                 switch                  end node
 *   +------------+       +--------------------+      +-----------+
 *   | out buffer |==link=>in buffer  out buffer|=link=>in buffer |
 *   +------------+       +--------------------+      +-----------+
 *
 * A message moves as a whole (store and forward). A link takes ceil(size /
 * bandwidth) cycles plus its wire latency, a switch ceil(size / bandwidth)
 * cycles between two of its buffers. A bus has no buffers. Each of its lanes
 * moves one message at a time, in ceil(size / bandwidth) cycles, from the
 * output buffer of one node into the input buffer of another. Nodes that have a
 * message to send take turns. A node receives one message of the bus at a time.
 * Links to and from a bus are its taps and take no time. A message starts to
 * move only when the buffer ahead is known to have room for all of it, so
 * back-pressure reaches the sender. Room that is made in an input buffer is
 * known at the other end of the link one cycle and the link's latency later (at
 * once if the latency is 0). Messages between two nodes on the same route
 * arrive in the order in which they were sent. */
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

/* Defaults for nodes and links that give no sizes; config.def makes them. */
struct network_defaults {
#define NETWORK_DEFAULT CONFIG_MEMBER
#include "network/config.def"
};

struct network *network_create(struct event_queue *events, const char *name,
			       double megahertz,
			       const struct network_defaults *defaults,
			       struct log *log);
/* Cycle n begins at floor(n x 10^6 / megahertz) ps, not at n rounded periods. To
 * be called before the first message; 0 takes it back. */
void network_set_exact(struct network *network, uint32_t megahertz);
void network_free(struct network *network);
const char *network_name(const struct network *network);

/* --- Building -------------------------------------------------------- */

enum network_node_kind { NETWORK_END_NODE, NETWORK_SWITCH, NETWORK_BUS };

/* Adds a node. A size of 0 means the network's default. An end node has no
 * bandwidth, and a bus has no buffers. */
struct network_node *network_add_node(struct network *network,
				      enum network_node_kind kind,
				      const char *name, uint32_t input_buffer,
				      uint32_t output_buffer,
				      uint32_t bandwidth);
struct network_node *network_find_node(const struct network *network,
				       const char *name);
const char *network_node_name(const struct network_node *node);
enum network_node_kind network_node_kind(const struct network_node *node);

/* Makes an end node send one message at a time, whatever its number of
 * links. */
void network_node_one_port(struct network_node *node);

/* Sets how many messages a bus moves at a time. The default is 1. */
void network_bus_lanes(struct network_node *bus, uint32_t lanes);

/* Adds a link in one direction. `channels` is the number of virtual channels;
 * each has its own buffers. */
void network_add_link(struct network *network, struct network_node *from,
		      struct network_node *to, uint32_t bandwidth,
		      uint32_t latency, unsigned channels);

/* Sets the route of messages at node `at` for node `to`: the neighbour to send
 * them to, and the virtual channel. Pairs without a given route use a shortest
 * path; ties go to the link added first. */
int network_add_route(struct network *network, struct network_node *at,
		      struct network_node *to, struct network_node *next,
		      unsigned channel, struct error *error);

/* Computes the routes and checks that they cannot deadlock. If the buffers
 * along the routes wait for each other in a circle, the error names the circle.
 * To be called once, after all nodes and links were added. */
int network_finish(struct network *network, struct error *error);

/* The largest message that fits every buffer between two nodes; 0 when there is
 * no route. */
uint32_t network_largest_message(const struct network *network,
				 const struct network_node *from,
				 const struct network_node *to);

/* --- Running --------------------------------------------------------- */

/* Receives a message. Returning false leaves the message in the input buffer,
 * where it blocks the messages behind it until network_node_resume(). */
typedef bool network_receive(void *owner, void *payload, uint32_t size);
/* Called when the output buffer of a node has room after a failed
 * network_send(). */
typedef void network_room(void *owner);

void network_node_attach(struct network_node *node, network_receive *receive,
			 network_room *room, void *owner);
/* The node receives each message as soon as it arrives, and none of more than
 * `largest` bytes is sent to it. Then a link that its input buffer keeps busy
 * never waits for room. To be called when all links were added. */
void network_node_accept(struct network_node *node, uint32_t largest);
/* Sends a message. False when the output buffer has no room: `room` will be
 * called once. Otherwise the network owns the payload until the message is
 * received. */
bool network_send(struct network_node *from, struct network_node *to,
		  uint32_t size, void *payload);

/* network_node_reserve(): the owner of an end node wants to send messages ahead
 * of time. It sends in events of its number `source` only, or later in a time
 * step. To be called when all nodes have their places. Returns whether it can.
 *
 * network_send_at(): as network_send(), at `when`, which is not past: the network
 * has the message at once, and it arrives when it would. Messages that leave at
 * one time do so in the order of these calls. False: it has to be sent at its
 * time, and until then no other one may be reserved. Messages that do not leave
 * before it are then returned by network_take_back(), to be called before it is
 * scheduled, or earlier: they have to be sent at their times, too. */
typedef void network_returned(void *owner, void *payload, picoseconds when);
bool network_node_reserve(struct network_node *node, uint32_t source,
			  network_returned *returned, void *owner);
bool network_send_at(struct network_node *from, const struct network_node *to,
		     uint32_t size, void *payload, picoseconds when);
void network_take_back(struct network_node *node, picoseconds when);
/* Counts what has been sent, as all events before `now` have been run. To be called
 * between windows, before figures are read. */
void network_settle(const struct network *network, picoseconds now);

void network_node_resume(struct network_node *node);
/* network_find_link(): the link from one node to another by their names, in
 * upper or lower case, or NULL. network_link_count(): the messages and bytes
 * that a link has carried. */
struct network_link *network_find_link(const struct network *network,
				       const char *from, const char *to);
void network_link_count(const struct network_link *link, uint64_t *messages,
			uint64_t *bytes);
/* Messages sent and not yet received; those of network_send_at() from their time
 * on, as of the last network_settle(). */
uint64_t network_pending(const struct network *network);
/* Bytes that links and buses have moved. A byte counts once for every link or
 * bus that it passed. */
uint64_t network_moved(const struct network *network);
/* Makes it an error when messages are under way and none arrives for so many
 * cycles. By default, and with 0, the network is not watched. */
void network_set_watchdog(struct network *network, uint64_t cycles);
/* The watchdog. Call it between windows now and then, behind network_settle(). -1 and an error when the
 * network hangs. */
int network_watch(struct network *network, picoseconds now,
		  struct error *error);
/* The time of the watchdog's next look. */
picoseconds network_watch_next(const struct network *network);
/* Writes where messages are and what the first one of each buffer waits for.
 * Writes nothing when no message is under way. To be called behind
 * network_settle(). */
void network_describe(const struct network *network, FILE *stream);

/* --- Parts ------------------------------------------------------------- */

/* A network may be spread over several event queues that run window by window
 * (sim/island.h). Each node lives in one queue, together with the sending ends
 * of its links. Links between nodes in different queues need a latency of at
 * least the window. */
size_t network_node_count(const struct network *network);
/* The number of a node, from 0, in the order in which nodes were added. */
unsigned network_node_index(const struct network_node *node);
/* Visits every link, with the indices of its nodes and its latency. */
void network_each_link(const struct network *network,
		       void (*visit)(void *owner, unsigned from, unsigned to,
				     picoseconds latency),
		       void *owner);
/* Places a node in an event queue. To be called before network_connect() and
 * before anything is sent. A node that is not placed lives in the network's
 * queue. `memory` is passed to the carrier's functions; all nodes of one queue
 * have the same. */
void network_place(struct network *network, unsigned node,
		   struct event_queue *events, void *memory);

/* Carries payloads between threads. A payload is the sender's memory, and by
 * default the receiver gets its address. If another processor runs the
 * receiver, the memory would have to move to that processor's cache and later
 * back. So the owner of the payloads can have their contents copied beside the
 * message instead. */
struct network_carrier {
	/* Writes the contents of a payload, at most NETWORK_CARRIED bytes, and
	 * frees the payload. Returns the number of bytes. */
	uint32_t (*pack)(void *memory, void *payload, void *bytes);
	/* Makes a new payload from the bytes. */
	void *(*unpack)(void *memory, const void *bytes, uint32_t size);
};
enum { NETWORK_CARRIED = 96 };
/* To be called when all nodes have their places. `carrier` is NULL if payloads
 * are passed by address. */
void network_connect(struct network *network,
		     const struct network_carrier *carrier);
/* Gathers the statistics of the parts, and shares out their memory for messages.
 * To be called between windows now and then, and before statistics are read. */
void network_gather(struct network *network);

/* Registers the sections Network.<n>.General, .Link.* and .Node.* of a
 * report. */
void network_register_stats(struct network *network, struct stats *stats,
			    const char *report);

/* --- Configuration files --------------------------------------------- */

/* The networks of a --net-config file. */
struct network_set {
	struct network **networks;
	size_t count, capacity;
};

/* Adds the networks of the file to *set and checks the whole file. Networks
 * that were added before an error are freed with the set. */
int networks_read(struct network_set *set, struct event_queue *events,
		  struct log *log, struct ini *ini, struct error *error);
void networks_free(struct network_set *set);
struct network *networks_find(const struct network_set *set, const char *name);

/* Reads DefaultInputBufferSize and the other defaults from a section. All but
 * the latency are mandatory. */
int network_read_defaults(struct ini *ini, struct ini_section *section,
			  struct network_defaults *defaults,
			  struct error *error);

/* Writes the text of --net-help. */
void network_help(FILE *stream);

#endif
