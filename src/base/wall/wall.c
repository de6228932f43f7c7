#include "base/wall/wall.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/wall/internal.h"

static char *absolute(const char *path)
{
	char *folder, *full;

	if (path[0] == '/')
		return xstrdup(path);
	folder = getcwd(NULL, 0);
	full = xasprintf("%s/%s", folder ? folder : "", path);
	free(folder);
	return full;
}

void wall_add(struct wall *wall, const char *path, unsigned access)
{
	ARRAY_GROW(wall->places, wall->count, wall->capacity);
	wall->places[wall->count++] =
		(struct wall_place){ absolute(path), access };
}

void wall_add_descriptor(struct wall *wall, int descriptor)
{
	int flags = fcntl(descriptor, F_GETFL);
	char path[32];
	unsigned access = WALL_DEVICE;

	if (flags < 0)
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
	if ((flags & O_ACCMODE) != O_WRONLY)
		access |= WALL_READ;
	if ((flags & O_ACCMODE) != O_RDONLY)
		access |= WALL_CHANGE;
	wall_add(wall, path, access);
}

void wall_clear(struct wall *wall)
{
	for (size_t i = 0; i < wall->count; i++)
		free(wall->places[i].path);
	free(wall->places);
	*wall = (struct wall){ 0 };
}

int wall_enter(const struct wall *wall, struct error *error)
{
	uint64_t kept = privilege_kept(wall);

	if (namespace_enter(wall, error) || privilege_drop(kept, error) ||
	    landlock_enter(wall, error) || filter_enter(wall, error))
		return -1;
	return 0;
}
