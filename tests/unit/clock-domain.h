/* Clock domains for tests: components that tick every cycle while they have
 * work, and cost nothing while they sleep. The simulator's own components have
 * events for what they wait for instead. */
#ifndef M2S_TESTS_UNIT_CLOCK_DOMAIN_H
#define M2S_TESTS_UNIT_CLOCK_DOMAIN_H

#include "sim/event.h"

struct clock_domain;

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

#endif
