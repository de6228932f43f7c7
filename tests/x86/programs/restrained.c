/* Landlock: what a program may do that has given up rights, of Linux 6.12.
 * "restrained probe" tells whether the system has that. Works in the current
 * folder, where it makes a folder of its own. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum {
	CREATE = 444, ADD, RESTRICT,
	EXECUTE = 1, WRITE_FILE = 2, READ_FILE = 4, READ_DIR = 8,
	REMOVE_DIR = 0x10, REMOVE_FILE = 0x20, MAKE_CHAR = 0x40,
	MAKE_DIR = 0x80, MAKE_REG = 0x100, MAKE_SOCK = 0x200,
	MAKE_FIFO = 0x400, MAKE_BLOCK = 0x800, MAKE_SYM = 0x1000,
	REFER = 0x2000, TRUNCATE = 0x4000, IOCTL_DEV = 0x8000, ALL = 0xffff,
	READ = EXECUTE | READ_FILE | READ_DIR,
	BIND = 1, CONNECT = 2,
};

struct attributes {
	uint64_t fs, net, scoped;
};

struct path_rule {
	uint64_t allowed;
	int32_t folder;
} __attribute__((packed));

struct port_rule {
	uint64_t allowed, port;
};

static void show(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno) : "done");
	fflush(stdout);
}

static int create(uint64_t fs, uint64_t net, uint64_t scoped)
{
	struct attributes attributes = { fs, net, scoped };

	return syscall(CREATE, &attributes, sizeof attributes, 0);
}

static int allow(int ruleset, const char *path, uint64_t allowed)
{
	struct path_rule rule = { allowed, open(path, O_PATH | O_CLOEXEC) };
	int result = syscall(ADD, ruleset, 1, &rule, 0);

	if (rule.folder >= 0) {
		int code = errno;

		close(rule.folder);
		errno = code;
	}
	return result;
}

static int allow_port(int ruleset, int port, uint64_t allowed)
{
	struct port_rule rule = { allowed, port };

	return syscall(ADD, ruleset, 2, &rule, 0);
}

static int restrict_self(int ruleset)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return syscall(RESTRICT, ruleset, 0);
}

/* A layer that allows all but `fs`, which only paths get that are named. */
static void layer(uint64_t fs, const char *path, uint64_t allowed,
		  const char *path2, uint64_t allowed2)
{
	int ruleset = create(fs, 0, 0);

	if (path && allow(ruleset, path, allowed))
		show("rule", -1);
	if (path2 && allow(ruleset, path2, allowed2))
		show("rule", -1);
	if (restrict_self(ruleset))
		show("restrict", -1);
	close(ruleset);
}

static void child(const char *what, void (*part)(void))
{
	int status;

	printf("-- %s\n", what);
	fflush(stdout);
	if (!fork()) {
		part();
		fflush(stdout);
		_exit(0);
	}
	wait(&status);
	if (status)
		printf("status 0x%x\n", status);
}

static void try_open(const char *path, int flags)
{
	char what[100];
	int file = open(path, flags, 0644);

	snprintf(what, sizeof what, "open %s 0%o", path, flags);
	show(what, file);
	if (file >= 0)
		close(file);
}

static void make(const char *path)
{
	int file = open(path, O_CREAT | O_WRONLY, 0755);

	write(file, "content\n", 8);
	close(file);
}

/* ---- Arguments ---- */

