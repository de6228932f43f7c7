/* 50 forks with 64 MB written before, a page of it before each. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	const size_t size = (size_t)64 << 20;
	char *memory = malloc(size);
	int sum = 0;

	for (size_t i = 0; i < size; i += 4096)
		memory[i] = 1;
	for (int i = 0; i < 50; i++) {
		int status;

		memory[i * 40960] = 2;
		if (!fork())
			_exit(memory[i * 40960]);
		wait(&status);
		sum += WEXITSTATUS(status);
	}
	printf("%d\n", sum);
}
