/* One instruction of a kind that not every processor has: the first argument
 * says which. */
#include <stdio.h>

int main(int count, char **arguments)
{
	int number = 0;

	switch (count > 1 ? arguments[1][0] : 0) {
	case 'a': /* AVX2 */
		asm volatile("vpaddd %%ymm0, %%ymm1, %%ymm2" ::: "xmm2");
		break;
	case 'b': /* BMI1 */
		asm volatile("andn %0, %0, %0" : "+r"(number));
		break;
	case 's': /* SHA */
		asm volatile("sha1nexte %%xmm0, %%xmm1" ::: "xmm1");
		break;
	case 'z': /* AVX-512 */
		asm volatile("vpaddd %%zmm0, %%zmm1, %%zmm2" ::: "xmm2");
		break;
	}
	puts("executed");
	return 0;
}
