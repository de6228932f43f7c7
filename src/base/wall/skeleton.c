#include "base/wall/skeleton.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 };

struct walk {
	int root, links;
	char done[PATH_MAX]; /* of the host, without links; "" is "/" */
	char rest[PATH_MAX];
};

/* The result of making a file: one that exists already is right, too. */
static int unless_it_exists(int result)
{
	return result && errno != EEXIST ? -1 : 0;
}

/* Goes on at `text`, a link's, and then what was left. */
static int follow_link(struct walk *walk, const char *text)
{
	char joined[PATH_MAX];

	if (++walk->links > LINKS_MAX ||
	    snprintf(joined, sizeof joined, "%s/%s", text, walk->rest) >=
		    PATH_MAX) {
		errno = ELOOP;
		return -1;
	}
	if (text[0] == '/')
		walk->done[0] = 0;
	memcpy(walk->rest, joined, strlen(joined) + 1);
	return 0;
}

static int step_into(struct walk *walk, const char *name)
{
	char here[PATH_MAX], text[PATH_MAX];
	struct stat status;
	ssize_t length;

	if (!strcmp(name, "..")) {
		char *slash = strrchr(walk->done, '/');

		if (slash)
			*slash = 0;
		return 0;
	}
	if (snprintf(here, sizeof here, "%s/%s", walk->done, name) >=
	    PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (lstat(here, &status))
		status.st_mode = S_IFDIR;
	if (S_ISLNK(status.st_mode)) {
		length = readlink(here, text, sizeof text - 1);
		if (length < 0)
			return -1;
		text[length] = 0;
		if (unless_it_exists(symlinkat(text, walk->root, here + 1)))
			return -1;
		return follow_link(walk, text);
	}
	memcpy(walk->done, here, strlen(here) + 1);
	return unless_it_exists(
	    S_ISDIR(status.st_mode)
		? mkdirat(walk->root, here + 1, 0755)
		: mknodat(walk->root, here + 1, S_IFREG | 0644, 0));
}

int skeleton_add(int root, const char *path)
{
	struct walk walk = { .root = root };
	char name[NAME_MAX + 1];

	if (snprintf(walk.rest, sizeof walk.rest, "%s", path) >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (;;) {
		const char *at = walk.rest + strspn(walk.rest, "/");
		size_t length = strcspn(at, "/");

		if (!length)
			return 0;
		if (length > NAME_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, at, length);
		name[length] = 0;
		memmove(walk.rest, at + length, strlen(at + length) + 1);
		if (strcmp(name, ".") && step_into(&walk, name))
			return -1;
	}
}