static void arguments(void)
{
	struct attributes large[2] = { { EXECUTE }, { 0 } };
	struct path_rule rule = { READ_FILE, -1 };
	struct port_rule port = { BIND, 80 };
	int ruleset, ports, ends[2];

	show("no attributes", syscall(CREATE, NULL, 8, 0));
	show("nothing", syscall(CREATE, NULL, 0, 0));
	show("small", syscall(CREATE, large, 7, 0));
	show("large", syscall(CREATE, large, sizeof large, 0));
	large[1].net = 1;
	show("larger than known", syscall(CREATE, large, sizeof large, 0));
	show("far too large", syscall(CREATE, large, 5000, 0));
	show("flags", syscall(CREATE, large, 8, 0x80));
	show("version with attributes", syscall(CREATE, large, 8, 1));
	show("empty", create(0, 0, 0));
	show("unknown right", create(1 << 20, 0, 0));
	show("unknown port right", create(0, 4, 0));
	show("unknown scope", create(0, 0, 4));
	ruleset = create(READ_FILE | MAKE_REG, 0, 0);
	ports = create(0, BIND, 0);
	show("ruleset", ruleset);
	show("unknown rule", syscall(ADD, ruleset, 7, &rule, 0));
	show("rule with flags", syscall(ADD, ruleset, 1, &rule, 1));
	show("bad rule", syscall(ADD, ruleset, 1, 8, 0));
	show("bad folder", syscall(ADD, ruleset, 1, &rule, 0));
	show("no ruleset", syscall(ADD, 999, 1, &rule, 0));
	show("not a ruleset", syscall(ADD, 0, 1, &rule, 0));
	rule.folder = ruleset;
	show("a ruleset as folder", syscall(ADD, ruleset, 1, &rule, 0));
	pipe(ends);
	rule.folder = ends[0];
	show("a pipe as folder", syscall(ADD, ruleset, 1, &rule, 0));
	show("nothing allowed", allow(ruleset, "folder", 0));
	show("not handled", allow(ruleset, "folder", WRITE_FILE));
	show("a folder's right to a file", allow(ruleset, "folder/file",
						 MAKE_REG));
	show("good", allow(ruleset, "folder/file", READ_FILE));
	show("again", allow(ruleset, "folder/file", READ_FILE));
	show("port", syscall(ADD, ports, 2, &port, 0));
	show("port not handled", allow_port(ports, 80, CONNECT));
	show("port, nothing", allow_port(ports, 80, 0));
	show("port too large", allow_port(ports, 65536, BIND));
	show("port of a ruleset of files", allow_port(ruleset, 80, BIND));
	show("read", read(ruleset, large, 8));
	show("write", write(ruleset, large, 8));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	show("restrict with no ruleset", syscall(RESTRICT, 999, 0));
	show("restrict with a file", syscall(RESTRICT, 0, 0));
	show("restrict with flags", syscall(RESTRICT, ruleset, 0x80000000));
	for (int i = 0; i < 17; i++)
		if (syscall(RESTRICT, ruleset, 0)) {
			printf("layers: %d\n", i);
			show("one more", -1);
		}
}

static void rights(void)
{
	int ruleset = create(READ_FILE, 0, 0);

	if (getuid() == 0) {
		setresgid(65534, 65534, 65534);
		setresuid(65534, 65534, 65534);
	}
	show("restrict", syscall(RESTRICT, ruleset, 0));
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	show("restrict", syscall(RESTRICT, ruleset, 0));
}

/* ---- Opening ---- */

static void reading(void)
{
	int kept = open("other/file", O_RDWR), folder;
	char bytes[8];

	folder = open("other", O_RDONLY | O_DIRECTORY);
	layer(ALL, "folder", READ, NULL, 0);
	try_open("folder/file", O_RDONLY);
	try_open("folder/inner/file", O_RDONLY);
	try_open("folder/link", O_RDONLY);
	try_open("folder/out", O_RDONLY);
	try_open("folder/../other/file", O_RDONLY);
	try_open("folder", O_RDONLY);
	try_open("folder/file", O_WRONLY);
	try_open("folder/file", O_RDWR);
	try_open("folder/new", O_WRONLY | O_CREAT);
	try_open("folder/file", O_WRONLY | O_CREAT);
	try_open("folder/file", O_RDONLY | O_TRUNC);
	try_open("folder/missing", O_RDONLY);
	try_open("other/file", O_RDONLY);
	try_open("other/missing", O_RDONLY);
	try_open("other", O_RDONLY | O_DIRECTORY);
	try_open("other", O_PATH);
	try_open("other/file", O_PATH);
	try_open(".", O_RDONLY);
	try_open("/", O_RDONLY);
	try_open("/dev/null", O_RDWR);
	try_open("/proc/self/status", O_RDONLY);
	try_open("/proc/self/fd/1", O_PATH);
	show("relative to a descriptor", openat(folder, "file", O_RDONLY));
	show("open before", read(kept, bytes, 8));
	show("cut before", ftruncate(kept, 8));
	show("stat", access("other/file", R_OK));
	show("chdir", chdir("other"));
	try_open("file", O_RDONLY);
	show("chdir", chdir(".."));
	fflush(stdout);
	if (!fork()) {
		execl("folder/true", "true", NULL);
		show("exec inside", -1);
		_exit(0);
	}
	wait(NULL);
	execl("other/true", "true", NULL);
	show("exec outside", -1);
}

