/* Products of rows in local memory: reads that can be paired and packed. */
kernel void products(global const float *a, global float *out)
{
	local float rows[256];
	int i = get_local_id(0);
	float sum = 0;

	rows[i] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 16; k++)
		sum += rows[16 * (i % 16) + k] * rows[16 * k + i / 16];
	out[get_global_id(0)] = sum;
}
