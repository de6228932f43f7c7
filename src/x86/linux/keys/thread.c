/* The keyrings of a thread: its own, its process's, its session's and its
 * user's (thread-keyring(7) and its kind), how they pass on, and the special
 * numbers that stand for them. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/keys/keyring.h"
#include "x86/linux/keys/keys.h"
#include "x86/linux/state.h"

struct thread_keys *thread_keys(struct context *context)
{
	if (!context->keys)
		context->keys = xcalloc(1, sizeof *context->keys);
	return context->keys;
}

static void set_ring(struct linux_system *system, struct key **to,
		     struct key *ring)
{
	struct key *old = *to;

	*to = ring ? key_hold(ring) : NULL;
	key_drop(system, old);
}

void session_set(struct context *context, struct key *ring)
{
	set_ring(context->process->system, &thread_keys(context)->session,
		 ring);
}

/* ---- Passing on ---- */

void keys_clone(struct context *child, const struct context *parent,
		uint64_t flags)
{
	const struct thread_keys *from = parent->keys;
	struct thread_keys *to;

	if (!from)
		return;
	to = thread_keys(child);
	to->request_default = from->request_default;
	if (from->session)
		to->session = key_hold(from->session);
	if (!(flags & CLONE_THREAD))
		return;
	if (from->process)
		to->process = key_hold(from->process);
	if (from->thread)
		thread_ring(child);
}

void keys_executes(struct context *context)
{
	struct linux_system *system = context->process->system;

	if (!context->keys)
		return;
	set_ring(system, &context->keys->thread, NULL);
	set_ring(system, &context->keys->process, NULL);
}

void keys_leave(struct context *context)
{
	struct linux_system *system = context->process->system;

	if (!context->keys)
		return;
	set_ring(system, &context->keys->thread, NULL);
	set_ring(system, &context->keys->process, NULL);
	set_ring(system, &context->keys->session, NULL);
	free(context->keys);
	context->keys = NULL;
}

void keys_free(struct linux_system *system)
{
	if (!system->keys)
		return;
	key_drop(system, system->keys->registered);
	/* What a damaged checkpoint may have left. */
	while (system->keys->first) {
		struct key *key = system->keys->first;

		system->keys->first = key->next;
		free(key->payload);
		free(key->links);
		free(key->description);
		free(key);
	}
	free(system->keys->quotas);
	free(system->keys);
	system->keys = NULL;
}

/* ---- Making keyrings ---- */

/* A keyring of the caller's real user; with a reference in *to. */
static int make_ring(struct context *context, const char *name,
		     uint32_t owner, bool overrun, struct key **to)
{
	struct linux_system *system = context->process->system;
	const struct credentials *own = &context->process->credentials;
	struct key_request request = {
		.kind = KEY_RING, .description = name,
		.user = own->user[REAL], .group = own->group[REAL],
		.permissions = POSSESSOR(NEED_ALL) | OWNER(owner),
		.overrun = overrun,
	};
	struct key *ring;
	int result = key_create(system, &request, &ring);

	if (!result)
		set_ring(system, to, ring);
	return result;
}

int thread_ring(struct context *context)
{
	struct thread_keys *own = thread_keys(context);

	return own->thread ? 0
			   : make_ring(context, "_tid", NEED_VIEW, true,
				       &own->thread);
}

int process_ring(struct context *context)
{
	struct thread_keys *own = thread_keys(context);

	return own->process ? 0
			    : make_ring(context, "_pid", NEED_VIEW, true,
					&own->process);
}

/* Finds or makes a keyring of a user among those that stay. */
static int registered_ring(struct context *context, const char *name,
			   struct key **ring)
{
	struct linux_system *system = context->process->system;
	struct key_service *service = key_service(system);
	struct key_request request = {
		.kind = KEY_RING, .description = name,
		.user = context->process->credentials.user[REAL],
		.group = UINT32_MAX,
		.permissions = POSSESSOR(NEED_ALL & ~NEED_SETATTR) |
			       OWNER(NEED_ALL),
	};
	int result;

	if (!service->registered) {
		struct key_request all = {
			.kind = KEY_RING, .description = ".user_reg",
			.group = UINT32_MAX, .overrun = true,
			.permissions = POSSESSOR(NEED_WRITE | NEED_SEARCH),
		};
		struct key *made;

		result = key_create(system, &all, &made);
		if (result)
			return result;
		service->registered = key_hold(made);
	}
	*ring = ring_entry(service->registered, KEY_RING, name);
	if (*ring)
		return 0;
	result = key_create(system, &request, ring);
	if (result)
		return result;
	(*ring)->user_ring = true;
	result = ring_link(system, service->registered, *ring);
	if (result)
		key_drop(system, *ring);
	return result;
}

int user_rings(struct context *context, struct key **ring, struct key **session)
{
	struct linux_system *system = context->process->system;
	unsigned user = context->process->credentials.user[REAL];
	struct key *user_ring, *session_ring;
	char name[32];
	int result;

	snprintf(name, sizeof name, "_uid.%u", user);
	result = registered_ring(context, name, &user_ring);
	if (!result) {
		snprintf(name, sizeof name, "_uid_ses.%u", user);
		result = registered_ring(context, name, &session_ring);
	}
	if (!result && !session_ring->link_count && !session_ring->revoked)
		result = ring_link(system, session_ring, user_ring);
	if (result)
		return result;
	if (ring)
		*ring = user_ring;
	if (session)
		*session = session_ring;
	return 0;
}

