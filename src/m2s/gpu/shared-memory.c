/* Buffers that are memory of a program, for a GPU that has one memory with the
 * cores and a coherent way to it. */
#include <stdlib.h>

#include "base/memory.h"
#include "evergreen/timing/timing.h"
#include "m2s/gpu/internal.h"

enum { PAGE = 1 << GPU_PAGE_BITS };

bool gpu_reaches_programs(const struct gpu *gpu)
{
	return gpu->shares && memsys_coherent_entry(gpu->memsys, 0);
}

static void drop(struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->shared_count; i++)
		free(gpu->shared_pages[i]);
	free(gpu->shared_pages);
	free(gpu->shared);
	gpu->shared = NULL;
	gpu->shared_pages = NULL;
	gpu->shared_count = 0;
}

uint64_t *gpu_find_pages(const struct gpu *gpu, uint64_t pointer,
			 uint64_t bytes, bool written)
{
	uint64_t first = pointer & ~(uint64_t)(PAGE - 1);
	uint64_t count = (pointer + bytes - first + PAGE - 1) / PAGE;
	uint64_t *pages = xcalloc(count, sizeof *pages);

	for (uint64_t i = 0; i < count; i++)
		if (!gpu->options.place(gpu->options.place_owner,
					first + i * PAGE, written,
					&pages[i])) {
			free(pages);
			return NULL;
		}
	return pages;
}

void gpu_share(struct gpu *gpu, const struct opencl_shared_buffer *buffers,
	       size_t count)
{
	drop(gpu);
	gpu->shared = xcalloc(count + 1, sizeof *gpu->shared);
	gpu->shared_pages = xcalloc(count + 1, sizeof *gpu->shared_pages);
	for (size_t i = 0; i < count; i++) {
		const struct opencl_shared_buffer *buffer = &buffers[i];
		uint64_t *pages = gpu_find_pages(gpu, buffer->pointer,
						 buffer->size,
						 buffer->written);

		if (!pages)
			continue;
		gpu->shared_pages[gpu->shared_count] = pages;
		gpu->shared[gpu->shared_count++] = (struct evg_shared_memory){
			.address = buffer->address,
			.size = (uint32_t)buffer->size,
			.offset = buffer->pointer % PAGE,
			.pages = pages,
		};
	}
	evg_timing_share(gpu->timing, gpu->shared, gpu->shared_count);
}

void gpu_share_free(struct gpu *gpu)
{
	drop(gpu);
}
