/* Asynchronous input and output: requests, done one after the other. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "x86/linux/aio/context.h"
#include "x86/linux/calls.h"
#include "x86/linux/files/files.h"
#include "x86/linux/memory/guest.h"
#include "x86/linux/state.h"
#include "x86/linux/wait.h"

/* struct iocb, the same in both ABIs. */
struct request {
	uint64_t data;
	uint32_t key, transfer_flags;
	uint16_t operation;
	int16_t priority;
	uint32_t descriptor;
	uint64_t buffer, size;
	int64_t offset;
	uint64_t reserved;
	uint32_t flags, notice;
};

enum { READ, WRITE, SYNC, SYNC_DATA, READ_LIST = 7, WRITE_LIST };
enum { HAS_NOTICE = 1 }; /* a flag */
/* The flags of preadv2() that are offered. */
enum { FLAGS = RWF_HIPRI | RWF_DSYNC | RWF_SYNC | RWF_NOWAIT };

static bool reads(const struct request *request)
{
	return request->operation == READ || request->operation == READ_LIST;
}

static bool transfers(const struct request *request)
{
	return reads(request) || request->operation == WRITE ||
	       request->operation == WRITE_LIST;
}

/* Checks a request: 0 or a negative errno. */
static int64_t check_request(const struct context *context,
			     const struct request *request)
{
	const struct file *file = file_get(context->process,
					   (int)request->descriptor);
	const int64_t most = context->abi32 ? INT32_MAX : INT64_MAX;
	int access;

	if (request->reserved || request->size > (uint64_t)most ||
	    (context->abi32 && request->buffer > UINT32_MAX))
		return -EINVAL;
	if (!file || ((access = fcntl(file->host, F_GETFL)) & O_PATH))
		return -EBADF;
	if (request->flags & HAS_NOTICE) {
		const struct file *notice =
			file_get(context->process, (int)request->notice);

		if (!notice)
			return -EBADF;
		if (!notice->is_event)
			return -EINVAL;
	}
	if (request->operation == SYNC || request->operation == SYNC_DATA)
		return request->buffer || request->offset || request->size ||
				       request->transfer_flags
			       ? -EINVAL
			       : 0;
	if (!transfers(request))
		return -EINVAL;
	access &= O_ACCMODE;
	if (access == (reads(request) ? O_WRONLY : O_RDONLY))
		return -EBADF;
	if (request->offset < 0)
		return -EINVAL;
	return request->transfer_flags & ~(uint32_t)FLAGS ? -EOPNOTSUPP : 0;
}

static int64_t transfer_request(struct context *context, struct file *file,
				const struct request *request)
{
	const uint64_t offset = (uint64_t)request->offset;
	const uint64_t a[] = { request->descriptor, request->buffer,
			       request->size,
			       context->abi32 ? offset & UINT32_MAX : offset,
			       offset >> 32, 0 };
	const bool nonblock = file->nonblock;
	int64_t result;

	if (!file->may_block && request->operation == READ)
		return call_pread(context, a);
	if (!file->may_block && request->operation == WRITE)
		return call_pwrite(context, a);
	if (!file->may_block)
		return reads(request) ? call_preadv(context, a)
				      : call_pwritev(context, a);
	if (!nonblock && !(request->transfer_flags & RWF_NOWAIT) &&
	    !file_ready(file, reads(request) ? POLLIN : POLLOUT))
		return wait_file(context, file,
				 reads(request) ? POLLIN : POLLOUT);
	file->nonblock = true; /* a part will do */
	switch (request->operation) {
	case READ:
		result = call_read(context, a);
		break;
	case WRITE:
		result = call_write(context, a);
		break;
	case READ_LIST:
		result = call_readv(context, a);
		break;
	default:
		result = call_writev(context, a);
		break;
	}
	file->nonblock = nonblock;
	return result;
}

/* Does it: what becomes the result, or CALL_BLOCKS, as Linux's submission of
 * a request for a pipe that is not ready waits, too. */
static int64_t execute(struct context *context, const struct request *request)
{
	struct file *file = file_get(context->process,
				     (int)request->descriptor);
	const uint64_t done = context->call.progress;
	int64_t result;

	if (!transfers(request))
		return call_fsync(context,
				  (uint64_t[]){ request->descriptor });
	/* The transfer has a progress of its own. */
	context->call.progress = 0;
	result = transfer_request(context, file, request);
	context->call.progress = done;
	if (result >= 0 && (request->transfer_flags & (RWF_DSYNC | RWF_SYNC)))
		call_fsync(context, (uint64_t[]){ request->descriptor });
	return result;
}

static void finish_request(struct context *context, struct aio_context *aio,
			   const struct request *request, uint64_t address,
			   int64_t result)
{
	const uint64_t one = 1;

	aio->events[aio->count++] = (struct aio_event){
		.data = request->data, .request = address, .result = result,
	};
	aio_wake(context);
	if ((request->flags & HAS_NOTICE) &&
	    write(file_get(context->process, (int)request->notice)->host,
		  &one, sizeof one) < 0)
		return; /* the counter is full: nothing to add */
}

/* One request: 0, a negative errno, or CALL_BLOCKS. */
static int64_t submit(struct context *context, struct aio_context *aio,
		      uint64_t address)
{
	struct request request;
	const uint32_t key = 0;
	int64_t result;

	if (guest_get(context, address, &request, sizeof request))
		return -EFAULT;
	if (aio->count == aio->room)
		return -EAGAIN;
	result = check_request(context, &request);
	if (!result && guest_put(context, address + 8, &key, sizeof key))
		result = -EFAULT;
	if (result)
		return result;
	result = execute(context, &request);
	if (result == CALL_BLOCKS)
		return result;
	finish_request(context, aio, &request, address, result);
	return 0;
}

int64_t call_io_submit(struct context *context, const uint64_t *a)
{
	const unsigned word = context->abi32 ? 4 : 8;
	const int64_t count = context->abi32 ? (int32_t)a[1] : (int64_t)a[1];
	struct aio_context *aio;

	if (count < 0)
		return -EINVAL;
	aio = aio_find(context, a[0]);
	if (!aio)
		return -EINVAL;
	/* An earlier attempt, which waited, may have come some way. */
	for (int64_t i = (int64_t)context->call.progress; i < count; i++) {
		uint64_t address;
		int64_t result;

		result = guest_get_word(context, a[2] + (uint64_t)i * word,
					&address)
				 ? -EFAULT
				 : submit(context, aio, address);
		if (result == CALL_BLOCKS)
			context->call.progress = (uint64_t)i;
		if (result == CALL_BLOCKS || (result && !i))
			return result;
		if (result)
			return i;
	}
	return count;
}
