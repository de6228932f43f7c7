/* What a program sees below --x86-root, --x86-read-only and
 * --x86-no-network. The script that runs it made `secret` outside. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int failed;

static void check(const char *what, int ok)
{
	if (!ok) {
		printf("failed: %s (%s)\n", what, strerror(errno));
		failed = 1;
	}
}

static int opens(const char *path)
{
	int file = open(path, O_RDONLY);

	if (file >= 0)
		close(file);
	return file >= 0;
}

/* `secret` is the path of a file outside, /a/b/secret. */
static void try_to_leave(const char *secret)
{
	static const char *const ways[] = {
		"%s", "..%s", "/..%s", "/../../../../../..%s",
		"/sub/../..%s", "sub/../../..%s", "/proc/self/root%s",
		"/proc/self/root/..%s", "/proc/self/cwd/..%s",
		"/proc/self/cwd/../../../../../..%s", "/proc/self/../..%s",
		"/proc/self/fd/../../..%s", "/proc/self/task/../../..%s",
		"/proc/1/root%s", "/proc/1/cwd%s", "/dev/fd/../../..%s",
		"/dev/shm/..%s", "/dev/shm/../..%s", "/dev/..%s",
		"/proc/thread-self/root%s", "//..//%s", "/./.././..%s",
		"/absolute%s", "/relative%s", "/sub/up%s", "/loop%s",
		"/toproc/self/root/..%s", "/toproc/self/cwd/../..%s",
	};
	char path[PATH_MAX];
	struct stat status;
	int folder;

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		snprintf(path, sizeof path, ways[i], secret);
		if (opens(path) || stat(path, &status) == 0 ||
		    access(path, F_OK) == 0) {
			printf("escaped by %s\n", path);
			failed = 1;
		}
	}
	/* Links made by the program itself. */
	symlink(secret, "/mine");
	snprintf(path, sizeof path, "../../../../..%s", secret);
	symlink(path, "/sub/mine");
	check("link to the secret", !opens("/mine") && !opens("/sub/mine"));
	check("read through it", truncate("/mine", 0) != 0);
	check("link(2) to it", linkat(AT_FDCWD, "/mine", AT_FDCWD, "/hard",
				      AT_SYMLINK_FOLLOW) != 0);
	unlink("/mine");
	unlink("/sub/mine");
	/* Descriptors of the simulator, by number. */
	for (int i = 3; i < 64; i++) {
		snprintf(path, sizeof path, "/proc/self/fd/%d%s", i, secret);
		if (opens(path))
			check(path, 0);
		snprintf(path, sizeof path, "/proc/self/fd/%d/../../../..%s",
			 i, secret);
		if (opens(path))
			check(path, 0);
		if (fcntl(i, F_GETFD) >= 0)
			check("foreign descriptor", 0);
	}
	/* A folder moved while it is the current one. */
	mkdir("/sub/deep", 0755);
	check("chdir", chdir("/sub/deep") == 0);
	check("rename", rename("/sub/deep", "/moved") == 0);
	check("..", chdir("..") == 0 && getcwd(path, sizeof path) &&
			    !strcmp(path, "/"));
	rmdir("/moved");
	folder = open("/", O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof path, "../../../..%s", secret);
	check("openat ..", openat(folder, path, O_RDONLY) < 0);
	check("fchdir", fchdir(folder) == 0 && chdir("../..") == 0 &&
				getcwd(path, sizeof path) &&
				!strcmp(path, "/"));
	close(folder);
	check("device node", mknod("/disk", S_IFBLK | 0600, 0x800) != 0);
}

static void look_around(void)
{
	char text[PATH_MAX] = "", *line = NULL;
	size_t size = 0;
	ssize_t length;
	FILE *maps;
	int file;

	length = readlink("/proc/self/exe", text, sizeof text - 1);
	check("exe", length > 0);
	printf("exe %.*s\n", (int)length, text);
	maps = fopen("/proc/self/maps", "r");
	check("maps", maps != NULL);
	while (maps && getline(&line, &size, maps) > 0)
		if (strstr(line, "/bin/confined"))
			size = size; /* shown by its own name */
		else if (strchr(line, '/') && !strstr(line, " /lib"))
			printf("maps: %s", line);
	if (maps)
		fclose(maps);
	free(line);
	length = readlink("/proc/self/cwd", text, sizeof text - 1);
	printf("cwd %.*s\n", (int)length, text);
	check("realpath", realpath("/absolute-inside", text) &&
				  !strcmp(text, "/sub/file"));
	check("inside", opens("/absolute-inside") && opens("/sub/file") &&
				opens("sub/../sub/./file") &&
				opens("/sub/up/sub/file"));
	file = open("/sub/file", O_RDONLY);
	snprintf(text, sizeof text, "/proc/self/fd/%d", file);
	length = readlink(text, text, sizeof text - 1);
	printf("file %.*s\n", (int)length, text);
	close(file);
	check("null", (file = open("/dev/null", O_RDWR)) >= 0 &&
			      write(file, "x", 1) == 1 && close(file) == 0);
	check("zero, urandom", opens("/dev/zero") && opens("/dev/urandom") &&
				       opens("/dev/fd/0"));
	check("no other device", !opens("/dev/mem") && !opens("/dev/kmsg") &&
					 !opens("/dev/sda"));
	check("shm", (file = shm_open("/m2s-confined", O_RDWR | O_CREAT,
				      0600)) >= 0 &&
			     ftruncate(file, 100) == 0 && close(file) == 0 &&
			     shm_unlink("/m2s-confined") == 0);
	check("proc", opens("/proc/self/status") && opens("/proc/cpuinfo") &&
			      opens("/proc/meminfo"));
	check("nothing else of proc",
	      !opens("/proc/1/status") && !opens("/proc/kcore") &&
		      open("/proc/sys/vm/drop_caches", O_WRONLY) < 0);
	check("script", system("/bin/confined hello") == 0 ||
				!opens("/bin/sh"));
}

