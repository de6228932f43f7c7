/* Keyrings: keys and keyrings that they link, and the search for a key through
 * all that a keyring links in turn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

enum {
	DEPTH_MAX = 6,    /* of keyrings in each other, as in Linux */
	LINK_CHARGE = 4,  /* bytes of quota */
};

static bool is_called(const struct key *key, enum key_kind kind,
		      const char *description)
{
	return key->kind == kind && !strcmp(key->description, description);
}

static size_t entry_index(const struct key *ring, enum key_kind kind,
			  const char *description)
{
	size_t i = 0;

	while (i < ring->link_count &&
	       !is_called(ring->links[i], kind, description))
		i++;
	return i;
}

struct key *ring_entry(const struct key *ring, enum key_kind kind,
		       const char *description)
{
	size_t i = entry_index(ring, kind, description);

	return i < ring->link_count ? ring->links[i] : NULL;
}

/* Whether `wanted` is `ring` or below it: 0, -EDEADLK, or -ELOOP when that is
 * too deep. The same keyring is looked at again only from deeper down: there
 * may be very many ways to it. */
static int check_cycle(struct key *ring, const struct key *wanted,
		       int depth, uint64_t walk)
{
	int result = 0;

	if (ring == wanted)
		return -EDEADLK;
	if (ring->walk == walk && ring->depth >= depth)
		return 0;
	ring->walk = walk;
	ring->depth = depth;
	for (size_t i = 0; i < ring->link_count && !result; i++) {
		if (ring->links[i]->kind != KEY_RING)
			continue;
		result = depth == DEPTH_MAX
				 ? -ELOOP
				 : check_cycle(ring->links[i], wanted,
					       depth + 1, walk);
	}
	return result;
}

int ring_link(struct linux_system *system, struct key *ring, struct key *key)
{
	size_t at;
	int result;

	if (ring->kind != KEY_RING)
		return -ENOTDIR;
	if (ring->revoked || ring->invalidated)
		return -EKEYREVOKED;
	if (ring->restricted)
		return -EPERM;
	if (key->kind == KEY_RING) {
		result = check_cycle(key, ring, 1,
				     ++key_service(system)->walks);
		if (result)
			return result;
	}
	at = entry_index(ring, key->kind, key->description);
	if (at < ring->link_count) {
		struct key *old = ring->links[at];

		ring->links[at] = key_hold(key);
		key_drop(system, old);
		return 0;
	}
	result = key_charge(system, ring,
			    (ring->link_count + 1) * LINK_CHARGE);
	if (result)
		return result;
	ARRAY_GROW(ring->links, ring->link_count, ring->link_capacity);
	ring->links[ring->link_count++] = key_hold(key);
	return 0;
}

int ring_unlink(struct linux_system *system, struct key *ring, struct key *key)
{
	size_t i = 0;

	if (ring->kind != KEY_RING)
		return -ENOTDIR;
	while (i < ring->link_count && ring->links[i] != key)
		i++;
	if (i == ring->link_count)
		return -ENOENT;
	memmove(ring->links + i, ring->links + i + 1,
		(--ring->link_count - i) * sizeof *ring->links);
	key_charge(system, ring, ring->link_count * LINK_CHARGE);
	key_drop(system, key);
	return 0;
}

void ring_clear(struct linux_system *system, struct key *ring)
{
	/* A keyring cannot go while one that it links ends. */
	key_hold(ring);
	while (ring->link_count)
		ring_unlink(system, ring, ring->links[ring->link_count - 1]);
	key_drop(system, ring);
}

/* ---- Searching ---- */

/* The result of a search: the key, or the last error. */
struct outcome {
	struct key *key;
	int result;
	uint64_t walk;
};

static bool may_search(const struct ring_search *search, struct key *key,
		       bool possessed)
{
	struct key_reference reference = { key, possessed };

	return search->unchecked ||
	       key_permits(search->context, reference, NEED_SEARCH);
}

/* A key with the right name: whether it is the one. */
static bool consider(const struct ring_search *search, struct key *key,
		     bool possessed, struct outcome *outcome)
{
	struct linux_system *system = search->context->process->system;
	int state = search->any_state ? 0 : key_usable(system, key);

	if (state) {
		if (state == -ENOKEY)
			state = -EKEYREVOKED;
		if (state != -EKEYEXPIRED || !search->skip_expired)
			outcome->result = state;
		return false;
	}
	if (search->wanted && search->wanted != key)
		return false;
	if (!may_search(search, key, possessed)) {
		outcome->result = -EACCES;
		return false;
	}
	if (!search->any_state && key->rejected) {
		outcome->result = -key->rejected;
		return false;
	}
	outcome->key = key;
	return true;
}

/* Looks into a keyring, then into those that it links. */
static bool descend(const struct ring_search *search, struct key *ring,
		    bool possessed, int depth, struct outcome *outcome)
{
	struct key *entry;

	/* Been here, and could go as deep from it. */
	if (ring->walk == outcome->walk && ring->depth <= depth)
		return false;
	ring->walk = outcome->walk;
	ring->depth = depth;
	if (ring->revoked || ring->invalidated)
		return false;
	entry = ring_entry(ring, search->kind, search->description);
	if (entry && consider(search, entry, possessed, outcome))
		return true;
	if (depth == DEPTH_MAX)
		return false;
	for (size_t i = 0; i < ring->link_count; i++)
		if (ring->links[i]->kind == KEY_RING &&
		    may_search(search, ring->links[i], possessed) &&
		    descend(search, ring->links[i], possessed, depth + 1,
			    outcome))
			return true;
	return false;
}

int ring_search(const struct ring_search *search, struct key_reference ring,
		struct key_reference *found)
{
	struct key_service *service =
		key_service(search->context->process->system);
	struct outcome outcome = { .result = -EAGAIN,
				   .walk = ++service->walks };

	if (ring.key->kind != KEY_RING)
		return -ENOTDIR;
	if (!may_search(search, ring.key, ring.possessed))
		return -EACCES;
	/* The keyring may be what is wanted. */
	if (is_called(ring.key, search->kind, search->description)) {
		if (!consider(search, ring.key, ring.possessed, &outcome) &&
		    outcome.result != -EAGAIN)
			return outcome.result;
	}
	if (!outcome.key)
		descend(search, ring.key, ring.possessed, 0, &outcome);
	if (!outcome.key)
		return outcome.result;
	*found = (struct key_reference){ outcome.key, ring.possessed };
	return 0;
}
