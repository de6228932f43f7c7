/* vFile: the debugger reads programs and libraries through us, as the guest
 * sees them. Only reading; only regular files. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "debug/gdb/internal.h"

/* Error numbers of the protocol; most are Linux'. */
static int protocol_errno(int code)
{
	switch (code) {
	case EPERM: case ENOENT: case EINTR: case EBADF: case EACCES:
	case EFAULT: case EBUSY: case EEXIST: case ENODEV: case ENOTDIR:
	case EISDIR: case EINVAL: case ENFILE: case EMFILE: case EFBIG:
	case ENOSPC: case ESPIPE: case EROFS:
		return code;
	case ENAMETOOLONG:
		return 91;
	default:
		return 9999;
	}
}

static void put_error(struct gdb *gdb, int code)
{
	gdb_put(gdb, "F-1,%x", protocol_errno(code));
}

static int *find_file(struct gdb *gdb, uint64_t number)
{
	return number < GDB_FILES && gdb->files[number] >= 0
		       ? &gdb->files[number]
		       : NULL;
}

static void open_file(struct gdb *gdb, const char *text)
{
	char path[PATH_MAX];
	long length = gdb_bytes(text, ',', path, sizeof path - 1);
	struct stat status;
	uint64_t flags;
	int slot = 0;

	if (length < 0 || !(text = strchr(text, ','))) {
		put_error(gdb, EINVAL);
		return;
	}
	path[length] = 0;
	text++;
	if (!gdb_number_and(&text, ',', &flags) || flags & 3) {
		put_error(gdb, flags & 3 ? EROFS : EINVAL);
		return;
	}
	while (slot < GDB_FILES && gdb->files[slot] >= 0)
		slot++;
	if (slot == GDB_FILES) {
		put_error(gdb, EMFILE);
		return;
	}
	gdb->files[slot] = linux_debug_open(gdb->system, path);
	if (gdb->files[slot] < 0) {
		put_error(gdb, -gdb->files[slot]);
		gdb->files[slot] = -1;
		return;
	}
	if (fstat(gdb->files[slot], &status) || !S_ISREG(status.st_mode)) {
		close(gdb->files[slot]);
		gdb->files[slot] = -1;
		put_error(gdb, EACCES);
		return;
	}
	gdb_put(gdb, "F%x", slot);
}

static void read_file(struct gdb *gdb, const char *text)
{
	uint8_t bytes[GDB_PACKET / 2 - 32];
	uint64_t number, count, offset;
	int *file;
	ssize_t got;

	if (!gdb_number_and(&text, ',', &number) ||
	    !gdb_number_and(&text, ',', &count) ||
	    !gdb_number(&text, &offset) || offset > INT64_MAX) {
		put_error(gdb, EINVAL);
		return;
	}
	file = find_file(gdb, number);
	if (!file) {
		put_error(gdb, EBADF);
		return;
	}
	got = pread(*file, bytes, count < sizeof bytes ? count : sizeof bytes,
		    (off_t)offset);
	if (got < 0) {
		put_error(gdb, errno);
		return;
	}
	gdb_put(gdb, "F%zx;", (size_t)got);
	gdb_put_binary(gdb, bytes, (size_t)got);
}

static void put_big(uint8_t **at, uint64_t value, unsigned size)
{
	while (size--)
		*(*at)++ = (uint8_t)(value >> 8 * size);
}

/* struct stat of the File-I/O protocol: big-endian, packed. */
static void put_status(struct gdb *gdb, const struct stat *status)
{
	uint8_t bytes[64], *at = bytes;

	put_big(&at, status->st_dev, 4);
	put_big(&at, status->st_ino, 4);
	put_big(&at, status->st_mode, 4);
	put_big(&at, status->st_nlink, 4);
	put_big(&at, status->st_uid, 4);
	put_big(&at, status->st_gid, 4);
	put_big(&at, status->st_rdev, 4);
	put_big(&at, (uint64_t)status->st_size, 8);
	put_big(&at, (uint64_t)status->st_blksize, 8);
	put_big(&at, (uint64_t)status->st_blocks, 8);
	put_big(&at, (uint64_t)status->st_atime, 4);
	put_big(&at, (uint64_t)status->st_mtime, 4);
	put_big(&at, (uint64_t)status->st_ctime, 4);
	gdb_put(gdb, "F%zx;", sizeof bytes);
	gdb_put_binary(gdb, bytes, sizeof bytes);
}

static void describe_file(struct gdb *gdb, const char *text)
{
	uint64_t number;
	struct stat status;
	int *file = gdb_number(&text, &number) ? find_file(gdb, number) : NULL;

	if (!file || fstat(*file, &status))
		put_error(gdb, EBADF);
	else
		put_status(gdb, &status);
}

static void close_file(struct gdb *gdb, const char *text)
{
	uint64_t number;
	int *file = gdb_number(&text, &number) ? find_file(gdb, number) : NULL;

	if (!file) {
		put_error(gdb, EBADF);
		return;
	}
	close(*file);
	*file = -1;
	gdb_put(gdb, "F0");
}

static void set_file_system(struct gdb *gdb, const char *text)
{
	(void)text; /* the guest and we see the same one */
	gdb_put(gdb, "F0");
}

void gdb_file(struct gdb *gdb)
{
	static const struct {
		const char *name;
		void (*answer)(struct gdb *gdb, const char *text);
	} operations[] = {
		{ "vFile:open:", open_file },
		{ "vFile:pread:", read_file },
		{ "vFile:fstat:", describe_file },
		{ "vFile:close:", close_file },
		{ "vFile:setfs:", set_file_system },
	};

	for (size_t i = 0; i < ARRAY_SIZE(operations); i++) {
		size_t length = strlen(operations[i].name);

		if (!strncmp(gdb->packet, operations[i].name, length)) {
			operations[i].answer(gdb, gdb->packet + length);
			return;
		}
	}
}

void gdb_close_files(struct gdb *gdb)
{
	for (int i = 0; i < GDB_FILES; i++) {
		if (gdb->files[i] >= 0)
			close(gdb->files[i]);
		gdb->files[i] = -1;
	}
}
