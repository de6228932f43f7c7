/* Integer: the sieve of Eratosthenes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 2000000, ROUNDS = 10 };

int main(void)
{
	char *composite = malloc(LIMIT);
	int count = 0;

	for (int round = 0; round < ROUNDS; round++) {
		memset(composite, 0, LIMIT);
		count = 0;
		for (int i = 2; i < LIMIT; i++) {
			if (composite[i])
				continue;
			count++;
			for (long long j = (long long)i * i; j < LIMIT; j += i)
				composite[j] = 1;
		}
	}
	printf("%d primes below %d\n", count, LIMIT);
	free(composite);
}
