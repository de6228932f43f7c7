/* Shortest paths between all pairs of nodes of a dense graph. */
#include <stdlib.h>
#include <string.h>

#include "sample.h"

enum { TILE = 8, FARTHEST = 1000 };

static void reference(uint32_t *distance, size_t n)
{
	for (size_t via = 0; via < n; via++)
		for (size_t y = 0; y < n; y++)
			for (size_t x = 0; x < n; x++) {
				uint32_t detour = distance[y * n + via] +
						  distance[via * n + x];

				if (detour < distance[y * n + x])
					distance[y * n + x] = detour;
			}
}

int main(int argc, char **argv)
{
	struct sample sample;
	uint32_t *distance, *path, *expected;
	size_t n, size, global[2], local[2] = { TILE, TILE };
	cl_mem buffer[2];
	cl_kernel kernel;
	cl_uint nodes;
	int status;

	sample_open(&sample, "floyd-warshall", argc, argv, 64, TILE, 32768,
		    "nodes, a multiple of 8 (default 64)", "");
	n = sample.n;
	nodes = (cl_uint)n;
	size = n * n * sizeof *distance;
	distance = sample_allocate(size);
	path = sample_allocate(size);
	expected = sample_allocate(size);
	for (size_t y = 0; y < n; y++)
		for (size_t x = 0; x < n; x++) {
			distance[y * n + x] =
				x == y ? 0
				       : 1 + sample_random(&sample) % FARTHEST;
			path[y * n + x] = (uint32_t)x;
		}
	memcpy(expected, distance, size);
	reference(expected, n);
	buffer[0] = sample_buffer(&sample, size, distance);
	buffer[1] = sample_buffer(&sample, size, path);
	kernel = sample_kernel(&sample, "floyd_warshall");
	global[0] = global[1] = n;
	for (cl_uint via = 0; via < nodes; via++) {
		sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
				 SAMPLE_ARGUMENT(buffer[1]),
				 SAMPLE_ARGUMENT(nodes), SAMPLE_ARGUMENT(via),
				 SAMPLE_END);
		sample_run(&sample, kernel, 2, global, local);
	}
	sample_read(&sample, buffer[0], size, distance);
	status = sample_verdict_u32(&sample, expected, distance, n * n);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(distance);
	free(path);
	free(expected);
	return status;
}
