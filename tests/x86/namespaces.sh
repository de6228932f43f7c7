#!/bin/bash
# Namespaces of guests, natively and under m2s; and what they do not give.
set -u
top_srcdir=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}
m2s=${M2S:-m2s}
m2s=$(command -v "$m2s")
m2s=$(cd "$(dirname "$m2s")" && pwd)/$(basename "$m2s")
CC=${CC:-gcc}
work=$(mktemp -d "${TMPDIR:-/tmp}/m2s-namespaces-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 1
failed=0
. "$top_srcdir/tests/x86/native.sh"

abis=64
[ "${HAVE_M32:-yes}" = no ] || abis="64 32"
# The native run makes all of them, as root and as somebody else.
able=
if [ "$(id -u)" = 0 ] &&
   unshare --user --map-root-user --pid --fork --ipc --uts --mount --cgroup \
	--time true 2>/dev/null; then
	able=yes
fi

for abi in $abis; do
	"$CC" -O2 -w -D_GNU_SOURCE -m$abi \
		"$top_srcdir/tests/x86/programs/namespaces.c" \
		-o namespaces.$abi -lrt || exit 1
	if [ -z "$able" ]; then
		echo "ok - namespaces, $abi bits # SKIP needs root and namespaces"
		continue
	fi
	mkdir -p native.d simulated.d
	(cd native.d && timeout 100 ../namespaces.$abi >../native 2>/dev/null \
		</dev/null)
	native=$?
	(cd simulated.d && timeout 100 "$m2s" --quiet ../namespaces.$abi \
		>../simulated 2>../simulated.err </dev/null)
	judge "namespaces, $abi bits" $native $?
done

# Settings that are not of any namespace natively, so under m2s alone: how many
# descriptors a table may have; which id comes next, and that what is known of a
# process by descriptor is not another's with its id.
"$CC" -O2 -w -D_GNU_SOURCE -static -x c -o settings - <<'END' || exit 1
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int set(const char *name, int value)
{
	char path[60];
	int file, result;

	snprintf(path, sizeof path, "/proc/sys/%s", name);
	file = open(path, O_WRONLY);
	result = file < 0 ? -1 : dprintf(file, "%d", value);
	result = result < 0 ? errno : 0;
	close(file);
	return result;
}

static int folder(int id)
{
	char path[40];

	snprintf(path, sizeof path, "/proc/%d", id);
	return open(path, O_DIRECTORY | O_RDONLY);
}

int main(int argc, char **argv)
{
	struct rlimit limit = { 512, 512 };
	struct stat first, second;
	int child, file, pidfd, other;
	uint64_t fork_files[11] = { CLONE_FILES, 0, 0, 0, SIGCHLD };

	if (argc > 1)
		return set("fs/nr_open", 64) != EACCES ||
		       !set("kernel/ns_last_pid", 500);
	child = fork();
	if (!child)
		_exit(0);
	file = folder(child);
	pidfd = syscall(SYS_pidfd_open, child, 0);
	fstat(file, &first);
	waitpid(child, NULL, 0);
	if (set("kernel/ns_last_pid", child - 1))
		return 1;
	other = fork();
	if (!other)
		pause();
	fstat(folder(other), &second);
	if (other != child || first.st_ino == second.st_ino ||
	    !syscall(SYS_pidfd_send_signal, file, SIGKILL, NULL, 0) ||
	    errno != ESRCH ||
	    !syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) ||
	    errno != ESRCH)
		return 2;
	kill(other, SIGKILL);
	wait(NULL);
	dup2(2, 65);
	if (set("fs/nr_open", 63) != EINVAL || set("fs/nr_open", 64))
		return 3;
	if (dup(2) >= 64 || dup2(2, 70) >= 0 || fork() >= 0 || errno != EMFILE)
		return 4;
	if (!setrlimit(RLIMIT_NOFILE, &limit) || errno != EPERM)
		return 5;
	if (!syscall(SYS_clone3, fork_files, sizeof fork_files))
		_exit(!unshare(CLONE_FILES) || errno != EMFILE);
	wait(&child);
	return child ? 6 : 0;
}
END
before=$(cat /proc/sys/fs/nr_open)
as_user=
[ "$(id -u)" != 0 ] || as_user="setpriv --reuid 65534 --regid 65534 --clear-groups"
for mode in "" user; do
	if [ -z "$mode" ] && [ "$(id -u)" != 0 ]; then
		echo "ok - settings # SKIP needs root"
		continue
	fi
	${mode:+$as_user} timeout 100 "$m2s" --quiet ./settings $mode \
		>settings.out 2>&1 </dev/null
	status=$?
	if [ $status -eq 0 ] && [ "$before" = "$(cat /proc/sys/fs/nr_open)" ]
	then
		echo "ok - settings${mode:+, as a user}"
	else
		echo "not ok - settings${mode:+, as a user}: status $status"
		sed 's/^/# /' settings.out
		failed=1
	fi
