/* The files around a guest. The folder of the world has two in it: `root`,
 * which is the guest's, and `outside`, which no guest may change or read. */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"
#include "fuzz/fuzz.h"

const char *world_root, *world_outside;
char world_secret[33];

static char *outside_was, *devices_were, *root_was;

enum { LISTEN_TCP, LISTEN_UDP, LISTEN_ABSTRACT, LISTEN_PATH, LISTENERS };
static struct pollfd listeners[LISTENERS];
static const char *const listener_names[] = {
	"127.0.0.1, TCP", "127.0.0.1, UDP", "an abstract name", "a socket file"
};

static void must(bool good, const char *what)
{
	if (!good)
		fuzz_fail("the world: %s: %s", what, strerror(errno));
}

/* ---- What a folder holds, as text ---- */

static void describe_content(int folder, const char *name, FILE *out)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	static char bytes[1 << 16];
	ssize_t size = file < 0 ? -1 : read(file, bytes, sizeof bytes);
	uint64_t sum = 0;

	for (ssize_t i = 0; i < size; i++)
		sum = sum * 31 + (uint8_t)bytes[i];
	fprintf(out, " content %zd %" PRIx64, size, sum);
	if (size > 0 && memmem(bytes, (size_t)size, world_secret, 32))
		fputs(" SECRET", out);
	if (file >= 0)
		close(file);
}

static void describe_entry(int folder, const char *name, FILE *out)
{
	struct stat s;
	char target[256];
	ssize_t length;

	if (fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW))
		return;
	fprintf(out, "%s mode %o owner %u %u links %u device %x", name,
		s.st_mode, s.st_uid, s.st_gid, (unsigned)s.st_nlink,
		(unsigned)s.st_rdev);
	/* Devices are written to, and folders have no size of their own. */
	if (!S_ISCHR(s.st_mode))
		fprintf(out, " time %ld.%09ld", (long)s.st_mtim.tv_sec,
			s.st_mtim.tv_nsec);
	if (S_ISREG(s.st_mode))
		describe_content(folder, name, out);
	if (S_ISLNK(s.st_mode)) {
		length = readlinkat(folder, name, target, sizeof target);
		fprintf(out, " to %.*s", (int)length, target);
	}
	putc('\n', out);
}

/* `skip`: an entry at the top that does not count. */
static void describe_folder(int folder, const char *skip, FILE *out)
{
	struct dirent **entry;
	int count = scandirat(folder, ".", &entry, NULL, alphasort);

	describe_entry(folder, ".", out);
	for (int i = 0; i < count; i++) {
		const char *name = entry[i]->d_name;
		int below;

		if (strcmp(name, ".") && strcmp(name, "..") &&
		    (!skip || strcmp(name, skip))) {
			describe_entry(folder, name, out);
			below = openat(folder, name, O_RDONLY | O_DIRECTORY |
							     O_NOFOLLOW);
			if (below >= 0) {
				describe_folder(below, NULL, out);
				close(below);
			}
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

static char *describe(const char *path, const char *skip)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY);
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	must(folder >= 0 && out, path);
	describe_folder(folder, skip, out);
	fclose(out);
	close(folder);
	return text;
}

/* ---- Making it ---- */

static void write_file(const char *path, mode_t mode, const void *bytes,
		       size_t size)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	must(file >= 0 && write(file, bytes, size) == (ssize_t)size &&
		     fchmod(file, mode) == 0,
	     path);
	close(file);
}

