/* Images, and commands on them. */
#include <string.h>

#include "command.h"

static void make_image(void)
{
	static const cl_int wants[] = {
		CL_INVALID_CONTEXT, CL_INVALID_VALUE,
		CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
		CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
		CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_IMAGE_DESCRIPTOR,
		CL_INVALID_IMAGE_DESCRIPTOR, CL_INVALID_HOST_PTR,
		CL_INVALID_HOST_PTR, CL_INVALID_IMAGE_DESCRIPTOR,
		CL_INVALID_IMAGE_SIZE,
	};
	cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D,
			       .image_width = 16, .image_height = 8 };
	struct slot *context = any(CONTEXT, NULL), *slot;
	int fault = draw_fault(11), fine;
	cl_mem_flags flags = draw(2) ? CL_MEM_READ_WRITE
				     : CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
	void *handles[SIDES] = { NULL };

	if (!context)
		return;
	if (fault == 1)
		flags = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
	if (fault == 3)
		format.image_channel_order = 0x7777;
	if (fault == 5)
		desc.image_type = 0x7777;
	if (fault == 6)
		desc.image_width = 0;
	if (fault == 7)
		flags = CL_MEM_COPY_HOST_PTR;
	if (fault == 8)
		flags = CL_MEM_READ_ONLY;
	if (fault == 9)
		desc.num_mip_levels = 2;
	if (fault == 10)
		desc.image_width = (size_t)1 << 30;
	EVERY_SIDE {
		int gives = (flags & CL_MEM_COPY_HOST_PTR) != 0;

		if (fault == 7 || fault == 8)
			gives = !gives;
		handles[s] = sides[s].d->clCreateImage(
			fault ? context->handle[s] : NULL, flags,
			fault == 2 ? NULL : &format, fault == 4 ? NULL : &desc,
			gives ? host_bytes[s] : NULL, &got[s]);
	}
	fine = checked("clCreateImage", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	slot = keep(IMAGE, handles, context, fine);
	if (slot)
		slot->size = 16;
}

