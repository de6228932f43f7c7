/* User namespaces (user_namespaces(7)): ids that stand for others, and what
 * capabilities are worth. A guest's ids are kept as those of the first
 * namespace; they are translated where a guest says or sees one. */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/identity/identity.h"
#include "x86/linux/namespaces/namespace.h"

enum { LEVELS_MAX = 32, OVERFLOW_ID = 65534, MAP_BYTES_MAX = 4096 };

/* ---- Ids ---- */

static bool find_seen(const struct namespace *users, int kind, uint32_t id,
		      uint32_t *seen)
{
	const struct id_map *map = users ? users->map + kind : NULL;

	*seen = id;
	if (!users)
		return true;
	for (size_t i = 0; i < map->count; i++)
		if (id - map->list[i].outside < map->list[i].count) {
			*seen = id - map->list[i].outside +
				map->list[i].inside;
			return true;
		}
	return false;
}

static uint32_t seen_or_nobody(const struct namespace *users, int kind,
			       uint32_t id)
{
	uint32_t seen;

	return find_seen(users, kind, id, &seen) ? seen : OVERFLOW_ID;
}

static bool find_meant(const struct namespace *users, int kind, uint32_t id,
		       uint32_t *meant)
{
	const struct id_map *map = users ? users->map + kind : NULL;

	*meant = id;
	if (!users)
		return true;
	for (size_t i = 0; i < map->count; i++)
		if (id - map->list[i].inside < map->list[i].count) {
			*meant = id - map->list[i].inside +
				 map->list[i].outside;
			return true;
		}
	return false;
}

uint32_t user_seen(const struct namespace *users, uint32_t id)
{
	return seen_or_nobody(users, MAP_USERS, id);
}

uint32_t group_seen(const struct namespace *users, uint32_t id)
{
	return seen_or_nobody(users, MAP_GROUPS, id);
}

bool user_meant(const struct namespace *users, uint32_t id, uint32_t *meant)
{
	return find_meant(users, MAP_USERS, id, meant);
}

bool group_meant(const struct namespace *users, uint32_t id, uint32_t *meant)
{
	return find_meant(users, MAP_GROUPS, id, meant);
}

bool user_is_mapped(const struct namespace *users, uint32_t user,
		    uint32_t group)
{
	uint32_t seen;

	return find_seen(users, MAP_USERS, user, &seen) &&
	       find_seen(users, MAP_GROUPS, group, &seen);
}

bool users_may_set_groups(const struct namespace *users)
{
	return !users || (users->map[MAP_GROUPS].set && !users->no_setgroups);
}

/* ---- Capabilities ---- */

bool has_capability_in(const struct process *process,
		       const struct namespace *users, int capability)
{
	const struct credentials *own = &process->credentials;

	for (;; users = users->parent) {
		if (users == own->users)
			return own->effective >> capability & 1;
		if (!users ||
		    (own->users && users->level <= own->users->level))
			return false;
		/* The creator of the namespace may do anything in it. */
		if (users->parent == own->users &&
		    users->user == own->user[EFFECTIVE])
			return true;
	}
}

bool has_own_capability(const struct process *process, int capability)
{
	return process->credentials.effective >> capability & 1;
}

/* ---- Making and entering ---- */

int64_t users_create(struct process *process, struct namespace **made)
{
	const struct credentials *own = &process->credentials;

	if (own->users && own->users->level >= LEVELS_MAX)
		return -ENOSPC;
	if (process->paths.root >= 0 ||
	    !user_is_mapped(own->users, own->user[EFFECTIVE],
			    own->group[EFFECTIVE]))
		return -EPERM;
	*made = namespace_create(process->system, NAMESPACE_USER, own->users);
	(*made)->parent = namespace_hold(own->users);
	(*made)->level = own->users ? own->users->level + 1 : 1;
	(*made)->user = own->user[EFFECTIVE];
	(*made)->group = own->group[EFFECTIVE];
	(*made)->with_setfcap = has_own_capability(process, CAP_SETFCAP);
	return 0;
}

void users_enter(struct process *process, struct namespace *users)
{
	struct credentials *own = &process->credentials;
	struct namespace *former = own->users;

	own->users = namespace_hold(users);
	own->permitted = own->effective = own->bounding = CAPABILITY_ALL;
	own->inheritable = own->ambient = 0;
	own->securebits = 0;
	namespace_release(former);
}

/* ---- uid_map, gid_map, setgroups ---- */

/* A number and what is before it; *at goes behind it. */
static bool take_number(const char **at, uint32_t *value)
{
	char *end;
	unsigned long long number;

	*at += strspn(*at, " \t");
	if (**at < '0' || **at > '9')
		return false;
	errno = 0;
	number = strtoull(*at, &end, 10);
	if (errno || number > UINT32_MAX)
		return false;
	*at = end;
	*value = (uint32_t)number;
	return true;
}

static bool overlap(uint32_t one, uint32_t one_count, uint32_t other,
		    uint32_t other_count)
{
	return other - one < one_count || one - other < other_count;
}

static bool fits(const struct id_map *map, const struct id_extent *extent)
{
	if (!extent->count || map->count >= MAP_EXTENTS_MAX ||
	    (uint32_t)(extent->inside + extent->count) <= extent->inside ||
	    (uint32_t)(extent->outside + extent->count) <= extent->outside)
		return false;
	for (size_t i = 0; i < map->count; i++) {
		const struct id_extent *other = map->list + i;

		if (overlap(other->inside, other->count, extent->inside,
			    extent->count) ||
		    overlap(other->outside, other->count, extent->outside,
			    extent->count))
			return false;
	}
	return true;
}

