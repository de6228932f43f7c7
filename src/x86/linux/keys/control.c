/* keyctl(2): what is done with one key. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/signals/restart.h"
#include "x86/linux/state.h"

enum { PAGE = 4096, ERROR_MAX = 4095 };

/* Writes the whole answer if it fits. Returns its size in any case. */
static int64_t answer(struct context *context, uint64_t address, uint64_t room,
		      const void *bytes, size_t size)
{
	if (address && room >= size && guest_put(context, address, bytes, size))
		return -EFAULT;
	return (int64_t)size;
}

int64_t key_update(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	uint8_t *payload;
	int result;

	if (a[2] > PAGE)
		return -EINVAL;
	result = key_get_payload(context, a[1], a[2], &payload);
	if (result)
		return result;
	result = key_look_up(context, (int)a[0], 0, NEED_WRITE, &found);
	if (!result && !key_types[found.key->kind].updates)
		result = -EOPNOTSUPP;
	if (!result)
		result = key_type_payload(found.key->kind, a[2]);
	if (result) {
		free(payload);
		return result;
	}
	return key_set_payload(context->process->system, found.key, payload,
			       a[2]);
}

int64_t key_revoke_command(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	int result = key_look_up(context, (int)a[0], 0, NEED_WRITE, &found);

	if (result == -EACCES)
		result = key_look_up(context, (int)a[0], 0, NEED_SETATTR,
				     &found);
	if (!result)
		key_revoke(context->process->system, found.key);
	return result;
}

int64_t key_invalidate_command(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	int result = key_look_up(context, (int)a[0], 0, NEED_SEARCH, &found);

	if (!result)
		key_invalidate(context->process->system, found.key);
	return result;
}

int64_t key_chown(struct context *context, const uint64_t *a)
{
	const struct process *process = context->process;
	unsigned user = (unsigned)a[1], group = (unsigned)a[2];
	struct key_reference found;
	int result;

	if (user == UINT32_MAX && group == UINT32_MAX)
		return 0;
	result = key_look_up(context, (int)a[0], FIND_CREATE | FIND_ANY,
			     NEED_SETATTR, &found);
	if (result)
		return result;
	if (!has_capability(process, CAP_SYS_ADMIN)) {
		if (user != UINT32_MAX && user != found.key->user)
			return -EACCES;
		if (group != UINT32_MAX && group != found.key->group &&
		    !in_group(&process->credentials, group))
			return -EACCES;
	}
	if (user != UINT32_MAX && user != found.key->user)
		result = key_give(process->system, found.key, user);
	if (!result && group != UINT32_MAX)
		found.key->group = group;
	return result;
}

int64_t key_setperm(struct context *context, const uint64_t *a)
{
	const struct process *process = context->process;
	struct key_reference found;
	int result;

	if ((uint32_t)a[1] & ~(NEED_ALL * UINT32_C(0x01010101)))
		return -EINVAL;
	result = key_look_up(context, (int)a[0], FIND_CREATE | FIND_ANY,
			     NEED_SETATTR, &found);
	if (result)
		return result;
	if (found.key->user != process->credentials.user[FILES] &&
	    !has_capability(process, CAP_SYS_ADMIN))
		return -EACCES;
	found.key->permissions = (uint32_t)a[1];
	return 0;
}

int64_t key_describe(struct context *context, const uint64_t *a)
{
	char text[KEY_DESCRIPTION_MAX + 64];
	struct key_reference found;
	const struct key *key;
	int result = key_look_up(context, (int)a[0], FIND_ANY, NEED_VIEW,
				 &found);

	if (result)
		return result;
	key = found.key;
	result = snprintf(text, sizeof text, "%s;%d;%d;%08x;%s",
			  key_types[key->kind].name, (int)key->user,
			  key->group == UINT32_MAX ? -1 : (int)key->group,
			  key->permissions, key->description);
	return answer(context, a[1], a[2], text, (size_t)result + 1);
}

int64_t key_read(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	const struct key *key;
	int32_t *serials;
	int64_t result;

	if (key_look_up(context, (int)a[0], 0, NEED_NOTHING, &found))
		return -ENOKEY;
	key = found.key;
	if (key->rejected)
		return -key->rejected;
	/* A process that finds a key in its keyrings can read it. */
	if (!key_permits(context, found, NEED_READ) && !found.possessed)
		return -EACCES;
	if (!key_types[key->kind].reads)
		return -EOPNOTSUPP;
	result = key_usable(context->process->system, key);
	if (result)
		return result;
	if (key->kind != KEY_RING)
		return answer(context, a[1], a[2], key->payload, key->size);
	if (a[1] && a[2] % sizeof *serials)
		return -EINVAL;
	serials = xcalloc(key->link_count + 1, sizeof *serials);
	for (size_t i = 0; i < key->link_count; i++)
		serials[i] = key->links[i]->serial;
	result = answer(context, a[1], a[2], serials,
			key->link_count * sizeof *serials);
	free(serials);
	return result;
}

int64_t key_set_timeout(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	int result = key_look_up(context, (int)a[0], FIND_CREATE | FIND_ANY,
				 NEED_SETATTR, &found);

	if (result)
		return result;
	found.key->expires = (unsigned)a[1]
				     ? key_now(context->process->system) +
					       (unsigned)a[1]
				     : 0;
	return 0;
}

/* There is no security module, whose label this would be. */
int64_t key_get_security(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	int result = key_look_up(context, (int)a[0], FIND_ANY, NEED_VIEW,
				 &found);

	if (result)
		return result;
	if (a[1] && a[2] && guest_put(context, a[1], "", 1))
		return -EFAULT;
	return 1;
}

int64_t key_capabilities(struct context *context, const uint64_t *a)
{
	const uint8_t own[] = {
		KEYCTL_CAPS0_CAPABILITIES | KEYCTL_CAPS0_PERSISTENT_KEYRINGS |
			KEYCTL_CAPS0_BIG_KEY | KEYCTL_CAPS0_INVALIDATE |
			KEYCTL_CAPS0_RESTRICT_KEYRING | KEYCTL_CAPS0_MOVE,
		0,
	};
	const uint8_t zero = 0;

	for (uint64_t i = 0; a[0] && i < a[1]; i++)
		if (guest_put(context, a[0] + i,
			      i < sizeof own ? own + i : &zero, 1))
			return -EFAULT;
	return sizeof own;
}

/* ---- Answers to request_key(), for which no program is ever run ---- */

int64_t key_instantiate(struct context *context, const uint64_t *a)
{
	(void)context;
	return a[2] > (1 << 20) - 1 ? -EINVAL : -EPERM;
}

int64_t key_negate(struct context *context, const uint64_t *a)
{
	(void)context;
	(void)a;
	return -EPERM;
}

int64_t key_reject(struct context *context, const uint64_t *a)
{
	const unsigned code = (unsigned)a[2];

	(void)context;
	/* Those of Linux's own are not for programs. */
	return !code || code >= ERROR_MAX ||
			       (code >= CALL_RESTARTS &&
				code <= CALL_RESTARTS_BLOCK && code != 515)
		       ? -EINVAL
		       : -EPERM;
}

int64_t key_assume(struct context *context, const uint64_t *a)
{
	(void)context;
	return (int)a[0] < 0 ? -EINVAL : (int)a[0] ? -ENOKEY : 0;
}
