/* Tries to get at what a confined program must not reach, by every way that
 * anybody has thought of, and says what succeeded: a line "out: ..." each, and
 * status 1. Paths are the host's; in a root they are names that do not exist.
 *
 *	wall root SECRET SOCKET NAME
 *	                          files and sockets of the host; NAME: abstract,
 *	                          or ""
 *	wall devices              its devices
 *	wall write FOLDER         a read-only folder with a file, a FIFO, a
 *	                            socket, a device and a link in it, and a
 *	                            writable one, w
 *	wall memory               the simulator's own, through /proc
 *	wall network PORT NAME    sockets: TCP to PORT, an abstract name */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

static int reached;

/* What a call that must fail has given. */
static void refused(long result, const char *what, const char *name)
{
	if (result < 0)
		return;
	printf("out: %s %s\n", what, name);
	reached = 1;
}

static void change_name(const char *name)
{
	refused(chmod(name, 0600), "chmod", name);
	refused(chown(name, 12345, 12345), "chown", name);
	refused(lchown(name, 12345, 12345), "lchown", name);
	refused(utimensat(AT_FDCWD, name, NULL, 0), "utimensat", name);
	refused(setxattr(name, "user.wall", "1", 1, 0), "setxattr", name);
	refused(truncate(name, 0), "truncate", name);
	refused(rename(name, "moved"), "rename", name);
	refused(link(name, "linked"), "link", name);
	refused(unlink(name), "unlink", name);
}

static void open_name(const char *name)
{
	refused(open(name, O_RDONLY | O_NONBLOCK), "read", name);
	refused(open(name, O_WRONLY | O_APPEND | O_NONBLOCK), "write", name);
	refused(open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600), "create",
		name);
}

static void connect_name(const char *name, size_t size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(address.sun_path, name, size);
	refused(connect(file, (struct sockaddr *)&address,
			offsetof(struct sockaddr_un, sun_path) + size),
		"connect", *name ? name : name + 1);
	close(file);
}

static void connect_abstract(const char *abstract)
{
	char name[108] = "";

	if (!*abstract)
		return;
	snprintf(name + 1, sizeof name - 1, "%s", abstract);
	connect_name(name, 1 + strlen(abstract));
}

/* The same file by other ways: above the root, through links of /proc and
 * links of our own, by what this program's name leads to. */
static void try_root(const char *secret, const char *peer,
		     const char *abstract)
{
	static const char *const before[] = {
		"", "/..", "/../../../..", "/proc/self/root", "/proc/1/root",
		"/proc/self/cwd/../../../../..", "/proc/1/cwd",
		"/proc/thread-self/root/..", "/dev/fd/../../..",
	};
	char name[8192], own[4096];
	ssize_t length;

	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		snprintf(name, sizeof name, "%s%s", before[i], secret);
		open_name(name);
		change_name(name);
	}
	unlink("way");
	if (!symlink(secret, "way")) {
		open_name("way");
		refused(chmod("way", 0600), "chmod", "a link to it");
		refused(truncate("way", 0), "truncate", "a link to it");
	}
	length = readlink("/proc/self/exe", own, sizeof own - 1);
	own[length < 0 ? 0 : length] = 0;
	if (!unlink(own) && !symlink(secret, own)) {
		int file = open("/proc/self/exe", O_RDONLY);

		length = file < 0 ? -1 : read(file, own, 4);
		if (length == 4 && memcmp(own, "\177ELF", 4))
			refused(0, "read", "/proc/self/exe");
	}
	connect_name(peer, strlen(peer) + 1);
	connect_abstract(abstract);
}

static void try_devices(void)
{
	static const char *const devices[] = {
		"/dev/full", "/dev/null", "/dev/random", "/dev/tty",
		"/dev/urandom", "/dev/zero",
	};
	struct stat before, after;
	int file;

	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (!stat(devices[i], &before)) {
			change_name(devices[i]);
			file = open(devices[i], O_RDONLY | O_NONBLOCK);
			refused(file < 0 ? -1 : fchmod(file, 0600), "fchmod",
				devices[i]);
			refused(file < 0 ? -1 : fchown(file, 12345, 12345),
				"fchown", devices[i]);
			if (stat(devices[i], &after) ||
			    after.st_mode != before.st_mode)
				refused(0, "changed", devices[i]);
		}
	unlink("memory");
	if (!mknod("memory", S_IFCHR | 0600, makedev(1, 1)))
		refused(open("memory", O_RDONLY), "read", "a device made");
}

