/* Commands on buffers. */
#include "command.h"

#include <string.h>

/* A buffer for a command: fault 1 NULL, fault 2 of another context. */
static struct slot *buffer_for(const struct command *c)
{
	return c->fault == 2 ? stranger(BUFFER, c->queue->context)
			     : any(BUFFER, c->queue->context);
}

static int host_may(const struct slot *buffer, cl_mem_flags not)
{
	return !(buffer->flags & (CL_MEM_HOST_NO_ACCESS | not));
}

/* Which side of it does not matter: both have the same faults. */
static void transfer(int writes)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_OPERATION,
	};
	struct command c;
	struct slot *buffer;
	int blocks = draw(2);

	if (!command_begin(&c, 6, blocks))
		return;
	buffer = buffer_for(&c);
	if (!buffer ||
	    (c.fault == 5) == host_may(buffer, writes ? CL_MEM_HOST_READ_ONLY
						      : CL_MEM_HOST_WRITE_ONLY))
		return;
	EVERY_SIDE {
		cl_mem memory = c.fault == 1 ? NULL : buffer->handle[s];
		size_t size = c.fault == 3 ? buffer->size + 1 : 64;
		void *bytes = c.fault == 4 ? NULL : host_bytes[s];

		got[s] = writes ? sides[s].d->clEnqueueWriteBuffer(
					  QUEUE_OF(c), memory, blocks, 0, size,
					  bytes, WAITS(c))
				: sides[s].d->clEnqueueReadBuffer(
					  QUEUE_OF(c), memory, blocks, 0, size,
					  bytes, WAITS(c));
	}
	command_end(&c, writes ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", wants);
}

static void write_buffer(void)
{
	transfer(1);
}

static void read_buffer(void)
{
	transfer(0);
}

static void transfer_rect(int writes)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_OPERATION, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 8, 2, 2 };
	struct command c;
	struct slot *buffer;

	if (!command_begin(&c, 9, 1))
		return;
	buffer = buffer_for(&c);
	if (!buffer ||
	    (c.fault == 5) == host_may(buffer, writes ? CL_MEM_HOST_READ_ONLY
						      : CL_MEM_HOST_WRITE_ONLY))
		return;
	if (c.fault == 3)
		region[2] = buffer->size;
	if (c.fault == 8)
		region[1] = 0;
	EVERY_SIDE {
		cl_mem memory = c.fault == 1 ? NULL : buffer->handle[s];
		void *bytes = c.fault == 4 ? NULL : host_bytes[s];
		size_t row = c.fault == 6 ? 7 : 16, slice = c.fault == 7 ? 17
									 : 32;

		got[s] = writes ? sides[s].d->clEnqueueWriteBufferRect(
					  QUEUE_OF(c), memory, CL_TRUE, origin,
					  origin, region, row, slice, 8, 16,
					  bytes, WAITS(c))
				: sides[s].d->clEnqueueReadBufferRect(
					  QUEUE_OF(c), memory, CL_TRUE, origin,
					  origin, region, row, slice, 8, 16,
					  bytes, WAITS(c));
	}
	command_end(&c, writes ? "clEnqueueWriteBufferRect" : "clEnqueueReadBufferRect",
	    wants);
}

static void write_rect(void)
{
	transfer_rect(1);
}

static void read_rect(void)
{
	transfer_rect(0);
}

static void fill(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE, CL_INVALID_VALUE, CL_INVALID_VALUE,
	};
	struct command c;
	struct slot *buffer;

	if (!command_begin(&c, 8, 0))
		return;
	buffer = buffer_for(&c);
	if (!buffer)
		return;
	DO(clEnqueueFillBuffer, QUEUE_OF(c),
	   c.fault == 1 ? NULL : buffer->handle[s],
	   c.fault == 3 ? NULL : host_bytes[s],
	   c.fault == 4 ? 3 : c.fault == 5 ? 256 : 4,
	   c.fault == 6 ? 2 : 0, c.fault == 7 ? buffer->size + 4 : 64,
	   WAITS(c));
	command_end(&c, "clEnqueueFillBuffer", wants);
}

