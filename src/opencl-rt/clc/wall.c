#include "opencl-rt/clc/wall.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The folder of a file, links followed; to be freed, or NULL. */
static char *real_folder(const char *path)
{
	char *real = realpath(path, NULL);
	char *slash = real ? strrchr(real, '/') : NULL;

	if (slash)
		slash[slash == real] = 0;
	return real;
}

static void add_folder_of(struct wall *wall, const char *path)
{
	char *folder = real_folder(path);

	if (folder)
		wall_add(wall, folder, WALL_READ | WALL_EXECUTE);
	free(folder);
}

/* The folders of the libraries that this process has: clang's are in them,
 * too, or beside it. */
static int add_library(struct dl_phdr_info *info, size_t size, void *wall)
{
	(void)size;
	if (info->dlpi_name[0] == '/')
		add_folder_of(wall, info->dlpi_name);
	return 0;
}

/* clang's headers and libraries are in ../lib of where it is. A program that
 * M2S_CLANG names may be a script, which needs others. */
static void add_clang(struct wall *wall, const char *clang)
{
	const unsigned access = WALL_READ | WALL_EXECUTE;
	char *folder = real_folder(clang), *slash;

	if (getenv("M2S_CLANG")) {
		wall_add(wall, "/usr", access);
		wall_add(wall, "/bin", access);
	}
	wall_add(wall, clang, access);
	slash = folder ? strrchr(folder, '/') : NULL;
	if (slash && !strcmp(slash, "/bin")) {
		char *library = xasprintf("%.*s/lib", (int)(slash - folder),
					  folder);

		wall_add(wall, folder, access);
		wall_add(wall, library, access);
		free(library);
	}
	free(folder);
}

void clc_add_places(struct wall *wall, const struct clc_tools *tools)
{
	const char *const files[] = { tools->libclc, tools->lean,
				      tools->helper, tools->doubles,
				      tools->fp64, "/etc/ld.so.cache" };

	/* The path that the psABI has for the dynamic linker. */
	wall_add(wall, "/lib64/ld-linux-x86-64.so.2",
		 WALL_READ | WALL_EXECUTE);
	dl_iterate_phdr(add_library, wall);
	add_clang(wall, tools->clang);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		wall_add(wall, files[i], WALL_READ);
}
