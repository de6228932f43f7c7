/* The local part of AMD's histogram of bytes: work-groups of 256 count in 16
 * copies of the bins, of which a work-item takes the one that its number names,
 * so that neighbours are in different banks. With READ_ONLY it does not count. */
#define BINS 256
#define COPIES 16

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram(global const uint4 *image, global uint *counts, uint rounds)
{
	local uint bins[BINS * COPIES];
	uint item = get_local_id(0), from = item % COPIES;
	uint next = get_global_id(0), sum = 0;

	for (uint i = item; i < BINS * COPIES; i += BINS)
		bins[i] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = 0; r < rounds; r++, next += get_global_size(0)) {
		uint4 v = image[next];

#ifdef READ_ONLY
		sum += v.x + v.y + v.z + v.w;
#else
		for (uint b = 0; b < 32; b += 8) {
			uint4 at = (v >> b & 255) * COPIES + from;

			atomic_inc(&bins[at.x]);
			atomic_inc(&bins[at.y]);
			atomic_inc(&bins[at.z]);
			atomic_inc(&bins[at.w]);
		}
#endif
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < COPIES; i++)
		sum += bins[item * COPIES + (item + i) % COPIES];
	counts[get_group_id(0) * BINS + item] = sum;
}