done

# What a guest makes of itself in a user namespace is nothing to the host: it
# reads what its user may read, be it called the superuser.
mkdir root root/bin
"$CC" -O2 -w -D_GNU_SOURCE -static -x c -o root/bin/gain - <<'END' || exit 1
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	int map, user = getuid();

	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS))
		return 3;
	map = open("/proc/self/uid_map", O_WRONLY);
	if (dprintf(map, "0 %d 1", user) < 0 || getuid() != 0 ||
	    sethostname("inside", 6))
		return 2;
	if (!chown("/secret", 0, 5) || !mknod("/zero", S_IFCHR | 0666, 0x105) ||
	    open("../outside", O_RDONLY) >= 0)
		return 1;
	return user && (open("/secret", O_RDONLY) >= 0 ||
			!chmod("/secret", 0777));
}
END
echo outside >outside
echo secret >root/secret
chmod 0 root/secret
nobody=
if [ "$(id -u)" = 0 ]; then
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups"
	chmod 777 root
fi
for how in kernel emulated "kernel as it is"; do
	confine=${how%% *}
	user=$nobody
	[ "$how" = "$confine" ] || user=
	$user timeout 100 "$m2s" --quiet --x86-confine $confine \
		--x86-root "$work/root" /bin/gain >gain.out 2>gain.err \
		</dev/null
	status=$?
	if [ $status -ne 0 ] && grep -q "cannot be had\|not allowed" gain.err
	then
		echo "ok - nothing is gained, $how # SKIP $(head -1 gain.err)"
	elif [ $status -eq 0 ]; then
		echo "ok - nothing is gained, $how"
	else
		echo "not ok - nothing is gained, $how: status $status"
		sed 's/^/# /' gain.err
		failed=1
	fi
done

# A checkpoint of a program that is in one is refused.
"$CC" -O2 -w -D_GNU_SOURCE -static -x c -o stay - <<'END' || exit 1
#include <sched.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc > 1 && unshare(CLONE_NEWUSER | CLONE_NEWUTS))
		return 3;
	for (volatile int i = 0; i < 3000000; i++)
		;
	return 0;
}
END
for arguments in "" "in one"; do
	rm -f saved
	"$m2s" --quiet --x86-save-checkpoint saved --x86-checkpoint-at 2000000 \
		./stay $arguments >save.out 2>save.err </dev/null
	status=$?
	if [ -z "$arguments" ]; then
		[ -s saved ]
	else
		! [ -s saved ] && grep -q "has made namespaces" save.err
	fi
	if [ $? -eq 0 ]; then
		echo "ok - a checkpoint, ${arguments:-without a namespace}"
	else
		echo "not ok - a checkpoint, ${arguments:-without a namespace}"
		sed 's/^/# /' save.err
		failed=1
	fi
done
exit $failed
