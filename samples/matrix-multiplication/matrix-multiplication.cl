/* C = A B for square matrices of n columns. A work-group computes a square of
 * TILE x TILE elements, with both operand tiles in local memory. */
#define TILE 8

/* Each work-item computes four neighbours of a row. */
kernel void matrix_multiplication(global const float4 *a,
				  global const float4 *b, global float4 *c,
				  uint n4, local float4 *tile_a,
				  local float4 *tile_b)
{
	uint x = get_global_id(0), y = get_global_id(1);
	uint local_x = get_local_id(0), local_y = get_local_id(1);
	float4 sum = (float4)(0.0f);

	/* A tile is TILE float4 wide and 4 * TILE rows high for b, TILE rows
	 * high for a. */
	for (uint start = 0; start < n4; start += TILE) {
		tile_a[local_y * TILE + local_x] = a[y * n4 + start + local_x];
		for (uint row = 0; row < 4; row++)
			tile_b[(local_y * 4 + row) * TILE + local_x] =
				b[((start + local_y) * 4 + row) * n4 + x];
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint k = 0; k < TILE; k++) {
			float4 left = tile_a[local_y * TILE + k];

			sum += left.x * tile_b[(k * 4 + 0) * TILE + local_x];
			sum += left.y * tile_b[(k * 4 + 1) * TILE + local_x];
			sum += left.z * tile_b[(k * 4 + 2) * TILE + local_x];
			sum += left.w * tile_b[(k * 4 + 3) * TILE + local_x];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	c[y * n4 + x] = sum;
}
