/* Seven hundred processes at once, each with memory and a descriptor of its
 * own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 700 };

int main(void)
{
	int go[2], done[2], status, sum = 0, started = 0;
	char *memory = malloc(100000), byte;

	if (pipe(go) || pipe(done))
		return 1;
	memset(memory, 1, 100000);
	for (int i = 0; i < MANY; i++) {
		pid_t child = fork();

		if (child == 0) {
			close(go[1]);
			memory[i] = (char)i;
			if (write(done[1], "", 1) != 1 ||
			    read(go[0], &byte, 1) != 0)
				_exit(255);
			_exit(memory[i] == (char)i && memory[i + 1] == 1
				      ? i % 7 : 254);
		}
		started += child > 0;
	}
	printf("started %d\n", started);
	for (int i = 0; i < started; i++)
		sum += (int)read(done[0], &byte, 1);
	printf("at once %d\n", sum);
	close(go[1]);
	for (sum = 0; wait(&status) > 0;)
		sum += WEXITSTATUS(status);
	printf("statuses %d\n", sum);
	return 0;
}