/* Reads lines of three numbers: 0 or -EINVAL. */
static int parse(const char *text, struct id_map *map)
{
	while (*text) {
		struct id_extent extent;

		if (!take_number(&text, &extent.inside) ||
		    !take_number(&text, &extent.outside) ||
		    !take_number(&text, &extent.count) ||
		    !fits(map, &extent))
			return -EINVAL;
		text += strspn(text, " \t");
		if (*text && *text != '\n')
			return -EINVAL;
		text += *text == '\n';
		map->list = xrealloc(map->list,
				     (map->count + 1) * sizeof *map->list);
		map->list[map->count++] = extent;
	}
	return map->count ? 0 : -EINVAL;
}

/* Whether the writer may map to these ids of the parent. */
static bool map_allowed(const struct process *writer,
			const struct namespace *users, int kind,
			const struct id_map *map)
{
	const struct credentials *own = &writer->credentials;
	const struct id_extent *first = map->list;
	uint32_t meant;

	/* The parent's superuser can be handed on by who could give programs
	 * capabilities anyway. */
	for (size_t i = 0; kind == MAP_USERS && i < map->count; i++)
		if (!map->list[i].outside &&
		    !(own->users == users
			      ? users->with_setfcap
			      : has_capability_in(writer, users->parent,
						  CAP_SETFCAP)))
			return false;
	if (map->count == 1 && first->count == 1 &&
	    users->user == own->user[EFFECTIVE]) {
		if (find_meant(users->parent, kind, first->outside, &meant) &&
		    meant == (kind == MAP_USERS ? own->user
						: own->group)[EFFECTIVE] &&
		    (kind == MAP_USERS || users->no_setgroups))
			return true;
	}
	return has_capability_in(writer, users->parent,
				 kind == MAP_USERS ? CAP_SETUID : CAP_SETGID);
}

/* Makes ids of the parent those of the first namespace: 0 or -EPERM. */
static int to_first(const struct namespace *users, int kind,
		    struct id_map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		struct id_extent *extent = map->list + i;
		uint32_t last;

		if (!find_meant(users->parent, kind,
				extent->outside + extent->count - 1, &last) ||
		    !find_meant(users->parent, kind, extent->outside,
				&extent->outside) ||
		    last - extent->outside != extent->count - 1)
			return -EPERM;
	}
	return 0;
}

static int64_t write_map(const struct process *writer,
			 struct namespace *users, int kind, const char *bytes,
			 size_t size)
{
	const struct namespace *own = writer->credentials.users;
	struct id_map map = { .set = true };
	char text[MAP_BYTES_MAX];
	int result;

	if (!users || (own != users && own != users->parent) ||
	    users->map[kind].set ||
	    !has_capability_in(writer, users, CAP_SYS_ADMIN))
		return -EPERM;
	if (size >= sizeof text)
		return -EINVAL;
	memcpy(text, bytes, size);
	text[size] = 0;
	result = parse(text, &map);
	if (!result && !map_allowed(writer, users, kind, &map))
		result = -EPERM;
	if (!result)
		result = to_first(users, kind, &map);
	if (result) {
		free(map.list);
		return result;
	}
	users->map[kind] = map;
	return (int64_t)size;
}

static int64_t write_setgroups(const struct process *writer,
			       struct namespace *users, const char *bytes,
			       size_t size)
{
	bool deny = size >= 4 && !memcmp(bytes, "deny", 4);
	size_t used = deny ? 4 : 5;

	if (!has_capability_in(writer, users, CAP_SYS_ADMIN))
		return -EACCES;
	if (!deny && !(size >= 5 && !memcmp(bytes, "allow", 5)))
		return -EINVAL;
	for (; used < size; used++)
		if (bytes[used] && !strchr(" \t\n", bytes[used]))
			return -EINVAL;
	if (!users)
		return deny ? -EPERM : (int64_t)size;
	if (deny ? users->map[MAP_GROUPS].set : users->no_setgroups)
		return -EPERM;
	users->no_setgroups = deny;
	return (int64_t)size;
}

int64_t users_write(struct context *context, struct process *process,
		    const char *name, const char *bytes, size_t size)
{
	struct namespace *users = process->credentials.users;

	if (!strcmp(name, "setgroups"))
		return write_setgroups(context->process, users, bytes, size);
	return write_map(context->process, users,
			 *name == 'u' ? MAP_USERS : MAP_GROUPS, bytes, size);
}

void users_print(const struct context *context, const struct process *process,
		 const char *name, FILE *out)
{
	const struct namespace *users = process->credentials.users;
	const struct namespace *reader = context->process->credentials.users;
	int kind = *name == 'u' ? MAP_USERS : MAP_GROUPS;

	if (!strcmp(name, "setgroups")) {
		fputs(users && users->no_setgroups ? "deny\n" : "allow\n",
		      out);
		return;
	}
	if (!users) {
		fputs("         0          0 4294967295\n", out);
		return;
	}
	if (reader == users)
		reader = users->parent;
	for (size_t i = 0; i < users->map[kind].count; i++) {
		const struct id_extent *extent = users->map[kind].list + i;
		uint32_t seen;

		if (!find_seen(reader, kind, extent->outside, &seen))
			seen = UINT32_MAX;
		fprintf(out, "%10" PRIu32 " %10" PRIu32 " %10" PRIu32 "\n",
			extent->inside, seen, extent->count);
	}
}
