/* What a thread with Landlock's layers may do to files. Each function answers
 * 0 or a negative errno; callers ask only when there are layers. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "x86/linux/files/path.h"
#include "x86/linux/landlock/landlock.h"
#include "x86/linux/landlock/ruleset.h"
#include "x86/linux/state.h"

static int check_access(struct context *context, struct place *place,
			uint64_t access)
{
	uint64_t denied = place_denied(place, context->landlock, access);

	place_free(place);
	return denied ? -EACCES : 0;
}

/* ---- Opening ---- */

static uint64_t access_of_open(const struct stat *status, uint64_t flags)
{
	bool reads = (flags & O_ACCMODE) != O_WRONLY;
	uint64_t access = 0;

	/* A folder is only read, but to make a file without a name there. */
	if (S_ISDIR(status->st_mode) && (flags & O_ACCMODE) == O_RDONLY)
		return FS_READ_DIR;
	if (reads)
		access |= FS_READ_FILE;
	if ((flags & O_ACCMODE) != O_RDONLY)
		access |= FS_WRITE_FILE;
	if ((flags & O_TRUNC) && S_ISREG(status->st_mode))
		access |= FS_TRUNCATE;
	return access;
}

int landlock_open(struct context *context, const struct host_path *path,
		  const struct stat *status, uint64_t flags)
{
	struct place place;

	if (flags & O_PATH)
		return 0;
	place_of_path(context, path, &place);
	return check_access(context, &place, access_of_open(status, flags));
}

int landlock_open_new(struct context *context, const struct host_path *path,
		      uint64_t flags)
{
	static const struct stat regular = { .st_mode = S_IFREG };
	struct place place;

	place_of_folder(context, path, &place);
	return check_access(
		context, &place,
		FS_MAKE_REG |
			access_of_open(&regular, flags & ~(uint64_t)O_TRUNC));
}

int landlock_execute(struct context *context, const struct host_path *path)
{
	struct place place;

	place_of_path(context, path, &place);
	return check_access(context, &place, FS_EXECUTE | FS_READ_FILE);
}

void landlock_opened(struct context *context, const struct host_path *path,
		     struct file *file)
{
	struct place place;

	if (path->missing)
		place_of_folder(context, path, &place);
	else
		place_of_path(context, path, &place);
	file->denied = (uint32_t)place_denied(&place, context->landlock,
					      FS_TRUNCATE | FS_IOCTL_DEV);
	place_free(&place);
}

int landlock_resize(const struct file *file)
{
	return file->denied & FS_TRUNCATE ? -EACCES : 0;
}

/* Requests that are the same for all files. */
static bool is_general(uint32_t request)
{
	switch (request) {
	case FIOCLEX:
	case FIONCLEX:
	case FIONBIO:
	case FIOASYNC:
	case FIOQSIZE:
	case FIFREEZE:
	case FITHAW:
	case FS_IOC_FIEMAP:
	case FIGETBSZ:
	case FICLONE:
	case FICLONERANGE:
	case FIDEDUPERANGE:
		return true;
	default:
		return false;
	}
}

int landlock_ioctl(const struct file *file, uint32_t request)
{
	struct stat status;

	if (!(file->denied & FS_IOCTL_DEV) || is_general(request) ||
	    fstat(file->host, &status) != 0)
		return 0;
	return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? -EACCES
								  : 0;
}

/* ---- Names ---- */

static uint64_t access_to_make(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR: return FS_MAKE_DIR;
	case S_IFCHR: return FS_MAKE_CHAR;
	case S_IFBLK: return FS_MAKE_BLOCK;
	case S_IFIFO: return FS_MAKE_FIFO;
	case S_IFSOCK: return FS_MAKE_SOCK;
	case S_IFLNK: return FS_MAKE_SYM;
	default: return FS_MAKE_REG;
	}
}

static uint64_t access_to_remove(mode_t mode)
{
	return S_ISDIR(mode) ? FS_REMOVE_DIR : FS_REMOVE_FILE;
}

