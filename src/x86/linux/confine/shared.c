#include "x86/linux/confine/shared.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

#define PREFIX "m2s-shm-"

/* A folder that is older and not locked was left by a run whose keeper was
 * killed, too. */
enum { STALE_SECONDS = 60 };

/* ---- Removing: in the keeper, which may call what a signal handler may ---- */

/* Calls `visit` for each entry of a folder until none is left that it can do
 * something about. */
static void visit_all(int folder, bool (*visit)(int folder, const char *name,
						void *owner),
		      void *owner)
{
	_Alignas(struct dirent64) char buffer[8192];
	bool progress = true;

	while (progress) {
		ssize_t size;

		progress = false;
		lseek(folder, 0, SEEK_SET);
		while ((size = getdents64(folder, buffer, sizeof buffer)) > 0)
			for (ssize_t at = 0; at < size;) {
				const struct dirent64 *entry =
					(const void *)(buffer + at);

				at += entry->d_reclen;
				if (strcmp(entry->d_name, ".") &&
				    strcmp(entry->d_name, ".."))
					progress |= visit(folder, entry->d_name,
							  owner);
			}
	}
}

static int open_folder(int folder, const char *name)
{
	return openat(folder, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool remove_one(int folder, const char *name)
{
	return unlinkat(folder, name, 0) == 0 ||
	       unlinkat(folder, name, AT_REMOVEDIR) == 0;
}

struct tree {
	int top;
	unsigned moved;
};

/* An entry of a folder in the tree: away, or up to the top. */
static bool lift(int folder, const char *name, void *owner)
{
	struct tree *tree = owner;
	char other[] = "\1" "00000000";

	if (remove_one(folder, name))
		return true;
	for (unsigned i = 0, n = tree->moved++; i < 8; i++, n >>= 4)
		other[8 - i] = "0123456789abcdef"[n & 15];
	return renameat(folder, name, tree->top, other) == 0;
}

/* However deep folders are nested, only two are open at a time. */
static bool remove_entry(int folder, const char *name, void *owner)
{
	int inner;

	if (remove_one(folder, name))
		return true;
	inner = open_folder(folder, name);
	if (inner < 0 && fchmodat(folder, name, 0700, 0) == 0)
		inner = open_folder(folder, name);
	if (inner < 0)
		return false;
	fchmod(inner, 0700);
	visit_all(inner, lift, owner);
	close(inner);
	return remove_one(folder, name);
}

static void remove_tree(int place, const char *name)
{
	struct tree tree = { open_folder(place, name), 0 };

	if (tree.top < 0)
		return;
	visit_all(tree.top, remove_entry, &tree);
	close(tree.top);
	unlinkat(place, name, AT_REMOVEDIR);
}

/* A folder of this kind that has no keeper any more. */
static bool sweep(int place, const char *name, void *owner)
{
	struct stat status;
	int folder;

	(void)owner;
	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
		return false;
	folder = open_folder(place, name);
	if (folder < 0)
		return false;
	if (fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
	    time(NULL) - status.st_mtime > STALE_SECONDS &&
	    flock(folder, LOCK_EX | LOCK_NB) == 0)
		remove_tree(place, name);
	close(folder);
	return false;
}

/* ---- The keeper ---- */

/* 1, or 0 at the end. */
static ssize_t read_byte(int socket)
{
	ssize_t got;
	char byte;

	do {
		got = read(socket, &byte, 1);
	} while (got < 0 && errno == EINTR);
	return got;
}

/* Standard input is the socket to m2s, which ends when m2s does; standard
 * output the place of the folder; standard error the folder, locked. */
_Noreturn static void keep(const char *name)
{
	prctl(PR_SET_NAME, "m2s-shm-keeper");
	if (write(STDIN_FILENO, "", 1) != 1) /* it has begun */
		_exit(1);
	visit_all(STDOUT_FILENO, sweep, NULL);
	read_byte(STDIN_FILENO);
	remove_tree(STDOUT_FILENO, name);
	_exit(0);
}

/* The keeper gets a session of its own, so that signals to a group or to a
 * terminal's processes do not reach it. */
_Noreturn static void start_keeper(int socket, int place, int folder,
				   const char *name)
{
	sigset_t all;
	int low[3] = { socket, place, folder };

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	/* None of the three may have a number that another is to get. */
	for (int i = 0; i < 3; i++)
		low[i] = fcntl(low[i], F_DUPFD, 3);
	for (int i = 0; i < 3; i++)
		if (low[i] < 0 || dup2(low[i], i) < 0)
			_exit(1);
	close_range(3, ~0U, 0);
	keep(name);
}

static void end_keeper(struct shared_folder *shared)
{
	shutdown(shared->socket, SHUT_WR);
	read_byte(shared->socket);
	close(shared->socket);
	while (shared->keeper > 0 && waitpid(shared->keeper, NULL, 0) < 0 &&
	       errno == EINTR)
		;
}

static int fork_keeper(struct shared_folder *shared, int place, int folder)
{
	const char *name = strrchr(shared->path, '/') + 1;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -1;
	shared->keeper = fork();
	if (shared->keeper == 0)
		start_keeper(ends[1], place, folder, name);
	close(ends[1]);
	shared->socket = ends[0];
	if (read_byte(ends[0]) == 1)
		return 0;
	end_keeper(shared);
	errno = EAGAIN;
	return -1;
}

/* ---- The folder ---- */

static int open_in(struct shared_folder *shared, const char *where)
{
	int place = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int locked, result = -1;

	snprintf(shared->path, sizeof shared->path, "%s/" PREFIX "XXXXXX",
		 where);
	if (place < 0 || !mkdtemp(shared->path))
		goto failed;
	chmod(shared->path, 01777);
	shared->folder = open(shared->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	locked = open(shared->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (shared->folder >= 0 && locked >= 0 &&
	    flock(locked, LOCK_EX | LOCK_NB) == 0)
		result = fork_keeper(shared, place, locked);
	if (locked >= 0)
		close(locked);
	if (result) {
		close(shared->folder);
		rmdir(shared->path);
	}
failed:
	if (place >= 0)
		close(place);
	return result;
}

int shared_open(struct shared_folder *shared, struct error *error)
{
	const char *const places[] = { "/dev/shm", P_tmpdir };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (!open_in(shared, places[i]))
			return 0;
	*shared = (struct shared_folder){ .folder = -1 };
	return error_set(error,
			 "--x86-root: cannot make a folder for /dev/shm in "
			 "/dev/shm or " P_tmpdir ": %s", strerror(errno));
}

void shared_close(struct shared_folder *shared)
{
	if (!shared->path[0])
		return;
	close(shared->folder);
	end_keeper(shared);
	*shared = (struct shared_folder){ .folder = -1 };
}
