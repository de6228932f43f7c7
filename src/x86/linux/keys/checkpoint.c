/* Keys in a checkpoint: section KEYS. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/checkpoint/checkpoint.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

/* The keys, the oldest first, so that the list is the same when it is made
 * again. */
struct list {
	struct key **keys;
	size_t count, capacity;
};

static void collect_keys(struct key_service *service, struct list *list)
{
	size_t n = 0;

	for (struct key *key = service->first; key; key = key->next) {
		ARRAY_GROW(list->keys, list->count, list->capacity);
		list->keys[list->count++] = key;
	}
	for (; n < list->count / 2; n++) {
		struct key *other = list->keys[list->count - 1 - n];

		list->keys[list->count - 1 - n] = list->keys[n];
		list->keys[n] = other;
	}
}

/* A pointer as an index. When loading, one reference more. */
static void exchange_link(struct archive *archive, const struct list *list,
			  struct key **key)
{
	int64_t index = -1;

	for (size_t i = 0; !archive->loading && i < list->count; i++)
		if (list->keys[i] == *key)
			index = (int64_t)i;
	index = archive_index(archive, index, list->count, true, "key");
	if (archive->loading)
		*key = index < 0 ? NULL : key_hold(list->keys[index]);
}

static void exchange_one(struct archive *archive, struct key *key)
{
	ARCHIVE_VALUE(archive, key->serial, "key.serial");
	ARCHIVE_VALUE(archive, key->kind, "key.kind");
	archive_expect(archive, key->kind < KEY_KINDS, "key.kind", key->kind,
		       "a kind of key");
	if (archive->failed)
		key->kind = KEY_USER;
	archive_text(archive, &key->description);
	if (!key->description)
		key->description = xstrdup("");
	ARCHIVE_VALUE(archive, key->user, "key.user");
	ARCHIVE_VALUE(archive, key->group, "key.group");
	ARCHIVE_VALUE(archive, key->permissions, "key.permissions");
	ARCHIVE_VALUE(archive, key->expires, "key.expires");
	ARCHIVE_VALUE(archive, key->rejected, "key.rejected");
	archive_expect(archive, key->rejected >= 0 && key->rejected < 4096,
		       "key.rejected", (uint64_t)key->rejected, "an error number below 4096");
	ARCHIVE_VALUE(archive, key->revoked, "key.revoked");
	ARCHIVE_VALUE(archive, key->invalidated, "key.invalidated");
	ARCHIVE_VALUE(archive, key->user_ring, "key.user_ring");
	ARCHIVE_VALUE(archive, key->restricted, "key.restricted");
	ARCHIVE_VALUE(archive, key->charged, "key.charged");
	archive_blob(archive, &key->payload, &key->size);
}

static void exchange_keys_alone(struct archive *archive,
				struct key_service *service, struct list *list)
{
	size_t count = archive_count(archive, list->count, 40, "keys");

	for (size_t i = 0; i < count && !archive->failed; i++) {
		if (archive->loading) {
			struct key *key = xcalloc(1, sizeof *key);

			key->next = service->first;
			service->first = key;
			ARRAY_GROW(list->keys, list->count, list->capacity);
			list->keys[list->count++] = key;
		}
		exchange_one(archive, list->keys[i]);
		if (archive->loading) {
			struct key_quota *quota =
				key_quota(service, list->keys[i]->user);

			quota->keys++;
			quota->bytes += list->keys[i]->charged;
		}
	}
}

/* Linux lets keyrings link each other to a small depth only, without circles:
 * the search relies on it. */
static bool too_deep(struct key *ring, int depth, uint64_t walk)
{
	if (depth > 8)
		return true;
	if (ring->walk == walk && ring->depth >= depth)
		return false;
	ring->walk = walk;
	ring->depth = depth;
	for (size_t i = 0; i < ring->link_count; i++)
		if (too_deep(ring->links[i], depth + 1, walk))
			return true;
	return false;
}

static void exchange_links(struct archive *archive, const struct list *list,
			   struct key_service *service)
{
	for (size_t i = 0; i < list->count && !archive->failed; i++) {
		struct key *ring = list->keys[i];
		size_t count = archive_count(archive, ring->link_count, 8,
					     "links of a keyring");

		if (archive->loading && count) {
			ring->links = xcalloc(count, sizeof(struct key *));
			ring->link_capacity = count;
		}
		for (size_t n = 0; n < count && !archive->failed; n++) {
			struct key *to = archive->loading ? NULL
							  : ring->links[n];

			exchange_link(archive, list, &to);
			archive_expect(archive, to && ring->kind == KEY_RING,
				       "link", n, "to lead from a keyring to a "
				       "key");
			if (archive->loading && to)
				ring->links[ring->link_count++] = to;
		}
	}
	for (size_t i = 0; archive->loading && i < list->count &&
			   !archive->failed; i++)
		archive_expect(archive, !too_deep(list->keys[i], 0,
						  ++service->walks),
			       "keyring", i, "not to link itself");
}

static void exchange_thread(struct archive *archive, const struct list *list,
			    struct context *context)
{
	bool present = context->keys != NULL;
	struct thread_keys *own;

	ARCHIVE_VALUE(archive, present, "presence of keyrings");
	if (!present || archive->failed)
		return;
	own = thread_keys(context);
	exchange_link(archive, list, &own->thread);
	exchange_link(archive, list, &own->process);
	exchange_link(archive, list, &own->session);
	ARCHIVE_VALUE(archive, own->request_default, "request_default");
}

void exchange_keys(struct checkpoint *checkpoint)
{
	struct archive *archive = checkpoint->archive;
	struct linux_system *system = checkpoint->system;
	bool present = system->keys != NULL;
	struct key_service *service;
	struct list list = { 0 };

	ARCHIVE_VALUE(archive, present, "presence of keys");
	if (!present || archive->failed)
		return;
	service = key_service(system);
	if (!archive->loading)
		collect_keys(service, &list);
	ARCHIVE_VALUE(archive, service->last_serial, "last_serial");
	archive_bytes(archive, service->setting, sizeof service->setting);
	exchange_keys_alone(archive, service, &list);
	exchange_links(archive, &list, service);
	exchange_link(archive, &list, &service->registered);
	for (size_t i = 0; i < checkpoint->context_count && !archive->failed;
	     i++)
		exchange_thread(archive, &list, checkpoint->contexts[i]);
	free(list.keys);
}
