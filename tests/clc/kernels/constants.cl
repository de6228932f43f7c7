/* Constant tables in the program, alone and mixed with arguments. */
constant float weights[5] = { 0.1f, 0.2f, 0.4f, 0.2f, 0.1f };
static constant int odd[8] = { 1, 3, 5, 7, 9, 11, 13, 15 };
constant int even[8] = { 0, 2, 4, 6, 8, 10, 12, 14 };

kernel void table(global float *out, int i)
{
	out[0] = weights[i];
}

kernel void chosen(global int *out, int which)
{
	constant int *p = which ? odd : even;

	out[get_global_id(0)] = p[get_global_id(0) & 7];
}

kernel void mixed(global int *out, constant int *given, int which)
{
	constant int *p = which ? odd : given;

	out[get_global_id(0)] = p[get_global_id(0) & 7];
}

kernel void literals(global float *out)
{
	const float taps[4] = { 1.5f, 2.5f, 3.5f, 4.5f };

	out[get_global_id(0)] = taps[get_global_id(0) & 3];
}