static void writing(void)
{
	int file;

	layer(ALL, ".", READ, "folder", ALL & ~TRUNCATE & ~MAKE_SYM);
	try_open("folder/file", O_WRONLY);
	try_open("folder/file", O_WRONLY | O_TRUNC);
	try_open("folder/new", O_WRONLY | O_CREAT | O_TRUNC);
	try_open("other/new", O_WRONLY | O_CREAT);
	try_open("other/file", O_WRONLY);
	try_open("other/file", O_RDONLY);
	try_open("folder", O_RDWR | O_TMPFILE);
	try_open("other", O_RDWR | O_TMPFILE);
	file = open("folder/new", O_RDWR);
	show("cut by a descriptor", ftruncate(file, 3));
	show("cut by a path", truncate("folder/new", 3));
	show("mkdir", mkdir("folder/made", 0755));
	show("mkdir outside", mkdir("other/made", 0755));
	show("mkdir of one that is there", mkdir("other/inner", 0755));
	show("rmdir", rmdir("folder/made"));
	show("rmdir outside", rmdir("other/inner"));
	show("symlink", symlink("file", "folder/symbolic"));
	show("mkfifo", mkfifo("folder/fifo", 0644));
	show("mkfifo outside", mkfifo("other/fifo", 0644));
	show("mknod", mknod("folder/node", S_IFREG | 0644, 0));
	show("mknod outside", mknod("other/node", S_IFREG | 0644, 0));
	show("link", link("folder/new", "folder/second"));
	show("link outside", link("folder/new", "other/second"));
	show("rename", rename("folder/second", "folder/third"));
	show("rename over one", rename("folder/third", "folder/new"));
	show("rename out", rename("folder/new", "other/new"));
	show("rename in", rename("other/file", "folder/new"));
	show("unlink", unlink("folder/new"));
	show("unlink fifo", unlink("folder/fifo"));
	show("unlink node", unlink("folder/node"));
	show("unlink third", unlink("folder/third"));
	show("unlink outside", unlink("other/file"));
}

/* What may change its folder. */
static void moving(void)
{
	layer(MAKE_REG | REMOVE_FILE | REFER | EXECUTE, "folder",
	      MAKE_REG | REMOVE_FILE | REFER, "other",
	      MAKE_REG | REMOVE_FILE | REFER | EXECUTE);
	make("folder/moves");
	show("out", rename("folder/moves", "other/moves"));
	make("folder/moves");
	make("other/back");
	show("back", rename("other/back", "folder/back"));
	show("link back", link("other/back", "folder/back"));
	show("inner", rename("folder/moves", "folder/inner/moves"));
	show("exchange", syscall(SYS_renameat2, AT_FDCWD, "folder/inner/moves",
				 AT_FDCWD, "other/back", 2));
	show("exchange inside", syscall(SYS_renameat2, AT_FDCWD,
					"folder/inner/moves", AT_FDCWD,
					"folder/file", 2));
	show("exchange again", syscall(SYS_renameat2, AT_FDCWD,
				       "folder/inner/moves", AT_FDCWD,
				       "folder/file", 2));
	show("unlink", unlink("folder/inner/moves"));
	show("unlink", unlink("other/back"));
	show("unlink", unlink("folder/back"));
	show("folder", rename("folder/inner", "other/moved"));
	show("and back", rename("other/moved", "folder/inner"));
}

