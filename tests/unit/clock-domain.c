/* Clock domains: one event per rising edge while a component is awake. */
#include "unit/clock-domain.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

struct clock_domain {
	struct event_queue *queue;
	char *name;
	picoseconds period;
	uint32_t source;
	bool edge_pending;     /* an edge event is scheduled */
	bool ticking;          /* inside edge() */
	picoseconds last_edge; /* time of the last edge run */
	uint64_t last_cycle;
	bool any_edge;         /* last_edge is valid */
	struct clock_component **components; /* NULL: freed */
	uint64_t *awake;                     /* one bit per component */
	size_t count, capacity;
};

struct clock_component {
	struct clock_domain *domain;
	size_t index;
	bool (*tick)(void *owner);
	void *owner;
};

struct clock_domain *clock_domain_create(struct event_queue *queue,
					 const char *name, double megahertz)
{
	struct clock_domain *domain = xcalloc(1, sizeof *domain);

	domain->queue = queue;
	domain->name = xstrdup(name);
	domain->period = (picoseconds)llround(1e6 / megahertz);
	if (!domain->period)
		domain->period = 1;
	domain->source = EVENT_EDGE_SOURCE + event_source_create(queue);
	return domain;
}

void clock_domain_free(struct clock_domain *domain)
{
	if (!domain)
		return;
	for (size_t i = 0; i < domain->count; i++)
		free(domain->components[i]);
	free(domain->components);
	free(domain->awake);
	free(domain->name);
	free(domain);
}

picoseconds clock_domain_period(const struct clock_domain *domain)
{
	return domain->period;
}

uint64_t clock_domain_cycle(const struct clock_domain *domain)
{
	picoseconds now = event_queue_now(domain->queue);

	/* Without a division in the common case. */
	if (domain->any_edge && now - domain->last_edge < domain->period)
		return domain->last_cycle;
	return now / domain->period;
}

static void edge(void *owner, uint64_t tag);

/* Schedules the first edge at or after now that has not been run. */
static void schedule_edge(struct clock_domain *domain)
{
	picoseconds now = event_queue_now(domain->queue);
	picoseconds delay = (domain->period - now % domain->period) %
			    domain->period;

	if (!delay && domain->any_edge && domain->last_edge == now)
		delay = domain->period;
	event_schedule(domain->queue, delay, domain->source, edge, domain, 0);
	domain->edge_pending = true;
}

static void edge(void *owner, uint64_t tag)
{
	struct clock_domain *domain = owner;
	picoseconds now = event_queue_now(domain->queue);
	bool awake = false;

	(void)tag;
	domain->last_cycle = domain->any_edge &&
					     now - domain->last_edge ==
						     domain->period
				     ? domain->last_cycle + 1
				     : now / domain->period;
	domain->last_edge = now;
	domain->any_edge = true;
	domain->edge_pending = false;
	domain->ticking = true;
	for (size_t word = 0; word * 64 < domain->count; word++) {
		/* Bits above the turn may be set while we go: they still tick
		 * at this edge. */
		uint64_t mask = ~0ull, ready;

		while ((ready = domain->awake[word] & mask)) {
			unsigned bit = (unsigned)__builtin_ctzll(ready);
			struct clock_component *component;

			component = domain->components[word * 64 + bit];
			domain->awake[word] &= ~(1ull << bit);
			mask = bit == 63 ? 0 : ~0ull << (bit + 1);
			if (component->tick(component->owner))
				domain->awake[word] |= 1ull << bit;
			if (!mask)
				break;
		}
	}
	domain->ticking = false;
	for (size_t word = 0; word * 64 < domain->count; word++)
		awake |= domain->awake[word] != 0;
	if (awake) {
		event_schedule(domain->queue, domain->period, domain->source,
			       edge, domain, 0);
		domain->edge_pending = true;
	}
}

struct clock_component *clock_component_create(struct clock_domain *domain,
					       bool (*tick)(void *owner),
					       void *owner)
{
	struct clock_component *component = xmalloc(sizeof *component);

	if (domain->count == domain->capacity) {
		size_t old = domain->capacity;

		domain->capacity = old ? 2 * old : 64;
		domain->components =
			xrealloc(domain->components,
				 domain->capacity *
					 sizeof *domain->components);
		domain->awake = xrealloc(domain->awake,
					 domain->capacity / 64 *
						 sizeof *domain->awake);
		for (size_t i = old / 64; i < domain->capacity / 64; i++)
			domain->awake[i] = 0;
	}
	component->domain = domain;
	component->index = domain->count;
	component->tick = tick;
	component->owner = owner;
	domain->components[domain->count++] = component;
	return component;
}

void clock_component_free(struct clock_component *component)
{
	struct clock_domain *domain;

	if (!component)
		return;
	domain = component->domain;
	domain->awake[component->index / 64] &=
		~(1ull << (component->index % 64));
	domain->components[component->index] = NULL;
	free(component);
}

void clock_wake(struct clock_component *component)
{
	struct clock_domain *domain = component->domain;

	domain->awake[component->index / 64] |= 1ull
						<< (component->index % 64);
	if (!domain->edge_pending && !domain->ticking)
		schedule_edge(domain);
}
