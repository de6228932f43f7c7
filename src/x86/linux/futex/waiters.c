/* The waiters of futexes. */
#include <errno.h>
#include <string.h>

#include "x86/linux/futex/futex.h"
#include "x86/linux/futex/waiters.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"
#include "x86/linux/wait.h"

struct futex_key futex_key_of(const struct guest_memory *memory,
			      uint64_t address)
{
	const struct space_region *region =
		space_region_at(memory->space, address);
	struct futex_key key = { .memory = memory, .offset = address };

	if (!region || !region->shared)
		return key;
	for (size_t i = 0; i < memory->shared_count; i++) {
		const struct shared_object *object = memory->shared + i;

		if (!strcmp(object->name, region->name))
			return (struct futex_key){
				NULL, object->device, object->inode,
				region->offset + (address - region->start)
			};
	}
	return key;
}

static bool same_key(const struct futex_key *a, const struct futex_key *b)
{
	return a->memory == b->memory && a->offset == b->offset &&
	       a->device == b->device && a->inode == b->inode;
}

int futex_waits_on(const struct context *context, const struct futex_key *key,
		   bool pi)
{
	const struct wait *wait = &context->wait;
	struct futex_key own;

	if (context->ended || wait->kind != WAIT_FUTEX || wait->woken ||
	    wait->futex.pi != pi)
		return -1;
	for (int i = 0; i < wait->futex.count; i++) {
		own = futex_key_of(wait->futex.memory, wait->futex.list[i]);
		if (same_key(&own, key))
			return i;
	}
	if (wait->futex.count)
		return -1;
	own = futex_key_of(wait->futex.memory, wait->futex.key);
	return same_key(&own, key) ? 0 : -1;
}

struct context *futex_first_waiter(struct linux_system *system,
				   const struct futex_key *key, uint32_t bits,
				   bool pi)
{
	struct context *first = NULL;

	for (struct context *context = system->contexts; context;
	     context = context->next)
		if (context->wait.kind == WAIT_FUTEX &&
		    (context->wait.futex.bits & bits) &&
		    (!first ||
		     context->wait.futex.order < first->wait.futex.order) &&
		    futex_waits_on(context, key, pi) >= 0)
			first = context;
	return first;
}

void futex_wake_waiter(struct context *waiter, int index)
{
	waiter->wait.woken = true;
	waiter->wait.futex.bits = 0;
	waiter->wait.futex.index = index;
}

int futex_wake(struct linux_system *system, struct guest_memory *memory,
	       uint64_t address, int count, uint32_t bits)
{
	struct futex_key key = futex_key_of(memory, address);
	int woken = 0;

	/* Linux wakes one even when asked for none. */
	do {
		struct context *waiter =
			futex_first_waiter(system, &key, bits, false);

		if (!waiter)
			break;
		futex_wake_waiter(waiter, futex_waits_on(waiter, &key, false));
		woken++;
	} while (woken < count);
	return woken;
}

int64_t futex_begin_wait(struct context *context, uint32_t bits,
			 uint64_t time_address, bool absolute, int clock,
			 bool wide)
{
	struct linux_system *system = context->process->system;

	if (!context->call.restarted)
		context->wait.deadline = INT64_MAX;
	if (time_address && !context->call.restarted) {
		int64_t time, now = clock_monotonic(system);
		int result = guest_get_time(context, time_address, wide,
					    &time);

		if (result)
			return result;
		if (absolute)
			time -= clock_read(context, clock);
		context->wait.deadline = now + time;
		if (time <= 0)
			return -ETIMEDOUT;
	}
	context->wait.futex.memory = context->process->memory;
	context->wait.futex.bits = bits;
	context->wait.futex.order = ++system->futex_serial;
	return wait_for(context, WAIT_FUTEX,
			"a futex (lock, condition or join)");
}

int64_t futex_end_wait(struct context *context)
{
	if (context->wait.futex.bits == 0)
		return 0;
	if (context->wait.deadline <=
	    clock_monotonic(context->process->system))
		return -ETIMEDOUT;
	return wait_for(context, WAIT_FUTEX, context->wait.what);
}
