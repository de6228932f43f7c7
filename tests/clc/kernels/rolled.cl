/* What clang unrolls into basic blocks that LLVM's back end finds no registers
 * for: compiled again without unrolling. Tridiagonal systems by elimination and
 * substitution, one to a work-item. */
enum { LENGTH = 128 };

kernel void tridiagonal(global float *solution, global const float *low,
			global const float *middle, global const float *high,
			global const float *right, int systems)
{
	float ratio[LENGTH], value, factor, scale;
	int at;

	if ((int)get_global_id(0) % 8 >= systems)
		return;
	at = get_global_id(0) * LENGTH;
	ratio[1] = -native_divide(high[at], middle[at]);
	value = native_divide(right[at], middle[at]);
	solution[at] = value;
	for (int k = 1; k < LENGTH - 1; k++) {
		at++;
		factor = low[at];
		scale = native_recip(factor * ratio[k] + middle[at]);
		value = (right[at] - factor * value) * scale;
		solution[at] = value;
		ratio[k + 1] = -high[at] * scale;
	}
	at++;
	factor = low[at];
	scale = native_recip(factor * ratio[LENGTH - 1] + middle[at]);
	value = (right[at] - factor * value) * scale;
	solution[at] = value;
	for (int k = LENGTH - 2; k >= 0; k--) {
		at--;
		value = solution[at] + value * ratio[k + 1];
		solution[at] = value;
	}
}
