/* Transposes a square matrix tile by tile: rows of a tile are read and written
 * in order, the turn happens in local memory. */
#define TILE 16

kernel void matrix_transpose(global const float *input, global float *output,
			     uint n)
{
	local float tile[TILE * TILE];
	uint local_x = get_local_id(0), local_y = get_local_id(1);
	uint group_x = get_group_id(0), group_y = get_group_id(1);

	tile[local_y * TILE + local_x] =
		input[(group_y * TILE + local_y) * n + group_x * TILE +
		      local_x];
	barrier(CLK_LOCAL_MEM_FENCE);
	output[(group_x * TILE + local_y) * n + group_y * TILE + local_x] =
		tile[local_x * TILE + local_y];
}
