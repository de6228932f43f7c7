/* The types of keys (keyrings(7)): what their bytes and descriptions may be. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

enum {
	USER_MAX = 32767,
	BIG_MAX = (1 << 20) - 1,
	BIG_CHARGE = 16,       /* what Linux charges for one of any size */
	BIG_IN_MEMORY = 848,   /* larger ones lie in a file, as Linux tells */
};

const struct key_type key_types[KEY_KINDS] = {
	[KEY_USER] = { "user", 1, USER_MAX, true, true, 0 },
	[KEY_LOGON] = { "logon", 1, USER_MAX, false, true, 0 },
	[KEY_BIG] = { "big_key", 1, BIG_MAX, true, true, BIG_CHARGE },
	[KEY_RING] = { "keyring", 0, 0, true, false, 0 },
};

int key_type_find(const char *name)
{
	for (int i = 0; i < KEY_KINDS; i++)
		if (!strcmp(name, key_types[i].name))
			return i;
	return -1;
}

int key_type_description(enum key_kind kind, const char *description)
{
	const char *colon = strchr(description, ':');

	/* Names the service: "nfs:...". */
	if (kind == KEY_LOGON && (!colon || colon == description))
		return -EINVAL;
	return *description ? 0 : -EINVAL;
}

int key_type_payload(enum key_kind kind, size_t size)
{
	return size < key_types[kind].size_min ||
			       size > key_types[kind].size_max
		       ? -EINVAL
		       : 0;
}

uint32_t key_type_permissions(enum key_kind kind)
{
	uint32_t possessor = NEED_VIEW | NEED_SEARCH | NEED_LINK |
			     NEED_SETATTR;

	if (key_types[kind].reads)
		possessor |= NEED_READ;
	if (kind == KEY_RING || key_types[kind].updates)
		possessor |= NEED_WRITE;
	return POSSESSOR(possessor) | OWNER(NEED_VIEW);
}

void key_type_print(const struct key *key, FILE *out)
{
	fputs(key->description, out);
	if (key->rejected)
		return;
	if (key->kind != KEY_RING)
		fprintf(out, ": %zu", key->size);
	else if (key->link_count)
		fprintf(out, ": %zu", key->link_count);
	else
		fputs(": empty", out);
	if (key->kind == KEY_BIG)
		fputs(key->size > BIG_IN_MEMORY ? " [file]" : " [buff]", out);
}
