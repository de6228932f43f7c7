/* Simulated time: an event queue.
 *
 * Events at one time run in the order (time, source, sequence), so that a run
 * repeats exactly. A component schedules an event for what it waits for. A
 * component that waits for another component has no event. */
#ifndef M2S_SIM_EVENT_H
#define M2S_SIM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct event_queue;

struct event_queue *event_queue_create(void);
void event_queue_free(struct event_queue *queue);

/* The first members of a queue, public so that asking for the time is inline.
 * */
struct event_queue_head {
	picoseconds now;
	uint32_t source; /* of the event that is being run */
};
static inline picoseconds event_queue_now(const struct event_queue *queue)
{
	return ((const struct event_queue_head *)(const void *)queue)->now;
}

/* The source of the event that is being run. */
static inline uint32_t event_queue_source(const struct event_queue *queue)
{
	return ((const struct event_queue_head *)(const void *)queue)->source;
}

/* Returns a new number for `source` below. Numbers rise in creation order and
 * are unique among all islands (sim/island.h). They have 22 bits, and those of
 * clock edges are above all others. */
enum { EVENT_EDGE_SOURCE = 1 << 21 };
uint32_t event_source_create(struct event_queue *queue);

/* Calls action(owner, tag) `delay` from now. `source` orders events of the
 * same time: components pass their event_source_create() number. Clock edges
 * come after every other event of their time, so that components that tick in a
 * cycle see what completes in it. A queue that has grown to its working size
 * allocates no memory for an event. */
typedef void event_action(void *owner, uint64_t tag);
void event_schedule(struct event_queue *queue, picoseconds delay,
		    uint32_t source, event_action *action, void *owner,
		    uint64_t tag);

/* The same for an event in another queue (or in `from` itself). Between two
 * queues the event is a message, which the receiver takes at the start of the
 * next window (sim/island.h); both queues must belong to the same islands.
 * Messages from one queue to another with one source arrive in the order in
 * which they were sent. No two queues may send to a third with the same source
 * (islands_check). */
void event_send(struct event_queue *from, struct event_queue *to,
		picoseconds delay, uint32_t source, event_action *action,
		void *owner, uint64_t tag);

/* A sender that has scheduled an event in the queue of its receiver, which one
 * thread runs in this window, says for when. */
void event_queue_expect(struct event_queue *queue, picoseconds time);

/* A way by which one queue sends messages with contents to another. It holds
 * what is the same for all of these messages. Both sides read it, and neither
 * changes it. */
struct event_mail;
typedef uint64_t event_land(const struct event_mail *mail);
struct event_way {
	struct event_queue *to;
	event_action *action; /* NULL: contents without an event */
	void *owner;          /* of the action */
	event_land *land;
	uint32_t source;
	uint32_t island; /* of the sender */
};
void event_way_set(struct event_way *way, const struct event_queue *from,
		   struct event_queue *to, uint32_t source,
		   event_action *action, void *owner, event_land *land);

/* A message of a way. */
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

/* As event_send, with a copy of the `size` bytes at `data`. The receiver calls
 * `land` when it takes the message, before the message's time. What `land`
 * returns is the tag of the action; no memory is shared. If the way has no
 * action, `land` may schedule events for the message's time or later, and
 * returns whether it has. */
void event_send_data(struct event_queue *from, const struct event_way *way,
		     picoseconds delay, uint32_t word, const void *data,
		     uint32_t size);

/* Asks that `who` be settled at the end of the window (islands_set_settle).
 * Call it at most once in a window for each `who`. */
void event_queue_raise(struct event_queue *queue, void *who);

/* Runs the next time step. False when no event is left. */
bool event_queue_step(struct event_queue *queue);

/* Runs all events before `end`. */
void event_queue_run(struct event_queue *queue, picoseconds end);
/* All events of the queue before that time have been run. */
picoseconds event_queue_done(const struct event_queue *queue);
/* Sets the time to `now`, which is before the next event. */
void event_queue_set_now(struct event_queue *queue, picoseconds now);
/* The time of the next event; UINT64_MAX: no event is left. */
picoseconds event_queue_next(const struct event_queue *queue);

#endif
