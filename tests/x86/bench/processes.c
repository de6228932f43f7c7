/* fork, and fork with exec of this program, and wait. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	enum { ROUNDS = 100 };
	int sum = 0;

	if (argc > 1)
		return atoi(argv[1]);
	for (int i = 0; i < 2 * ROUNDS; i++) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			if (i & 1)
				execl(argv[0], argv[0], "7", (char *)NULL);
			_exit(7);
		}
		waitpid(child, &status, 0);
		sum += WEXITSTATUS(status);
	}
	printf("%d\n", sum);
}
