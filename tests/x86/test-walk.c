/* Names that change between looking and opening: a guest, or another run that
 * shares the folder, swaps what a path was found to lead to. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/harness.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/open.h"
#include "x86/linux/files/path.h"
#include "x86/linux/linux.h"
#include "x86/linux/processes/process.h"
#include "x86/linux/state.h"

struct world {
	char folder[32];   /* has root/ and outside/ */
	int root, outside; /* descriptors of both */
	struct linux_system *system;
	struct context *context;
};

static void put(int folder, const char *name, const char *text)
{
	int file = openat(folder, name, O_CREAT | O_WRONLY | O_TRUNC, 0600);

	if (write(file, text, strlen(text)) != (ssize_t)strlen(text))
		CU_FAIL("cannot write a file");
	close(file);
}

static int folder_at(int parent, const char *name)
{
	mkdirat(parent, name, 0700);
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void create(struct world *world)
{
	struct linux_options options = { 0 };
	struct error error;
	char root[64];
	int top;

	strcpy(world->folder, "/tmp/m2s-walk-XXXXXX");
	if (!mkdtemp(world->folder))
		CU_FAIL("cannot make a folder");
	top = open(world->folder, O_RDONLY | O_DIRECTORY);
	world->root = folder_at(top, "root");
	world->outside = folder_at(top, "outside");
	close(top);
	put(world->outside, "secret", "outside");
	snprintf(root, sizeof root, "%s/root", world->folder);
	options.root = root;
	world->system = linux_create(&options, &error);
	world->context = context_create(process_create(world->system, NULL));
	world->context->process->files = files_create();
	world->context->process->paths.cwd = dup(world->root);
}

static void destroy(struct world *world)
{
	char command[64];

	linux_free(world->system);
	close(world->root);
	close(world->outside);
	snprintf(command, sizeof command, "rm -rf %s", world->folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* A link to what is outside takes the place of a name. */
static void swap(struct world *world, const char *name, const char *outside)
{
	char target[64];

	snprintf(target, sizeof target, "%s/%s", world->folder, outside);
	renameat(world->root, name, world->root, "away");
	CU_ASSERT_EQUAL(symlinkat(target, world->root, name), 0);
}

/* What a guest's descriptor is open on begins with `text`. */
static bool reads(struct world *world, int64_t descriptor, const char *text)
{
	struct file *file = file_get(world->context->process, (int)descriptor);
	char bytes[16] = "";

	return file && pread(file->host, bytes, sizeof bytes - 1, 0) >= 0 &&
	       !strcmp(bytes, text);
}

static void test_missing(void)
{
	struct world world;
	struct host_path path;

	create(&world);
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "/new", true,
				  &path), 0);
	CU_ASSERT_TRUE(path.missing);
	swap(&world, "new", "outside/secret");
	CU_ASSERT_EQUAL(path_open_found(world.context, &path,
					O_RDWR | O_CREAT, 0600),
			PATH_CHANGED);
	path_release(&path);
	unlinkat(world.root, "new", 0);
	/* Other calls must not be given a name that they would follow. */
	CU_ASSERT_EQUAL(path_resolve_text(world.context, AT_FDCWD, "/new",
					  true, &path), -ENOENT);
	/* A link to nothing is followed by the walk, which stays inside. */
	swap(&world, "new", "outside/made");
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "/new", true,
				  &path), -ENOENT);
	destroy(&world);
}

static void test_found(void)
{
	struct world world;
	struct host_path path;
	int64_t descriptor;

	create(&world);
	put(world.root, "file", "inside");
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "/file", true,
				  &path), 0);
	swap(&world, "file", "outside/secret");
	descriptor = path_open_found(world.context, &path, O_RDWR, 0);
	CU_ASSERT_TRUE(reads(&world, descriptor, "inside"));
	path_release(&path);
	destroy(&world);
}

static void test_not_followed(void)
{
	struct world world;
	struct host_path path;

	create(&world);
	put(world.root, "file", "inside");
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "/file", false,
				  &path), 0);
	swap(&world, "file", "outside/secret");
	CU_ASSERT_EQUAL(path_open_found(world.context, &path,
					O_RDONLY | O_NOFOLLOW, 0), -ELOOP);
	path_release(&path);
	destroy(&world);
}

static void test_folder(void)
{
	struct world world;
	struct host_path path;
	int64_t descriptor;

	create(&world);
	close(folder_at(world.root, "folder"));
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "/folder/new",
				  true, &path), 0);
	swap(&world, "folder", "outside");
	descriptor = path_open_found(world.context, &path, O_RDWR | O_CREAT,
				     0600);
	CU_ASSERT_TRUE(descriptor >= 0);
	CU_ASSERT_EQUAL(faccessat(world.outside, "new", F_OK, 0), -1);
	CU_ASSERT_EQUAL(faccessat(world.root, "away/new", F_OK, 0), 0);
	path_release(&path);
	destroy(&world);
}

/* The folder that a process is in leaves the root. */
static void test_moved_out(void)
{
	struct world world;
	struct host_path path;

	create(&world);
	close(folder_at(world.root, "folder"));
	close(world.context->process->paths.cwd);
	world.context->process->paths.cwd =
		openat(world.root, "folder", O_PATH);
	CU_ASSERT_EQUAL(renameat(world.root, "folder", world.outside,
				 "folder"), 0);
	CU_ASSERT_EQUAL(path_find(world.context, AT_FDCWD, "../secret", true,
				  &path), 0);
	CU_ASSERT_TRUE(path.missing);
	path_release(&path);
	destroy(&world);
}

/* What a second wall must leave open. */
static void test_places(void)
{
	struct world world;
	struct linux_place places[4];
	struct stat status, root;
	char name[64];

	create(&world);
	CU_ASSERT_EQUAL(linux_places(world.system, places, 4), 2);
	snprintf(name, sizeof name, "%s/root", world.folder);
	CU_ASSERT_STRING_EQUAL(places[0].path, name);
	CU_ASSERT_TRUE(places[0].writable);
	CU_ASSERT_EQUAL(fstat(places[0].folder, &status), 0);
	CU_ASSERT_EQUAL(fstat(world.root, &root), 0);
	CU_ASSERT_EQUAL(status.st_ino, root.st_ino);
	CU_ASSERT_TRUE(places[1].writable);
	CU_ASSERT_TRUE(strstr(places[1].path, "m2s-shm-") != NULL);
	destroy(&world);
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "a missing name becomes a link", test_missing },
		{ "a file becomes a link", test_found },
		{ "likewise, not to be followed", test_not_followed },
		{ "a folder on the way becomes a link", test_folder },
		{ "the current folder leaves the root", test_moved_out },
		{ "what a second wall must leave open", test_places },
		CU_TEST_INFO_NULL,
	};
	static CU_SuiteInfo suites[] = {
		{ "walk", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL,
	};

	return harness_run(suites);
}
