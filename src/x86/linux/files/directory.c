/* Positions in files, and the entries of folders. */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/proc/proc.h"
#include "x86/linux/state.h"

static int64_t seek(struct file *file, int64_t offset, int whence)
{
	if (file->kind == FILE_LIST) {
		if (whence == SEEK_CUR)
			offset += (int64_t)file->listing.at;
		if (whence == SEEK_END || offset < 0 ||
		    (size_t)offset > file->listing.size)
			return -EINVAL;
		file->listing.at = (size_t)offset;
		return offset;
	}
	if (file->positions.list && whence == SEEK_SET) {
		if (offset < 0 || (size_t)offset > file->positions.count)
			return -EINVAL;
		if (offset)
			return host_result(lseek(
				       file->host,
				       file->positions.list[offset - 1],
				       SEEK_SET)) < 0
				       ? -errno
				       : offset;
		file->positions.count = 0;
	}
	if (proc_is_memory(file) && whence != SEEK_SET && whence != SEEK_CUR)
		return -EINVAL;
	return host_result(lseek(file->host, offset, whence));
}

int64_t call_lseek(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t offset = context->abi32 ? (int32_t)a[1] : (int64_t)a[1];

	return file ? seek(file, offset, (int)a[2]) : -EBADF;
}

int64_t call_llseek(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	int64_t result;

	if (!file)
		return -EBADF;
	result = seek(file, (int64_t)(a[1] << 32 | (uint32_t)a[2]), (int)a[4]);
	if (result < 0)
		return result;
	return guest_put(context, a[3], &result, sizeof result);
}

/* Makes positions that fit an i386 guest's off_t. Linux does so for 32-bit
 * processes, but m2s is a 64-bit process. */
static void narrow_positions(struct file *file, uint8_t *bytes, int64_t size)
{
	const size_t head = offsetof(struct dirent64, d_name);

	for (int64_t at = 0; at < size;) {
		struct dirent64 entry;

		memcpy(&entry, bytes + at, head);
		ARRAY_GROW(file->positions.list, file->positions.count,
			   file->positions.capacity);
		file->positions.list[file->positions.count++] = entry.d_off;
		entry.d_off = (int64_t)file->positions.count;
		memcpy(bytes + at, &entry, head);
		at += entry.d_reclen;
	}
}

/* Stores as many of the simulator's entries as fit. Positions are byte offsets
 * in the list. */
static int64_t list_entries(struct file *file, uint8_t *bytes, uint64_t size)
{
	uint64_t used = 0;

	while (file->listing.at < file->listing.size) {
		const char *name = file->listing.entries + file->listing.at;
		size_t length = strlen(name) + 1;
		size_t record = (offsetof(struct dirent64, d_name) + length +
				 7) & ~(size_t)7;
		struct dirent64 entry = {
			.d_ino = file->listing.at + 1,
			.d_reclen = (uint16_t)record, .d_type = DT_UNKNOWN,
		};

		if (used + record > size)
			return used ? (int64_t)used : -EINVAL;
		file->listing.at += length;
		entry.d_off = (int64_t)file->listing.at;
		memcpy(bytes + used, &entry,
		       offsetof(struct dirent64, d_name));
		memcpy(bytes + used + offsetof(struct dirent64, d_name), name,
		       length);
		used += record;
	}
	return (int64_t)used;
}

enum { ENTRIES_MAX = 65536 }; /* bytes of entries that are read at once */

/* Reads entries into the simulator's memory, which then examines them. */
static int64_t host_entries(struct context *context, struct file *file,
			    uint8_t *bytes, uint64_t size)
{
	int64_t result;

	if (file->kind == FILE_LIST)
		return list_entries(file, bytes, size);
	result = host_result(syscall(SYS_getdents64, file->host, bytes, size));
	if (context->abi32)
		narrow_positions(file, bytes, result);
	return result;
}

int64_t call_getdents64(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	uint64_t size = (uint32_t)a[2] > ENTRIES_MAX ? ENTRIES_MAX
						     : (uint32_t)a[2];
	uint8_t bytes[ENTRIES_MAX];
	int64_t got;

	if (!file)
		return -EBADF;
	if (!guest_bytes(context, a[1], &size, true))
		return -EFAULT;
	got = host_entries(context, file, bytes, size);
	return got > 0 && guest_put(context, a[1], bytes, (size_t)got)
		       ? -EFAULT
		       : got;
}

/* The old layout: inode and offset are words, the type comes last. */
int64_t call_getdents(struct context *context, const uint64_t *a)
{
	struct file *file = file_get(context->process, (int)a[0]);
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t size = (uint32_t)a[2], at = a[1];
	uint8_t *bytes;
	int64_t got;

	if (!file)
		return -EBADF;
	/* An entry shrinks in the old layout, so the entries fit. */
	if (size > ENTRIES_MAX)
		size = ENTRIES_MAX;
	bytes = xmalloc(size + 1);
	got = host_entries(context, file, bytes, size);
	for (int64_t i = 0; i < got;) {
		const struct dirent64 *entry =
			(const struct dirent64 *)(bytes + i);
		size_t length = strlen(entry->d_name);
		uint16_t record = (uint16_t)((2 * word + 2 + length + 2 +
					      word - 1) &
					     ~(size_t)(word - 1));
		uint8_t out[512] = { 0 };

		memcpy(out, &entry->d_ino, word);
		memcpy(out + word, &entry->d_off, word);
		memcpy(out + 2 * word, &record, 2);
		memcpy(out + 2 * word + 2, entry->d_name, length);
		out[record - 1] = entry->d_type;
		if (guest_put(context, at, out, record)) {
			free(bytes);
			return -EFAULT;
		}
		at += record;
		i += entry->d_reclen;
	}
	free(bytes);
	return got < 0 ? got : (int64_t)(at - a[1]);
}
