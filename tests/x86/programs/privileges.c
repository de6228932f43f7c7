/* Ids, capabilities and what they allow: as root each child gives something
 * up and shows what is left; as another user everything is refused. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <grp.h>
#include <sys/auxv.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <netinet/in.h>
#include <unistd.h>

enum { NOBODY = 65534, OTHER = 65533 };

static void show(const char *what, long result)
{
	printf("%s: %s\n", what,
	       result < 0 ? strerror(errno) : result == 0 ? "0" : "more");
}

static void sets(const char *when)
{
	struct __user_cap_header_struct header = {
		_LINUX_CAPABILITY_VERSION_3, 0
	};
	struct __user_cap_data_struct data[2] = { 0 };
	uid_t user[3];

	syscall(SYS_capget, &header, data);
	getresuid(user, user + 1, user + 2);
	printf("%s: users %d %d %d, effective %x%08x, permitted %x%08x, "
	       "inheritable %x%08x, kill ambient %d, chown bounding %d, "
	       "securebits %x, dumpable %d, secure %lu\n",
	       when, user[0], user[1], user[2], data[1].effective,
	       data[0].effective, data[1].permitted, data[0].permitted,
	       data[1].inheritable, data[0].inheritable,
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_KILL, 0, 0),
	       prctl(PR_CAPBSET_READ, CAP_CHOWN), prctl(PR_GET_SECUREBITS),
	       prctl(PR_GET_DUMPABLE), getauxval(AT_SECURE));
	fflush(stdout);
}

/* Sets one word of each set: all that this program is about. */
static int set(unsigned effective, unsigned permitted, unsigned inheritable)
{
	struct __user_cap_header_struct header = {
		_LINUX_CAPABILITY_VERSION_3, 0
	};
	struct __user_cap_data_struct data[2] = {
		{ effective, permitted, inheritable },
	};

	return syscall(SYS_capset, &header, data);
}

static void try_everything(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(81),
		.sin_addr = { htonl(INADDR_LOOPBACK) },
	};
	int end = socket(AF_INET, SOCK_STREAM, 0), parent;
	gid_t group = 77;

	show("bind below 1024",
	     bind(end, (struct sockaddr *)&address, sizeof address));
	show("better nice value", setpriority(PRIO_PROCESS, 0, -2));
	show("worse nice value", setpriority(PRIO_PROCESS, 0, 19));
	show("nice value of the parent",
	     setpriority(PRIO_PROCESS, getppid(), 19));
	show("real-time input and output",
	     syscall(SYS_ioprio_set, 1, 0, IOPRIO_CLASS_RT << 13 | 2));
	show("idle input and output",
	     syscall(SYS_ioprio_set, 1, 0, IOPRIO_CLASS_IDLE << 13));
	printf("now %lx\n", syscall(SYS_ioprio_get, 1, 0));
	show("no such class", syscall(SYS_ioprio_set, 1, 0, 4 << 13));
	show("setgroups", setgroups(1, &group));
	show("setuid to another", setuid(OTHER));
	show("chown", chown("file", 1234, 1234));
	show("chmod", chmod("file", 0640));
	show("mknod", mknod("device", S_IFCHR | 0600, makedev(1, 3)));
	show("kill the parent", kill(getppid(), 0));
	show("let it continue", kill(getppid(), SIGCONT));
	parent = (int)syscall(SYS_pidfd_open, getppid(), 0);
	show("kill it by its descriptor",
	     syscall(SYS_pidfd_send_signal, parent, 0, NULL, 0));
	close(parent);
	show("open 0000", open("closed", O_RDONLY));
	show("access 0000", access("closed", R_OK));
	show("drop from the bounding set", prctl(PR_CAPBSET_DROP, CAP_CHOWN));
	show("securebits", prctl(PR_SET_SECUREBITS, SECBIT_NOROOT));
	show("raise an ambient one",
	     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0));
	show("permit oneself more", set(1 << CAP_KILL, 1 << CAP_KILL, 0));
	close(end);
}

/* ---- What root gives up ---- */

static void as_nobody(void)
{
	setgroups(0, NULL);
	setresgid(NOBODY, NOBODY, NOBODY);
	show("setuid", setuid(NOBODY));
	sets("nobody");
	try_everything();
}

static void keeping(void)
{
	show("keep", prctl(PR_SET_KEEPCAPS, 1));
	show("setresuid", setresuid(NOBODY, NOBODY, NOBODY));
	sets("kept");
	show("chown", chown("file", 1234, 1234));
	show("raise", set(1 << CAP_CHOWN | 1 << CAP_SETUID,
			  1 << CAP_CHOWN | 1 << CAP_SETUID, 0));
	sets("raised");
	show("chown", chown("file", 1234, 1234));
	show("chown back", chown("file", 0, 0));
	show("open 0000", open("closed", O_RDONLY));
	show("setuid", setuid(OTHER));
	sets("another");
}

