/* add_key(), request_key() and which function does what keyctl() is told. */
#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

/* s for which request_key() remembers that a key cannot be had. */
enum { NEGATIVE_TIME = 60 };

/* ---- add_key ---- */

struct new_key {
	enum key_kind kind;
	const char *description;
	uint8_t *payload;       /* taken over */
	size_t size;
};

static int64_t update(struct context *context, struct key_reference existing,
		      struct new_key *new)
{
	if (!key_permits(context, existing, NEED_WRITE)) {
		free(new->payload);
		return -EACCES;
	}
	return key_set_payload(context->process->system, existing.key,
			       new->payload, new->size)
		       ? -EDQUOT
		       : existing.key->serial;
}

static int make(struct context *context, const struct new_key *new,
		struct key **key)
{
	const struct credentials *own = &context->process->credentials;
	struct key_request request = {
		.kind = new->kind, .description = new->description,
		.user = own->user[FILES], .group = own->group[FILES],
		.permissions = key_type_permissions(new->kind),
	};
	int result = key_type_description(new->kind, new->description);

	return result ? result
		      : key_create(context->process->system, &request, key);
}

static int64_t add_key(struct context *context, struct key_reference ring,
		       struct new_key *new)
{
	struct linux_system *system = context->process->system;
	struct key *key = NULL;
	int result;

	if (key_types[new->kind].updates)
		key = ring_entry(ring.key, new->kind, new->description);
	if (key && !key->revoked && !key->invalidated)
		return update(context,
			      (struct key_reference){ key, ring.possessed },
			      new);
	result = make(context, new, &key);
	if (result) {
		free(new->payload);
		return result;
	}
	if (new->kind != KEY_RING)
		result = key_set_payload(system, key, new->payload, new->size);
	if (!result)
		result = ring_link(system, ring.key, key);
	if (result) {
		key_drop(system, key);
		return result;
	}
	return key->serial;
}

int64_t call_add_key(struct context *context, const uint64_t *a)
{
	char type[KEY_TYPE_MAX], description[KEY_DESCRIPTION_MAX] = "";
	struct new_key new = { .description = description,
			       .size = a[3] };
	struct key_reference ring;
	int kind, result;

	if (a[3] > (1 << 20) - 1)
		return -EINVAL;
	key_collect(context->process->system);
	result = key_get_type(context, a[0], type);
	if (!result && a[1])
		result = key_get_text(context, a[1], description);
	if (result)
		return result;
	kind = key_type_find(type);
	if (description[0] == '.' && kind == KEY_RING)
		return -EPERM;
	result = key_get_payload(context, a[2], a[3], &new.payload);
	if (result)
		return result;
	result = key_look_up(context, (int)a[4], FIND_CREATE, NEED_WRITE,
			     &ring);
	if (!result && kind < 0)
		result = -ENODEV;
	if (!result && ring.key->kind != KEY_RING)
		result = -ENOTDIR;
	if (!result)
		result = key_type_payload((enum key_kind)kind, new.size);
	if (!result && !description[0])
		result = -EINVAL;
	if (!result && ring.key->restricted)
		result = -EPERM;
	if (result) {
		free(new.payload);
		return result;
	}
	new.kind = (enum key_kind)kind;
	return add_key(context, ring, &new);
}

/* ---- request_key ---- */

/* The keyring of a key for which the call names none. */
static int default_ring(struct context *context, struct key **ring)
{
	const struct thread_keys *own = thread_keys(context);
	struct key_reference reference = { .possessed = true };
	int result = 0;

	*ring = NULL;
	switch (own->request_default) {
	case KEY_REQKEY_DEFL_USER_KEYRING:
		result = user_rings(context, ring, NULL);
		break;
	case KEY_REQKEY_DEFL_DEFAULT:
	case KEY_REQKEY_DEFL_REQUESTOR_KEYRING:
	case KEY_REQKEY_DEFL_THREAD_KEYRING:
		*ring = own->thread;
		if (*ring)
			break;
		/* fall through */
	case KEY_REQKEY_DEFL_PROCESS_KEYRING:
		*ring = own->process;
		if (*ring)
			break;
		/* fall through */
	case KEY_REQKEY_DEFL_SESSION_KEYRING:
		*ring = own->session;
		if (*ring)
			break;
		/* fall through */
	default:
		result = user_rings(context, NULL, ring);
	}
	reference.key = *ring;
	if (!result && !key_permits(context, reference, NEED_WRITE))
		result = -EACCES;
	return result;
}