static void ask_formats(void)
{
	static const cl_int wants[] = { CL_INVALID_CONTEXT, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_VALUE };
	struct slot *context = any(CONTEXT, NULL);
	int fault = draw_fault(4);
	cl_uint count;

	if (!context)
		return;
	DO(clGetSupportedImageFormats, fault ? context->handle[s] : NULL,
	   fault == 1 ? CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY,
	   fault == 2 ? 0x7777 : CL_MEM_OBJECT_IMAGE2D, fault == 3 ? 0 : 10,
	   (cl_image_format *)host_bytes[s], &count);
	checked("clGetSupportedImageFormats", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void ask_image(void)
{
	static const cl_int wants[] = { CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	static const cl_uint names[] = { CL_IMAGE_FORMAT, CL_IMAGE_WIDTH,
					 CL_IMAGE_ROW_PITCH,
					 CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_DEPTH };
	struct slot *image = any(IMAGE, NULL);
	int fault = draw_fault(3);
	cl_uint name = fault == 1 ? 0xfeed : names[draw(5)];

	if (!image)
		return;
	DO(clGetImageInfo, fault ? image->handle[s] : NULL, name,
	   fault == 2 ? 1 : 64, host_bytes[s], NULL);
	checked("clGetImageInfo", fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

/* An image of the queue's context; fault 2: of another. */
static struct slot *image_for(const struct slot *queue, int fault)
{
	return fault == 2 ? stranger(IMAGE, queue->context)
			  : any(IMAGE, queue->context);
}

static void transfer(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE, CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 4, 4, 1 };
	struct slot *queue = any(QUEUE, NULL), *image;
	int fault = draw_fault(7), writes = draw(2);

	if (!queue)
		return;
	image = image_for(queue, fault);
	if (!image)
		return;
	open_gates();
	if (fault == 3)
		region[0] = image->size + 1;
	if (fault == 5)
		region[1] = 0;
	if (fault == 6)
		origin[2] = 1;
	EVERY_SIDE {
		cl_mem memory = fault == 1 ? NULL : image->handle[s];
		cl_command_queue own = fault ? queue->handle[s] : NULL;
		void *bytes = fault == 4 ? NULL : host_bytes[s];

		got[s] = writes ? sides[s].d->clEnqueueWriteImage(
					  own, memory, CL_TRUE, origin, region,
					  0, 0, bytes, 0, NULL, NULL)
				: sides[s].d->clEnqueueReadImage(
					  own, memory, CL_TRUE, origin, region,
					  0, 0, bytes, 0, NULL, NULL);
	}
	checked(writes ? "clEnqueueWriteImage" : "clEnqueueReadImage", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void fill(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 4, 4, 1 };
	struct slot *queue = any(QUEUE, NULL), *image;
	int fault = draw_fault(5);

	if (!queue)
		return;
	image = image_for(queue, fault);
	if (!image)
		return;
	if (fault == 3)
		region[0] = image->size + 1;
	DO(clEnqueueFillImage, fault ? queue->handle[s] : NULL,
	   fault == 1 ? NULL : image->handle[s],
	   fault == 4 ? NULL : host_bytes[s], origin, region, 0, NULL, NULL);
	checked("clEnqueueFillImage", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void copy(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP,
	};
	size_t from_origin[3] = { 0 }, to_origin[3] = { 8, 0, 0 };
	size_t region[3] = { 4, 4, 1 };
	struct slot *queue = any(QUEUE, NULL), *image;
	int fault = draw_fault(5);

	if (!queue)
		return;
	image = image_for(queue, fault);
	if (!image)
		return;
	if (fault == 3)
		region[0] = image->size + 1;
	if (fault == 4)
		to_origin[0] = 2;
	DO(clEnqueueCopyImage, fault ? queue->handle[s] : NULL,
	   fault == 1 ? NULL : image->handle[s], image->handle[s], from_origin,
	   to_origin, region, 0, NULL, NULL);
	checked("clEnqueueCopyImage", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void copy_to_buffer(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 4, 4, 1 };
	struct slot *queue = any(QUEUE, NULL), *image, *buffer;
	int fault = draw_fault(6), back = draw(2);

	if (!queue)
		return;
	image = image_for(queue, fault);
	buffer = any(BUFFER, queue->context);
	if (!image || !buffer)
		return;
	if (fault == 3)
		region[0] = image->size + 1;
	EVERY_SIDE {
		cl_command_queue own = fault ? queue->handle[s] : NULL;
		cl_mem i = fault == 1 ? NULL : image->handle[s];
		cl_mem b = fault == 4 ? NULL : buffer->handle[s];
		size_t at = fault == 5 ? buffer->size : 0;

		got[s] = back ? sides[s].d->clEnqueueCopyBufferToImage(
					own, b, i, at, origin, region, 0, NULL,
					NULL)
			      : sides[s].d->clEnqueueCopyImageToBuffer(
					own, i, b, origin, region, at, 0, NULL,
					NULL);
	}
	checked(back ? "clEnqueueCopyBufferToImage"
		     : "clEnqueueCopyImageToBuffer",
		fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void map(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE, CL_INVALID_VALUE,
	};
	size_t origin[3] = { 0 }, region[3] = { 4, 4, 1 };
	void *pointers[SIDES] = { NULL };
	struct command c;
	struct slot *image;

	if (!command_begin(&c, 7, 1))
		return;
	image = image_for(c.queue, c.fault);
	if (!image || image->mapped[0])
		return;
	if (c.fault == 3)
		region[0] = image->size + 1;
	if (c.fault == 6)
		region[1] = 0;
	EVERY_SIDE {
		size_t row_pitch, slice_pitch;

		pointers[s] = sides[s].d->clEnqueueMapImage(
			QUEUE_OF(c), c.fault == 1 ? NULL : image->handle[s],
			CL_TRUE, c.fault == 4 ? 0x100 : CL_MAP_READ, origin,
			region, c.fault == 5 ? NULL : &row_pitch, &slice_pitch,
			WAITS(c), &got[s]);
	}
	if (command_end(&c, "clEnqueueMapImage", wants))
		memcpy(image->mapped, pointers, sizeof pointers);
}

static void unmap(void)
{
	static const cl_int wants[] = {
		CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT,
		CL_INVALID_CONTEXT, CL_INVALID_VALUE,
	};
	struct command c;
	struct slot *image;

	if (!command_begin(&c, 4, 0))
		return;
	image = image_for(c.queue, c.fault);
	if (!image || !image->mapped[0])
		return;
	DO(clEnqueueUnmapMemObject, QUEUE_OF(c),
	   c.fault == 1 ? NULL : image->handle[s],
	   c.fault == 3 ? host_bytes[s] + 1 : image->mapped[s], WAITS(c));
	if (command_end(&c, "clEnqueueUnmapMemObject", wants))
		memset(image->mapped, 0, sizeof image->mapped);
}

const struct operation image_operations[] = {
	{ "image", make_image, 8 },
	{ "formats", ask_formats, 2 },
	{ "ask image", ask_image, 3 },
	{ "transfer image", transfer, 8 },
	{ "fill image", fill, 4 },
	{ "copy image", copy, 4 },
	{ "copy image and buffer", copy_to_buffer, 6 },
	{ "map image", map, 6 },
	{ "unmap image", unmap, 9 },
	{ NULL, NULL, 0 },
};