static void try_write(const char *folder)
{
	static const char *const names[] = {
		"file", "fifo", "socket", "device", "link",
	};
	int file;

	if (chdir(folder)) {
		perror(folder);
		exit(2);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		change_name(names[i]);
		refused(linkat(AT_FDCWD, names[i], AT_FDCWD, "w/linked", 0),
			"link to w", names[i]);
		refused(rename(names[i], "w/moved"), "move to w", names[i]);
	}
	refused(open("file", O_WRONLY), "write", "file");
	refused(open("file", O_RDONLY | O_TRUNC), "truncate", "file");
	refused(open("new", O_WRONLY | O_CREAT, 0600), "create", "new");
	refused(mkdir("new", 0700), "mkdir", "new");
	refused(symlink("x", "new"), "symlink", "new");
	refused(mkfifo("new", 0600), "mkfifo", "new");
	file = open("file", O_RDONLY);
	refused(fchmod(file, 0600), "fchmod", "file");
	refused(fchown(file, 12345, 12345), "fchown", "file");
	refused(futimens(file, NULL), "futimens", "file");
	refused(open("/proc/self/fd/3", O_WRONLY), "write", "/proc/self/fd/3");
	/* What must work. */
	file = open("w/new", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (file < 0 || write(file, "x", 1) != 1 || chmod("w/new", 0640)) {
		perror("w/new");
		exit(2);
	}
}

/* Whether a file is somebody else's memory: our own has a word where it is, and
 * what is written there, where it can only be written, arrives. */
static void not_ours(int file, int mode, const char *name)
{
	const long other = 0x6f74686572776f72L;
	volatile long word = 0x6d32732077616c6cL;
	off_t place = (off_t)(size_t)&word;
	long found = 0;

	if (file < 0)
		return;
	if (mode == O_WRONLY ? pwrite(file, &other, sizeof other, place) !=
				       sizeof other || word != other
			     : pread(file, &found, sizeof found, place) !=
				       sizeof found || found != word)
		refused(0, "open", name);
}

/* Names of /proc whose beginning is not "/proc": who looks at the text of a
 * path sees nothing wrong. */
static void try_memory(void)
{
	static const char *const names[] = {
		"proc/self/mem", "proc/thread-self/mem", "proc/1/mem",
		"proc/self/task/../mem", "proc/kcore", "proc/1/environ",
	};
	int folder = open("/proc/self/net", O_RDONLY | O_DIRECTORY);

	if (chdir("/"))
		exit(2);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int mode = O_RDONLY; mode <= O_RDWR; mode++)
			not_ours(open(names[i], mode), mode, names[i]);
	not_ours(openat(folder, "../mem", O_RDONLY), O_RDONLY,
		 "../mem");
}

static void try_network(const char *port, const char *abstract)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(atoi(port)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	static const int families[] = { AF_INET, AF_INET6, AF_NETLINK,
					AF_PACKET };
	char name[32];
	int file;

	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		snprintf(name, sizeof name, "of family %d", families[i]);
		file = socket(families[i], SOCK_STREAM, 0);
		refused(file, "stream socket", name);
		refused(socket(families[i], SOCK_DGRAM, 0), "socket", name);
		refused(socket(families[i], SOCK_RAW, 0), "raw socket", name);
		if (families[i] == AF_INET)
			refused(connect(file, (struct sockaddr *)&address,
					sizeof address), "connect", port);
	}
	connect_abstract(abstract);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "root") && argc > 4)
		try_root(argv[2], argv[3], argv[4]);
	else if (!strcmp(how, "devices"))
		try_devices();
	else if (!strcmp(how, "write") && argc > 2)
		try_write(argv[2]);
	else if (!strcmp(how, "memory"))
		try_memory();
	else if (!strcmp(how, "network") && argc > 3)
		try_network(argv[2], argv[3]);
	else
		return 2;
	puts(reached ? "reached" : "kept in");
	return reached;
}
