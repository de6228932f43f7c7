/* The key retention service. Everything happens in session keyrings of the
 * program's own, so that nothing of it stays: "keys probe" tells whether the
 * system has the service. */
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SESSION = KEY_SPEC_SESSION_KEYRING };

static int add(const char *type, const char *description, const char *bytes,
	       size_t size, int ring)
{
	return syscall(SYS_add_key, type, description, bytes, size, ring);
}

static int add_text(const char *description, const char *text, int ring)
{
	return add("user", description, text, strlen(text), ring);
}

static int request(const char *type, const char *description,
		   const char *callout, int ring)
{
	return syscall(SYS_request_key, type, description, callout, ring);
}

static long control(int command, long a, long b, long c, long d)
{
	return syscall(SYS_keyctl, command, a, b, c, d);
}

/* Serials differ from run to run. */
static void show(const char *what, long result)
{
	printf("%s: %s\n", what, result < 0 ? strerror(errno)
			       : result > 4999 ? "a serial" : "");
	if (result >= 0 && result <= 4999)
		printf("  %ld\n", result);
	fflush(stdout);
}

static void show_key(const char *what, int key)
{
	char text[300] = "", bytes[64] = "";
	long size;

	if (control(KEYCTL_DESCRIBE, key, (long)text, sizeof text, 0) < 0) {
		show(what, -1);
		return;
	}
	printf("%s: %s", what, text);
	size = control(KEYCTL_READ, key, (long)bytes, (sizeof bytes - 4), 0);
	if (size < 0)
		printf(", %s\n", strerror(errno));
	else if (!strncmp(text, "keyring", 7))
		printf(", %ld links\n", size / 4);
	else
		printf(", %ld bytes: %s\n", size, bytes);
	fflush(stdout);
}

static void child(void (*part)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		part();
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		printf("child: status 0x%x\n", status);
}

/* ---- Arguments ---- */

static void arguments(void)
{
	static char large[1 << 20], text[5000];
	int ring = add("keyring", "arguments", NULL, 0, SESSION);
	int key = add_text("a", "bytes", ring);

	memset(text, 'x', sizeof text - 1);
	show("type missing", add(NULL, "a", "b", 1, ring));
	show("type empty", add("", "a", "b", 1, ring));
	show("type with a dot", add(".user", "a", "b", 1, ring));
	show("type unknown", add("m2s-unknown", "a", "b", 1, ring));
	show("type too long", add(text, "a", "b", 1, ring));
	show("description missing", add("user", NULL, "b", 1, ring));
	show("description empty", add("user", "", "b", 1, ring));
	show("description too long", add("user", text, "b", 1, ring));
	show("description bad", add("user", (char *)8, "b", 1, ring));
	show("ring with a dot", add("keyring", ".a", NULL, 0, ring));
	show("ring with bytes", add("keyring", "a", "b", 1, ring));
	show("bytes bad", add("user", "a", (char *)8, 1, ring));
	show("bytes none", add("user", "a", NULL, 0, ring));
	show("bytes many", add("user", "many", large, 32767, ring));
	show("bytes too many", add("user", "many", large, 32768, ring));
	show("bytes far too many", add("user", "many", large, 1 << 20, ring));
	show("logon without a service", add("logon", "a", "b", 1, ring));
	show("logon with an empty one", add("logon", ":a", "b", 1, ring));
	show("logon", add("logon", "m2s:a", "b", 1, ring));
	show("to no ring", add_text("a", "b", 0x7ffffff0));
	show("to zero", add_text("a", "b", 0));
	show("to -6", add_text("a", "b", KEY_SPEC_GROUP_KEYRING));
	show("to -7", add_text("a", "b", KEY_SPEC_REQKEY_AUTH_KEY));
	show("to -99", add_text("a", "b", -99));
	show("to a key", add_text("a", "b", key));
	show("request, type bad", request((char *)8, "a", NULL, 0));
	show("request, type unknown", request("m2s-unknown", "a", NULL, 0));
	show("request, description missing", request("user", NULL, NULL, 0));
	show("command unknown", control(999, 0, 0, 0, 0));
	show("update too large", control(KEYCTL_UPDATE, key, (long)large, 4097,
					 0));
	show("update bad", control(KEYCTL_UPDATE, key, 8, 5, 0));
	show("update with nothing", control(KEYCTL_UPDATE, key, 0, 0, 0));
	show("update a ring", control(KEYCTL_UPDATE, ring, (long)"a", 1, 0));
	show("permissions unknown", control(KEYCTL_SETPERM, key, 0x40000000, 0,
					    0));
	show("chown nothing", control(KEYCTL_CHOWN, key, -1, -1, 0));
	show("instantiate", control(KEYCTL_INSTANTIATE, key, (long)"a", 1,
				    ring));
	show("negate", control(KEYCTL_NEGATE, key, 1, ring, 0));
	show("reject", control(KEYCTL_REJECT, key, 1, ENOKEY, ring));
	show("reject with 0", control(KEYCTL_REJECT, key, 1, 0, ring));
	show("reject with 512", control(KEYCTL_REJECT, key, 1, 512, ring));
	show("assume nothing", control(KEYCTL_ASSUME_AUTHORITY, 0, 0, 0, 0));
	show("assume", control(KEYCTL_ASSUME_AUTHORITY, key, 0, 0, 0));
	show("default 6", control(KEYCTL_SET_REQKEY_KEYRING, 6, 0, 0, 0));
	show("default 99", control(KEYCTL_SET_REQKEY_KEYRING, 99, 0, 0, 0));
	show("default", control(KEYCTL_SET_REQKEY_KEYRING, -1, 0, 0, 0));
	show("default 3", control(KEYCTL_SET_REQKEY_KEYRING, 3, 0, 0, 0));
	show("default", control(KEYCTL_SET_REQKEY_KEYRING, 0, 0, 0, 0));
	show("clear a key", control(KEYCTL_CLEAR, key, 0, 0, 0));
	show("read a logon key",
	     control(KEYCTL_READ, request("logon", "m2s:a", NULL, 0), 0, 0, 0));
	show("security", control(KEYCTL_GET_SECURITY, key, 0, 0, 0) > 0 ? 1
									: -1);
	show("capabilities", control(KEYCTL_CAPABILITIES, (long)text, 8, 0,
				     0));
	printf("capabilities: %d, then %d\n", text[0] & 1, text[5]);
}

