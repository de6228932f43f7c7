/* Stores of the right path, which other cores see when the core has committed
 * them. */
#include "m2s/cores/fetch.h"

void fetch_hold(struct fetch *fetch, bool hold)
{
	if (fetch->holds == hold || fetch->wrong_count)
		return;
	fetch->holds = hold;
	x86_stores_hold(fetch->cpu, hold);
	fetch->seen_stores = x86_stores_published(fetch->cpu);
	fetch->pushed_stores = fetch->seen_stores;
	fetch->store_head = fetch->store_tail;
}

void fetch_note_memory(struct fetch *fetch, const struct x86_record *record,
		       uint64_t number, struct fetch_flow *flow)
{
	const struct x86_reference *reference =
		fetch->ring->reference + record->first;
	const struct x86_reference *first = NULL;
	unsigned stores = 0;

	flow->executed_at = fetch->executed_at;
	if (record->inst->traits & X86_LOCKED)
		fetch->locked = number + 1;
	for (unsigned i = 0; i < record->references; i++) {
		flow->loads |= reference[i].direction & X86_LOAD;
		stores += reference[i].direction == X86_STORE;
		if (!first && reference[i].direction & X86_STORE)
			first = &reference[i];
	}
	if (!first)
		return;
	fetch->pushed_stores += stores;
	if (fetch->store_tail - fetch->store_head == FETCH_STORES)
		fetch->store_head++; /* the next one publishes these, too */
	fetch->store[fetch->store_tail++ % FETCH_STORES] =
		(struct fetch_store){
			.number = number,
			.last = fetch->pushed_stores,
			.executed_at = fetch->executed_at,
			.address = first->address,
			.size = (uint64_t)first->size * first->count,
		};
}

void fetch_publish(struct fetch *fetch)
{
	uint64_t committed, published, now;

	if (!fetch->holds || fetch->store_head == fetch->store_tail)
		return;
	committed = x86_core_committed(fetch->core);
	published = x86_stores_published(fetch->cpu);
	now = x86_core_cycle(fetch->core);
	fetch->counts.stores_early += published - fetch->seen_stores;
	while (fetch->store_head < fetch->store_tail) {
		const struct fetch_store *store =
			&fetch->store[fetch->store_head % FETCH_STORES];

		if (store->number >= committed)
			break;
		if (store->last > published) {
			uint64_t count = published;

			x86_stores_publish(fetch->cpu, store->last - count);
			published = x86_stores_published(fetch->cpu);
			count = published - count;
			fetch->counts.stores += count;
			fetch->counts.store_cycles +=
				count * (now - store->executed_at);
		}
		if (fetch->committed)
			fetch->committed(fetch->owner, store->address,
					 store->size);
		fetch->store_head++;
	}
	fetch->seen_stores = published;
}
