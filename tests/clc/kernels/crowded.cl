/* Thirty vectors live through a loop: as it is LLVM needs 65 registers, with
 * scalar operations 60. GROUP is an attribute or nothing. */
#ifndef GROUP
#define GROUP
#endif
#define EACH(DO)                                                               \
	DO(0, 1, 2) DO(1, 2, 3) DO(2, 3, 4) DO(3, 4, 5) DO(4, 5, 6)            \
	DO(5, 6, 7) DO(6, 7, 8) DO(7, 8, 9) DO(8, 9, 10) DO(9, 10, 11)         \
	DO(10, 11, 12) DO(11, 12, 13) DO(12, 13, 14) DO(13, 14, 15)            \
	DO(14, 15, 16) DO(15, 16, 17) DO(16, 17, 18) DO(17, 18, 19)            \
	DO(18, 19, 20) DO(19, 20, 21) DO(20, 21, 22) DO(21, 22, 23)            \
	DO(22, 23, 24) DO(23, 24, 25) DO(24, 25, 26) DO(25, 26, 27)            \
	DO(26, 27, 28) DO(27, 28, 29) DO(28, 29, 0) DO(29, 0, 1)
#define LOAD(a, b, c) float4 v##a = p[a * n + i];
#define STEP(a, b, c) v##a = v##a.wxyz * v##b + v##c.yzwx;
#define STORE(a, b, c) p[a * n + i] = v##a;

__kernel GROUP void crowd(__global float4 *p, int n)
{
	int i = get_global_id(0);

	EACH(LOAD)
	for (int t = 0; t < n; t++) {
		EACH(STEP)
	}
	EACH(STORE)
}
