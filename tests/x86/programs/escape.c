/* Attacks on what a guest is kept from: the simulator's memory, files outside
 * its root, the host's devices, files that it may only read. Each prints what
 * it reached, and fails; what the host's files look like afterwards is checked
 * by the script that runs this (confine.sh). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static int failed;

static void check(const char *what, int good)
{
	if (!good) {
		printf("failed: %s (%s)\n", what, strerror(errno));
		failed = 1;
	}
}

/* ---- The simulator's memory ---- */

static const char own[] = "these bytes are the guest's";

/* Refused, or the guest's own: where its string is, it is found. */
static void try_memory(int folder, const char *name)
{
	char bytes[sizeof own] = "";
	int file = openat(folder, name, O_RDWR);

	if (file < 0)
		file = openat(folder, name, O_RDONLY);
	if (file < 0)
		return;
	pread(file, bytes, sizeof bytes, (off_t)(uintptr_t)own);
	check(name, !memcmp(bytes, own, sizeof own));
	close(file);
}

static int contains(int folder, const char *name, const char *text)
{
	char bytes[4096];
	int file = openat(folder, name, O_RDONLY);
	ssize_t size = file < 0 ? 0 : read(file, bytes, sizeof bytes);

	if (file >= 0)
		close(file);
	return size > 0 && memmem(bytes, (size_t)size, text, strlen(text));
}

/* One folder, which is /proc/self by some way. */
static void try_process(int folder, const char *way)
{
	static const char *const names[] = {
		"mem", "task/../mem", "fd/../mem", "net/../mem", "ns/../mem",
		"../self/mem", "../thread-self/mem", "root/proc/self/mem",
		"cwd/mem", "pagemap/../mem"
	};
	char name[64];

	if (folder < 0)
		return;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		try_memory(folder, names[i]);
	snprintf(name, sizeof name, "task/%d/mem", getpid());
	try_memory(folder, name);
	check(way, contains(folder, "cmdline", "escape"));
	check(way, contains(folder, "cmdline", "memory"));
	check(way, contains(folder, "maps", "escape"));
	check(way, contains(folder, "status", "escape"));
	check(way, !contains(folder, "../1/cmdline", "/"));
	for (int i = 3; i < 64; i++) {
		snprintf(name, sizeof name, "fd/%d", i);
		if (fcntl(i, F_GETFD) < 0)
			check(name, readlinkat(folder, name, name, 1) < 0);
	}
}

static void try_link(const char *target)
{
	char link[] = "/tmp/m2s-escape-XXXXXX";
	int folder;

	if (!mkdtemp(link) || rmdir(link) || symlink(target, link))
		return;
	folder = open(link, O_RDONLY | O_DIRECTORY);
	try_process(folder, target);
	unlink(link);
	close(folder);
}

static void try_limits(int root)
{
	struct open_how how = { .flags = O_RDONLY,
				.resolve = RESOLVE_IN_ROOT };
	int file = (int)syscall(SYS_openat2, root, "proc/self/maps", &how,
				sizeof how);

	if (file < 0)
		return;
	check("openat2", contains(file, "/proc/self/fd/0", "escape"));
	close(file);
}

/* `elsewhere`: a folder where a procfs is mounted, or NULL. */
static void memory(const char *elsewhere)
{
	int root = open("/", O_PATH | O_DIRECTORY), folder, link;
	char text[PATH_MAX] = "";

	try_process(open("/proc/self", O_RDONLY), "/proc/self");
	try_process(openat(root, "proc/self", O_PATH), "from a descriptor");
	try_process(openat(root, "proc/thread-self", O_PATH), "thread-self");
	folder = open("/proc", O_RDONLY | O_DIRECTORY);
	try_process(openat(folder, "self", O_RDONLY), "below /proc");
	snprintf(text, sizeof text, "%d/task/%d", getpid(), getpid());
	try_process(openat(folder, text, O_RDONLY), "as a task");
	try_link("/proc/self");
	try_link("../proc/self");
	try_link("/proc/thread-self/root/proc/self");
	check("chdir", chdir("/") == 0);
	try_process(open("proc/self", O_RDONLY), "from the root");
	check("chdir", chdir("proc/self") == 0);
	try_process(open(".", O_RDONLY), "the current folder");
	try_memory(AT_FDCWD, "mem");
	check("fchdir", fchdir(folder) == 0);
	try_memory(AT_FDCWD, "self/mem");
	/* What the simulator has open is not what the guest has. */
	link = openat(folder, "self/exe", O_PATH | O_NOFOLLOW);
	memset(text, 0, sizeof text);
	check("a link", readlinkat(link, "", text, sizeof text - 1) > 0);
	check("of the guest", strstr(text, "escape") != NULL);
	memset(text, 0, sizeof text);
	readlink("self/exe", text, sizeof text - 1);
	check("exe", strstr(text, "escape") != NULL);
	try_limits(root);
	if (elsewhere) {
		snprintf(text, sizeof text, "%s/self", elsewhere);
		try_process(open(text, O_RDONLY), "another procfs");
	}
}

