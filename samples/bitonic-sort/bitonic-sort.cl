/* One pass of the bitonic network (Batcher, 1968): each work-item orders one
 * pair. `stage` says how long the runs to merge are, `pass` how far the pair's
 * elements lie apart in it. */
kernel void bitonic_sort(global uint *keys, uint stage, uint pass)
{
	uint id = get_global_id(0);
	uint distance = 1u << (stage - pass);
	uint left = (id % distance) + (id / distance) * 2 * distance;
	uint right = left + distance;
	uint a = keys[left], b = keys[right];
	bool descending = (id >> stage) & 1;
	uint low = min(a, b), high = max(a, b);

	keys[left] = descending ? high : low;
	keys[right] = descending ? low : high;
}
