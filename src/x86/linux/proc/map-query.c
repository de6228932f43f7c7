/* PROCMAP_QUERY of /proc/PID/maps (Linux 6.11): one mapping, without the text. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "x86/linux/confine/confine.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

/* struct procmap_query, which C libraries of its time do not have. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, permissions, page, offset, inode;
	uint32_t major, minor, name_size, build_size;
	uint64_t name, build;
};

enum {
	READABLE = 1, WRITABLE = 2, EXECUTABLE = 4, SHARED = 8,
	PERMISSIONS = 15,
	OR_NEXT = 16,     /* the next one, when there is none at the address */
	FILE_BACKED = 32,
	SIZE_MIN = 24,
};

static uint64_t permissions(const struct space_region *region)
{
	return (region->protection & SPACE_READ ? READABLE : 0) |
	       (region->protection & SPACE_WRITE ? WRITABLE : 0) |
	       (region->protection & SPACE_EXECUTE ? EXECUTABLE : 0) |
	       (region->shared ? SHARED : 0);
}

static bool is_file(const struct space_region *region)
{
	return region->name[0] == '/';
}

static bool suits(const struct space_region *region, uint64_t flags)
{
	return !(flags & PERMISSIONS & ~permissions(region)) &&
	       (!(flags & FILE_BACKED) || is_file(region));
}

static const struct space_region *find_region(const struct space *space,
					      const struct query *query)
{
	const struct space_region *region =
		space_region_above(space, query->address);

	if (!(query->flags & OR_NEXT))
		return region && region->start <= query->address &&
				       suits(region, query->flags)
			       ? region : NULL;
	while (region && !suits(region, query->flags))
		region = space_region_above(space, region->end);
	return region;
}

static int put_name(struct context *context, struct query *query,
		    const char *name)
{
	size_t size = *name ? strlen(name) + 1 : 0;

	if (!query->name_size)
		return 0;
	if (size > query->name_size)
		return -ENAMETOOLONG;
	query->name_size = (uint32_t)size;
	return guest_put(context, query->name, name, size) ? -EFAULT : 0;
}

static void describe_region(const struct process *process,
			    const struct space_region *region,
			    struct query *query)
{
	struct stat status;

	query->start = region->start;
	query->end = region->end;
	query->permissions = permissions(region);
	query->page = SPACE_PAGE;
	query->offset = query->inode = 0;
	query->major = query->minor = 0;
	query->build_size = 0; /* none is known */
	if (!is_file(region) ||
	    confine_stat(process->system, region->name, &status) != 0)
		return;
	query->offset = region->offset;
	query->inode = status.st_ino;
	query->major = major(status.st_dev);
	query->minor = minor(status.st_dev);
}

int64_t proc_query_map(struct context *context, const struct file *file,
		       uint64_t address)
{
	const struct space_region *region;
	struct query query = { 0 };
	struct proc_place place;
	int result;

	if (!*file->made ||
	    proc_look_up_made(context->process->system, file->made, &place) ||
	    !place.process || strcmp(place.name, "maps"))
		return -ENOTTY;
	if (guest_get(context, address, &query.size, sizeof query.size))
		return -EFAULT;
	if (query.size > SPACE_PAGE)
		return -E2BIG;
	if (query.size < SIZE_MIN)
		return -EINVAL;
	if (guest_get(context, address, &query,
		      query.size < sizeof query ? query.size : sizeof query))
		return -EFAULT;
	if ((query.flags & ~(uint64_t)(PERMISSIONS | OR_NEXT | FILE_BACKED)) ||
	    !query.name_size != !query.name ||
	    !query.build_size != !query.build)
		return -EINVAL;
	if (!place.process->memory)
		return -ESRCH;
	region = find_region(place.process->memory->space, &query);
	if (!region)
		return -ENOENT;
	describe_region(place.process, region, &query);
	result = put_name(context, &query,
			  confine_name(place.process, region->name));
	if (result)
		return result;
	return guest_put(context, address, &query,
			 query.size < sizeof query ? query.size : sizeof query)
		       ? -EFAULT : 0;
}
