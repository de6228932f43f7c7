/* x87: long double, on both ABIs. */
#include <stdio.h>

int main(void)
{
	enum { STEPS = 6000000 };
	long double x = 1.5L, y = 0.25L, sum = 0;
	double fraction = 0.75;
	int whole = 3;

	for (int i = 1; i <= STEPS; i++) {
		x = x * 0.999L + y / (long double)i;
		y = y + fraction - x * x * 0.0625L;
		if (y > 4)
			y -= whole;
		sum += x < y ? x : -y;
	}
	printf("%.18Lg %.18Lg %.18Lg\n", x, y, sum);
}