/* Every name that is listed is there. */
static void listed(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat status;
	int count = 0;

	check(path, folder != NULL);
	while (folder && (entry = readdir(folder))) {
		check(entry->d_name, fstatat(dirfd(folder), entry->d_name,
					     &status, AT_SYMLINK_NOFOLLOW) ==
					     0);
		if (S_ISREG(status.st_mode))
			check(entry->d_name,
			      openat(dirfd(folder), entry->d_name, O_RDONLY) >=
					      0 || errno == EACCES || errno == EPERM);
		count++;
	}
	check(path, count > 10);
	if (folder)
		closedir(folder);
}

/* Folders inside each other are not the same. */
static void nested(void)
{
	static const char *const names[] = { "/proc", "/proc/self",
					     "/proc/self/task",
					     "/proc/thread-self" };
	struct stat outer, inner;

	stat(names[0], &outer);
	for (size_t i = 1; i < sizeof names / sizeof *names; i++) {
		check(names[i], stat(names[i], &inner) == 0 &&
					inner.st_ino != outer.st_ino);
		outer = inner;
	}
}

/* ---- Files outside the root ---- */

/* The program is replaced by a link: what /proc/self/exe leads to is still the
 * program. */
static void program(const char *outside)
{
	char bytes[64] = "";
	int file;

	check("unlink", unlink("/bin/escape") == 0);
	check("symlink", symlink(outside, "/bin/escape") == 0);
	file = open("/proc/self/exe", O_RDONLY);
	check("open", file >= 0 && read(file, bytes, sizeof bytes) > 0);
	check("still an ELF file", !memcmp(bytes, "\177ELF", 4));
	check("write", open("/proc/self/exe", O_WRONLY | O_APPEND) < 0);
	check("truncate", open("/proc/self/exe", O_RDONLY | O_TRUNC) < 0);
	check("maps tell nothing of it", contains(AT_FDCWD, "/proc/self/maps",
						  "00:00 0 "));
}

/* Standard input is a file outside, open for reading. */
static void stream(void)
{
	check("write", open("/proc/self/fd/0", O_WRONLY) < 0);
	check("append", open("/dev/stdin", O_RDWR | O_APPEND) < 0);
	check("truncate", open("/dev/stdin", O_RDONLY | O_TRUNC) < 0);
	check("truncate", truncate("/dev/fd/0", 0) < 0);
	check("mode", fchmod(0, 0777) < 0 && chmod("/dev/stdin", 0777) < 0);
	check("owner", fchown(0, 1, 1) < 0);
	check("times", futimens(0, NULL) < 0);
	check("link", linkat(AT_FDCWD, "/proc/self/fd/0", AT_FDCWD, "/taken",
			     AT_SYMLINK_FOLLOW) < 0);
	check("link", linkat(0, "", AT_FDCWD, "/taken", AT_EMPTY_PATH) < 0);
	check("reading is what it is for", open("/dev/stdin", O_RDONLY) >= 0);
}

/* ---- Devices ---- */

