#include "m2s/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define VENDORS "/etc/OpenCL/vendors"
#define LIBRARY "libm2s-opencl.so.1"
#define INSTALLED_VENDORS M2S_PKGDATADIR "/vendors"
#define INSTALLED_LIBRARY(abi) M2S_PKGLIBDIR "/" abi "/" LIBRARY

/* The folder of this program. */
static char *own_folder(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	if (length <= 0)
		return xstrdup(M2S_BINDIR);
	path[length] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	return xstrdup(path);
}

/* Where an installed file is when the whole installation was moved, and this
 * program, in `folder`, with it. */
static char *moved(const char *folder, const char *installed)
{
	const char *slash = strrchr(M2S_BINDIR, '/');
	size_t prefix = (size_t)(slash - M2S_BINDIR);

	if (strncmp(installed, M2S_BINDIR, prefix + 1))
		return xstrdup(installed);
	return xasprintf("%s/..%s", folder, installed + prefix);
}

/* The first of the places of a file that exists, or NULL: in the build tree, in
 * an installation that was moved, where it was installed. Frees `build`. */
static char *first(const char *folder, char *build, const char *installed)
{
	char *places[] = { build, moved(folder, installed),
			   xstrdup(installed) };
	char *found = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		if (!found && !access(places[i], R_OK))
			found = realpath(places[i], NULL);
		free(places[i]);
	}
	return found;
}

static char *cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && *cache == '/')
		return xasprintf("%s/m2s", cache);
	if (home && *home == '/')
		return xasprintf("%s/.cache/m2s", home);
	return NULL;
}

void paths_find(struct paths *paths)
{
	char *folder = own_folder();

	paths_find_from(paths, folder);
	free(folder);
}

void paths_find_from(struct paths *paths, const char *folder)
{
	paths->compiler = xasprintf("%s/m2s-clc", folder);
	paths->opencl_x86_64 =
		first(folder, xasprintf("%s/lib/x86_64/" LIBRARY, folder),
		      INSTALLED_LIBRARY("x86_64"));
	paths->opencl_i386 =
		first(folder, xasprintf("%s/lib/i386/" LIBRARY, folder),
		      INSTALLED_LIBRARY("i386"));
	paths->vendors = first(folder, xasprintf("%s/lib/vendors", folder),
			       INSTALLED_VENDORS);
	paths->cache = cache_folder();
}

void paths_clear(struct paths *paths)
{
	free(paths->compiler);
	free(paths->opencl_i386);
	free(paths->opencl_x86_64);
	free(paths->vendors);
	free(paths->cache);
	*paths = (struct paths){ 0 };
}

/* The folder that the ICD loader reads, or a file in it. */
static bool is_vendors(const char *path)
{
	size_t length = strlen(VENDORS);

	return !strncmp(path, VENDORS, length) &&
	       (!path[length] || path[length] == '/');
}

const char *paths_missing(const struct paths *paths, const char *path,
			  bool abi32)
{
	if (!is_vendors(path))
		return NULL;
	if (!paths->vendors)
		return INSTALLED_VENDORS;
	if (abi32)
		return paths->opencl_i386 ? NULL : INSTALLED_LIBRARY("i386");
	return paths->opencl_x86_64 ? NULL : INSTALLED_LIBRARY("x86_64");
}

char *paths_redirect(const struct paths *paths, const char *path, bool abi32)
{
	const char *library = abi32 ? paths->opencl_i386
				    : paths->opencl_x86_64;
	const char *base = strrchr(path, '/');

	if (is_vendors(path))
		return xasprintf("%s%s", paths->vendors ? paths->vendors
							: INSTALLED_VENDORS,
				 path + strlen(VENDORS));
	base = base ? base + 1 : path;
	if (library && !strcmp(base, LIBRARY) && access(path, F_OK))
		return xstrdup(library);
	return NULL;
}
