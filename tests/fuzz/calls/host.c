/* A place where nothing can be harmed, whatever the layer under test lets a
 * guest do: namespaces of its own (no process, network or name of the host),
 * the host's files read-only but for the current folder, devices of its own,
 * few capabilities, and limits of memory and of files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "fuzz/calls/calls.h"
#include "fuzz/fuzz.h"

static char folder[] = "/tmp/m2s-fuzz-calls-XXXXXX";

/* Without namespaces there is nothing to test. */
static void need(bool good, const char *what)
{
	if (good)
		return;
	printf("ok - fuzz-x86-calls # SKIP %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(0);
}

static void write_text(const char *path, const char *text)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);

	need(file >= 0 && write(file, text, strlen(text)) ==
				  (ssize_t)strlen(text),
	     path);
	close(file);
}

static void enter_namespaces(void)
{
	int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
		    CLONE_NEWUTS;
	unsigned user = geteuid(), group = getegid();
	char text[64];

	if (!user) {
		need(unshare(flags) == 0, "no namespaces");
		return;
	}
	need(unshare(flags | CLONE_NEWUSER) == 0, "no namespaces");
	write_text("/proc/self/setgroups", "deny");
	snprintf(text, sizeof text, "0 %u 1", user);
	write_text("/proc/self/uid_map", text);
	snprintf(text, sizeof text, "0 %u 1", group);
	write_text("/proc/self/gid_map", text);
}

/* Waits for the only child and ends as it did. */
_Noreturn static void end_like(pid_t child, bool remove)
{
	int status = 0;
	pid_t pid;

	need(child > 0, "fork");
	do
		pid = waitpid(-1, &status, 0);
	while (pid != child && (pid > 0 || errno == EINTR));
	if (remove)
		rmdir(folder);
	_exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				  : WEXITSTATUS(status));
}

static void mount_on(const char *type, const char *path, unsigned long flags,
		     const char *data)
{
	need(mount(type, path, type, flags, data) == 0, path);
}

/* Everything is read-only but the current folder, where libFuzzer writes. */
static void protect_files(void)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY };
	char here[PATH_MAX];

	need(getcwd(here, sizeof here) != NULL, "getcwd");
	need(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "/");
	need(syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE,
		     &attributes, sizeof attributes) == 0,
	     "mount_setattr");
	if (here[1]) {
		need(mount(here, here, NULL, MS_BIND, NULL) == 0, here);
		attributes = (struct mount_attr){
			.attr_clr = MOUNT_ATTR_RDONLY
		};
		need(syscall(SYS_mount_setattr, AT_FDCWD, here, 0, &attributes,
			     sizeof attributes) == 0,
		     here);
	}
	need(chdir(here) == 0, here);
}

/* Where devices cannot be made, the host's, which then cannot be changed. */
static void make_devices(void)
{
	static const struct {
		const char *name;
		unsigned major, minor;
	} devices[] = {
		{ "null", 1, 3 }, { "zero", 1, 5 }, { "full", 1, 7 },
		{ "random", 1, 8 }, { "urandom", 1, 9 }, { "tty", 5, 0 },
	};
	char path[PATH_MAX], host[64];

	umask(0);
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++) {
		snprintf(path, sizeof path, "%s/%s", folder, devices[i].name);
		snprintf(host, sizeof host, "/dev/%s", devices[i].name);
		if (mknod(path, S_IFCHR | 0666, makedev(devices[i].major,
							devices[i].minor)) == 0)
			continue;
		close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666));
		need(mount(host, path, NULL, MS_BIND, NULL) == 0 &&
			     mount(NULL, path, NULL,
				   MS_BIND | MS_REMOUNT | MS_RDONLY,
				   NULL) == 0,
		     path);
	}
	snprintf(path, sizeof path, "%s/shm", folder);
	need(mkdir(path, 01777) == 0, path);
	snprintf(path, sizeof path, "%s/fd", folder);
	need(symlink("/proc/self/fd", path) == 0, path);
	need(mount(folder, "/dev", NULL, MS_MOVE, NULL) == 0, "/dev");
}

static void start_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int file = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	request.ifr_flags = IFF_UP;
	need(file >= 0 && ioctl(file, SIOCSIFFLAGS, &request) == 0, "lo");
	close(file);
}

