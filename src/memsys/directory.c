#include "base/optimize.h"

#include "memsys/directory.h"

#include <stdlib.h>

#include "base/memory.h"

struct directory *directory_create(uint32_t lines, uint32_t sub_blocks,
				   uint32_t sub_size, uint32_t uppers)
{
	struct directory *directory = xcalloc(1, sizeof *directory);
	size_t entries = (size_t)lines * sub_blocks;

	directory->sub_blocks = sub_blocks;
	directory->sub_size = sub_size;
	directory->sub_shift = (unsigned)__builtin_ctz(sub_size);
	directory->words = (uppers + 63) / 64;
	directory->owners = xmalloc(entries * sizeof *directory->owners);
	for (size_t i = 0; i < entries; i++)
		directory->owners[i] = DIRECTORY_NOBODY;
	directory->sharers = xcalloc(entries * directory->words,
				     sizeof *directory->sharers);
	directory->noncoherent =
		xcalloc(entries, sizeof *directory->noncoherent);
	return directory;
}

void directory_free(struct directory *directory)
{
	if (!directory)
		return;
	free(directory->owners);
	free(directory->sharers);
	free(directory->noncoherent);
	free(directory);
}

static size_t entry(const struct directory *directory, int32_t line,
		    uint32_t sub)
{
	return (size_t)line * directory->sub_blocks + sub;
}

bool directory_has(const struct directory *directory, int32_t line,
		   uint32_t first, uint32_t end, int upper)
{
	for (uint32_t sub = first; sub < end; sub++) {
		size_t at = entry(directory, line, sub);

		if (directory->sharers[at * directory->words +
				       (unsigned)upper / 64] >>
			    (upper % 64) &
		    1)
			return true;
	}
	return false;
}

bool directory_shared(const struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int except)
{
	for (uint32_t sub = first; sub < end; sub++) {
		const uint64_t *sharers =
			directory->sharers +
			entry(directory, line, sub) * directory->words;

		for (uint32_t word = 0; word < directory->words; word++) {
			uint64_t bits = sharers[word];

			if (except >= 0 && (uint32_t)except / 64 == word)
				bits &= ~(1ull << (except % 64));
			if (bits)
				return true;
		}
	}
	return false;
}

bool directory_owned(const struct directory *directory, int32_t line,
		     uint32_t first, uint32_t end, int except)
{
	for (uint32_t sub = first; sub < end; sub++) {
		int owner = directory->owners[entry(directory, line, sub)];

		if (owner != DIRECTORY_NOBODY && owner != except)
			return true;
	}
	return false;
}

bool directory_owns(const struct directory *directory, int32_t line,
		    uint32_t first, uint32_t end, int upper)
{
	for (uint32_t sub = first; sub < end; sub++)
		if (directory->owners[entry(directory, line, sub)] == upper)
			return true;
	return false;
}

void directory_add(struct directory *directory, int32_t line, uint32_t first,
		   uint32_t end, int upper, bool owner)
{
	for (uint32_t sub = first; sub < end; sub++) {
		size_t at = entry(directory, line, sub);

		directory->sharers[at * directory->words +
				   (unsigned)upper / 64] |= 1ull
							   << (upper % 64);
		if (owner)
			directory->owners[at] = (int16_t)upper;
	}
}

void directory_remove(struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int upper)
{
	for (uint32_t sub = first; sub < end; sub++) {
		size_t at = entry(directory, line, sub);

		directory->sharers[at * directory->words +
				   (unsigned)upper / 64] &=
			~(1ull << (upper % 64));
		if (directory->owners[at] == upper)
			directory->owners[at] = DIRECTORY_NOBODY;
	}
}

void directory_disown(struct directory *directory, int32_t line,
		      uint32_t first, uint32_t end, int upper)
{
	for (uint32_t sub = first; sub < end; sub++) {
		size_t at = entry(directory, line, sub);

		if (directory->owners[at] == upper)
			directory->owners[at] = DIRECTORY_NOBODY;
	}
}

static bool any(const struct directory *directory, int32_t line,
		uint32_t first, uint32_t end, int except, bool noncoherent)
{
	for (uint32_t sub = first; sub < end; sub++)
		if (directory->noncoherent[entry(directory, line, sub)] ==
			    noncoherent &&
		    directory_shared(directory, line, sub, sub + 1, except))
			return true;
	return false;
}

bool directory_noncoherent(const struct directory *directory, int32_t line,
			   uint32_t first, uint32_t end, int except)
{
	return any(directory, line, first, end, except, true);
}

bool directory_coherent(const struct directory *directory, int32_t line,
			uint32_t first, uint32_t end, int except)
{
	return any(directory, line, first, end, except, false);
}

void directory_set_noncoherent(struct directory *directory, int32_t line,
			       uint32_t first, uint32_t end, bool noncoherent)
{
	for (uint32_t sub = first; sub < end; sub++)
		directory->noncoherent[entry(directory, line, sub)] =
			noncoherent;
}

void directory_clear(struct directory *directory, int32_t line)
{
	for (uint32_t sub = 0; sub < directory->sub_blocks; sub++) {
		size_t at = entry(directory, line, sub);

		directory->owners[at] = DIRECTORY_NOBODY;
		directory->noncoherent[at] = false;
		for (uint32_t word = 0; word < directory->words; word++)
			directory->sharers[at * directory->words + word] = 0;
	}
}
