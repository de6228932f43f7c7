#include "base/wall/broker.h"
#include "base/wall/skeleton.h"
#include "base/wall/wall.h"
#include "unit/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of the test's own, the current one while it runs. */
static char work[] = "/tmp/m2s-test-wall-XXXXXX";

static int enter_folder(void)
{
	return mkdtemp(work) && !chdir(work) ? 0 : -1;
}

static int leave_folder(void)
{
	char command[sizeof work + 16];

	snprintf(command, sizeof command, "rm -rf %s", work);
	return chdir("/") || system(command) ? -1 : 0;
}

static bool is_there(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static void put(int file)
{
	CU_ASSERT(file >= 0);
	if (file >= 0)
		close(file);
}

/* Each in a process of its own: what they enter is for good. */
static void apart(int (*function)(void))
{
	pid_t child = fork();
	int status = -1;

	if (!child)
		_exit(function());
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(status, 0);
	if (status)
		printf("# step %d\n", WEXITSTATUS(status));
}

#define STEP(condition) \
	do { if (!(condition)) return __LINE__ & 0xff; } while (0)

/* --- The broker --- */

/* Names are taken relative to where the broker was started, which tells it
 * from ourselves. */
static int broker_names(void)
{
	const char *const paths[] = { "out", "link", "sub/deep.csv" };
	struct stat status;
	int file;

	mkdir("sub", 0700);
	mkdir("away", 0700);
	close(open("real", O_CREAT | O_WRONLY, 0600));
	STEP(!symlink("real", "link"));
	STEP(!broker_start(paths, 3, NULL) && !chdir("away"));
	file = broker_open("out", O_CREAT | O_WRONLY, 0666);
	STEP(file >= 0 && write(file, "text", 4) == 4 && is_there("../out"));
	STEP(!broker_stat("out", &status, 0) && status.st_size == 4);
	close(broker_open(".out.m2s-part", O_CREAT | O_WRONLY, 0666));
	STEP(is_there("../.out.m2s-part"));
	STEP(!broker_rename(".out.m2s-part", "out"));
	STEP(!is_there("../.out.m2s-part") &&
	     !broker_stat("out", &status, 0) && !status.st_size);
	close(broker_open("sub/deep.csv.1", O_CREAT | O_WRONLY, 0666));
	STEP(is_there("../sub/deep.csv.1") &&
	     !broker_unlink("sub/deep.csv.1") && !is_there("../sub/deep.csv.1"));
	/* What the link led to when it began. */
	close(broker_open("link.ini", O_CREAT | O_WRONLY, 0666));
	STEP(is_there("../real.ini"));
	/* Others are opened by ourselves. */
	close(broker_open("outer", O_CREAT | O_WRONLY, 0666));
	STEP(is_there("outer") && !is_there("../outer"));
	close(broker_open("out.d/x", O_CREAT | O_WRONLY, 0666));
	STEP(!is_there("../out.d/x") && broker_rename("out", "outer2"));
	return 0;
}

static void test_broker_names(void)
{
	apart(broker_names);
}

/* Links and pipes that somebody puts in its way. */
static int broker_swaps(void)
{
	const char *const paths[] = { "out", "sub/out" };

	mkdir("elsewhere", 0700);
	mkdir("sub", 0700);
	unlink("out");
	STEP(!broker_start(paths, 2, NULL));
	STEP(!symlink("elsewhere/secret", "out"));
	STEP(broker_open("out", O_CREAT | O_WRONLY, 0666) < 0 &&
	     errno == ELOOP && !is_there("elsewhere/secret"));
	unlink("out");
	STEP(!mkfifo("out", 0600));
	STEP(broker_open("out", O_RDONLY, 0) < 0 && errno == EACCES);
	STEP(!rename("sub", "moved") && !symlink("elsewhere", "sub"));
	close(broker_open("sub/out", O_CREAT | O_WRONLY, 0666));
	STEP(is_there("moved/out") && !is_there("elsewhere/out"));
	return 0;
}

static void test_broker_swaps(void)
{
	apart(broker_swaps);
}

/* --- Skeletons --- */

static void test_skeleton(void)
{
	char path[256], text[64] = "";
	int root;

	mkdir("host", 0700);
	mkdir("host/real", 0700);
	mkdir("copy", 0700);
	put(open("host/real/file", O_CREAT | O_WRONLY, 0600));
	CU_ASSERT(!symlink("real", "host/link"));
	CU_ASSERT(!symlink("loop", "host/loop"));
	root = open("copy", O_PATH | O_DIRECTORY);
	snprintf(path, sizeof path, "%s/host/./link/../link/file", work);
	CU_ASSERT_EQUAL(skeleton_add(root, path), 0);
	snprintf(path, sizeof path, "copy%s/host/link", work);
	CU_ASSERT(readlink(path, text, sizeof text - 1) == 4);
	CU_ASSERT_STRING_EQUAL(text, "real");
	strcat(path, "/file");
	CU_ASSERT(is_there(path));
	snprintf(path, sizeof path, "%s/none/below", work);
	CU_ASSERT_EQUAL(skeleton_add(root, path), 0);
	snprintf(path, sizeof path, "copy%s/none/below", work);
	CU_ASSERT(is_there(path));
	snprintf(path, sizeof path, "%s/host/loop/x", work);
	CU_ASSERT(skeleton_add(root, path) < 0 && errno == ELOOP);
	close(root);
}

/* --- Walls --- */

static int filtered(void)
{
	static const struct wall_call calls[] = {
		{ .number = SYS_exit_group },
		{ .number = SYS_getppid },
		{ .number = SYS_dup, .limited = true, .value = 1 },
		{ .number = SYS_lseek },
	};
	static const struct wall_refusal refusals[] = {
		{ .number = SYS_lseek, .argument = 2, .mask = 0xffffffff,
		  .value = SEEK_END },
	};
	struct wall wall = { .calls = calls, .call_count = 4,
			     .refusals = refusals, .refusal_count = 1 };

	STEP(!wall_enter(&wall, NULL));
	STEP(getppid() > 0);
	STEP(syscall(SYS_getuid) < 0 && errno == ENOSYS);
	STEP(dup(1) >= 0 && dup(2) < 0 && errno == ENOSYS);
	STEP(lseek(1, 0, SEEK_END) < 0 && errno == EPERM);
	lseek(1, 0, SEEK_CUR);
	return errno == EPERM && lseek(1, 0, SEEK_CUR) < 0 && errno == EPERM;
}

static void test_filter(void)
{
	if (!wall_landlock())
		return; /* a wall cannot be entered: tests/x86/wall.sh says so */
	apart(filtered);
}

static int only_places(void)
{
	struct wall wall = { .files = true };

	mkdir("read", 0700);
	mkdir("change", 0700);
	close(open("read/file", O_CREAT | O_WRONLY, 0600));
	close(open("outside", O_CREAT | O_WRONLY, 0600));
	wall_add(&wall, "read", WALL_READ);
	wall_add(&wall, "change", WALL_READ | WALL_CHANGE);
	wall_add(&wall, "absent", WALL_READ);
	STEP(!wall_enter(&wall, NULL));
	wall_clear(&wall);
	STEP(open("read/file", O_RDONLY) >= 0);
	STEP(open("read/file", O_WRONLY) < 0 && errno == EACCES);
	STEP(open("change/new", O_CREAT | O_RDWR, 0600) >= 0);
	STEP(mknod("change/device", S_IFCHR | 0600, 0x103) < 0);
	STEP(open("outside", O_RDONLY) < 0 && errno == EACCES);
	STEP(open("/proc/self/mem", O_RDONLY) < 0 && errno == EACCES);
	STEP(unlink("outside") < 0);
	return 0;
}

static void test_places(void)
{
	if (wall_landlock())
		apart(only_places);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the broker has its names", test_broker_names },
		{ "the broker is not led elsewhere", test_broker_swaps },
		{ "skeletons have the host's links", test_skeleton },
		{ "calls that are not listed", test_filter },
		{ "places", test_places },
		CU_TEST_INFO_NULL
	};
	CU_SuiteInfo suites[] = {
		{ "wall", enter_folder, leave_folder, NULL, NULL, tests },
		CU_SUITE_INFO_NULL
	};

	return harness_run(suites);
}
