/* One round of the all-pairs shortest path: paths through node `via`. */
kernel void floyd_warshall(global uint *distance, global uint *path, uint n,
			   uint via)
{
	uint x = get_global_id(0), y = get_global_id(1);
	uint direct = distance[y * n + x];
	uint detour = distance[y * n + via] + distance[via * n + x];

	if (detour < direct) {
		distance[y * n + x] = detour;
		path[y * n + x] = via;
	}
}
