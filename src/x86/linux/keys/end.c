/* How keys end other than by their last reference: revoked, invalidated,
 * expired. */
#include <stdlib.h>

#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

void key_revoke(struct linux_system *system, struct key *key)
{
	key->revoked = true;
	if (key->kind == KEY_RING) {
		ring_clear(system, key);
		return;
	}
	free(key->payload);
	key->payload = NULL;
	key->size = 0;
	key_charge(system, key, 0);
}

/* Takes it out of all keyrings: whether it was in any. */
static bool unlink_everywhere(struct linux_system *system, struct key *key)
{
	struct key *ring = key_service(system)->first;
	bool linked = false;

	key_hold(key);
	for (; ring; ring = ring->next)
		if (ring->kind == KEY_RING && !ring_unlink(system, ring, key))
			linked = true;
	key_drop(system, key);
	return linked;
}

void key_invalidate(struct linux_system *system, struct key *key)
{
	key->invalidated = true;
	unlink_everywhere(system, key);
}

void key_collect(struct linux_system *system)
{
	struct key_service *service = key_service(system);
	int64_t limit = key_now(system) - service->setting[KEY_GC_DELAY];
	struct key *key = service->first;

	while (key) {
		/* Others may have gone with it. */
		if (key->expires && key->expires <= limit &&
		    unlink_everywhere(system, key))
			key = service->first;
		else
			key = key->next;
	}
}
