/* Levels of the one-dimensional Haar wavelet transform. A work-group takes a
 * run of 2 * local size elements through as many levels as it can: each level
 * halves the run of averages; differences go to their places in `output`. The
 * average that is left goes to `averages`, the input of the next launch. */
kernel void dwt_haar_1d(global const float *input, global float *output,
			global float *averages, uint count, local float *run)
{
	const float scale = 0.70710678118654752440f; /* 1 / sqrt(2) */
	uint id = get_local_id(0), items = get_local_size(0);
	uint group = get_group_id(0), base = group * 2 * items;

	run[2 * id] = input[base + 2 * id];
	run[2 * id + 1] = input[base + 2 * id + 1];
	/* `half_count` is where the differences of a level start; this
	 * group's share of them is `active` elements. */
	uint half_count = count / 2;
	for (uint active = items; active > 0; active /= 2) {
		float average = 0.0f;

		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < active) {
			float left = run[2 * id], right = run[2 * id + 1];

			average = (left + right) * scale;
			output[half_count + group * active + id] =
				(left - right) * scale;
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (id < active)
			run[id] = average;
		half_count /= 2;
	}
	if (id == 0)
		averages[group] = run[0];
}
