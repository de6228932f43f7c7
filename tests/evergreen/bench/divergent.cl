/* Work-items of a wavefront go different ways. */

#pragma OPENCL FP_CONTRACT OFF
kernel void mandelbrot(global uint *output, uint width, uint height,
		       uint limit)
{
	uint x = get_global_id(0), y = get_global_id(1), i = 0;
	float re = (float)x / (float)width * 3.0f - 2.0f;
	float im = (float)y / (float)height * 2.0f - 1.0f;
	float a = 0.0f, b = 0.0f;

	while (i < limit && a * a + b * b < 4.0f) {
		float t = a * a - b * b + re;

		b = 2.0f * a * b + im;
		a = t;
		i++;
	}
	output[y * width + x] = i;
}

kernel void collatz(global uint *output)
{
	uint n = get_global_id(0) + 1, steps = 0;

	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n >>= 1;
		steps++;
	}
	output[get_global_id(0)] = steps;
}

/* Of each 64 work-items the first `lanes` have something to do. */
kernel void few_lanes(global const float *input, global float *output,
		      uint lanes, uint rounds)
{
	uint id = get_global_id(0);
	float x = input[id], y = 0.5f, z = 0.25f;

	if (id % 64 < lanes)
		for (uint i = 0; i < rounds; i++) {
			y = y * x + 0.125f;
			z = z * y + 0.375f;
			y = y * z - x;
			z = z * x + y * 0.5f;
		}
	output[id] = y + z;
}

/* The same with more arithmetic between one branch and the next. */
kernel void few_lanes_unrolled(global const float *input,
			       global float *output, uint lanes, uint rounds)
{
	uint id = get_global_id(0);
	float x = input[id], y = 0.5f, z = 0.25f;

	if (id % 64 < lanes)
		for (uint i = 0; i < rounds; i++) {
#pragma unroll
			for (int k = 0; k < 16; k++) {
				y = y * x + 0.125f;
				z = z * y + 0.375f;
				y = y * z - x;
				z = z * x + y * 0.5f;
			}
		}
	output[id] = y + z;
}

/* For lanes.c. Of each 64 work-items those whose number in some order, over
 * `divisor`, is 0 modulo `parts` have something to do. */
kernel void lanes_in_loop(global const float *input, global float *output,
			  uint divisor, uint parts, uint rounds)
{
	uint id = get_global_id(0);
	float x = input[id], y = 0.5f, z = 0.25f;

	if (id % 64 / divisor % parts == 0)
		for (uint i = 0; i < rounds; i++) {
			y = y * x + 0.125f;
			z = z * y + 0.375f;
			y = y * z - x;
			z = z * x + y * 0.5f;
		}
	output[id] = y + z;
}

/* In each round another part of them has: so much that m2s-clc makes a branch
 * of it and not predicated operations. */
kernel void lanes_in_branch(global const float *input, global float *output,
			    uint divisor, uint parts, uint rounds)
{
	uint id = get_global_id(0), part = id % 64 / divisor % parts;
	float x = input[id], y = 0.5f, z = 0.25f;

	for (uint i = 0; i < rounds; i++)
		if (part == (i & (parts - 1))) {
#pragma unroll
			for (int k = 0; k < 4; k++) {
				y = y * x + 0.125f;
				z = z * y + 0.375f;
				y = y * z - x;
				z = z * x + y * 0.5f;
			}
		}
	output[id] = y + z;
}
