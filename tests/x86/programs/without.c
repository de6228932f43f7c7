/* without NAME PROGRAM [ARGUMENTS...]: runs a program on a kernel that lacks
 * some of its calls, as old kernels and containers do. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	int number, code;
} calls[] = {
	{ "landlock", SYS_landlock_create_ruleset, ENOSYS },
	{ "namespaces", SYS_unshare, EPERM },
	{ "filters", SYS_seccomp, ENOSYS },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof calls / sizeof *calls; i++) {
		struct sock_filter lines[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
				 offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
				 (unsigned)calls[i].number, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO |
				 (unsigned)calls[i].code),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		struct sock_fprog program = { 4, lines };

		if (strcmp(calls[i].name, argv[1]))
			continue;
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			break;
		execvp(argv[2], argv + 2);
	}
	perror("without");
	return 127;
}