static void change_device(const char *name)
{
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	char other[64];
	int file = open(name, O_RDWR);

	snprintf(other, sizeof other, "%s-2", name);
	check("it works", file >= 0);
	check("chown", chown(name, 12345, 12345) < 0);
	check("lchown", lchown(name, 12345, 12345) < 0);
	check("chmod", chmod(name, 0640) < 0);
	check("rename", rename(name, other) < 0);
	check("rename", rename(name, "/taken") < 0);
	check("rename over it", rename("/bin/victim", name) < 0);
	check("link", link(name, "/taken") < 0);
	check("link", linkat(file, "", AT_FDCWD, "/taken", AT_EMPTY_PATH) <
			      0);
	check("times", utimensat(AT_FDCWD, name, times, 0) < 0);
	check("attribute", setxattr(name, "user.m2s", "x", 1, 0) < 0);
	check("unlink", unlink(name) < 0);
	check("fchmod", fchmod(file, 0640) < 0);
	check("fchown", fchown(file, 12345, 12345) < 0);
	check("futimens", futimens(file, times) < 0);
	check("fsetxattr", fsetxattr(file, "trusted.m2s", "x", 1, 0) < 0);
	close(file);
}

/* /node is a device below the root. */
static void devices(void)
{
	char name[64];
	int file;

	change_device("/dev/full");
	change_device("/dev/null");
	check("a node below the root", open("/node", O_RDWR) < 0);
	file = open("/node", O_PATH);
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	check("through a descriptor", open(name, O_RDWR) < 0);
	check("as a program", execl("/node", "node", NULL) < 0);
	check("made", mknod("/other", S_IFCHR | 0600, 0x105) < 0);
}

/* ---- Files that may only be read ---- */

/* `folder` has a file, fifo, socket, folder, link; perhaps a node. Only "w" in
 * it may be written. */
static void read_only(const char *folder)
{
	static const char *const kinds[] = { "file", "fifo", "socket", "node",
					     "link", "folder" };
	struct timespec times[2] = { { 1, 0 }, { 1, 0 } };
	char name[64];
	int file;

	check("chdir", chdir(folder) == 0);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *kind = kinds[i];

		if (access(kind, F_OK) != 0 && strcmp(kind, "link"))
			continue;
		check(kind, unlink(kind) < 0);
		check(kind, rmdir(kind) < 0);
		check(kind, rename(kind, "other") < 0);
		check(kind, rename(kind, "w/other") < 0);
		check(kind, syscall(SYS_renameat2, AT_FDCWD, "w/own", AT_FDCWD,
				    kind, RENAME_EXCHANGE) < 0);
		check(kind, rename("w/own", kind) < 0);
		check(kind, link(kind, "w/other") < 0);
		check(kind, linkat(AT_FDCWD, kind, AT_FDCWD, "w/other",
				   AT_SYMLINK_FOLLOW) < 0);
		check(kind, chmod(kind, 0777) < 0);
		check(kind, lchown(kind, 1, 1) < 0);
		check(kind, utimensat(AT_FDCWD, kind, times,
				      AT_SYMLINK_NOFOLLOW) < 0);
		check(kind, lsetxattr(kind, "user.m2s", "x", 1, 0) < 0);
	}
	file = open("file", O_RDONLY);
	check("link of a descriptor", linkat(file, "", AT_FDCWD, "w/other",
					     AT_EMPTY_PATH) < 0);
	snprintf(name, sizeof name, "/proc/self/fd/%d", file);
	check("link of its name", linkat(AT_FDCWD, name, AT_FDCWD, "w/other",
					 AT_SYMLINK_FOLLOW) < 0);
	check("opened again", open(name, O_WRONLY) < 0);
	check("through a link", symlink("../file", "w/way") == 0 &&
					open("w/way", O_WRONLY) < 0);
	check("a file without a name", open(".", O_TMPFILE | O_RDWR, 0600) <
					       0);
	check("bind", bind(socket(AF_UNIX, SOCK_STREAM, 0),
			   (struct sockaddr *)&(struct sockaddr_un){
				   AF_UNIX, "new" },
			   sizeof(struct sockaddr_un)) < 0);
	check("O_CREAT", open("new", O_CREAT | O_RDWR, 0600) < 0);
	/* What is allowed still works. */
	check("a FIFO can be used", open("fifo", O_RDWR) >= 0);
	check("a name in w", link("w/own", "w/own2") == 0 &&
				     unlink("w/own2") == 0 &&
				     unlink("w/way") == 0);
	file = open("w", O_TMPFILE | O_RDWR, 0600);
	check("a file that gets its name later",
	      file < 0 || (linkat(file, "", AT_FDCWD, "w/late",
				  AT_EMPTY_PATH) == 0 &&
			   unlink("w/late") == 0));
}

