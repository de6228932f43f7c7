/* The declarations that the files of src/network share. Besides them only the
 * test of buffers includes this header. */
#ifndef M2S_NETWORK_INTERNAL_H
#define M2S_NETWORK_INTERNAL_H

#include <stdalign.h>

#include "base/clock-rate.h"
#include "network/network.h"
#include "sim/event.h"
#include "sim/watchdog.h"

/* Distance in bytes between members that different threads write. */
enum { APART = 128 };

/* Messages that are reserved (reserve.c) have members of their own. */
struct network_message {
	struct network_message *next;
	union {
		struct network_node *from;
		struct network_channel *channel; /* reserved */
	};
	union {
		struct network_node *to;
		picoseconds free; /* reserved: when the wire is free again */
	};
	void *payload;
	uint32_t size;
	/* Reserved: waits for the wire; its node has it; it has left. */
	bool waits, handed, left;
	picoseconds sent;
	union {
		/* When it may leave the buffer that holds it. */
		picoseconds ready;
		picoseconds arrival; /* reserved */
	};
	picoseconds departed; /* onto the wire */
};

/* A bounded FIFO of whole messages. */
struct network_buffer {
	struct network_message *first, *last;
	uint32_t size, used; /* bytes */
	uint32_t messages;
	/* Times that bytes and messages spent here, summed, for the
	 * occupancies. A message that is still here has only subtracted its
	 * arrival time. The sums wrap around. */
	uint64_t byte_time, message_time;
	unsigned index; /* in the node */
};

/* Room in a channel's input buffer that its sender may use from `when` on. */
struct network_credit {
	picoseconds when;
	uint64_t bytes;
};

/* A queue of credits, ordered by time. `capacity` is a power of two or 0. */
struct network_credits {
	struct network_credit *ring;
	uint32_t first, count, capacity;
};

/* One virtual channel of a link. `credit` tells its sender how many bytes of
 * `in` are free. A message takes credit when it starts onto the wire. The
 * credit comes back one link latency after the message has left `in`; `credits`
 * holds the returns that are under way or not yet counted (link.c).
 *
 * The thread that runs the link's sender touches the first members of channel
 * and link. The thread that runs the receiver touches the members from `in` and
 * `input_free` on. */
struct network_channel {
	alignas(APART) struct network_link *link;
	/* `credit` is always enough, and not counted (network_node_accept). */
	bool ample;
	/* Between network parts: the ways of messages and of returning
	 * credits. */
	struct event_way way, credit_way;
	/* What each message needs comes first, up to out.used: a line. */
	alignas(APART) struct network_credits credits;
	uint32_t credit;
	uint64_t departed; /* bytes; of an ample channel only */
	bool credit_wake;     /* an event is scheduled for enough credits */
	/* The first message waits for more than `credits` holds. */
	bool short_of_credit;
	/* Channels into this link's source whose first message waits for room
	 * in `out`, in order of arrival. */
	struct network_channel *waiters_first;
	struct network_buffer out;
	struct network_channel *waiters_last;

	alignas(APART) struct network_buffer in;
	uint64_t arrived; /* bytes */
	bool waiting, port_waiting, work_queued;
	struct network_channel *next_waiter;
	/* Next channel in line for the output port (port_first of the link). */
	struct network_channel *next_port;
	/* Work list of the hot path. */
	struct network_channel *next_work;
};

struct network_link {
	struct network *network;
	struct network_node *from, *to;
	uint32_t bandwidth, latency; /* bytes per cycle, cycles */
	unsigned channel_count;
	uint32_t source; /* for the event queue */
	uint32_t credit_source; /* of events for credits */
	/* An event: the message in `tag` has come to the end of the channel
	 * `owner`. */
	event_action *arrived;
	/* The number, in the network, of its first channel. */
	size_t first_channel;
	struct network_channel *channels;
	char *label; /* link_<from>.out_buf_<i>_<to>.in_buf_<j> */

	/* What each message needs is in the first line here, too. */
	alignas(APART) picoseconds busy_until;
	struct link_count {
#define STATS_MEMBERS
#include "network/link.stat.def"
	} count;
	unsigned next_channel;
	bool wake_pending;
	bool output_wake; /* an event is scheduled for output_free */
	bool work_queued;
	/* Crossbar of the switch at the sending end: when the output port is
	 * free. */
	picoseconds output_free;
	/* Channels whose first message waits for the output port. */
	struct network_channel *port_first, *port_last;
	struct network_link *next_work;
	struct network_link *next_port; /* in line for the node's single port */
	bool port_waiting;

	/* Crossbar of the switch at the receiving end: when the input port is
	 * free. */
	alignas(APART) picoseconds input_free;
	/* With TransitFirst: the sending node is another switch. */
	bool transit;
	unsigned next_input;
	bool input_wake;
};

/* A bus moves messages straight from output buffers to input buffers: from
 * those of the links into it to those of the links out of it. */
