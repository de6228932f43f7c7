/* A Gaussian blur by recursion (Deriche, 1993): a work-item filters one column
 * of pixels, once downward and once upward, and adds the two. The transpose
 * between two such passes makes it a filter of rows and columns. */
kernel void recursive_gaussian(global const float4 *input,
			       global float4 *output, uint width, uint height,
			       float8 coefficients)
{
	float a0 = coefficients.s0, a1 = coefficients.s1;
	float a2 = coefficients.s2, a3 = coefficients.s3;
	float b1 = coefficients.s4, b2 = coefficients.s5;
	float first = coefficients.s6, last = coefficients.s7;
	uint x = get_global_id(0);
	float4 x1 = input[x], y1 = x1 * first, y2 = y1;

	for (uint y = 0; y < height; y++) {
		float4 x0 = input[y * width + x];
		float4 y0 = a0 * x0 + a1 * x1 - b1 * y1 - b2 * y2;

		output[y * width + x] = y0;
		x1 = x0;
		y2 = y1;
		y1 = y0;
	}
	float4 x2;
	x1 = x2 = input[(height - 1) * width + x];
	y1 = y2 = x1 * last;
	for (uint y = height; y-- > 0;) {
		float4 x0 = input[y * width + x];
		float4 y0 = a2 * x1 + a3 * x2 - b1 * y1 - b2 * y2;

		output[y * width + x] += y0;
		x2 = x1;
		x1 = x0;
		y2 = y1;
		y1 = y0;
	}
}

kernel void transpose(global const float4 *input, global float4 *output,
		      uint width, uint height)
{
	uint x = get_global_id(0), y = get_global_id(1);

	output[x * height + y] = input[y * width + x];
}
