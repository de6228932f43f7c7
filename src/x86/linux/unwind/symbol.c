/* Names for guest addresses. */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/state.h"
#include "x86/linux/unwind/symbol.h"

/* A guest may have put something else in the place of what it mapped. */
static struct elf_image *open_image(const struct linux_system *system,
				    const char *path)
{
	int held = confine_hold(system, path);
	struct stat status;
	char link[64];
	int file = -1;

	snprintf(link, sizeof link, "/proc/self/fd/%d", held);
	if (held >= 0 && fstat(held, &status) == 0 && S_ISREG(status.st_mode))
		file = open(link, O_RDONLY | O_CLOEXEC);
	if (held >= 0)
		close(held);
	return file < 0 ? NULL : elf_open_file(path, file, NULL);
}

static struct elf_image *find_image(struct linux_system *system,
				    const char *path)
{
	struct image_cache *entry;

	for (size_t i = 0; i < system->images.count; i++)
		if (!strcmp(system->images.list[i].path, path))
			return system->images.list[i].image;
	ARRAY_GROW(system->images.list, system->images.count,
		   system->images.capacity);
	entry = system->images.list + system->images.count++;
	entry->path = xstrdup(path);
	entry->image = open_image(system, path);
	return entry->image;
}

/* The image behind an address and the address in it; NULL: no ELF file. */
static struct elf_image *image_at(struct linux_system *system,
				  const struct space *space, uint64_t address,
				  uint64_t *in_file)
{
	const struct space_region *region = space_region_at(space, address);
	struct elf_image *image;

	if (!region || region->name[0] != '/')
		return NULL;
	image = find_image(system, region->name);
	if (!image ||
	    !elf_address_of_offset(image, region->offset +
					  (address - region->start), in_file))
		return NULL;
	return image;
}

/* The name of what is `back` bytes before an address, with the distance to
 * the address itself. */
static void describe_place(struct linux_system *system,
			   const struct space *space, uint64_t address,
			   unsigned back, char *text, size_t size)
{
	const struct space_region *region =
		space_region_at(space, address - back);
	const char *base, *name = NULL;
	struct elf_image *image;
	uint64_t in_file, distance;

	text[0] = 0;
	if (!region)
		return;
	if (region->name[0] != '/') {
		snprintf(text, size, "%s", region->name);
		return;
	}
	base = strrchr(region->name, '/') + 1;
	image = image_at(system, space, address - back, &in_file);
	if (image)
		name = elf_symbol_at(image, in_file, &distance);
	if (name)
		snprintf(text, size, "%s+0x%" PRIx64 " in %s", name,
			 distance + back, base);
	else
		snprintf(text, size, "%s+0x%" PRIx64, base,
			 region->offset + (address - region->start));
}

void symbol_describe(struct linux_system *system, struct space *space,
		     uint64_t address, char *text, size_t size)
{
	describe_place(system, space, address, 0, text, size);
}

void symbol_describe_return(struct linux_system *system, struct space *space,
			    uint64_t address, char *text, size_t size)
{
	describe_place(system, space, address, 1, text, size);
}

uint64_t symbol_start(struct linux_system *system, const struct space *space,
		      uint64_t address)
{
	uint64_t in_file, distance;
	struct elf_image *image = image_at(system, space, address, &in_file);

	return image && elf_symbol_at(image, in_file, &distance)
		       ? address - distance
		       : 0;
}

uint64_t symbol_unwind_table(struct linux_system *system,
			     const struct space *space, uint64_t address)
{
	uint64_t in_file;
	struct elf_image *image = image_at(system, space, address, &in_file);

	return image && image->unwind_table
		       ? image->unwind_table + (address - in_file)
		       : 0;
}

struct search {
	struct linux_system *system;
	const char *name;
	uint64_t address;
	bool found;
};

static void search_region_for_symbol(void *owner,
				     const struct space_region *region)
{
	struct search *search = owner;
	struct elf_image *image;
	uint64_t in_file, value;

	/* Each image has its headers at the beginning of its first region. */
	if (search->found || region->name[0] != '/' || region->offset)
		return;
	image = find_image(search->system, region->name);
	if (!image || !elf_address_of_offset(image, 0, &in_file) ||
	    !elf_symbol_value(image, search->name, &value))
		return;
	search->address = value + region->start - in_file;
	search->found = true;
}

bool symbol_find(struct linux_system *system, const struct space *space,
		 const char *name, uint64_t *address)
{
	struct search search = { .system = system, .name = name };

	space_visit(space, search_region_for_symbol, &search);
	*address = search.address;
	return search.found;
}