static void layers(void)
{
	layer(ALL, "folder", ALL, "other", READ);
	try_open("folder/file", O_RDWR);
	try_open("other/file", O_RDONLY);
	layer(WRITE_FILE, "other", WRITE_FILE, NULL, 0);
	try_open("folder/file", O_RDONLY);
	try_open("folder/file", O_RDWR);
	try_open("other/file", O_RDWR);
	layer(READ_FILE, "folder/inner/file", READ_FILE, NULL, 0);
	try_open("folder/inner/file", O_RDONLY);
	try_open("folder/file", O_RDONLY);
}

static void *in_thread(void *argument)
{
	layer(READ_FILE, NULL, 0, NULL, 0);
	try_open("other/file", O_RDONLY);
	return argument;
}

static void threads(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	printf("the first thread: ");
	try_open("other/file", O_RDONLY);
}

static void devices(void)
{
	int before = open("/dev/zero", O_RDONLY), null, count;

	layer(IOCTL_DEV, NULL, 0, NULL, 0);
	null = open("/dev/zero", O_RDONLY);
	errno = 0;
	show("ioctl", ioctl(null, FIONREAD, &count));
	show("ioctl before", ioctl(before, FIONREAD, &count));
	count = 1;
	show("general ioctl", ioctl(null, FIONBIO, &count));
	null = open("folder/file", O_RDONLY);
	show("ioctl of a file", ioctl(null, FIONREAD, &count));
}

/* ---- Sockets, signals, tracing ---- */

static int bind_to(int family, int type, int port)
{
	struct sockaddr_in address = { .sin_family = family,
				       .sin_port = htons(port) };
	int one = 1, file = socket(AF_INET, type, 0);

	address.sin_addr.s_addr = htonl(family == AF_UNSPEC ? INADDR_ANY
							    : INADDR_LOOPBACK);
	setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(file, (void *)&address, sizeof address)) {
		close(file);
		return -1;
	}
	return file;
}

static int connect_to(int type, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(port) };
	int file = socket(AF_INET, type, 0), result;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	result = connect(file, (void *)&address, sizeof address);
	return result;
}

static void ports(void)
{
	struct sockaddr_in address;
	socklen_t size = sizeof address;
	int server = bind_to(AF_INET, SOCK_STREAM, 0), ruleset, port;

	listen(server, 5);
	getsockname(server, (void *)&address, &size);
	port = ntohs(address.sin_port);
	ruleset = create(0, BIND | CONNECT, 0);
	show("rule", allow_port(ruleset, port, CONNECT));
	show("rule", allow_port(ruleset, 0, BIND));
	show("restrict", restrict_self(ruleset));
	show("connect", connect_to(SOCK_STREAM, port));
	show("connect elsewhere", connect_to(SOCK_STREAM, 1));
	show("connect datagrams", connect_to(SOCK_DGRAM, 1));
	show("bind", bind_to(AF_INET, SOCK_STREAM, 40000 + getpid() % 9999));
	show("bind anywhere", bind_to(AF_INET, SOCK_STREAM, 0));
	show("bind without family", bind_to(AF_UNSPEC, SOCK_STREAM, 1));
	show("bind datagrams", bind_to(AF_INET, SOCK_DGRAM, 0));
}

static struct sockaddr_un name = { AF_UNIX };
static socklen_t name_size;

static void connect_abstract(const char *what)
{
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	show(what, connect(file, (void *)&name, name_size));
	close(file);
}

static void send_abstract(const char *what)
{
	int file = socket(AF_UNIX, SOCK_DGRAM, 0);

	show(what, sendto(file, "x", 1, 0, (void *)&name, name_size));
	close(file);
}

static int serve(int type, const char *suffix)
{
	int file = socket(AF_UNIX, type, 0);

	name_size = offsetof(struct sockaddr_un, sun_path) + 1 +
		    snprintf(name.sun_path + 1, 80, "m2s-test-%d%s", getpid(),
			     suffix);
	if (bind(file, (void *)&name, name_size))
		show("bind", -1);
	if (type == SOCK_STREAM)
		listen(file, 5);
	return file;
}

