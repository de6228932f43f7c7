/* Simulated time: an event queue and clock domains.
 *
 * Events at one time run in the order (time, source, sequence), so that a run
 * repeats exactly. Components that tick every cycle while they have work
 * register with a clock domain and cost nothing while they sleep. */
#ifndef M2S_SIM_EVENT_H
#define M2S_SIM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct event_queue;
struct clock_domain;

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

/* The same between two queues, with contents: `land` is called where the
 * message is taken, before its time, and makes of a copy of the `size` bytes
 * at `data` what the action gets as its tag. No memory is shared. */
typedef uint64_t event_land(void *owner, const void *data);
void event_send_data(struct event_queue *from, struct event_queue *to,
		     picoseconds delay, uint32_t source, event_action *action,
		     void *owner, event_land *land, const void *data,
		     uint32_t size);

/* The same without an event: `land` gets what is not needed before `delay` from
 * now. It may schedule events for that time or later, and returns whether it
 * has. */
void event_tell(struct event_queue *from, struct event_queue *to,
		picoseconds delay, void *owner, event_land *land,
		const void *data, uint32_t size);

/* Tells whoever runs the islands that `who` wants to be looked at when the
 * window has ended (islands_set_settle). Not more than once a window. */
void event_queue_raise(struct event_queue *queue, void *who);

/* A clock: period = 1e6 / MHz picoseconds, rounded to the nearest. */
struct clock_domain *clock_domain_create(struct event_queue *queue,
					 const char *name, double megahertz);
void clock_domain_free(struct clock_domain *domain);
picoseconds clock_domain_period(const struct clock_domain *domain);
/* Number of the current cycle; cycle 0 begins at time 0. */
uint64_t clock_domain_cycle(const struct clock_domain *domain);

/* A component that ticks at each rising edge while it is awake: tick returns
 * true to be called again at the next edge, false to sleep until
 * clock_wake(), which may also come during the tick itself. A component woken
 * at the time of an edge ticks at that edge unless its turn has passed. Awake
 * components of a domain tick in creation order; components start asleep. A
 * component must not be freed by a tick of its own domain. */
struct clock_component;
struct clock_component *clock_component_create(struct clock_domain *domain,
					       bool (*tick)(void *owner),
					       void *owner);
void clock_component_free(struct clock_component *component);
void clock_wake(struct clock_component *component);

/* Runs the next time step. False when no event is left and every component
 * sleeps. */
bool event_queue_step(struct event_queue *queue);

/* Runs all events before `end`. */
void event_queue_run(struct event_queue *queue, picoseconds end);
/* Lets time go on to `now`, before the next event. */
void event_queue_set_now(struct event_queue *queue, picoseconds now);
/* The time of the next event; UINT64_MAX: no event is left. */
picoseconds event_queue_next(const struct event_queue *queue);

#endif