/* ---- Keys and keyrings ---- */

static void keys(void)
{
	int ring = add("keyring", "keys", NULL, 0, SESSION);
	int key = add_text("name", "first", ring), other, list[4];
	char bytes[16] = "unchanged";

	show_key("ring", ring);
	show_key("new key", key);
	printf("added again: %s\n", add_text("name", "second", ring) == key
					    ? "updated" : "another");
	show_key("updated", key);
	show("update", control(KEYCTL_UPDATE, key, (long)"third!", 6, 0));
	show_key("updated", key);
	show("read 3 of 6", control(KEYCTL_READ, key, (long)bytes, 3, 0));
	printf("bytes: %s\n", bytes);
	show("describe 3", control(KEYCTL_DESCRIBE, key, (long)bytes, 3, 0));
	printf("bytes: %s\n", bytes);
	printf("search: %d\n",
	       control(KEYCTL_SEARCH, SESSION, (long)"user", (long)"name",
		       0) == key);
	printf("request: %d\n", request("user", "name", NULL, 0) == key);
	show("search another", control(KEYCTL_SEARCH, SESSION, (long)"user",
				       (long)"none", 0));
	show("search a key", control(KEYCTL_SEARCH, key, (long)"user",
				     (long)"none", 0));
	show("request another", request("user", "none", NULL, 0));
	other = add("keyring", "other", NULL, 0, SESSION);
	show("link", control(KEYCTL_LINK, key, other, 0, 0));
	show_key("other", other);
	show("link again", control(KEYCTL_LINK, key, other, 0, 0));
	show_key("other", other);
	show("link to a key", control(KEYCTL_LINK, key, key, 0, 0));
	show("link to itself", control(KEYCTL_LINK, ring, ring, 0, 0));
	show("link below", control(KEYCTL_LINK, other, ring, 0, 0));
	show("circle", control(KEYCTL_LINK, ring, other, 0, 0));
	show("unlink below", control(KEYCTL_UNLINK, other, ring, 0, 0));
	show("unlink", control(KEYCTL_UNLINK, key, other, 0, 0));
	show("unlink again", control(KEYCTL_UNLINK, key, other, 0, 0));
	show("move", control(KEYCTL_MOVE, key, ring, other, 0));
	show("move again", control(KEYCTL_MOVE, key, ring, other, 0));
	show("move to itself", control(KEYCTL_MOVE, key, other, other, 0));
	add_text("name", "new", ring);
	show("move onto one", control(KEYCTL_MOVE, key, other, ring,
				      KEYCTL_MOVE_EXCL));
	show("move with flags", control(KEYCTL_MOVE, key, other, ring, 8));
	show("move over one", control(KEYCTL_MOVE, key, other, ring, 0));
	printf("entries: %ld, %d\n",
	       control(KEYCTL_READ, ring, (long)list, sizeof list, 0) / 4,
	       list[0] == key);
	show("search into", control(KEYCTL_SEARCH, SESSION, (long)"user",
				    (long)"name", other));
	show_key("other", other);
	show("restrict", control(KEYCTL_RESTRICT_KEYRING, other, 0, 0, 0));
	show("restrict again", control(KEYCTL_RESTRICT_KEYRING, other, 0, 0,
				       0));
	show("restrict a key", control(KEYCTL_RESTRICT_KEYRING, key, 0, 0, 0));
	show("restrict by a type", control(KEYCTL_RESTRICT_KEYRING, ring,
					   (long)"user", (long)"x", 0));
	/* What is replaced is all that holds where the key comes from. */
	ring = add("keyring", "replaced", NULL, 0,
		   add("keyring", "holder", NULL, 0, SESSION));
	key = add("keyring", "replaced", NULL, 0, ring);
	show("move over its keyring",
	     control(KEYCTL_MOVE, key, ring,
		     control(KEYCTL_SEARCH, SESSION, (long)"keyring",
			     (long)"holder", 0), 0));
	show("add to it", add_text("more", "x", other));
	show("clear it", control(KEYCTL_CLEAR, other, 0, 0, 0));
	show_key("other", other);
}

