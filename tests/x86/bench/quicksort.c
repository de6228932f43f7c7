/* Integer: quicksort of our own, and the library's qsort with its call for
 * each comparison. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000000 };
static uint32_t first[COUNT], second[COUNT];

static void quicksort(uint32_t *low, uint32_t *high)
{
	while (low < high) {
		uint32_t pivot = low[(high - low) / 2];
		uint32_t *i = low, *j = high;

		do {
			while (*i < pivot)
				i++;
			while (*j > pivot)
				j--;
			if (i <= j) {
				uint32_t swap = *i;

				*i++ = *j;
				*j-- = swap;
			}
		} while (i <= j);
		/* The shorter part first: the stack stays small. */
		if (j - low < high - i) {
			quicksort(low, j);
			low = i;
		} else {
			quicksort(i, high);
			high = j;
		}
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	uint32_t seed = 1;
	int same = 1;

	for (int i = 0; i < COUNT; i++) {
		seed = seed * 1664525 + 1013904223;
		first[i] = second[i] = seed >> 4;
	}
	quicksort(first, first + COUNT - 1);
	qsort(second, COUNT, sizeof *second, compare);
	for (int i = 0; i < COUNT; i++)
		same &= first[i] == second[i];
	printf("%u %u %u %s\n", first[0], first[COUNT / 2], first[COUNT - 1],
	       same ? "same" : "different");
}