/* No program is run that could make the key: as where /sbin/request-key is
 * missing, the caller learns that, and others that the key cannot be had. */
static int64_t construct(struct context *context, enum key_kind kind,
			 const char *description, struct key *ring)
{
	struct linux_system *system = context->process->system;
	struct new_key new = { .kind = kind, .description = description };
	struct key *key;
	int result = 0;

	if (kind == KEY_RING)
		return -EPERM;
	if (!ring)
		result = default_ring(context, &ring);
	if (!result)
		result = make(context, &new, &key);
	if (result)
		return result;
	key->rejected = ENOKEY;
	key->expires = key_now(system) + NEGATIVE_TIME;
	result = ring_link(system, ring, key);
	if (result)
		key_drop(system, key);
	return result ? result : -ENOENT;
}

int64_t call_request_key(struct context *context, const uint64_t *a)
{
	char type[KEY_TYPE_MAX], description[KEY_DESCRIPTION_MAX],
		callout[KEY_DESCRIPTION_MAX];
	struct key_reference ring = { 0 }, found;
	struct ring_search search = { .context = context,
				      .description = description,
				      .skip_expired = true };
	int kind, result = key_get_type(context, a[0], type);

	key_collect(context->process->system);
	if (!result)
		result = key_get_text(context, a[1], description);
	if (!result && a[2])
		result = key_get_text(context, a[2], callout);
	if (!result && (int)a[3])
		result = key_look_up(context, (int)a[3], FIND_CREATE,
				     NEED_WRITE, &ring);
	if (result)
		return result;
	kind = key_type_find(type);
	if (kind < 0)
		return -ENOKEY;
	search.kind = (enum key_kind)kind;
	result = thread_search(&search, &found);
	if (result == -EAGAIN)
		return a[2] ? construct(context, search.kind, description,
					ring.key)
			    : -ENOKEY;
	if (!result && ring.key) {
		if (!key_permits(context, found, NEED_LINK))
			return -EACCES;
		result = ring_link(context->process->system, ring.key,
				   found.key);
	}
	return result ? result : found.key->serial;
}

/* ---- keyctl ---- */

int64_t call_keyctl(struct context *context, const uint64_t *a)
{
	static key_command *const commands[] = {
		[KEYCTL_GET_KEYRING_ID] = key_get_ring,
		[KEYCTL_JOIN_SESSION_KEYRING] = key_join,
		[KEYCTL_UPDATE] = key_update,
		[KEYCTL_REVOKE] = key_revoke_command,
		[KEYCTL_CHOWN] = key_chown,
		[KEYCTL_SETPERM] = key_setperm,
		[KEYCTL_DESCRIBE] = key_describe,
		[KEYCTL_CLEAR] = key_clear,
		[KEYCTL_LINK] = key_link,
		[KEYCTL_UNLINK] = key_unlink,
		[KEYCTL_SEARCH] = key_search,
		[KEYCTL_READ] = key_read,
		[KEYCTL_INSTANTIATE] = key_instantiate,
		[KEYCTL_NEGATE] = key_negate,
		[KEYCTL_SET_REQKEY_KEYRING] = key_set_default,
		[KEYCTL_SET_TIMEOUT] = key_set_timeout,
		[KEYCTL_ASSUME_AUTHORITY] = key_assume,
		[KEYCTL_GET_SECURITY] = key_get_security,
		[KEYCTL_SESSION_TO_PARENT] = key_session_to_parent,
		[KEYCTL_REJECT] = key_reject,
		[KEYCTL_INSTANTIATE_IOV] = key_instantiate,
		[KEYCTL_INVALIDATE] = key_invalidate_command,
		[KEYCTL_GET_PERSISTENT] = key_persistent,
		[KEYCTL_RESTRICT_KEYRING] = key_restrict,
		[KEYCTL_MOVE] = key_move,
		[KEYCTL_CAPABILITIES] = key_capabilities,
	};
	uint32_t command = (uint32_t)a[0];

	if (command >= ARRAY_SIZE(commands) || !commands[command])
		return -EOPNOTSUPP;
	key_collect(context->process->system);
	return commands[command](context, a + 1);
}
