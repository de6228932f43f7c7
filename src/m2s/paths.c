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

/* The first of the two that exists, or NULL; frees both otherwise. */
static char *first(char *build, char *installed)
{
	char *found = NULL;

	if (!access(build, R_OK))
		found = xstrdup(build);
	else if (!access(installed, R_OK))
		found = xstrdup(installed);
	free(build);
	free(installed);
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

	paths->compiler = xasprintf("%s/m2s-clc", folder);
	paths->opencl_x86_64 =
		first(xasprintf("%s/lib/x86_64/" LIBRARY, folder),
		      xstrdup(INSTALLED_LIBRARY("x86_64")));
	paths->opencl_i386 = first(xasprintf("%s/lib/i386/" LIBRARY, folder),
				   xstrdup(INSTALLED_LIBRARY("i386")));
	paths->vendors = first(xasprintf("%s/lib/vendors", folder),
			       xstrdup(INSTALLED_VENDORS));
	paths->cache = cache_folder();
	free(folder);
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
