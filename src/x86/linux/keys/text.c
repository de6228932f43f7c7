/* /proc/keys, /proc/key-users and /proc/sys/kernel/keys (proc(5),
 * keyrings(7)). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/state.h"

static const char *const settings[KEY_SETTINGS] = {
	[KEY_GC_DELAY] = "gc_delay",
	[KEY_MAX_BYTES] = "maxbytes",
	[KEY_MAX_KEYS] = "maxkeys",
	[KEY_PERSISTENT_EXPIRY] = "persistent_keyring_expiry",
	[KEY_ROOT_MAX_BYTES] = "root_maxbytes",
	[KEY_ROOT_MAX_KEYS] = "root_maxkeys",
};

/* ---- Settings ---- */

static int find_key_setting(const char *name)
{
	for (int i = 0; i < KEY_SETTINGS; i++)
		if (!strcmp(name, settings[i]))
			return i;
	return -1;
}

int64_t keys_write_setting(struct context *context, const char *name,
			   const char *text, size_t size)
{
	int setting = find_key_setting(name);
	char *end;
	long value = strtol(text, &end, 10);

	if (setting < 0 || context->process->credentials.user[FILES])
		return -EACCES;
	if (end == text || *end || value < 0 || value > INT32_MAX)
		return -EINVAL;
	key_service(context->process->system)->setting[setting] =
		(uint32_t)value;
	return (int64_t)size;
}

/* ---- Keys ---- */

/* "perm", "expd", or how long it lives in the largest unit that fits. */
static void print_time(const struct key *key, int64_t now, FILE *out)
{
	static const struct {
		int64_t seconds;
		char unit;
	} units[] = {
		{ 604800, 'w' }, { 86400, 'd' }, { 3600, 'h' }, { 60, 'm' },
		{ 1, 's' },
	};
	int64_t left = key->expires - now;
	size_t unit = 0;
	char text[24] = "perm";

	if (key->expires && left <= 0) {
		strcpy(text, "expd");
	} else if (key->expires) {
		while (left < units[unit].seconds)
			unit++;
		snprintf(text, sizeof text, "%" PRId64 "%c",
			 left / units[unit].seconds, units[unit].unit);
	}
	fprintf(out, "%4s", text);
}

/* Instantiated, revoked, dead, charged, being made, negative, invalidated. */
static void print_key(const struct key *key, int64_t now, FILE *out)
{
	fprintf(out, "%08x I%c-%c-%c%c %5u ", (unsigned)key->serial,
		key->revoked ? 'R' : '-', key->charged ? 'Q' : '-',
		key->rejected ? 'N' : '-', key->invalidated ? 'i' : '-',
		key->references);
	print_time(key, now, out);
	fprintf(out, " %08x %5d %5d %-9.9s ", key->permissions,
		(int)key->user, (int)key->group, key_types[key->kind].name);
	key_type_print(key, out);
	fputc('\n', out);
}

static int by_serial(const void *a, const void *b)
{
	const struct key *const *left = a, *const *right = b;

	return (*left)->serial < (*right)->serial ? -1 : 1;
}

/* The keys that the reader may see. */
static void print_keys(struct context *context, FILE *out)
{
	struct linux_system *system = context->process->system;
	struct key **list = NULL;
	size_t count = 0, capacity = 0;
	struct key_reference reference;

	for (struct key *key = key_service(system)->first; key;
	     key = key->next) {
		ARRAY_GROW(list, count, capacity);
		list[count++] = key;
	}
	if (count)
		qsort(list, count, sizeof(struct key *), by_serial);
	for (size_t i = 0; i < count; i++) {
		/* A keyring of the list itself may be possessed only. */
		if (!key_look_up(context, list[i]->serial, FIND_ANY,
				 NEED_NOTHING, &reference) &&
		    key_permits(context, reference, NEED_VIEW))
			print_key(list[i], key_now(system), out);
	}
	free(list);
}

static void print_users(struct context *context, FILE *out)
{
	const struct key_service *service =
		key_service(context->process->system);

	for (size_t i = 0; i < service->quota_count; i++) {
		const struct key_quota *quota = service->quotas + i;

		if (quota->keys)
			fprintf(out, "%5u: %5zu %zu/%zu %zu/%zu %zu/%zu\n",
				quota->user, quota->keys + 1, quota->keys,
				quota->keys, quota->keys,
				key_limit(service, quota->user, false),
				quota->bytes,
				key_limit(service, quota->user, true));
	}
}

bool keys_print(struct context *context, const char *name, FILE *out)
{
	struct linux_system *system = context->process->system;
	int setting;

	if (!strcmp(name, "keys")) {
		key_collect(system);
		print_keys(context, out);
	} else if (!strcmp(name, "key-users")) {
		print_users(context, out);
	} else {
		setting = find_key_setting(name);
		if (setting < 0)
			return false;
		fprintf(out, "%" PRIu32 "\n",
			key_service(system)->setting[setting]);
	}
	return true;
}