/* ---- What must work ---- */

/* Sockets find each other by a name that the system chose. */
static void any_name(void)
{
	struct sockaddr_un address = { AF_UNIX };
	socklen_t size = sizeof address;
	int server = socket(AF_UNIX, SOCK_DGRAM, 0);
	int client = socket(AF_UNIX, SOCK_DGRAM, 0);
	char byte = 0;

	check("bind", bind(server, (struct sockaddr *)&address,
			   sizeof address.sun_family) == 0);
	check("name", getsockname(server, (struct sockaddr *)&address,
				  &size) == 0 &&
			      size == offsetof(struct sockaddr_un, sun_path) +
					      6 &&
			      !address.sun_path[0]);
	check("connect", connect(client, (struct sockaddr *)&address, size) ==
				 0);
	check("send", send(client, "m", 1, 0) == 1 &&
			      recv(server, &byte, 1, MSG_DONTWAIT) == 1 &&
			      byte == 'm');
}

/* `secret`: a file outside the system's root. */
static void change_root(const char *secret)
{
	char text[PATH_MAX] = "", outside[PATH_MAX];
	int top = open("/", O_RDONLY | O_DIRECTORY);

	mkdir("/sub", 0755);
	close(open("/sub/inner", O_CREAT | O_WRONLY, 0644));
	if (geteuid() != 0) {
		check("not permitted", chroot("/sub") < 0 && errno == EPERM);
		return;
	}
	check("not a folder", chroot("/sub/inner") < 0 && errno == ENOTDIR);
	check("chroot", chroot("/sub") == 0);
	check("absolute", access("/inner", F_OK) == 0 &&
				  access("/sub/inner", F_OK) < 0);
	check("..", access("/../../inner", F_OK) == 0);
	check("a link", symlink("/inner", "/way") == 0 &&
				access("/way", F_OK) == 0 &&
				unlink("/way") == 0);
	check("chdir", chdir("/") == 0 && getcwd(text, sizeof text) &&
			       !strcmp(text, "/"));
	check("no /proc here", access("/proc/self", F_OK) < 0);
	if (fork() == 0)
		_exit(access("/inner", F_OK) != 0);
	check("a child", wait(&(int){ 0 }) > 0);
	/* Out of this root as Linux lets user 0, but not of the system's. */
	check("descriptor", fchdir(top) == 0 && chroot(".") == 0 &&
				    access("/sub/inner", F_OK) == 0);
	check("proc", readlink("/proc/self/root", text, sizeof text) == 1 &&
			      text[0] == '/');
	mkdir("/deep", 0755);
	check("second", chroot("/deep") == 0);
	for (int i = 0; i < 64; i++)
		chdir("..");
	check("top", chroot(".") == 0);
	snprintf(outside, sizeof outside, "../../../../../..%s", secret);
	check("outside", access(outside, F_OK) < 0 &&
				 access(secret, F_OK) < 0);
	rmdir("/deep");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *where = argc > 2 ? argv[2] : NULL;

	if (!strcmp(what, "memory"))
		memory(where);
	else if (!strcmp(what, "listed"))
		listed("/proc"), listed("/proc/self"), nested();
	else if (!strcmp(what, "program") && where)
		program(where);
	else if (!strcmp(what, "stream"))
		stream();
	else if (!strcmp(what, "devices"))
		devices();
	else if (!strcmp(what, "read-only") && where)
		read_only(where);
	else if (!strcmp(what, "any-name"))
		any_name();
	else if (!strcmp(what, "chroot") && where)
		change_root(where);
	else
		check("usage", 0);
	printf(failed ? "failed\n" : "held\n");
	return failed;
}
