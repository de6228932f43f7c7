/* Simulated time: an event queue.
 *
 * Events at one time run in the order (time, source, sequence), so that a run
 * repeats exactly. Components have events for what they wait for, and none
 * while they wait for others. */
#ifndef M2S_SIM_EVENT_H
#define M2S_SIM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct event_queue;

struct event_queue *event_queue_create(void);
void event_queue_free(struct event_queue *queue);

/* What a queue starts with; here because everybody asks for the time. */
struct event_queue_head {
	picoseconds now;
	uint32_t source; /* of the event that is being run */
};
static inline picoseconds event_queue_now(const struct event_queue *queue)
{
	return ((const struct event_queue_head *)(const void *)queue)->now;
}

/* Of the event that is being run, as the order of events has it. */
static inline uint32_t event_queue_source(const struct event_queue *queue)
{
	return ((const struct event_queue_head *)(const void *)queue)->source;
}

/* A number for `source` below, in creation order, which nobody else has: all
 * islands (sim/island.h) have one count. Those of clock edges are above all
 * others, and all have 22 bits. */
enum { EVENT_EDGE_SOURCE = 1 << 21 };
uint32_t event_source_create(struct event_queue *queue);

/* Calls action(owner, tag) `delay` from now. `source` orders events of the
 * same time: components pass their event_source_create() number; clock edges
 * come after every other event of their time, so that what completes in a
 * cycle is seen by the components that tick in it. No allocation per event
 * once the queue has grown to its working size. */
typedef void event_action(void *owner, uint64_t tag);
void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag);

/* The same for an event in another queue (or in `from` itself). Between two
 * queues it is a message, which the other one takes at the start of the next
 * window (sim/island.h): both must belong to the same islands. What one queue
 * sends to another with one source arrives in the order in which it was
 * sent; no two queues may send to a third with the same source
 * (islands_check). */
void event_send(struct event_queue *from, struct event_queue *to,
		picoseconds delay, uint32_t source, event_action *action,
		void *owner, uint64_t tag);

/* As event_send between two queues, if one thread runs both in this window: what
 * is sent may then be memory that the other one goes on with. Otherwise false:
 * nothing has happened. */
bool event_send_near(struct event_queue *from, struct event_queue *to,
		     picoseconds delay, uint32_t source, event_action *action,
		     void *owner, uint64_t tag);

/* A way by which one queue sends messages with contents to another: what each of
 * them would have to say again, read by both sides and changed by none. */
struct event_mail;
typedef uint64_t event_land(const struct event_mail *mail);
struct event_way {
	struct event_queue *to;
	event_action *action; /* NULL: there is no event, only contents */
	void *owner;          /* of the action */
	event_land *land;
	uint32_t source;
	uint32_t island; /* from which */
};
void event_way_set(struct event_way *way, const struct event_queue *from,
		   struct event_queue *to, uint32_t source,
		   event_action *action, void *owner, event_land *land);

/* What comes that way. */
struct event_mail {
	picoseconds time; /* of the event */
	uint32_t size;    /* of the contents, bytes */
	uint32_t word;    /* of the sender's choice */
	union {
		const struct event_way *way;
		event_action *action; /* of messages without one: post.c */
	};
	uint64_t contents[];
};
enum { EVENT_CONTENTS = 1024 }; /* at most */

/* As event_send, with a copy of the `size` bytes at `data`. `land` is called
 * where the message is taken, before its time, and makes of it what the action
 * gets as its tag; no memory is shared. Without an action `land` gets what is
 * not needed before `delay` from now; it may schedule events for that time or
 * later, and returns whether it has. */
void event_send_data(struct event_queue *from, const struct event_way *way,
		     picoseconds delay, uint32_t word, const void *data,
		     uint32_t size);

/* Tells whoever runs the islands that `who` wants to be looked at when the
 * window has ended (islands_set_settle). Not more than once a window. */
void event_queue_raise(struct event_queue *queue, void *who);

/* Runs the next time step. False when no event is left. */
bool event_queue_step(struct event_queue *queue);

/* Runs all events before `end`. */
void event_queue_run(struct event_queue *queue, picoseconds end);
/* Lets time go on to `now`, before the next event. */
void event_queue_set_now(struct event_queue *queue, picoseconds now);
/* The time of the next event; UINT64_MAX: no event is left. */
picoseconds event_queue_next(const struct event_queue *queue);

#endif
