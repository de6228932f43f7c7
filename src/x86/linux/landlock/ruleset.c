/* Rulesets, which programs fill by a descriptor and then apply to
 * themselves. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/namespaces/namespaces.h"
#include "x86/linux/state.h"

enum {
	CREATE_VERSION = 1,         /* flag of landlock_create_ruleset() */
	RULE_PATH = 1, RULE_PORT = 2,
	PAGE = 4096,
};

/* ---- landlock_create_ruleset ---- */

/* struct landlock_ruleset_attr: its fields, of which older programs have
 * fewer. */
static int get_ruleset_attributes(struct context *context, uint64_t address,
				  uint64_t size, uint64_t fields[3])
{
	memset(fields, 0, 3 * sizeof *fields);
	if (!address)
		return -EFAULT;
	if (size < sizeof *fields)
		return -EINVAL;
	if (size > PAGE)
		return -E2BIG;
	if (guest_get(context, address, fields,
		      size < 3 * sizeof *fields ? size : 3 * sizeof *fields))
		return -EFAULT;
	for (uint64_t at = 3 * sizeof *fields; at < size; at++) {
		uint8_t byte;

		if (guest_get(context, address + at, &byte, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	return 0;
}

int64_t call_landlock_create_ruleset(struct context *context,
				     const uint64_t *a)
{
	uint64_t fields[3];
	struct file *file;
	int host, result;

	if ((uint32_t)a[2])
		return !a[0] && !a[1] && (uint32_t)a[2] == CREATE_VERSION
			       ? LANDLOCK_VERSION
			       : -EINVAL;
	result = get_ruleset_attributes(context, a[0], a[1], fields);
	if (result)
		return result;
	if ((fields[0] & ~(uint64_t)FS_ALL) ||
	    (fields[1] & ~(uint64_t)NET_ALL) ||
	    (fields[2] & ~(uint64_t)SCOPE_ALL))
		return -EINVAL;
	if (!fields[0] && !fields[1] && !fields[2])
		return -ENOMSG;
	/* Something that cannot be read or written, as a ruleset. */
	host = epoll_create1(EPOLL_CLOEXEC);
	if (host < 0)
		return -errno;
	file = file_create(host, FILE_RULESET);
	file->ruleset = xcalloc(1, sizeof *file->ruleset);
	file->may_block = false;
	file->ruleset->references = 1;
	file->ruleset->fs = fields[0];
	file->ruleset->net = fields[1];
	file->ruleset->scoped = fields[2];
	return file_install(context->process, file, 0, true);
}

/* ---- landlock_add_rule ---- */

/* The ruleset of a descriptor: 0 and *rules, or a negative errno. */
static int64_t ruleset_of_descriptor(struct context *context,
				     uint64_t descriptor,
				     struct ruleset **rules)
{
	struct file *file = file_get(context->process, (int)descriptor);

	if (!file)
		return -EBADF;
	if (!file->ruleset)
		return -EBADFD;
	*rules = file->ruleset;
	return 0;
}

static int64_t check_allowed(uint64_t allowed, uint64_t handled)
{
	if (!allowed)
		return -ENOMSG;
	return allowed & ~handled ? -EINVAL : 0;
}

static void add_file(struct ruleset *rules, int host,
		     const struct stat *status, uint64_t allowed)
{
	for (size_t i = 0; i < rules->file_count; i++) {
		struct fs_rule *rule = rules->files + i;

		if (rule->device != status->st_dev ||
		    rule->inode != status->st_ino)
			continue;
		rule->allowed |= allowed;
		close(host);
		return;
	}
	ARRAY_GROW(rules->files, rules->file_count, rules->file_capacity);
	rules->files[rules->file_count++] = (struct fs_rule){
		status->st_dev, status->st_ino, host, allowed
	};
}

static int64_t add_path_rule(struct context *context, struct ruleset *rules,
			     uint64_t address)
{
	struct {
		uint64_t allowed;
		int32_t folder;
	} __attribute__((packed)) rule;
	struct stat status;
	struct file *file;
	char path[PATH_MAX];
	int64_t result;
	int host;

	if (guest_get(context, address, &rule, sizeof rule))
		return -EFAULT;
	result = check_allowed(rule.allowed, rules->fs);
	if (result)
		return result;
	file = file_get(context->process, rule.folder);
	if (!file)
		return -EBADF;
	/* A file that lies in no folder cannot have a rule. */
	if (file->ruleset || (!file->made[0] &&
			      (!path_of_host(file->host, path, sizeof path) ||
			       path[0] != '/')))
		return -EBADFD;
	if (fstat(file->host, &status) != 0)
		return -errno;
	if (!S_ISDIR(status.st_mode) && (rule.allowed & ~(uint64_t)FS_FILE))
		return -EINVAL;
	host = fcntl(file->host, F_DUPFD_CLOEXEC, 0);
	if (host < 0)
		return -errno;
	add_file(rules, host, &status, rule.allowed);
	return 0;
}

static int64_t add_port_rule(struct context *context, struct ruleset *rules,
			     uint64_t address)
{
	uint64_t rule[2]; /* what is allowed, port */
	int64_t result;

	if (guest_get(context, address, rule, sizeof rule))
		return -EFAULT;
	result = check_allowed(rule[0], rules->net);
	if (result)
		return result;
	if (rule[1] > UINT16_MAX)
		return -EINVAL;
	ARRAY_GROW(rules->ports, rules->port_count, rules->port_capacity);
	rules->ports[rules->port_count++] =
		(struct net_rule){ (uint16_t)rule[1], rule[0] };
	return 0;
}

int64_t call_landlock_add_rule(struct context *context, const uint64_t *a)
{
	struct ruleset *rules;
	int64_t result;

	if ((uint32_t)a[3])
		return -EINVAL;
	result = ruleset_of_descriptor(context, a[0], &rules);
	if (result)
		return result;
	switch ((uint32_t)a[1]) {
	case RULE_PATH:
		return add_path_rule(context, rules, a[2]);
	case RULE_PORT:
		return add_port_rule(context, rules, a[2]);
	default:
		return -EINVAL;
	}
}

/* ---- landlock_restrict_self ---- */

int64_t call_landlock_restrict_self(struct context *context, const uint64_t *a)
{
	struct landlock_domain *old = context->landlock;
	struct ruleset *rules;
	int64_t result;

	if (!context->process->no_new_privileges &&
	    !has_own_capability(context->process, CAP_SYS_ADMIN))
		return -EPERM;
	if ((uint32_t)a[1])
		return -EINVAL;
	result = ruleset_of_descriptor(context, a[0], &rules);
	if (result)
		return result;
	if (old && old->layers == LANDLOCK_LAYERS_MAX)
		return -E2BIG;
	context->landlock = domain_create(old, rules);
	domain_drop(old);
	return 0;
}