/* ---- Sessions ---- */

/* The keyring that anybody may join by its name, or NULL. */
static struct key *find_named(struct context *context, const char *name)
{
	struct key *key = key_service(context->process->system)->first;

	for (; key; key = key->next) {
		struct key_reference reference = { key, false };

		if (key->kind == KEY_RING && !strcmp(key->description, name) &&
		    !key->revoked && !key->invalidated && !key->user_ring &&
		    key_permits(context, reference, NEED_SEARCH))
			return key;
	}
	return NULL;
}

int64_t session_join(struct context *context, const char *name)
{
	struct thread_keys *own = thread_keys(context);
	struct key *ring;
	int result;

	if (!name) {
		result = make_ring(context, "_ses", NEED_VIEW | NEED_READ,
				   !own->session, &own->session);
		return result ? result : own->session->serial;
	}
	ring = find_named(context, name);
	if (ring && ring == own->session)
		return 0;
	if (ring) {
		session_set(context, ring);
		return ring->serial;
	}
	result = make_ring(context, name, NEED_VIEW | NEED_READ | NEED_LINK,
			   false, &own->session);
	return result ? result : own->session->serial;
}

/* Makes sure that there is a session keyring: the user's, or with FIND_CREATE
 * one of its own. */
static int session_ring(struct context *context, int flags)
{
	struct thread_keys *own = thread_keys(context);
	struct key *session;
	int64_t joined;
	int result;

	if (own->session &&
	    !(own->session->user_ring && (flags & FIND_CREATE)))
		return 0;
	if (!own->session) {
		result = user_rings(context, NULL, &session);
		if (result)
			return result;
		if (!(flags & FIND_CREATE)) {
			session_set(context, session);
			return 0;
		}
	}
	joined = session_join(context, NULL);
	return joined < 0 ? (int)joined : 0;
}

/* ---- Searching and looking up ---- */

/* An outcome of one keyring among those of others, as Linux ranks them. */
static void rank_result(int result, int *none, int *failure)
{
	if (result == -ENOKEY || (result == -EAGAIN && !*none))
		*none = result;
	else if (result != -EAGAIN)
		*failure = result;
}

int thread_search(const struct ring_search *search,
		  struct key_reference *found)
{
	struct context *context = search->context;
	struct key_service *service = key_service(context->process->system);
	const struct thread_keys *own = thread_keys(context);
	struct key *rings[] = { own->thread, own->process, own->session };
	char name[32];
	int none = 0, failure = -EAGAIN;

	if (!rings[2] && service->registered) {
		snprintf(name, sizeof name, "_uid_ses.%u",
			 context->process->credentials.user[REAL]);
		rings[2] = ring_entry(service->registered, KEY_RING, name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rings); i++) {
		struct key_reference ring = { rings[i], true };
		int result;

		if (!rings[i])
			continue;
		result = ring_search(search, ring, found);
		if (!result)
			return 0;
		rank_result(result, &none, &failure);
	}
	return none ? none : failure;
}

static int special(struct context *context, int serial, int flags,
		   struct key **key)
{
	struct thread_keys *own = thread_keys(context);
	int result = 0;

	switch (serial) {
	case KEY_SPEC_THREAD_KEYRING:
		if (!own->thread)
			result = flags & FIND_CREATE ? thread_ring(context)
						     : -ENOKEY;
		*key = own->thread;
		return result;
	case KEY_SPEC_PROCESS_KEYRING:
		if (!own->process)
			result = flags & FIND_CREATE ? process_ring(context)
						     : -ENOKEY;
		*key = own->process;
		return result;
	case KEY_SPEC_SESSION_KEYRING:
		result = session_ring(context, flags);
		*key = own->session;
		return result;
	case KEY_SPEC_USER_KEYRING:
		return user_rings(context, key, NULL);
	case KEY_SPEC_USER_SESSION_KEYRING:
		return user_rings(context, NULL, key);
	case KEY_SPEC_REQKEY_AUTH_KEY:
	case KEY_SPEC_REQUESTOR_KEYRING:
		/* No program is ever asked to make a key. */
		return -ENOKEY;
	default: /* groups have none */
		return -EINVAL;
	}
}

static bool possesses(struct context *context, const struct key *key)
{
	struct ring_search search = {
		.context = context, .kind = key->kind,
		.description = key->description, .wanted = key,
		.any_state = true,
	};
	struct key_reference found;

	return thread_search(&search, &found) == 0;
}

int key_look_up(struct context *context, int serial, int flags, uint32_t need,
		struct key_reference *found)
{
	struct linux_system *system = context->process->system;
	int result;

	if (serial < 1) {
		result = special(context, serial, flags, &found->key);
		if (result)
			return result;
		found->possessed = true;
	} else {
		found->key = key_find(system, serial);
		if (!found->key)
			return -ENOKEY;
		found->possessed = possesses(context, found->key);
	}
	if (need && found->key->rejected && !(flags & FIND_ANY))
		return -found->key->rejected;
	if (need) {
		result = key_usable(system, found->key);
		if (result)
			return result;
	}
	return key_permits(context, *found, need) ? 0 : -EACCES;
}
