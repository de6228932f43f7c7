/* listmount and statmount (Linux 6.8), which the host answers. A guest that
 * does not see the host's files gets no answer. */
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "x86/linux/calls.h"
#include "x86/linux/confine/confine.h"
#include "x86/linux/files/files.h"
#include "x86/linux/identity/capability.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/memory/place.h"
#include "x86/linux/state.h"

/* The host's call numbers, which its C library may lack. */
enum { HOST_STATMOUNT = 457, HOST_LISTMOUNT = 458 };

enum {
	REQUEST_MAX = 64,       /* the longest struct mnt_id_req so far */
	NAMESPACE = 4,          /* offset of its descriptor, Linux 6.18 */
	IDS_MAX = 1000000,      /* Linux's own limit */
	ANSWER_MAX = 1 << 20,
};

static bool allowed(const struct context *context)
{
	const struct linux_options *options =
		context->process->system->options;

	return !confine_has_root(context->process->system) &&
	       !options->read_only && !options->no_network;
}

/* Reads struct mnt_id_req: 0 or a negative errno. */
static int get_request(struct context *context, uint64_t address,
		       uint8_t request[REQUEST_MAX])
{
	struct file *file;
	uint32_t size;
	int32_t descriptor;

	memset(request, 0, REQUEST_MAX);
	if (guest_get(context, address, &size, sizeof size))
		return -EFAULT;
	if (size > REQUEST_MAX)
		return -E2BIG;
	if (size < 24)
		return -EINVAL;
	if (guest_get(context, address, request, size))
		return -EFAULT;
	memcpy(&descriptor, request + NAMESPACE, sizeof descriptor);
	file = descriptor ? file_get(context->process, descriptor) : NULL;
	if (descriptor) {
		descriptor = file ? file->host : -1;
		memcpy(request + NAMESPACE, &descriptor, sizeof descriptor);
	}
	return 0;
}

/* Refuses a mount above a chroot(). */
static int check_root(const struct context *context)
{
	return context->process->paths.root >= 0 &&
			       !has_capability(context->process, CAP_SYS_ADMIN)
		       ? -EPERM
		       : 0;
}

int64_t call_listmount(struct context *context, const uint64_t *a)
{
	uint8_t request[REQUEST_MAX];
	uint64_t *ids;
	int64_t result;

	if (!allowed(context))
		return -ENOSYS;
	if ((uint32_t)a[3] & ~UINT32_C(1))
		return -EINVAL;
	if (a[2] > IDS_MAX)
		return -EOVERFLOW;
	if (!memory_range_valid(context, a[1] & ~(uint64_t)(SPACE_PAGE - 1),
				8 * a[2]))
		return -EFAULT;
	result = get_request(context, a[0], request);
	if (!result)
		result = check_root(context);
	if (result)
		return result;
	ids = xcalloc(a[2] + 1, sizeof *ids);
	result = host_result(syscall(HOST_LISTMOUNT, request, ids, a[2], a[3]));
	if (result > 0 &&
	    guest_put(context, a[1], ids, (size_t)result * sizeof *ids))
		result = -EFAULT;
	free(ids);
	return result;
}

int64_t call_statmount(struct context *context, const uint64_t *a)
{
	uint8_t request[REQUEST_MAX], *answer;
	uint32_t size = 0;
	int64_t result;

	if (!allowed(context))
		return -ENOSYS;
	if (a[3])
		return -EINVAL;
	result = get_request(context, a[0], request);
	if (!result)
		result = check_root(context);
	if (result)
		return result;
	size = a[2] < ANSWER_MAX ? (uint32_t)a[2] : ANSWER_MAX;
	answer = xcalloc(1, size + sizeof size);
	result = host_result(syscall(HOST_STATMOUNT, request, answer, size, 0));
	if (!result) {
		uint32_t used;

		memcpy(&used, answer, sizeof used);
		if (used > size)
			used = size;
		result = guest_put(context, a[1], answer, used) ? -EFAULT : 0;
	}
	free(answer);
	return result;
}