/* How deep keyrings can be in each other. */
static void depth(void)
{
	int ring = SESSION, key;
	char name[16];

	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof name, "depth %d", i);
		ring = add("keyring", name, NULL, 0, ring);
		show(name, ring);
		key = add_text(name, "bytes", ring);
		show("  search", control(KEYCTL_SEARCH, SESSION, (long)"user",
					 (long)name, 0));
	}
}

/* So many ways through keyrings that nobody can go them all: not for kernels,
 * which do. */
static void ways(void)
{
	enum { LEVELS = 5, EACH = 40 };
	int rings[LEVELS][EACH];
	char name[16];

	for (int level = 0; level < LEVELS; level++)
		for (int i = 0; i < EACH; i++) {
			snprintf(name, sizeof name, "%d %d", level, i);
			rings[level][i] = add("keyring", name, NULL, 0,
					      SESSION);
		}
	for (int level = 0; level + 1 < LEVELS; level++)
		for (int i = 0; i < EACH * EACH; i++)
			if (control(KEYCTL_LINK, rings[level + 1][i % EACH],
				    rings[level][i / EACH], 0, 0))
				show("link", -1);
	show("request", request("user", "none", NULL, 0));
}

/* ---- Ends ---- */

static void ends(void)
{
	int ring = add("keyring", "ends", NULL, 0, SESSION);
	int key = add_text("revoked", "bytes", ring), below;

	show("revoke", control(KEYCTL_REVOKE, key, 0, 0, 0));
	show_key("revoked", key);
	show("read", control(KEYCTL_READ, key, 0, 0, 0));
	show("update", control(KEYCTL_UPDATE, key, (long)"x", 1, 0));
	show("revoke again", control(KEYCTL_REVOKE, key, 0, 0, 0));
	show("search", control(KEYCTL_SEARCH, ring, (long)"user",
			       (long)"revoked", 0));
	show("request", request("user", "revoked", NULL, 0));
	printf("added again: %s\n",
	       add_text("revoked", "second", ring) == key ? "updated"
							  : "another");
	show("request", request("user", "revoked", NULL, 0));
	key = add_text("invalidated", "bytes", ring);
	show("invalidate", control(KEYCTL_INVALIDATE, key, 0, 0, 0));
	show("search", control(KEYCTL_SEARCH, ring, (long)"user",
			       (long)"invalidated", 0) < 0 &&
		       (errno == ENOKEY || errno == EKEYREVOKED) ? 0 : -1);
	key = add_text("expiring", "bytes", ring);
	show("timeout", control(KEYCTL_SET_TIMEOUT, key, 1, 0, 0));
	show_key("expiring", key);
	show("no timeout", control(KEYCTL_SET_TIMEOUT, key, 0, 0, 0));
	show("timeout", control(KEYCTL_SET_TIMEOUT, key, 1, 0, 0));
	sleep(2);
	show_key("expired", key);
	show("read", control(KEYCTL_READ, key, 0, 0, 0));
	show("search", control(KEYCTL_SEARCH, ring, (long)"user",
			       (long)"expiring", 0));
	show("request", request("user", "expiring", NULL, 0));
	show("timeout of it", control(KEYCTL_SET_TIMEOUT, key, 5, 0, 0));
	printf("added again: %s\n",
	       add_text("expiring", "second", ring) == key ? "updated"
							   : "another");
	show("request", request("user", "expiring", NULL, 0));
	below = add("keyring", "below", NULL, 0, ring);
	add_text("in it", "x", below);
	show("revoke a ring", control(KEYCTL_REVOKE, below, 0, 0, 0));
	show("add to it", add_text("more", "x", below));
	show("search it", control(KEYCTL_SEARCH, SESSION, (long)"user",
				  (long)"in it", 0));
	if (access("/sbin/request-key", F_OK)) {
		show("callout", request("user", "m2s-callout", "x", 0));
		show("again", request("user", "m2s-callout", NULL, 0));
		show("a ring", request("keyring", "m2s-callout", "x", 0));
		key = add_text("m2s-callout", "there", SESSION);
		show_key("added", key);
		show("again", request("user", "m2s-callout", NULL, 0));
	}
}

