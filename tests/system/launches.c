/* A program that launches an empty kernel as often as it is told: run inside
 * m2s by reports.sh. */
#include "host.h"

#include <stdlib.h>

static const char *source = "kernel void nothing(void) {}";

int main(int argc, char **argv)
{
	size_t one = 1;
	struct host host;

	if (argc != 2 || host_begin(&host, source, "nothing"))
		return 1;
	for (int i = atoi(argv[1]); i > 0; i--)
		if (clEnqueueNDRangeKernel(host.queue, host.kernel, 1, NULL,
					   &one, &one, 0, NULL,
					   NULL) != CL_SUCCESS)
			return 2;
	return clFinish(host.queue) != CL_SUCCESS;
}