static void abstract(void)
{
	int file = serve(SOCK_STREAM, "s");

	connect_abstract("without layers");
	restrict_self(create(0, 0, 1));
	connect_abstract("made before");
	close(file);
	serve(SOCK_DGRAM, "d");
	send_abstract("made inside");
	file = serve(SOCK_STREAM, "t");
	connect_abstract("made inside");
	fflush(stdout);
	if (!fork()) {
		connect_abstract("from a child");
		restrict_self(create(0, 0, 1));
		connect_abstract("from one with another layer");
		_exit(0);
	}
	wait(NULL);
}

static void paths(void)
{
	int file = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un local = { AF_UNIX, "other/socket" };

	layer(MAKE_SOCK, "folder", MAKE_SOCK, NULL, 0);
	show("bind outside", bind(file, (void *)&local, sizeof local));
	strcpy(local.sun_path, "folder/socket");
	show("bind inside", bind(file, (void *)&local, sizeof local));
	show("unlink", unlink("folder/socket"));
}

static void signals(void)
{
	pid_t outside = fork(), inside;

	if (!outside) {
		pause();
		_exit(0);
	}
	restrict_self(create(0, 0, 2));
	inside = fork();
	if (!inside) {
		pause();
		_exit(0);
	}
	show("signal outside", kill(outside, 0));
	show("kill outside", kill(outside, SIGKILL));
	show("signal oneself", kill(getpid(), 0));
	show("signal the parent", kill(getppid(), 0));
	show("kill inside", kill(inside, SIGKILL));
	waitpid(inside, NULL, 0);
	printf("%d\n", outside);
	fflush(stdout);
}

static void tracing(void)
{
	pid_t outside = fork(), inside;
	int status;

	if (!outside) {
		pause();
		_exit(0);
	}
	layer(READ_FILE, "/", READ_FILE, NULL, 0);
	inside = fork();
	if (!inside) {
		layer(READ_FILE, "/", READ_FILE, NULL, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(inside, &status, WUNTRACED);
	show("trace outside", ptrace(PTRACE_ATTACH, outside, 0, 0));
	show("trace inside", ptrace(PTRACE_SEIZE, inside, 0, 0));
	kill(inside, SIGKILL);
	kill(outside, SIGKILL);
	waitpid(inside, NULL, 0);
	waitpid(outside, NULL, 0);
}

/* Prints the id of a process that cannot end it: its parent does. */
static void signal_scope(void)
{
	int ends[2], pid;
	char text[400] = "", *last;
	size_t size = 0;
	ssize_t got;

	pipe(ends);
	fflush(stdout);
	if (!fork()) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		signals();
		_exit(0);
	}
	close(ends[1]);
	while (!(last = strstr(text, "kill inside")) || !strchr(last, '\n') ||
	       !strchr(strchr(last, '\n') + 1, '\n')) {
		got = read(ends[0], text + size, sizeof text - 1 - size);
		if (got <= 0)
			break;
		size += got;
	}
	wait(NULL);
	last = strchr(last, '\n') + 1;
	pid = atoi(last);
	*last = 0;
	fputs(text, stdout);
	show("now", kill(pid, SIGKILL));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "probe"))
		return syscall(CREATE, NULL, 0, 1) < 6;
	setvbuf(stdout, NULL, _IOLBF, 4096);
	if (getuid() == 0)
		chmod(".", 0755);
	mkdir("restrained", 0755);
	chdir("restrained");
	mkdir("folder", 0755);
	mkdir("folder/inner", 0755);
	mkdir("other", 0755);
	mkdir("other/inner", 0755);
	make("folder/file");
	make("folder/inner/file");
	make("other/file");
	make("folder/true");
	make("other/true");
	symlink("file", "folder/link");
	symlink("../other/file", "folder/out");
	child("arguments", arguments);
	child("rights", rights);
	child("reading", reading);
	child("writing", writing);
	child("moving", moving);
	child("layers", layers);
	child("threads", threads);
	child("devices", devices);
	child("ports", ports);
	child("abstract sockets", abstract);
	child("sockets with a path", paths);
	child("signals", signal_scope);
	child("tracing", tracing);
	chdir("..");
	return system("rm -r restrained") != 0;
}