static void copy(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP,
		CL_INVALID_MEM_OBJECT,
	};
	struct command c;
	struct slot *from, *to;

	if (!command_begin(&c, 6, 0))
		return;
	from = buffer_for(&c);
	to = any(BUFFER, c.queue->context);
	if (!from || !to)
		return;
	if (c.fault == 4)
		to = from;
	else if (from == to || from->parent || to->parent)
		return;
	DO(clEnqueueCopyBuffer, QUEUE_OF(c),
	   c.fault == 1 ? NULL : from->handle[s],
	   c.fault == 5 ? NULL : to->handle[s], 0, c.fault == 4 ? 16 : 0,
	   c.fault == 3 ? from->size + to->size : 64, WAITS(c));
	command_end(&c, "clEnqueueCopyBuffer", wants);
}

static void copy_rect(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 8, 2, 2 };
	struct command c;
	struct slot *from, *to;

	if (!command_begin(&c, 6, 0))
		return;
	from = buffer_for(&c);
	to = any(BUFFER, c.queue->context);
	if (!from || !to || from == to || from->parent || to->parent)
		return;
	if (c.fault == 3)
		region[2] = from->size + to->size;
	DO(clEnqueueCopyBufferRect, QUEUE_OF(c),
	   c.fault == 1 ? NULL : from->handle[s],
	   c.fault == 4 ? NULL : to->handle[s], origin, origin, region,
	   c.fault == 5 ? 7 : 16, 32, 8, 16, WAITS(c));
	command_end(&c, "clEnqueueCopyBufferRect", wants);
}

static void map(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_OPERATION,
	};
	void *pointers[SIDES] = { NULL };
	struct command c;
	struct slot *buffer;
	int fine;

	if (!command_begin(&c, 6, 1))
		return;
	buffer = buffer_for(&c);
	if (!buffer || buffer->mapped[0] || buffer->parent ||
	    (c.fault == 5) == host_may(buffer, CL_MEM_HOST_WRITE_ONLY))
		return;
	EVERY_SIDE
		pointers[s] = sides[s].d->clEnqueueMapBuffer(
			QUEUE_OF(c), c.fault == 1 ? NULL : buffer->handle[s],
			CL_TRUE, c.fault == 4 ? 0x100 : CL_MAP_READ, 0,
			c.fault == 3 ? buffer->size + 1 : 64, WAITS(c),
			&got[s]);
	fine = command_end(&c, "clEnqueueMapBuffer", wants);
	if (fine)
		memcpy(buffer->mapped, pointers, sizeof pointers);
}

static void unmap(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE,
	};
	struct command c;
	struct slot *buffer;

	if (!command_begin(&c, 4, 0))
		return;
	buffer = buffer_for(&c);
	if (!buffer || !buffer->mapped[0])
		return;
	DO(clEnqueueUnmapMemObject, QUEUE_OF(c),
	   c.fault == 1 ? NULL : buffer->handle[s],
	   c.fault == 3 ? host_bytes[s] + 1 : buffer->mapped[s], WAITS(c));
	if (command_end(&c, "clEnqueueUnmapMemObject", wants))
		memset(buffer->mapped, 0, sizeof buffer->mapped);
}

static void migrate(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE,
	};
	struct command c;
	struct slot *buffer;

	if (!command_begin(&c, 6, 0))
		return;
	buffer = buffer_for(&c);
	if (!buffer)
		return;
	EVERY_SIDE {
		cl_mem list[] = { c.fault == 1 ? NULL : buffer->handle[s] };

		got[s] = sides[s].d->clEnqueueMigrateMemObjects(
			QUEUE_OF(c), c.fault != 3, c.fault == 4 ? NULL : list,
			c.fault == 5 ? 1 << 20 : CL_MIGRATE_MEM_OBJECT_HOST,
			WAITS(c));
	}
	command_end(&c, "clEnqueueMigrateMemObjects", wants);
}

const struct operation command_operations[] = {
	{ "read", read_buffer, 10 },
	{ "write", write_buffer, 10 },
	{ "read rect", read_rect, 5 },
	{ "write rect", write_rect, 5 },
	{ "fill", fill, 8 },
	{ "copy", copy, 8 },
	{ "copy rect", copy_rect, 6 },
	{ "map", map, 8 },
	{ "unmap", unmap, 12 },
	{ "migrate", migrate, 4 },
	{ NULL, NULL, 0 },
};
