/* Paths below folders. */
#include <string.h>

#include "base/wall/internal.h"

bool wall_is_below(const char *path, const char *folder)
{
	size_t length = strlen(folder);

	if (!strcmp(folder, "/"))
		return true;
	return !strncmp(path, folder, length) &&
	       (path[length] == '/' || !path[length]);
}