/* ---- Sessions, processes, threads ---- */

static int session, process, own;

static void in_child(void)
{
	int other;

	printf("session is shared: %d\n",
	       control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0) == session);
	show("process's", control(KEYCTL_GET_KEYRING_ID,
				  KEY_SPEC_PROCESS_KEYRING, 0, 0, 0));
	show("thread's", control(KEYCTL_GET_KEYRING_ID,
				 KEY_SPEC_THREAD_KEYRING, 0, 0, 0));
	show("join", control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0));
	other = control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0);
	printf("another session: %d\n", other != session);
	show_key("session", other);
	show("request", request("user", "in session", NULL, 0));
	show_key("the old one", session);
}

static void *in_thread(void *argument)
{
	printf("process's is shared: %d\n",
	       control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 0, 0,
		       0) == process);
	show("thread's", control(KEYCTL_GET_KEYRING_ID,
				 KEY_SPEC_THREAD_KEYRING, 0, 0, 0));
	show("made", control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_THREAD_KEYRING, 1,
			     0, 0));
	show("join", control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0));
	return argument;
}

static void sessions(void)
{
	pthread_t thread;

	show("join by name", control(KEYCTL_JOIN_SESSION_KEYRING,
				     (long)"m2s-keys", 0, 0, 0));
	session = control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0);
	show_key("session", session);
	show("with a dot", control(KEYCTL_JOIN_SESSION_KEYRING, (long)".m2s",
				   0, 0, 0));
	/* Its name is not enough to find it: that takes the right to search. */
	show("of the same name", control(KEYCTL_JOIN_SESSION_KEYRING,
					 (long)"m2s-keys", 0, 0, 0));
	printf("another: %d\n",
	       control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0) != session);
	session = control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0);
	show("setperm", control(KEYCTL_SETPERM, session, 0x3f1b0000, 0, 0));
	show("the same", control(KEYCTL_JOIN_SESSION_KEYRING,
				 (long)"m2s-keys", 0, 0, 0));
	add_text("in session", "bytes", SESSION);
	show("no process's", control(KEYCTL_GET_KEYRING_ID,
				     KEY_SPEC_PROCESS_KEYRING, 0, 0, 0));
	show("to the process's", add_text("in process", "bytes",
					  KEY_SPEC_PROCESS_KEYRING));
	process = control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 0,
			  0, 0);
	show_key("process's", process);
	show("to the thread's", add_text("in thread", "bytes",
					 KEY_SPEC_THREAD_KEYRING));
	own = control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_THREAD_KEYRING, 0, 0, 0);
	show_key("thread's", own);
	show("request", request("user", "in thread", NULL, 0));
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	printf("session has stayed: %d\n",
	       control(KEYCTL_GET_KEYRING_ID, SESSION, 0, 0, 0) == session);
	child(in_child);
	fflush(stdout);
	if (!fork()) {
		execl("/proc/self/exe", "keys", "executed", NULL);
		_exit(1);
	}
	wait(NULL);
}

