/* The key retention service (keyrings(7), keyctl(2)): keys and keyrings that
 * guest processes of one run share. The host's keyrings are never used. keys.h
 * has the interface for other folders.
 *
 *	key.c        keys: making, holding, permissions, quotas
 *	type.c       what each type of key accepts and shows
 *	ring.c       keyrings: links and searching
 *	end.c        keys that are revoked, invalidated or expired
 *	thread.c     the keyrings that a thread has, and names for them
 *	argument.c   what calls about keys are given
 *	call.c       add_key(), request_key() and the table of keyctl()
 *	control.c    keyctl() about a key
 *	link.c       keyctl() about keyrings
 *	text.c       /proc/keys, /proc/key-users, /proc/sys/kernel/keys
 *	checkpoint.c */
#ifndef M2S_X86_LINUX_KEYS_KEYRING_H
#define M2S_X86_LINUX_KEYS_KEYRING_H

#include <linux/keyctl.h>

#include "x86/linux/state.h"

enum key_kind { KEY_USER, KEY_LOGON, KEY_BIG, KEY_RING, KEY_KINDS };

struct key {
	struct key *next;        /* all keys, the newest first */
	/* From links, and from threads whose keyring it is. */
	unsigned references;
	int serial;
	enum key_kind kind;
	char *description;
	unsigned user, group;    /* UINT32_MAX: no group */
	uint32_t permissions;    /* a byte each: possessor, user, group, other */
	int64_t expires;         /* s since the epoch; 0: never */
	/* Of a negative key: the errno that it stands for. */
	int rejected;
	bool revoked, invalidated;
	bool user_ring;          /* _uid.N and _uid_ses.N */
	bool restricted;         /* no more keys can be linked to it */
	size_t charged;          /* bytes of its user's quota */
	uint8_t *payload;        /* NULL for keyrings */
	size_t size;
	struct key **links;      /* of a keyring */
	size_t link_count, link_capacity;
	/* The last walk through keyrings that reached this key, and its
	 * depth. */
	uint64_t walk;
	int depth;
};

/* A user's share of the quota that is in use. */
struct key_quota {
	unsigned user;
	size_t keys, bytes;
};

/* /proc/sys/kernel/keys. */
enum key_setting {
	KEY_GC_DELAY, KEY_MAX_BYTES, KEY_MAX_KEYS, KEY_PERSISTENT_EXPIRY,
	KEY_ROOT_MAX_BYTES, KEY_ROOT_MAX_KEYS, KEY_SETTINGS
};

struct key_service {
	struct key *first;
	int last_serial;
	uint64_t walks;          /* number of walks through keyrings so far */
	struct key_quota *quotas;
	size_t quota_count, quota_capacity;
	uint32_t setting[KEY_SETTINGS];
	/* Holds the keyrings of users and their persistent ones. */
	struct key *registered;
};

/* The keyrings of a thread (of its credentials, in Linux); each pointer counts
 * as a reference, and may be NULL. */
struct thread_keys {
	struct key *thread, *process, *session;
	int request_default; /* KEY_REQKEY_DEFL_* */
};

/* Rights to a key: the bits of each byte of its permissions. */
enum {
	NEED_NOTHING = 0,
	NEED_VIEW = 0x01, NEED_READ = 0x02, NEED_WRITE = 0x04,
	NEED_SEARCH = 0x08, NEED_LINK = 0x10, NEED_SETATTR = 0x20,
	NEED_ALL = 0x3f,
};
#define POSSESSOR(bits) ((uint32_t)(bits) << 24)
#define OWNER(bits) ((uint32_t)(bits) << 16)

/* A key, and whether the caller possesses it: whether the caller's keyrings
 * lead to it. */
struct key_reference {
	struct key *key;
	bool possessed;
};

enum { KEY_DESCRIPTION_MAX = 4096, KEY_TYPE_MAX = 32 };

/* ---- key.c ---- */
/* The system's service, made on first use. */
struct key_service *key_service(struct linux_system *system);
/* The guest's real time, in s since the epoch. */
int64_t key_now(struct linux_system *system);
/* Creates a key without a payload and without references in *made. `overrun`
 * ignores the quota. 0 or a negative errno. */
struct key_request {
	enum key_kind kind;
	const char *description;
	unsigned user, group;
	uint32_t permissions;
	bool overrun;
};
int key_create(struct linux_system *system, const struct key_request *request,
	       struct key **made);
struct key *key_hold(struct key *key);
/* Drops a reference; the last one frees the key. `key` may be NULL. */
void key_drop(struct linux_system *system, struct key *key);
struct key *key_find(struct linux_system *system, int serial);
/* Charges the key's user for `bytes` bytes in all, besides the description. 0
 * or -EDQUOT. */
