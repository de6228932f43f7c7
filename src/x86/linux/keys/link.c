/* keyctl(2): keyrings, and what they link. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/state.h"

int64_t key_get_ring(struct context *context, const uint64_t *a)
{
	struct key_reference found;
	int result = key_look_up(context, (int)a[0],
				 (int)a[1] ? FIND_CREATE : 0, NEED_SEARCH,
				 &found);

	return result ? result : found.key->serial;
}

int64_t key_join(struct context *context, const uint64_t *a)
{
	char name[KEY_DESCRIPTION_MAX];
	int result = a[0] ? key_get_text(context, a[0], name) : 0;

	if (result)
		return result;
	if (a[0] && name[0] == '.')
		return -EPERM;
	return session_join(context, a[0] ? name : NULL);
}

int64_t key_clear(struct context *context, const uint64_t *a)
{
	struct key_reference ring;
	int result = key_look_up(context, (int)a[0], FIND_CREATE, NEED_WRITE,
				 &ring);

	if (result)
		return result;
	if (ring.key->kind != KEY_RING)
		return -ENOTDIR;
	ring_clear(context->process->system, ring.key);
	return 0;
}

int64_t key_link(struct context *context, const uint64_t *a)
{
	struct key_reference ring, key;
	int result = key_look_up(context, (int)a[1], FIND_CREATE, NEED_WRITE,
				 &ring);

	if (!result)
		result = key_look_up(context, (int)a[0], FIND_CREATE,
				     NEED_LINK, &key);
	return result ? result
		      : ring_link(context->process->system, ring.key, key.key);
}

int64_t key_unlink(struct context *context, const uint64_t *a)
{
	struct key_reference ring, key;
	int result = key_look_up(context, (int)a[1], 0, NEED_WRITE, &ring);

	if (!result)
		result = key_look_up(context, (int)a[0], FIND_ANY,
				     NEED_NOTHING, &key);
	return result ? result
		      : ring_unlink(context->process->system, ring.key,
				    key.key);
}

int64_t key_move(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	struct key_reference key, from, to;
	const struct key *old;
	int result;

	if (a[3] & ~(uint64_t)KEYCTL_MOVE_EXCL)
		return -EINVAL;
	result = key_look_up(context, (int)a[0], FIND_CREATE, NEED_LINK, &key);
	if (!result)
		result = key_look_up(context, (int)a[1], 0, NEED_WRITE, &from);
	if (!result)
		result = key_look_up(context, (int)a[2], FIND_CREATE,
				     NEED_WRITE, &to);
	if (result)
		return result;
	if (from.key->kind != KEY_RING || to.key->kind != KEY_RING)
		return -ENOTDIR;
	if (from.key == to.key)
		return 0;
	if (ring_entry(from.key, key.key->kind, key.key->description) !=
	    key.key)
		return -ENOENT;
	old = ring_entry(to.key, key.key->kind, key.key->description);
	if (old && (a[3] & KEYCTL_MOVE_EXCL))
		return -EEXIST;
	/* The link that it replaces may have been the last reference to the
	 * other keyring. */
	key_hold(from.key);
	result = ring_link(system, to.key, key.key);
	if (!result)
		result = ring_unlink(system, from.key, key.key);
	key_drop(system, from.key);
	return result;
}

int64_t key_search(struct context *context, const uint64_t *a)
{
	char type[KEY_TYPE_MAX], description[KEY_DESCRIPTION_MAX];
	struct ring_search search = { .context = context,
				      .description = description };
	struct key_reference ring, to = { 0 }, found;
	int kind, result = key_get_type(context, a[1], type);

	if (!result)
		result = key_get_text(context, a[2], description);
	if (!result)
		result = key_look_up(context, (int)a[0], 0, NEED_SEARCH,
				     &ring);
	if (!result && (int)a[3])
		result = key_look_up(context, (int)a[3], FIND_CREATE,
				     NEED_WRITE, &to);
	if (result)
		return result;
	kind = key_type_find(type);
	if (kind < 0)
		return -ENOKEY;
	search.kind = (enum key_kind)kind;
	result = ring_search(&search, ring, &found);
	if (result)
		return result == -EAGAIN ? -ENOKEY : result;
	if (to.key) {
		if (!key_permits(context, found, NEED_LINK))
			return -EACCES;
		result = ring_link(context->process->system, to.key,
				   found.key);
	}
	return result ? result : found.key->serial;
}

