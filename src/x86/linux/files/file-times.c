/* Times of files. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/files/path.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"

static int get_file_times(struct context *context, uint64_t address, bool wide,
			  struct timespec *times)
{
	for (int i = 0; i < 2; i++) {
		int64_t fields[2];
		int32_t narrow[2];

		if (context->abi32 && !wide) {
			if (guest_get(context, address + 8 * (unsigned)i,
				      narrow, sizeof narrow))
				return -EFAULT;
			fields[0] = narrow[0];
			fields[1] = narrow[1];
		} else {
			if (guest_get(context, address + 16 * (unsigned)i,
				      fields, sizeof fields))
				return -EFAULT;
			if (context->abi32)
				fields[1] = (int32_t)fields[1];
		}
		times[i] = (struct timespec){ fields[0], fields[1] };
	}
	return 0;
}

static int64_t set_times(struct context *context, int folder, uint64_t text,
			 const struct timespec *times, int flags)
{
	struct host_path path;
	int64_t result;

	if (!text || ((flags & AT_EMPTY_PATH) && path_is_empty(context, text))) {
		struct file *file = file_get(context->process, folder);

		result = file ? file_may_change(context, file) : -EBADF;
		if (result)
			return result;
		return host_result(futimens(file->host, times));
	}
	result = path_resolve_change(context, folder, text,
				     !(flags & AT_SYMLINK_NOFOLLOW), &path);
	if (result)
		return result;
	result = host_result(utimensat(path.folder, path.text, times,
				       flags & ~AT_EMPTY_PATH));
	path_release(&path);
	return result;
}

static int64_t utimens(struct context *context, const uint64_t *a, bool wide)
{
	struct timespec times[2];

	if (a[2] && get_file_times(context, a[2], wide, times))
		return -EFAULT;
	return set_times(context, (int)a[0], a[1], a[2] ? times : NULL,
			 (int)a[3]);
}

int64_t call_utimensat(struct context *context, const uint64_t *a)
{
	return utimens(context, a, false);
}

int64_t call_utimensat_time64(struct context *context, const uint64_t *a)
{
	return utimens(context, a, true);
}

int64_t call_futimesat(struct context *context, const uint64_t *a)
{
	struct timespec times[2];

	if (a[2]) {
		if (get_file_times(context, a[2], false, times))
			return -EFAULT;
		for (int i = 0; i < 2; i++) {
			if (times[i].tv_nsec < 0 || times[i].tv_nsec > 999999)
				return -EINVAL;
			times[i].tv_nsec *= 1000;
		}
	}
	return set_times(context, (int)a[0], a[1], a[2] ? times : NULL, 0);
}

int64_t call_utimes(struct context *context, const uint64_t *a)
{
	return call_futimesat(context, (uint64_t[]){
					       (uint64_t)AT_FDCWD, a[0],
					       a[1] });
}

int64_t call_utime(struct context *context, const uint64_t *a)
{
	struct timespec times[2] = { 0 };
	unsigned word = context->abi32 ? 4 : 8;
	uint64_t access, modification;

	if (!a[1])
		return set_times(context, AT_FDCWD, a[0], NULL, 0);
	if (guest_get_word(context, a[1], &access) ||
	    guest_get_word(context, a[1] + word, &modification))
		return -EFAULT;
	times[0].tv_sec = (time_t)access;
	times[1].tv_sec = (time_t)modification;
	return set_times(context, AT_FDCWD, a[0], times, 0);
}
