#include "opencl-rt/driver/calls/leaks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "opencl-rt/driver/calls/account.h"
#include "opencl-rt/driver/calls/symbols.h"
#include "opencl-rt/driver/internal.h"

/* Lines of one message. */
enum { MOST = 50 };

/* Platforms and devices are nobody's to release. */
static bool is_left(const struct object *object)
{
	return object->references && object->kind != OBJECT_PLATFORM &&
	       object->kind != OBJECT_DEVICE;
}

static void print_memory(FILE *text, const struct buffer *buffer)
{
	fprintf(text, ", %s of %" PRIu64 " bytes, ",
		buffer->image    ? "image"
		: buffer->parent ? "sub-buffer"
				 : "buffer",
		buffer->size);
	constant_print_bits(text, SYMBOLS_MEM_FLAGS, buffer->flags);
}

static void print_event(FILE *text, const struct event *event)
{
	fputs(", ", text);
	constant_print(text, SYMBOLS_COMMAND_TYPE, event->type);
	fputs(", ", text);
	if (event->status < 0)
		fputs(opencl_error_name(event->status), text);
	else
		constant_print(text, SYMBOLS_EXECUTION_STATUS,
			       (uint64_t)event->status);
}

static void print_object(FILE *text, const char *noun,
			 const struct object *object)
{
	fprintf(text, "\n  %s#%" PRIu64 ", %u reference%s", noun,
		object->serial, object->references,
		object->references == 1 ? "" : "s");
	if (object->kind == OBJECT_BUFFER)
		print_memory(text, (const struct buffer *)object);
	else if (object->kind == OBJECT_KERNEL)
		fprintf(text, ", %s",
			((const struct kernel *)object)->code->name);
	else if (object->kind == OBJECT_EVENT)
		print_event(text, (const struct event *)object);
}

void leaks_tell(struct opencl_driver *driver)
{
	static const char *const nouns[] = {
#define KIND(id, noun, error) #noun,
	    OBJECT_KINDS
#undef KIND
	};
	uint64_t count = 0;
	char *message;
	size_t size;
	FILE *text;

	if (!driver->options.account && !driver->options.tell_leaks)
		return;
	text = open_memstream(&message, &size);
	if (!text)
		abort(); /* no memory */
	for (struct object *o = driver->objects.first; o; o = o->next) {
		if (!is_left(o))
			continue;
		account_left(driver->options.account, o->kind);
		if (count++ < MOST)
			print_object(text, nouns[o->kind], o);
	}
	if (count > MOST)
		fprintf(text, "\n  and %" PRIu64 " more", count - MOST);
	fclose(text);
	if (count && driver->options.tell_leaks)
		log_warning(driver->options.log,
			    "OpenCL: %" PRIu64 " object%s not released when "
			    "the program ended, the newest first:%s",
			    count, count == 1 ? " was" : "s were", message);
	free(message);
}