static void listen_at(int which, int type, const void *address, socklen_t size)
{
	int file = socket(((const struct sockaddr *)address)->sa_family,
			  type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	must(file >= 0 && bind(file, address, size) == 0 &&
		     (type == SOCK_DGRAM || listen(file, 64) == 0),
	     listener_names[which]);
	listeners[which] = (struct pollfd){ .fd = file, .events = POLLIN };
}

static void listen_everywhere(void)
{
	const struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(WORLD_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	struct sockaddr_un local = { .sun_family = AF_UNIX };
	const socklen_t head = offsetof(struct sockaddr_un, sun_path);

	listen_at(LISTEN_TCP, SOCK_STREAM, &in, sizeof in);
	listen_at(LISTEN_UDP, SOCK_DGRAM, &in, sizeof in);
	strcpy(local.sun_path + 1, WORLD_ABSTRACT);
	listen_at(LISTEN_ABSTRACT, SOCK_STREAM, &local,
		  head + 1 + sizeof WORLD_ABSTRACT - 1);
	memset(local.sun_path, 0, sizeof local.sun_path);
	strcpy(local.sun_path, "outside/socket");
	listen_at(LISTEN_PATH, SOCK_STREAM, &local, sizeof local);
}

static void make_secret(void)
{
	uint8_t random[16];

	must(getrandom(random, sizeof random, 0) == sizeof random, "random");
	for (unsigned i = 0; i < sizeof random; i++)
		snprintf(world_secret + 2 * i, 3, "%02x", random[i]);
}

void world_create(const char *folder)
{
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	make_secret();
	world_root = xasprintf("%s/root", folder);
	world_outside = xasprintf("%s/outside", folder);
	must(chdir(folder) == 0 && mkdir("outside", 0755) == 0 &&
		     mkdir("root", 0755) == 0 &&
		     mkdir("outside/dir", 0777) == 0 &&
		     mkfifo("outside/fifo", 0666) == 0 &&
		     symlink("secret", "outside/link") == 0,
	     folder);
	write_file("outside/secret", 0666, world_secret, 32);
	write_file("outside/dir/file", 0777, world_secret, 32);
	write_file("outside/program", 0777, "#!/bin/sh\n", 10);
	umask(0);
	listen_everywhere();
	must(fchdir(here) == 0, "the current folder");
	close(here);
	outside_was = describe(world_outside, NULL);
	devices_were = describe("/dev", "shm");
}

static void remove_below(int folder)
{
	struct dirent **entry;
	int count = scandirat(folder, ".", &entry, NULL, NULL);

	for (int i = 0; i < count; i++) {
		const char *name = entry[i]->d_name;
		int below;

		if (strcmp(name, ".") && strcmp(name, "..") &&
		    unlinkat(folder, name, 0)) {
			/* An ordinary user's may be closed to him. */
			fchmodat(folder, name, 0700, 0);
			below = openat(folder, name, O_RDONLY | O_DIRECTORY |
							     O_NOFOLLOW);
			if (below >= 0) {
				remove_below(below);
				close(below);
			}
			must(unlinkat(folder, name, AT_REMOVEDIR) == 0, name);
		}
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

static void fill_root(const void *program, size_t size)
{
	static char bytes[8000];

	memset(bytes, 'a', sizeof bytes);
	write_file("0", 0755, program, size);
	write_file("a", 0666, bytes, sizeof bytes);
	write_file("b", 0600, bytes, 10);
	write_file("x", 0755, "#!/0\n", 5);
	must(mkdir("d", 0777) == 0 && mkdir("e", 0755) == 0 &&
		     mkdir("w", 0777) == 0 && mkfifo("p", 0666) == 0 &&
		     symlink("a", "l") == 0 && symlink("..", "up") == 0 &&
		     symlink("loop", "loop") == 0 &&
		     symlink(world_outside, "out") == 0 &&
		     symlink("../outside", "rel") == 0,
	     "the root");
	write_file("d/1", 0644, bytes, 1);
	write_file("d/2", 0666, bytes, 2);
	write_file("w/f", 0666, bytes, 100);
}

/* What may be written to although the rest is read-only. */
static const char *writable(uint8_t flags)
{
	return flags & INPUT_WRITABLE ? "w" : NULL;
}

void world_reset(uint8_t flags, const void *program, size_t size)
{
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int folder;

	must(chmod(world_root, 0755) == 0 && chdir(world_root) == 0,
	     world_root);
	folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(folder >= 0, world_root);
	remove_below(folder);
	close(folder);
	fill_root(program, size);
	must(fchdir(here) == 0, "the current folder");
	close(here);
	free(root_was);
	root_was = describe(world_root, writable(flags));
}

/* ---- Looking at it ---- */

static void must_be(char *is, const char *was, const char *what)
{
	if (strcmp(is, was))
		fuzz_fail("%s changed. It was:\n%sand is:\n%s", what, was, is);
	free(is);
}

static void check_listeners(uint8_t flags)
{
	poll(listeners, LISTENERS, 0);
	for (int i = 0; i < LISTENERS; i++) {
		bool allowed = i <= LISTEN_UDP && !(flags & INPUT_NO_NETWORK);
		char byte;
		int file;

		if (!(listeners[i].revents & POLLIN))
			continue;
		if (!allowed)
			fuzz_fail("the guest reached %s", listener_names[i]);
		while (recv(listeners[i].fd, &byte, 1, MSG_DONTWAIT) >= 0)
			;
		while ((file = accept(listeners[i].fd, NULL, NULL)) >= 0)
			close(file);
	}
}

void world_check(uint8_t flags)
{
	struct dirent **entry;
	char *root;

	must_be(describe(world_outside, NULL), outside_was, "outside");
	must_be(describe("/dev", "shm"), devices_were, "/dev");
	if (scandir("/dev/shm", &entry, NULL, NULL) != 2)
		fuzz_fail("something is left in /dev/shm");
	for (int i = 0; i < 2; i++)
		free(entry[i]);
	free(entry);
	check_listeners(flags);
	root = describe(world_root, writable(flags));
	if (strstr(root, "SECRET"))
		fuzz_fail("the guest has what a file outside holds:\n%s", root);
	if (strstr(root, "mode 2") || strstr(root, "mode 6"))
		fuzz_fail("the guest made a device:\n%s", root);
	if (flags & INPUT_READ_ONLY)
		must_be(root, root_was, "what can only be read");
	else
		free(root);
}
