/* A product of tiles in local memory: its barriers stand in the way of a spiller.
 */
#define TILE 8
kernel void matrix(global double *c, global const double *a,
		   global const double *b)
{
	local double left[TILE][TILE], right[TILE][TILE];
	size_t x = get_local_id(0), y = get_local_id(1), n = get_global_size(0);
	size_t column = get_global_id(0), row = get_global_id(1);
	double sum = 0;

	for (size_t k = 0; k < n; k += TILE) {
		left[y][x] = a[row * n + k + x];
		right[y][x] = b[(k + y) * n + column];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (int i = 0; i < TILE; i++)
			sum = fma(left[y][i], right[i][x], sum);
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[row * n + column] = sum;
}
