/* Keys: making and holding them, their quotas, and the rights to them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"
#include "x86/linux/time/clock.h"

enum { FIRST_SERIAL = 0x10000000, LAST_SERIAL = 0x7fffffff };

struct key_service *key_service(struct linux_system *system)
{
	static const uint32_t usual[KEY_SETTINGS] = {
		[KEY_GC_DELAY] = 300, [KEY_MAX_BYTES] = 20000,
		[KEY_MAX_KEYS] = 200, [KEY_PERSISTENT_EXPIRY] = 259200,
		[KEY_ROOT_MAX_BYTES] = 25000000,
		[KEY_ROOT_MAX_KEYS] = 1000000,
	};

	if (!system->keys) {
		system->keys = xcalloc(1, sizeof *system->keys);
		system->keys->last_serial = FIRST_SERIAL - 1;
		memcpy(system->keys->setting, usual, sizeof usual);
	}
	return system->keys;
}

int64_t key_now(struct linux_system *system)
{
	return clock_realtime(system) / 1000000000;
}

/* ---- Quotas ---- */

struct key_quota *key_quota(struct key_service *service, unsigned user)
{
	for (size_t i = 0; i < service->quota_count; i++)
		if (service->quotas[i].user == user)
			return service->quotas + i;
	ARRAY_GROW(service->quotas, service->quota_count,
		   service->quota_capacity);
	service->quotas[service->quota_count] =
		(struct key_quota){ .user = user };
	return service->quotas + service->quota_count++;
}

size_t key_limit(const struct key_service *service, unsigned user, bool bytes)
{
	if (bytes)
		return service->setting[user ? KEY_MAX_BYTES
					     : KEY_ROOT_MAX_BYTES];
	return service->setting[user ? KEY_MAX_KEYS : KEY_ROOT_MAX_KEYS];
}

static size_t description_charge(const struct key *key)
{
	return strlen(key->description) + 1;
}

int key_charge(struct linux_system *system, struct key *key, size_t bytes)
{
	struct key_service *service = key_service(system);
	struct key_quota *quota = key_quota(service, key->user);
	size_t whole = bytes + description_charge(key);

	if (whole > key->charged &&
	    quota->bytes + (whole - key->charged) >
		    key_limit(service, key->user, true))
		return -EDQUOT;
	quota->bytes += whole - key->charged;
	key->charged = whole;
	return 0;
}

int key_give(struct linux_system *system, struct key *key, unsigned user)
{
	struct key_service *service = key_service(system);
	struct key_quota *to = key_quota(service, user), *from;

	if (to->keys + 1 > key_limit(service, user, false) ||
	    to->bytes + key->charged > key_limit(service, user, true))
		return -EDQUOT;
	to->keys++;
	to->bytes += key->charged;
	from = key_quota(service, key->user);
	from->keys--;
	from->bytes -= key->charged;
	key->user = user;
	return 0;
}

/* ---- Making, holding, ending ---- */

struct key *key_find(struct linux_system *system, int serial)
{
	struct key *key = key_service(system)->first;

	while (key && key->serial != serial)
		key = key->next;
	return key;
}

static int next_serial(struct linux_system *system)
{
	struct key_service *service = key_service(system);

	if (service->last_serial < LAST_SERIAL)
		return ++service->last_serial;
	/* All have been given away once: the lowest that is free again. */
	for (int serial = FIRST_SERIAL;; serial++)
		if (!key_find(system, serial))
			return serial;
}

int key_create(struct linux_system *system, const struct key_request *request,
	       struct key **made)
{
	struct key_service *service = key_service(system);
	struct key_quota *quota = key_quota(service, request->user);
	size_t charge = strlen(request->description) + 1;
	struct key *key;

	if (!request->overrun &&
	    (quota->keys + 1 > key_limit(service, request->user, false) ||
	     quota->bytes + charge > key_limit(service, request->user, true)))
		return -EDQUOT;
	key = xcalloc(1, sizeof *key);
	key->kind = request->kind;
	key->serial = next_serial(system);
	key->description = xstrdup(request->description);
	key->user = request->user;
	key->group = request->group;
	key->permissions = request->permissions;
	key->charged = charge;
	quota->keys++;
	quota->bytes += charge;
	key->next = service->first;
	service->first = key;
	*made = key;
	return 0;
}

struct key *key_hold(struct key *key)
{
	key->references++;
	return key;
}

static void destroy(struct linux_system *system, struct key *key)
{
	struct key_service *service = key_service(system);
	struct key_quota *quota = key_quota(service, key->user);
	struct key **link = &service->first;

	while (*link != key)
		link = &(*link)->next;
	*link = key->next;
	for (size_t i = 0; i < key->link_count; i++)
		key_drop(system, key->links[i]);
	quota->keys--;
	quota->bytes -= key->charged;
	if (key->payload)
		explicit_bzero(key->payload, key->size);
	free(key->payload);
	free(key->links);
	free(key->description);
	free(key);
}

void key_drop(struct linux_system *system, struct key *key)
{
	/* One that was made and not linked has had no reference. */
	if (key && (!key->references || !--key->references))
		destroy(system, key);
}

int key_set_payload(struct linux_system *system, struct key *key,
		    uint8_t *payload, size_t size)
{
	size_t charge = key_types[key->kind].fixed_charge;
	int result = key_charge(system, key, charge ? charge : size);

	if (result) {
		free(payload);
		return result;
	}
	free(key->payload);
	key->payload = payload;
	key->size = size;
	key->rejected = 0;
	key->expires = 0;
	return 0;
}

/* ---- Rights ---- */

bool key_permits(const struct context *context, struct key_reference reference,
		 uint32_t need)
{
	const struct credentials *own = &context->process->credentials;
	const struct key *key = reference.key;
	uint32_t bits;

	if (key->user == own->user[FILES])
		bits = key->permissions >> 16;
	else if (key->group != UINT32_MAX &&
		 (key->permissions >> 8 & NEED_ALL) &&
		 in_group(own, key->group))
		bits = key->permissions >> 8;
	else
		bits = key->permissions;
	if (reference.possessed)
		bits |= key->permissions >> 24;
	return (bits & need) == need;
}

int key_usable(struct linux_system *system, const struct key *key)
{
	if (key->invalidated)
		return -ENOKEY;
	if (key->revoked)
		return -EKEYREVOKED;
	if (key->expires && key_now(system) >= key->expires)
		return -EKEYEXPIRED;
	return 0;
}