int landlock_make(struct context *context, const struct host_path *path,
		  unsigned mode)
{
	struct place place;

	/* A file that exists already is reported first. */
	if (!path->missing)
		return 0;
	place_of_folder(context, path, &place);
	return check_access(context, &place, access_to_make(mode));
}

int landlock_remove(struct context *context, const struct host_path *path,
		    bool folder)
{
	struct place place;

	place_of_folder(context, path, &place);
	return check_access(context, &place,
			    folder ? FS_REMOVE_DIR : FS_REMOVE_FILE);
}

int landlock_truncate(struct context *context, const struct host_path *path)
{
	struct place place;

	place_of_path(context, path, &place);
	return check_access(context, &place, FS_TRUNCATE);
}

/* ---- Two names ---- */

/* The file that moves, its old place and its new place. */
struct moved {
	struct place itself, from, to;
	mode_t mode;
};

/* Whether a file gains no right by moving that it lacked in some layer. */
static bool gains_nothing(const struct landlock_domain *domain,
			  const struct moved *moved)
{
	uint64_t counts = S_ISDIR(moved->mode) ? FS_ALL : FS_FILE;

	for (; domain; domain = domain->outer) {
		const struct ruleset *rules = domain->rules;
		uint64_t handled = rules->fs | (rules->fs ? FS_REFER : 0);
		uint64_t before = handled &
				  ~place_allowed(&moved->from, rules) &
				  ~place_allowed_itself(&moved->itself, rules);
		uint64_t after = handled & ~place_allowed(&moved->to, rules);

		if (before & ~after & counts)
			return false;
	}
	return true;
}

static bool same_folder(const struct place *a, const struct place *b)
{
	return a->count && b->count &&
	       a->list[0].device == b->list[0].device &&
	       a->list[0].inode == b->list[0].inode;
}

static int check_move(struct context *context, const struct moved *there,
		      const struct moved *back, uint64_t at_source,
		      uint64_t at_target)
{
	const struct landlock_domain *domain = context->landlock;
	uint64_t source, target;

	if (same_folder(&there->from, &there->to))
		return place_denied(&there->to, domain, at_source | at_target)
			       ? -EACCES
			       : 0;
	source = place_denied(&there->from, domain, at_source | FS_REFER);
	target = place_denied(&there->to, domain, at_target | FS_REFER);
	if ((source | target) & ~(uint64_t)FS_REFER)
		return -EACCES;
	return source || target || !gains_nothing(domain, there) ||
			       (back && !gains_nothing(domain, back))
		       ? -EXDEV
		       : 0;
}

int landlock_move(struct context *context, const struct host_path *from,
		  const struct host_path *to, bool link, bool exchange)
{
	struct moved there = { 0 }, back = { 0 };
	struct stat status, other = { 0 };
	uint64_t at_source = 0, at_target;
	bool replaces = !to->missing &&
			path_status(to, AT_SYMLINK_NOFOLLOW, &other) == 0;
	int result;

	if (path_status(from, AT_SYMLINK_NOFOLLOW, &status) != 0 ||
	    (link && replaces) || (exchange && !replaces))
		return 0; /* the call fails by itself */
	place_of_path(context, from, &there.itself);
	place_of_folder(context, from, &there.from);
	place_of_folder(context, to, &there.to);
	there.mode = status.st_mode;
	at_target = access_to_make(status.st_mode);
	if (!link) {
		at_source |= access_to_remove(status.st_mode);
		if (replaces)
			at_target |= access_to_remove(other.st_mode);
	}
	if (exchange) {
		at_source |= access_to_make(other.st_mode);
		place_of_path(context, to, &back.itself);
		back.from = there.to;
		back.to = there.from;
		back.mode = other.st_mode;
	}
	result = check_move(context, &there, exchange ? &back : NULL,
			    at_source, at_target);
	place_free(&there.itself);
	place_free(&there.from);
	place_free(&there.to);
	place_free(&back.itself);
	return result;
}