static void executed(void)
{
	char text[100] = "";

	control(KEYCTL_DESCRIBE, SESSION, (long)text, sizeof text, 0);
	printf("after exec: %s\n", strrchr(text, ';'));
	show("request", request("user", "in session", NULL, 0));
	show("process's", request("user", "in process", NULL, 0));
}

/* ---- Rights and quotas, as root only ---- */

static int theirs, user;

static void become(void)
{
	setgroups(0, NULL);
	setresgid(user, user, user);
	setresuid(user, user, user);
	control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0);
}

static void other_user(void)
{
	become();
	show_key("other's", theirs);
	show("read", control(KEYCTL_READ, theirs, 0, 0, 0));
	show("update", control(KEYCTL_UPDATE, theirs, (long)"x", 1, 0));
	show("link", control(KEYCTL_LINK, theirs, SESSION, 0, 0));
	show("revoke", control(KEYCTL_REVOKE, theirs, 0, 0, 0));
	show("invalidate", control(KEYCTL_INVALIDATE, theirs, 0, 0, 0));
	show("setperm", control(KEYCTL_SETPERM, theirs, 0x3f3f3f3f, 0, 0));
	show("chown", control(KEYCTL_CHOWN, theirs, user, -1, 0));
	show("timeout", control(KEYCTL_SET_TIMEOUT, theirs, 1, 0, 0));
}

static void rights(void)
{
	static const unsigned list[] = {
		0x3f3f0000, 0x3f3f0001, 0x3f3f0003, 0x3f3f0007, 0x3f3f0010,
		0x3f3f3f00, 0x3f3f003f,
	};

	theirs = add_text("rights", "bytes", SESSION);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		printf("-- 0x%08x\n", list[i]);
		show("setperm", control(KEYCTL_SETPERM, theirs, list[i], 0,
					0));
		child(other_user);
	}
	theirs = add_text("group", "bytes", SESSION);
	show("chown group", control(KEYCTL_CHOWN, theirs, -1, user, 0));
	show("setperm", control(KEYCTL_SETPERM, theirs, 0x3f3f0300, 0, 0));
	child(other_user);
	show("setperm", control(KEYCTL_SETPERM, theirs, 0x00000000, 0, 0));
	show_key("without any", theirs);
	show("read", control(KEYCTL_READ, theirs, 0, 0, 0));
	show("setperm", control(KEYCTL_SETPERM, theirs, 0x3f3f0000, 0, 0));
	show("unlink", control(KEYCTL_UNLINK, theirs, SESSION, 0, 0));
}

static long setting(const char *name)
{
	char path[100], text[32] = "";
	int file;

	snprintf(path, sizeof path, "/proc/sys/kernel/keys/%s", name);
	file = open(path, O_RDONLY);
	if (file >= 0)
		read(file, text, sizeof text - 1);
	close(file);
	return atol(text);
}

static void use_up(void)
{
	static char bytes[4096];
	char name[16];
	long keys = setting("maxkeys"), size = setting("maxbytes");
	int i, key = 0;

	become();
	show("maxkeys", open("/proc/sys/kernel/keys/maxkeys", O_WRONLY));
	for (i = 0; key >= 0; i++) {
		snprintf(name, sizeof name, "%04d", i);
		key = add_text(name, "x", SESSION);
	}
	show("too many", key);
	/* Each is 5 bytes of name, 1 of its own and 4 of the link. */
	if (keys * 10 < size)
		printf("keys left: %ld\n", keys - i);
	show("clear", control(KEYCTL_CLEAR, SESSION, 0, 0, 0));
	usleep(200000);
	for (i = key = 0; key >= 0; i++) {
		snprintf(name, sizeof name, "%04d", i);
		key = add("user", name, bytes, sizeof bytes, SESSION);
	}
	show("too large", key);
	printf("bytes left: %ld\n",
	       size - 5 - (i - 1) * (4 + 5 + (long)sizeof bytes));
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "executed")) {
		executed();
		return 0;
	}
	if (control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0) < 0) {
		show("no keys", -1);
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "probe"))
		return control(KEYCTL_CAPABILITIES, (long)argv, 0, 0, 0) < 0;
	if (argc > 1 && !strcmp(argv[1], "ways")) {
		ways();
		return 0;
	}
	child(arguments);
	child(keys);
	child(depth);
	child(ends);
	child(sessions);
	if (getuid() == 0) {
		user = 40000 + getpid() % 20000;
		child(use_up);
		user = 39999;
		child(rights);
	}
	return 0;
}
