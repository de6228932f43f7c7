#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void polynomial(global const double *input, global double *output,
		       uint rounds)
{
	uint id = get_global_id(0);
	double x = input[id], y = 0.5, z = 0.25;

	for (uint i = 0; i < rounds; i++) {
		y = fma(y, x, 0.5);
		z = fma(z, y, 0.5);
		y = y * z;
		z = z + x;
	}
	output[id] = y + z;
}