int key_charge(struct linux_system *system, struct key *key, size_t bytes);
/* Gives the key another owner, who is charged for it. */
int key_give(struct linux_system *system, struct key *key, unsigned user);
struct key_quota *key_quota(struct key_service *service, unsigned user);
size_t key_limit(const struct key_service *service, unsigned user, bool bytes);
/* Sets the payload, which was allocated with malloc() and is taken over. 0 or
 * -EDQUOT. */
int key_set_payload(struct linux_system *system, struct key *key,
		    uint8_t *payload, size_t size);
bool key_permits(const struct context *context, struct key_reference reference,
		 uint32_t need);
/* 0, or -ENOKEY, -EKEYREVOKED, -EKEYEXPIRED. */
int key_usable(struct linux_system *system, const struct key *key);

/* ---- type.c ---- */
struct key_type {
	const char *name;
	size_t size_min, size_max;
	bool reads, updates;
	size_t fixed_charge; /* 0: the bytes of the payload */
};
extern const struct key_type key_types[KEY_KINDS];
/* The index of a type, or -1. */
int key_type_find(const char *name);
/* 0 or -EINVAL. */
int key_type_description(enum key_kind kind, const char *description);
int key_type_payload(enum key_kind kind, size_t size);
/* The permissions of a new key of this kind. */
uint32_t key_type_permissions(enum key_kind kind);
/* Writes the part of a line of /proc/keys after the numbers. */
void key_type_print(const struct key *key, FILE *out);

/* ---- ring.c ---- */
/* Links a key to a keyring. The link replaces a link to a key of the same type
 * and description. 0 or a negative errno. */
int ring_link(struct linux_system *system, struct key *ring, struct key *key);
int ring_unlink(struct linux_system *system, struct key *ring,
		struct key *key);
void ring_clear(struct linux_system *system, struct key *ring);
/* The key of a type and description to which the keyring itself has a link, or
 * NULL. */
struct key *ring_entry(const struct key *ring, enum key_kind kind,
		       const char *description);

struct ring_search {
	struct context *context;
	enum key_kind kind;
	const char *description;
	const struct key *wanted;   /* only this one; NULL: any */
	bool any_state;             /* also keys that cannot be used */
	bool skip_expired;
	bool unchecked;             /* ignore the permissions */
};
/* Searches a keyring and the keyrings below it. 0 and *found, or a negative
 * errno: -EAGAIN when there is no such key. */
int ring_search(const struct ring_search *search, struct key_reference ring,
		struct key_reference *found);

/* ---- end.c ---- */
void key_revoke(struct linux_system *system, struct key *key);
/* Invalidates a key: no search finds it any more. */
void key_invalidate(struct linux_system *system, struct key *key);
/* Removes keys that expired long ago. To be called at the beginning of a call,
 * when no caller uses a key that key_look_up() has found. */
void key_collect(struct linux_system *system);

/* ---- thread.c ---- */
struct thread_keys *thread_keys(struct context *context);
/* Make the thread's or the process's keyring if there is none. 0 or a negative
 * errno. */
int thread_ring(struct context *context);
int process_ring(struct context *context);
/* The keyrings of the caller's user; either may be NULL. */
int user_rings(struct context *context, struct key **ring,
	       struct key **session);
/* Joins another session keyring: the one of this name, or a new one if `name`
 * is NULL. Its serial or a negative errno. */
int64_t session_join(struct context *context, const char *name);
void session_set(struct context *context, struct key *ring);
/* Searches all keyrings of the thread. */
int thread_search(const struct ring_search *search,
		  struct key_reference *found);

enum {
	FIND_CREATE = 1,  /* make a keyring with a special name */
	FIND_ANY = 2,     /* also negative keys */
};
/* The key that a program names by a number. The program needs the rights `need`
 * to it. 0 or a negative errno. */
int key_look_up(struct context *context, int serial, int flags, uint32_t need,
		struct key_reference *found);

/* ---- argument.c ---- */
/* Reads a description or name in the guest's memory. 0 or a negative errno. */
int key_get_text(struct context *context, uint64_t address, char *text);
int key_get_type(struct context *context, uint64_t address,
		 char text[KEY_TYPE_MAX]);
/* Reads bytes of the guest, which the caller frees. 0 or a negative errno. */
int key_get_payload(struct context *context, uint64_t address, uint64_t size,
		    uint8_t **payload);

/* ---- control.c, link.c: handlers of keyctl()'s commands ---- */
typedef int64_t key_command(struct context *context, const uint64_t *a);
key_command key_update, key_revoke_command, key_chown, key_setperm,
	key_describe, key_read, key_set_timeout, key_invalidate_command,
	key_get_security, key_get_ring, key_join, key_clear,
	key_link, key_unlink, key_move, key_search, key_restrict,
	key_session_to_parent, key_persistent, key_set_default,
	key_instantiate, key_instantiate_vectors, key_negate, key_reject,
	key_assume, key_capabilities;

#endif
