#include "opencl-rt/driver/driver.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

struct field {
	const char *name;
	char kind; /* F, P or S as in api.def */
};

#define F(name) { #name, 'F' },
#define P(name) { #name, 'P' },
#define S(name) { #name, 'S' },
#define CALL(name, major, minor, state, fields)                                \
	static const struct field fields_##name[] = { fields{ NULL, 0 } };
#define INTERNAL(name, fields)                                                 \
	static const struct field fields_##name[] = { fields{ NULL, 0 } };
#include "opencl-rt/api.def"
#undef F
#undef P
#undef S

static const struct call {
	const char *name;
	size_t size;
	cl_int (*serve)(struct opencl_driver *driver, union request *request);
	const struct field *fields;
} calls[OPENCL_CALL_COUNT] = {
#define CALL(name, major, minor, state, fields)                                \
	[OPENCL_##name] = { #name, sizeof(struct request_##name),              \
			    dispatch_##name, fields_##name },
#define INTERNAL(name, fields) CALL(name, 0, 0, WORKS, fields)
#include "opencl-rt/api.def"
};

const char *opencl_error_name(int64_t code)
{
	switch (code) {
#define ERROR(code)                                                            \
	case code:                                                             \
		return #code;
#include "opencl-rt/driver/errors.def"
	case OPENCL_AGAIN:
		return "waits";
	}
	return "unknown OpenCL error";
}

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
	prints_free(driver);
	/* A program need not release what it made. */
	driver->closing = true;
	object_table_free(&driver->objects);
	evg_memory_free(driver->memory);
	free(driver);
}

static void log_call(struct opencl_driver *driver, FILE *stream,
		     const struct call *call, const union request *request)
{
	const uint64_t *word = request->words +
			       sizeof(struct opencl_header) / sizeof *word;
	char *text;

	fprintf(stream, "%s(", call->name);
	for (const struct field *f = call->fields; f->name; f++, word++) {
		fprintf(stream, "%s%s = ", f == call->fields ? "" : ", ",
			f->name);
		text = f->kind == 'S' && *word ? program_string(driver, *word)
					       : NULL;
		if (text)
			fprintf(stream, "\"%s\"", text);
		else if (f->kind == 'F')
			fprintf(stream, "%" PRIu64, *word);
		else
			fprintf(stream, "0x%" PRIx64, *word);
		free(text);
	}
	fprintf(stream, ") = %s\n", opencl_error_name(request->header.status));
}

static int64_t serve_request(struct opencl_driver *driver,
			     const struct call *call, union request *request)
{
	if (request->header.ticket)
		return ticket_check(driver, request->header.ticket);
	return call->serve(driver, request);
}

int opencl_driver_request(struct opencl_driver *driver, uint64_t address,
			  struct error *error)
{
	union request request = { 0 };
	const struct call *call;
	FILE *stream;

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
	request.header.status = serve_request(driver, call, &request);
	request.header.ticket = driver->ticket;
	request.header.progress = driver->progress;
	request.header.notices = driver->notice_count;
	stream = log_stream(driver->options.log, LOG_EVG_OPENCL);
	if (stream && request.header.call != OPENCL_notice)
		log_call(driver, stream, call, &request);
	if (driver->failed) {
		*error = driver->fatal;
		return -1;
	}
	return program_write(driver, address, &request, call->size) ? 1 : 0;
}
