/* /proc/self/pagemap (Documentation/admin-guide/mm/pagemap.rst of the
 * kernel): which pages of the host were touched. */
#include <fcntl.h>
#include <unistd.h>

#include "memsys/space/layer.h"

#define PAGEMAP_HERE (UINT64_C(3) << 62) /* present, or swapped out */
#define PAGEMAP_FILE (UINT64_C(1) << 61) /* still the file's */

void pagemap_open(struct pagemap *pagemap)
{
	pagemap->file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	pagemap->first = pagemap->count = 0;
}

void pagemap_close(struct pagemap *pagemap)
{
	if (pagemap->file >= 0)
		close(pagemap->file);
}

static bool read_entries(struct pagemap *pagemap, uint64_t page)
{
	ssize_t size = pagemap->file < 0 ? -1
		: pread(pagemap->file, pagemap->entry, sizeof pagemap->entry,
			(off_t)(page * sizeof *pagemap->entry));

	pagemap->first = page;
	pagemap->count =
		size > 0 ? (uint64_t)size / sizeof *pagemap->entry : 0;
	return pagemap->count;
}

static bool differs(struct pagemap *pagemap, const uint8_t *host)
{
	uint64_t page = (uint64_t)(uintptr_t)host / SPACE_PAGE, entry;

	if (page - pagemap->first >= pagemap->count &&
	    !read_entries(pagemap, page))
		return true;
	entry = pagemap->entry[page - pagemap->first];
	return (entry & PAGEMAP_HERE) && !(entry & PAGEMAP_FILE);
}

bool pagemap_next(struct pagemap *pagemap, const struct space *space,
		  uint64_t *at, uint64_t *stop, uint64_t end)
{
	uint64_t chunk;

	for (; *at < end; *at = chunk) {
		const uint8_t *host = space_chunk(space, *at, end, &chunk);
		uint64_t size = chunk - *at, first = 0, last;

		if (!host)
			continue;
		while (first < size && !differs(pagemap, host + first))
			first += SPACE_PAGE;
		if (first == size)
			continue;
		for (last = first; last < size && differs(pagemap, host + last);)
			last += SPACE_PAGE;
		*stop = *at + last;
		*at += first;
		return true;
	}
	return false;
}