struct network_bus {
	/* Links into the bus; the first one stands for the bus on the work
	 * list. */
	struct network_link **links;
	unsigned link_count, next_link; /* round robin */
	picoseconds *lanes;             /* when each lane is free */
	uint32_t lane_count;
	picoseconds wake; /* time of the wake-up that is scheduled, or 0 */
	struct bus_count {
#define STATS_MEMBERS
#include "network/bus.stat.def"
	} count;
};

/* Messages that were given to a node before their time and have not arrived, in
 * the order in which they leave. */
struct network_reserved {
	struct network_message *first, *last;
	picoseconds free; /* when the wire is free for the first one */
};

struct network_node {
	struct network *network;
	struct network_part *part;
	enum network_node_kind kind;
	char *name;
	unsigned index;
	uint32_t input_buffer, output_buffer, bandwidth;
	unsigned in_count, out_count;      /* buffers, for their names */
	struct network_channel **route;    /* by destination index */
	struct network_bus *bus; /* the bus's own state; NULL for other nodes */
	network_receive *receive;
	network_room *room;
	void *owner;
	bool one_port; /* all links of the node share one port in turn */
	/* Of a node that reserves. */
	network_returned *returned;
	void *returned_owner;
	alignas(APART) picoseconds port_free;
	struct network_link *port_first, *port_last;
	bool port_wake; /* scheduled */
	bool blocked; /* a network_send failed */
	bool room_wake; /* scheduled: a reserved message leaves */
	struct network_reserved reserved;
	struct node_count {
#define STATS_MEMBERS
#include "network/node.stat.def"
	} count;
};

struct network_count {
#define STATS_MEMBERS
#include "network/network.stat.def"
};

/* The nodes of a network that live in one event queue, and their shared state.
 * Parts touch each other only by events. */
struct network_part {
	struct network *network;
	/* Other parts read it when they send here. */
	struct event_queue *events;
	void *memory; /* of the payloads; see network_connect() */
	/* Moves what the work lists below hold (transfer.c). */
	void (*work)(struct network_part *part);
	/* The last clock edge, or an earlier one. */
	alignas(APART) picoseconds edge;
	picoseconds edge_asked; /* with a rate: `edge` is of this time */
	struct network_message *free;
	size_t free_count;
	bool short_of_messages; /* since network_gather() */
	struct network_message **chunks;
	size_t chunk_count, chunk_capacity;
	/* Channels to forward from and links to start, in order. */
	struct network_channel *work_channels, **work_channels_end;
	struct network_link *work_links, **work_links_end;
	bool working;
	/* Messages sent here minus messages received here; wraps around. */
	uint64_t pending;
	struct network_count *count, own;
};

struct network {
	struct event_queue *events;
	char *name;
	struct log *log;
	picoseconds period;
	struct clock_rate rate; /* as network_set_exact() */
	struct network_part **parts;
	size_t part_count, part_capacity;
	struct network_defaults defaults;
	struct network_carrier carrier;
	struct network_node **nodes;
	size_t node_count, node_capacity;
	struct network_link **links;
	size_t link_count, link_capacity, channel_count;
	struct network_route {
		struct network_node *at, *to;
		struct network_channel *channel;
	} *given; /* routes given by the configuration */
	size_t given_count, given_capacity;
	struct network_script *script; /* NULL: its file has no commands */
	struct watchdog watchdog;
	struct network_count count;
};

/* The time `cycles` cycles of the network after `from`. */
static inline picoseconds network_after(const struct network *network,
					picoseconds from, uint32_t cycles)
{
	return network->rate.megahertz
		       ? clock_rate_after(&network->rate, from, cycles)
		       : from + cycles * network->period;
}

/* The time `second` cycles after that `first` cycles after `from`, which is
 * *middle. */
static inline picoseconds network_after_both(const struct network *network,
					     picoseconds from, uint32_t first,
					     uint32_t second,
					     picoseconds *middle)
{
	if (network->rate.megahertz)
		return clock_rate_after_both(&network->rate, from, first,
					     second, middle);
	*middle = from + first * network->period;
	return *middle + second * network->period;
}

/* Bytes of the input buffer that the sender knows to be free at `now`. */
uint32_t network_channel_credit(const struct network_channel *channel,
				picoseconds now);

int network_script_read(struct network *network, struct ini_section *section,
			struct error *error);
void network_script_free(struct network_script *script);

/* Variables of [ Network.<n> ] about nodes without sections of their own;
 * config.def makes them. `topology` is one of the values below. */
struct network_topology {
#define NETWORK_TOPOLOGY CONFIG_MEMBER
#include "network/config.def"
};
enum {
	TOPOLOGY_NONE,
	TOPOLOGY_BUS,
	TOPOLOGY_CROSSBAR,
	TOPOLOGY_RING,
	TOPOLOGY_MESH,
	TOPOLOGY_TORUS,
};

/* Adds the nodes, links and routes of a topology. 0, or -1 and *error. */
int network_add_topology(struct network *network,
			 const struct network_topology *topology,
			 struct error *error);

#endif
