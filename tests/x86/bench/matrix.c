/* Scalar double: matrix multiplication as first written down. */
#include <stdio.h>

enum { N = 200, ROUNDS = 6 };
static double a[N][N], b[N][N], c[N][N];

int main(void)
{
	double trace = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			a[i][j] = i + j;
			b[i][j] = i - j;
		}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				double sum = 0;

				for (int k = 0; k < N; k++)
					sum += a[i][k] * b[k][j];
				c[i][j] = sum;
			}
	for (int i = 0; i < N; i++)
		trace += c[i][i] * (i + 1);
	printf("trace %g\n", trace);
}
