/* What becomes of accesses: how they are counted, and how their processors hear
 * of their end. */
#include "base/optimize.h"

#include "memsys/access/access.h"

#include <inttypes.h>

#include "sim/queue.h"

void access_log_line(const struct module *module, const struct access *access,
		     const char *what)
{
	static const char *const kinds[] = {
		[MEMSYS_LOAD] = "load",
		[MEMSYS_STORE] = "store",
		[MEMSYS_NC_STORE] = "nc-store",
		[MEMSYS_ATOMIC] = "atomic",
		[MEMSYS_ATOMIC_LOAD] = "atomic-load",
		[MEMSYS_ATOMIC_STORE] = "atomic-store",
		[MEMSYS_UNCACHED_LOAD] = "uncached-load",
		[MEMSYS_PAST_STORE] = "past-store",
		[MEMSYS_FLUSH] = "flush",
		[MEMSYS_PREFETCH] = "prefetch",
	};

	fprintf(log_stream(module->log, LOG_MEM),
		"%" PRIu64 " ps %s: %s 0x%" PRIx64 " %u %s\n",
		event_queue_now(module->events), module->name,
		kinds[access_asked_for(access)], access->address, access->size,
		what);
}

void module_count_retries(struct module *module, enum memsys_access_kind kind,
			  uint64_t count)
{
	module->count.class[CLASS_ALL].retries += count;
	module->count.class[access_class(kind)].retries += count;
}

bool module_refuse(struct module *module, enum memsys_access_kind kind)
{
	if (kind != MEMSYS_PREFETCH)
		module_count_retries(module, kind, 1);
	return false;
}

/* --- Completion --------------------------------------------------------- */

void access_nobody_waits(void *owner, uint64_t tag)
{
	(void)owner;
	(void)tag;
}

void access_complete(struct module *module, struct access *access)
{
	module_done *done = access->done;
	void *owner = access->owner;
	uint64_t tag = access->tag;

	access_log(module, access, "done");
	module->pool->pending--;
	access_free(module->pool, access);
	done(owner, tag);
}

static void complete_list(void *owner, uint64_t tag)
{
	struct access *access = owner, *next;

	(void)tag;
	for (; access; access = next) {
		next = access->next;
		__builtin_prefetch(next);
		access_complete(access->to, access);
	}
}

void access_complete_list_at(struct module *module, struct access *first,
			     picoseconds when)
{
	picoseconds now = event_queue_now(module->events);

	/* An event of this very time of which nobody hears. */
	if (when <= now && first->done == access_nobody_waits && !first->next &&
	    !log_stream(module->log, LOG_MEM)) {
		access_complete(module, first);
		return;
	}
	event_put_after(module->events, when > now ? when - now : 0,
		       module->source, complete_list, first, 0);
}

void access_complete_at(struct module *module, struct access *access,
			picoseconds when)
{
	access->next = NULL;
	access_complete_list_at(module, access, when);
}
