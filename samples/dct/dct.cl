/* The discrete cosine transform of each 8 x 8 block: two products with the
 * 8 x 8 matrix of the transform, the first kept in local memory. */
#define BLOCK 8

kernel void dct(global const float *input, global const float *matrix,
		global float *output, uint width)
{
	local float rows[BLOCK * BLOCK];
	uint x = get_local_id(0), y = get_local_id(1);
	uint base = get_group_id(1) * BLOCK * width + get_group_id(0) * BLOCK;
	float sum = 0.0f;

	for (uint k = 0; k < BLOCK; k++)
		sum += matrix[y * BLOCK + k] * input[base + k * width + x];
	rows[y * BLOCK + x] = sum;
	barrier(CLK_LOCAL_MEM_FENCE);
	sum = 0.0f;
	for (uint k = 0; k < BLOCK; k++)
		sum += rows[y * BLOCK + k] * matrix[x * BLOCK + k];
	output[base + y * width + x] = sum;
}