static void local_sockets(void)
{
	struct sockaddr_un address = { AF_UNIX, "/sub/socket" }, got = { 0 };
	socklen_t length = sizeof got;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client, peer;

	unlink("/sub/socket");
	check("bind", bind(server, (struct sockaddr *)&address,
			   sizeof address) == 0);
	check("listen", listen(server, 1) == 0);
	check("its name", getsockname(server, (struct sockaddr *)&got,
				      &length) == 0 &&
				  !strcmp(got.sun_path, "/sub/socket"));
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	check("connect", connect(client, (struct sockaddr *)&address,
				 sizeof address) == 0);
	length = sizeof got;
	check("peer", getpeername(client, (struct sockaddr *)&got,
				  &length) == 0 &&
			      !strcmp(got.sun_path, "/sub/socket"));
	peer = accept(server, NULL, NULL);
	check("accept", peer >= 0 && write(client, "hi", 2) == 2);
	check("bound twice", bind(client, (struct sockaddr *)&address,
				  sizeof address) != 0);
	close(server);
	close(client);
	close(peer);
	check("unlink", unlink("/sub/socket") == 0);
}

static void read_only(void)
{
	int file;

#define REFUSED(call) check(#call, (call) < 0 && errno == EROFS)
	REFUSED(open("/sub/new", O_WRONLY | O_CREAT, 0600));
	REFUSED(open("/sub/file", O_WRONLY));
	REFUSED(open("/sub/file", O_RDONLY | O_TRUNC));
	REFUSED(mkdir("/sub/new", 0700));
	REFUSED(unlink("/sub/file"));
	REFUSED(rename("/sub/file", "/sub/other"));
	REFUSED(rename("/sub/file", "/open/other"));
	REFUSED(symlink("x", "/sub/new"));
	REFUSED(link("/sub/file", "/sub/new"));
	REFUSED(chmod("/sub/file", 0600));
	REFUSED(truncate("/sub/file", 0));
	REFUSED(utimensat(AT_FDCWD, "/sub/file", NULL, 0));
	REFUSED(mknod("/sub/new", S_IFIFO | 0600, 0));
	REFUSED(rmdir("/sub"));
	file = open("/sub/file", O_RDONLY);
	REFUSED(fchmod(file, 0600));
	REFUSED(open("/proc/self/fd/3", O_RDWR));
	close(file);
	check("EEXIST first", mkdir("/sub", 0700) < 0 && errno == EEXIST);
	check("ENOENT first", unlink("/sub/none") < 0 && errno == ENOENT);
	check("null", (file = open("/dev/null", O_RDWR)) >= 0);
	close(file);
	check("the writable folder",
	      (file = open("/open/new", O_RDWR | O_CREAT, 0600)) >= 0 &&
		      write(file, "x", 1) == 1 && unlink("/open/new") == 0);
	close(file);
}

static void no_network(void)
{
	struct sockaddr_un address = { AF_UNIX, "\0m2s-abstract" };
	socklen_t size = sizeof(sa_family_t) + 13;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client;

	check("tcp", socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EACCES);
	check("udp", socket(AF_INET6, SOCK_DGRAM, 0) < 0 && errno == EACCES);
	check("netlink", socket(AF_NETLINK, SOCK_RAW, 0) < 0);
	check("abstract", bind(server, (struct sockaddr *)&address, size) ==
					  0 &&
				  listen(server, 1) == 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	check("connect", connect(client, (struct sockaddr *)&address, size) ==
				 0);
	memset(&address, 0, sizeof address);
	size = sizeof address;
	check("name", getsockname(server, (struct sockaddr *)&address,
				  &size) == 0 &&
			      size == sizeof(sa_family_t) + 13 &&
			      !memcmp(address.sun_path, "\0m2s-abstract", 13));
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "root")) {
		look_around();
		local_sockets();
		try_to_leave(argv[2]);
	} else if (argc == 2 && !strcmp(argv[1], "read-only")) {
		read_only();
	} else if (argc == 2 && !strcmp(argv[1], "no-network")) {
		no_network();
	} else if (argc == 2 && !strcmp(argv[1], "hello")) {
		return 0;
	}
	printf(failed ? "failed\n" : "confined\n");
	return failed;
}