static void drop_capabilities(void)
{
	static const int kept[] = {
		CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FOWNER, CAP_FSETID, CAP_KILL,
		CAP_SETGID, CAP_SETUID, CAP_MKNOD, CAP_NET_BIND_SERVICE,
	};
	struct __user_cap_header_struct header = {
		_LINUX_CAPABILITY_VERSION_3, 0
	};
	struct __user_cap_data_struct data[2] = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
		data[0].effective |= 1u << kept[i];
	data[0].permitted = data[0].effective;
	need(syscall(SYS_capset, &header, data) == 0, "capset");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void set_limits(void)
{
	/* Guests may ask for all memory there is. libFuzzer has a limit; until
	 * that is seen, nobody else shall suffer. */
	write_text("/proc/self/oom_score_adj", "1000");
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 4096, 4096 });
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

const char *host_leave(void)
{
	pid_t child;

	need(mkdtemp(folder) != NULL, folder);
	fflush(NULL);
	child = fork();
	if (child)
		end_like(child, true);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	enter_namespaces();
	/* The first process of a namespace cannot be ended by its own abort(),
	 * so the test is the second. */
	child = fork();
	if (child)
		end_like(child, false);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	child = fork();
	if (child)
		end_like(child, false);
	protect_files();
	mount_on("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	mount_on("tmpfs", folder, MS_NOSUID, "size=1m,mode=755");
	make_devices();
	mount_on("tmpfs", folder, MS_NOSUID | MS_NODEV, "size=128m,mode=755");
	start_loopback();
	drop_capabilities();
	set_limits();
	return folder;
}

/* ---- The process itself ---- */

struct self {
	uid_t user[3];
	gid_t group[3];
	int group_count;
	gid_t groups[64];
	mode_t mask;
	sigset_t blocked;
	struct rlimit files;
	char folder[PATH_MAX];
	char secret[sizeof world_secret];
	struct {
		int number;
		dev_t device;
		ino_t inode;
		int flags;
	} open[64];
	size_t count;
};

static void list_descriptors(struct self *self)
{
	DIR *list = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (list && (entry = readdir(list))) {
		int number = atoi(entry->d_name);
		struct stat status;

		if (entry->d_name[0] == '.' || number == dirfd(list) ||
		    self->count == ARRAY_SIZE(self->open) ||
		    fstat(number, &status))
			continue;
		self->open[self->count].number = number;
		self->open[self->count].device = status.st_dev;
		self->open[self->count].inode = status.st_ino;
		self->open[self->count++].flags = fcntl(number, F_GETFD);
	}
	if (list)
		closedir(list);
}

static void look(struct self *self)
{
	memset(self, 0, sizeof *self);
	getresuid(&self->user[0], &self->user[1], &self->user[2]);
	getresgid(&self->group[0], &self->group[1], &self->group[2]);
	self->group_count = getgroups(ARRAY_SIZE(self->groups), self->groups);
	self->mask = umask(0);
	umask(self->mask);
	sigprocmask(SIG_BLOCK, NULL, &self->blocked);
	getrlimit(RLIMIT_NOFILE, &self->files);
	if (!getcwd(self->folder, sizeof self->folder))
		self->folder[0] = 0;
	memcpy(self->secret, world_secret, sizeof self->secret);
	list_descriptors(self);
}

static struct self before;

void host_remember(void)
{
	look(&before);
}

void host_check(void)
{
	static struct self now;

	/* Changes of the ids that files are accessed with clear it, and then
	 * the leak sanitizer cannot look. */
	prctl(PR_SET_DUMPABLE, 1);
	look(&now);
	if (memcmp(now.secret, before.secret, sizeof now.secret))
		fuzz_fail("the simulator's own memory was written");
	for (size_t i = 0; i < ARRAY_SIZE(now.open); i++)
		if (memcmp(now.open + i, before.open + i, sizeof now.open[i]))
			fuzz_fail("descriptor %d of the simulator is another "
				  "one than descriptor %d before", now.open[i].number,
				  before.open[i].number);
	if (memcmp(&now, &before, offsetof(struct self, secret)))
		fuzz_fail("ids, mask, limits or folder of the simulator are "
			  "others");
}