int64_t key_restrict(struct context *context, const uint64_t *a)
{
	char type[KEY_TYPE_MAX], restriction[KEY_DESCRIPTION_MAX];
	struct key_reference ring;
	int result = key_look_up(context, (int)a[0], 0, NEED_SETATTR, &ring);

	if (result)
		return result;
	if (!a[1] && a[2])
		return -EINVAL;
	if (a[1]) {
		result = key_get_type(context, a[1], type);
		if (!result && a[2])
			result = key_get_text(context, a[2], restriction);
		/* None of the simulator's types has restrictions of its own. */
		if (!result)
			result = key_type_find(type) < 0 ? -ENOKEY : -ENOENT;
		return result;
	}
	if (ring.key->kind != KEY_RING)
		return -ENOTDIR;
	if (ring.key->restricted)
		return -EEXIST;
	ring.key->restricted = true;
	return 0;
}

int64_t key_set_default(struct context *context, const uint64_t *a)
{
	struct thread_keys *own = thread_keys(context);
	int old = own->request_default, result = 0;

	switch ((int)a[0]) {
	case KEY_REQKEY_DEFL_NO_CHANGE:
		return old;
	case KEY_REQKEY_DEFL_THREAD_KEYRING:
		result = thread_ring(context);
		break;
	case KEY_REQKEY_DEFL_PROCESS_KEYRING:
		result = process_ring(context);
		break;
	case KEY_REQKEY_DEFL_DEFAULT:
	case KEY_REQKEY_DEFL_SESSION_KEYRING:
	case KEY_REQKEY_DEFL_USER_KEYRING:
	case KEY_REQKEY_DEFL_USER_SESSION_KEYRING:
	case KEY_REQKEY_DEFL_REQUESTOR_KEYRING:
		break;
	default:
		return -EINVAL;
	}
	if (result)
		return result;
	own->request_default = (int)a[0];
	return old;
}

/* ---- Sessions of others, and keyrings that outlive them ---- */

static bool all_are(const unsigned *ids, unsigned id)
{
	return ids[REAL] == id && ids[EFFECTIVE] == id && ids[SAVED] == id;
}

int64_t key_session_to_parent(struct context *context, const uint64_t *a)
{
	const struct process *process = context->process;
	struct process *parent = process->parent;
	const unsigned user = process->credentials.user[EFFECTIVE];
	const unsigned group = process->credentials.group[EFFECTIVE];
	struct key *old = NULL;
	struct context *thread;
	struct key_reference session;
	int result = key_look_up(context, KEY_SPEC_SESSION_KEYRING, 0,
				 NEED_LINK, &session);

	(void)a;
	if (result)
		return result;
	if (!parent || parent->ended || parent->live_contexts != 1)
		return -EPERM;
	for (thread = process->system->contexts;
	     thread->ended || thread->process != parent;)
		thread = thread->next;
	if (thread->keys)
		old = thread->keys->session;
	if (old == session.key)
		return 0;
	if (!all_are(parent->credentials.user, user) ||
	    !all_are(parent->credentials.group, group) ||
	    (old && old->user != user) || session.key->user != user)
		return -EPERM;
	session_set(thread, session.key);
	return 0;
}

/* A keyring of a user that goes when nobody has asked for it for days. */
static int persistent_ring(struct context *context, unsigned user,
			   struct key **ring)
{
	struct linux_system *system = context->process->system;
	struct key_service *service = key_service(system);
	char name[32];
	struct key_request request = {
		.kind = KEY_RING, .description = name, .user = user,
		.group = UINT32_MAX, .overrun = true,
		.permissions = POSSESSOR(NEED_ALL & ~NEED_SETATTR) |
			       OWNER(NEED_VIEW | NEED_READ),
	};
	int result = 0;

	/* The list of keyrings that stay is made with the user's own. */
	if (!service->registered)
		result = user_rings(context, NULL, NULL);
	if (result)
		return result;
	snprintf(name, sizeof name, "_persistent.%u", user);
	*ring = ring_entry(service->registered, KEY_RING, name);
	if (*ring && !key_usable(system, *ring))
		return 0;
	result = key_create(system, &request, ring);
	if (!result) {
		result = ring_link(system, service->registered, *ring);
		if (result)
			key_drop(system, *ring);
	}
	return result;
}

int64_t key_persistent(struct context *context, const uint64_t *a)
{
	struct linux_system *system = context->process->system;
	const struct process *process = context->process;
	unsigned user = (unsigned)a[0];
	struct key_reference to;
	struct key *ring;
	int result;

	if (user == UINT32_MAX)
		user = process->credentials.user[REAL];
	else if (user != process->credentials.user[REAL] &&
		 user != process->credentials.user[EFFECTIVE] &&
		 !has_capability(process, CAP_SETUID))
		return -EPERM;
	result = key_look_up(context, (int)a[1], FIND_CREATE, NEED_WRITE, &to);
	if (!result && to.key->kind != KEY_RING)
		result = -ENOTDIR;
	if (!result)
		result = persistent_ring(context, user, &ring);
	if (!result)
		result = ring_link(system, to.key, ring);
	if (result)
		return result;
	ring->expires = key_now(system) +
			key_service(system)->setting[KEY_PERSISTENT_EXPIRY];
	return ring->serial;
}
