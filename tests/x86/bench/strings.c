/* String functions of the C library: what the loader chooses for the CPU
 * model. Short and long strings. */
#include <stdio.h>
#include <string.h>

enum { LONG = 1 << 16, ROUNDS = 2500 };
static char source[LONG + 64], target[LONG + 64];

int main(void)
{
	static const char *const words[] = {
		"a", "word", "of", "several", "different",
		"lengths-some-of-them-long",
	};
	char line[256];
	size_t sum = 0;

	memset(source, 'x', LONG);
	for (int round = 0; round < ROUNDS; round++) {
		size_t shift = (size_t)round % 31;

		memcpy(target + shift, source, LONG - shift);
		target[LONG - 1] = 0;
		sum += strlen(target + shift);
		sum += memchr(target + shift, 0, LONG) != NULL;
		sum += (size_t)(memcmp(target + 40, source + 8, 8000) != 0);
		source[round % LONG] ^= 1;
	}
	for (int round = 0; round < ROUNDS * 100; round++) {
		line[0] = 0;
		for (int i = 0; i < 6; i++)
			strcat(line, words[(round + i) % 6]);
		sum += strlen(line) + (strchr(line, '-') != NULL) +
		       (size_t)(strcmp(line, words[round % 6]) > 0);
	}
	printf("%zu\n", sum);
}