static void back_and_forth(void)
{
	show("seteuid", seteuid(NOBODY));
	sets("nobody for now");
	show("chown", chown("file", 1234, 1234));
	show("seteuid", seteuid(0));
	sets("root again");
	show("chown", chown("file", 0, 0));
	setfsuid(NOBODY);
	sets("nobody's files");
	show("chown", chown("file", 1234, 1234));
	setfsuid(0);
	sets("root's files");
	show("setreuid", setreuid(NOBODY, 0));
	sets("really nobody");
	show("open 0000", open("closed", O_RDONLY));
	show("access 0000", access("closed", R_OK));
}

static void without_override(void)
{
	show("drop", set(1 << CAP_SETPCAP, 1 << CAP_SETPCAP, 0));
	sets("little");
	try_everything();
}

static void bits(void)
{
	show("lock", prctl(PR_SET_SECUREBITS, SECBIT_KEEP_CAPS_LOCKED |
						      SECBIT_NO_SETUID_FIXUP));
	show("locked", prctl(PR_SET_KEEPCAPS, 1));
	show("unlock", prctl(PR_SET_SECUREBITS, 0));
	show("unknown", prctl(PR_SET_SECUREBITS, 1 << 20));
	show("setuid", setresuid(NOBODY, NOBODY, NOBODY));
	sets("not fixed up");
	show("chown", chown("file", 0, 0));
}

/* ---- Programs ---- */

static void run(const char *program)
{
	fflush(stdout);
	execl(program, program, "sets", NULL);
	show(program, -1);
}

static void bounded(void)
{
	show("drop", prctl(PR_CAPBSET_DROP, CAP_CHOWN));
	show("no such", prctl(PR_CAPBSET_DROP, 99));
	run("./plain");
}

static void with_ambient(void)
{
	prctl(PR_SET_KEEPCAPS, 1);
	setresuid(NOBODY, NOBODY, NOBODY);
	set(0, 1 << CAP_KILL | 1 << CAP_CHOWN, 1 << CAP_KILL);
	show("not inheritable",
	     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_CHOWN, 0, 0));
	show("ambient",
	     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_KILL, 0, 0));
	show("too much",
	     prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 1, 0, 0));
	run("./plain");
}

static void without_root(void)
{
	show("no root", prctl(PR_SET_SECUREBITS, SECBIT_NOROOT));
	run("./plain");
}

static void set_user(void)
{
	setresuid(NOBODY, NOBODY, NOBODY);
	run("./others");
}

static void set_root(void)
{
	setresuid(NOBODY, NOBODY, NOBODY);
	run("./roots");
}

static void no_new(void)
{
	setresuid(NOBODY, NOBODY, NOBODY);
	show("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	run("./roots");
}

static void by_attribute(void)
{
	setresuid(NOBODY, NOBODY, NOBODY);
	run("./capable");
}

static void in_child(const char *title, void (*what)(void))
{
	int status;

	printf("-- %s\n", title);
	fflush(stdout);
	if (fork() == 0) {
		what();
		exit(0);
	}
	wait(&status);
	printf("status %x\n", status);
}

static void command(const char *format, ...)
{
	char text[200];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	system(text);
}

static void copy(const char *name, int owner, int mode)
{
	command("cp /proc/%d/exe %s", getpid(), name);
	chown(name, owner, owner);
	chmod(name, mode);
}

static void make_files(void)
{
	struct vfs_cap_data data = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data = { { .permitted = 1 << CAP_KILL } },
	};

	chmod(".", 0777);
	copy("plain", 0, 0755);
	copy("others", OTHER, 06755);
	copy("roots", 0, 04755);
	copy("capable", 0, 0755);
	setxattr("capable", "security.capability", &data, sizeof data, 0);
	close(open("file", O_CREAT | O_WRONLY, 0600));
	close(open("closed", O_CREAT | O_WRONLY, 0000));
	chown("closed", OTHER, OTHER);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/privileges-XXXXXX";

	if (argc > 1) {
		sets(argv[0]);
		return 0;
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	umask(022);
	chdir(mkdtemp(folder));
	make_files();
	sets("start");
	in_child("nobody", as_nobody);
	in_child("keeping", keeping);
	in_child("back and forth", back_and_forth);
	in_child("little", without_override);
	in_child("bits", bits);
	in_child("bounded", bounded);
	in_child("ambient", with_ambient);
	in_child("no root", without_root);
	in_child("set-user-ID", set_user);
	in_child("set-user-ID root", set_root);
	in_child("no new privileges", no_new);
	in_child("attribute", by_attribute);
	fflush(stdout);
	chdir("/");
	command("rm -rf %s", folder);
	return 0;
}
