/* Questions to the directory about the copies above: which copies forbid an
 * access, the probes that take them back, and the state that the sender of an
 * access gets. */
#include "base/optimize.h"

#include "memsys/coherence.h"

int module_tracked(const struct module *module, const struct access *access)
{
	if (!module->directory || !access->from)
		return DIRECTORY_NOBODY;
	return module->upper_number[access->from->index];
}

void module_sub_blocks(const struct module *module, uint64_t address,
		       uint32_t size, uint32_t *first, uint32_t *end)
{
	uint32_t offset = (uint32_t)(address & ~module->block_mask);

	*first = offset >> module->directory->sub_shift;
	*end = ((offset + size - 1) >> module->directory->sub_shift) + 1;
}

/* What the access demands of the other modules above: for stores and atomics,
 * that they give the block up. */
static enum memsys_access_kind demand(const struct access *access)
{
	switch (access->kind) {
	case MEMSYS_STORE:
	case MEMSYS_ATOMIC:
		return MEMSYS_STORE;
	case MEMSYS_NC_STORE:
		return module_passes(access) ? MEMSYS_STORE : MEMSYS_NC_STORE;
	default:
		return MEMSYS_LOAD;
	}
}

bool module_forbidden(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end,
		      enum memsys_access_kind kind, int except)
{
	if (kind == MEMSYS_STORE)
		return directory_shared(directory, line, first, end, except);
	if (kind == MEMSYS_NC_STORE)
		return directory_coherent(directory, line, first, end, except);
	return directory_owned(directory, line, first, end, except) ||
	       directory_noncoherent(directory, line, first, end, except);
}

/* Those whose accesses pass have no copy that could stay. */
static int exempt(const struct module *module, const struct access *access)
{
	return module_passes(access) ? DIRECTORY_NOBODY
				     : module_tracked(module, access);
}

bool module_conflict(const struct module *module, int32_t line,
		     const struct access *access)
{
	uint32_t first, end;

	if (!module->directory || line < 0)
		return false;
	module_sub_blocks(module, access->address, access->extent, &first,
			  &end);
	return module_forbidden(module->directory, line, first, end,
				demand(access), exempt(module, access));
}

enum cache_state module_grant(struct module *module,
			      const struct access *access, int32_t line)
{
	struct directory *directory = module->directory;
	int upper = module_tracked(module, access);
	uint32_t first, end;
	bool owner;

	if (upper == DIRECTORY_NOBODY || line < 0 || access->through)
		return CACHE_EXCLUSIVE;
	module_sub_blocks(module, access->address, access->extent, &first,
			  &end);
	if (access->kind == MEMSYS_STORE)
		owner = true;
	else if (access->kind == MEMSYS_NC_STORE)
		/* All other copies are gone; the owner's copy may be newer than
		 * this one. */
		owner = directory_owns(directory, line, first, end, upper);
	else
		owner = module->cache->states[line] >= CACHE_EXCLUSIVE &&
			!directory_shared(directory, line, first, end, upper);
	directory_add(directory, line, first, end, upper, owner);
	directory_set_noncoherent(directory, line, first, end,
				  access->kind == MEMSYS_NC_STORE && !owner);
	if (owner) {
		enum cache_state state = module_give_up(module, access, line);

		return access->peer ? CACHE_MODIFIED : state;
	}
	return access->kind == MEMSYS_NC_STORE ? CACHE_NONCOHERENT
					       : CACHE_SHARED;
}

bool module_peers(const struct module *module, const struct module *owner,
		  const struct access *access)
{
	return access && module->peer_transfers && access->from &&
	       access->from != owner && access->origin == ORIGIN_TRANSACTION &&
	       !access->through && access->kind != MEMSYS_NC_STORE &&
	       module_tracked(module, access) != DIRECTORY_NOBODY &&
	       access->from->block_size == owner->block_size;
}

void module_send_probes(struct module *module, struct transaction *transaction,
			uint32_t first, uint32_t end,
			enum memsys_access_kind kind, int except,
			const struct access *access)
{
	struct directory *directory = module->directory;
	int32_t line = transaction->line;
	picoseconds when = module_after(
		module, module_tags(module, event_queue_now(module->events)),
		module->config.probe_latency);

	for (int number = 0; number < (int)module->upper_count; number++) {
		struct module *upper = module->upper[number];
		uint32_t step = upper->block_size / directory->sub_size;

		if (number == except)
			continue;
		for (uint32_t sub = first / step * step; sub < end;
		     sub += step) {
			enum memsys_access_kind what = MEMSYS_STORE;
			bool noncoherent;
			struct access *probe;

			if (!directory_has(directory, line, sub, sub + step,
					   number))
				continue;
			noncoherent = directory_noncoherent(
			    directory, line, sub, sub + step, DIRECTORY_NOBODY);
			if (kind == MEMSYS_LOAD && !noncoherent) {
				if (!directory_owns(directory, line, sub,
						    sub + step, number))
					continue;
				what = MEMSYS_LOAD;
			}
			if (kind == MEMSYS_NC_STORE &&
			    !directory_coherent(directory, line, sub,
						sub + step, DIRECTORY_NOBODY))
				continue;
			probe = access_take(module->pool);
			probe->type = MESSAGE_PROBE;
			probe->kind = what;
			probe->origin = ORIGIN_TRANSACTION;
			probe->address = transaction->block +
					 (uint64_t)sub * directory->sub_size;
			probe->size = probe->extent = upper->block_size;
			probe->from = upper;
			probe->transaction = transaction;
			if (module_peers(module, upper, access)) {
				probe->requester = access->from;
				probe->requester_transaction =
				    access->transaction;
			}
			module->count.probes_sent++;
			transaction->pending++;
			module_send_up(module, upper, probe, when, true);
		}
	}
}

void module_send_access_probes(struct module *module,
			       struct transaction *transaction,
			       const struct access *access)
{
	uint32_t first, end;

	module_sub_blocks(module, access->address, access->extent, &first,
			  &end);
	module_send_probes(module, transaction, first, end, demand(access),
			   exempt(module, access), access);
}
