#include "opencl-rt/driver/driver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/calls/call-log.h"
#include "opencl-rt/driver/calls/leaks.h"
#include "opencl-rt/driver/calls/symbols.h"
#include "opencl-rt/driver/internal.h"

/* Any request, in the order of its fields. */
union request {
	struct opencl_header header;
#define CALL(name, major, minor, state, fields) struct request_##name name;
#define INTERNAL(name, fields) struct request_##name name;
#include "opencl-rt/api.def"
	uint64_t words[32];
};

/* Answered by the library alone: a request of this kind is a fault of it. */
cl_int serve_clUnloadCompiler(struct opencl_driver *driver,
			      struct request_clUnloadCompiler *request)
{
	(void)driver, (void)request;
	return CL_SUCCESS;
}

cl_int serve_clGetExtensionFunctionAddress(
	struct opencl_driver *driver,
	struct request_clGetExtensionFunctionAddress *request)
{
	(void)driver, (void)request;
	return CL_INVALID_OPERATION;
}

cl_int serve_clGetExtensionFunctionAddressForPlatform(
	struct opencl_driver *driver,
	struct request_clGetExtensionFunctionAddressForPlatform *request)
{
	(void)driver, (void)request;
	return CL_INVALID_OPERATION;
}

#define CALL(name, major, minor, state, fields)                                \
	static cl_int dispatch_##name(struct opencl_driver *driver,            \
				      union request *request)                  \
	{                                                                      \
		return serve_##name(driver, &request->name);                   \
	}
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"

static const struct call {
	size_t size;
	cl_int (*serve)(struct opencl_driver *driver, union request *request);
} calls[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields)                                \
	[OPENCL_##name] = { sizeof(struct request_##name), dispatch_##name },
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"
};

struct opencl_driver *opencl_driver_create(
	const struct opencl_machine *machine,
	const struct opencl_driver_options *options, struct error *error)
{
	struct opencl_driver *driver = xcalloc(1, sizeof *driver);

	driver->machine = *machine;
	driver->options = *options;
	driver->objects.kinds = object_kinds;
	driver->memory = evg_memory_create(options->memory_size, error);
	if (!driver->memory) {
		free(driver);
		return NULL;
	}
	return driver;
}

void opencl_driver_free(struct opencl_driver *driver)
{
	struct notice *notice;
	struct ticket *ticket;

	if (!driver)
		return;
	commands_discard(driver);
	while ((notice = driver->first_notice)) {
		driver->first_notice = notice->next;
		free(notice);
	}
	while ((notice = driver->running)) {
		driver->running = notice->next;
		free(notice);
	}
	while ((ticket = driver->tickets)) {
		driver->tickets = ticket->next;
		free(ticket);
	}
	free(driver->ready);
	prints_free(driver);
	leaks_tell(driver);
	/* A program need not release what it made. */
	driver->closing = true;
	object_table_free(&driver->objects);
	evg_memory_free(driver->memory);
	free(driver);
}

static int64_t serve_request(struct opencl_driver *driver,
			     const struct call *call, union request *request)
{
	if (request->header.ticket)
		return ticket_check(driver, request->header.ticket);
	return call->serve(driver, request);
}

/* A call that waits is one call, however often the library asks again. */
static int64_t serve_and_count(struct opencl_driver *driver,
			       const struct call *call, union request *request)
{
	struct opencl_account *account = driver->options.account;
	uint64_t bytes = account_bytes_now(account);
	picoseconds start = time_now(driver);
	bool again = request->header.ticket != 0;
	int64_t status = serve_request(driver, call, request);

	if (!call_is_internal((enum opencl_call)request->header.call))
		account_call(account, (enum opencl_call)request->header.call,
			     &(struct call_count){
				     .calls = !again,
				     .failed = status < 0,
				     .bytes = account_bytes_now(account) -
					      bytes,
				     .time = time_now(driver) - start,
			     });
	return status;
}

int opencl_driver_request(struct opencl_driver *driver, uint64_t address,
			  struct error *error)
{
	union request request = { 0 };
	FILE *stream = log_stream(driver->options.log, LOG_CL);
	struct call_text text;
	const struct call *call;

	if (program_read(driver, address, &request.header,
			 sizeof request.header))
		return 1;
	if (request.header.protocol != OPENCL_PROTOCOL ||
	    request.header.call >= OPENCL_CALL_COUNT ||
	    (request.header.word != 4 && request.header.word != 8))
		return error_set(error, "OpenCL request at 0x%" PRIx64
				 ": not of this version of m2s (protocol 0x%"
				 PRIx64 ", call %" PRIu64 "); the program uses "
				 "a libm2s-opencl of another installation",
				 address, request.header.protocol,
				 request.header.call);
	call = &calls[request.header.call];
	if (program_read(driver, address, &request, call->size))
		return 1;
	driver->word = request.header.word;
	driver->ticket = 0;
	driver->progress = false;
	driver->failed = false;
	if (call_is_internal((enum opencl_call)request.header.call))
		stream = NULL;
	if (stream)
		call_text_begin(&text, driver, request.words);
	request.header.status = serve_and_count(driver, call, &request);
	request.header.ticket = driver->ticket;
	request.header.progress = driver->progress;
	request.header.notices = driver->notice_count;
	if (stream)
		call_text_end(&text, driver, request.words, stream);
	if (driver->failed) {
		*error = driver->fatal;
		return -1;
	}
	return program_write(driver, address, &request, call->size) ? 1 : 0;
}
