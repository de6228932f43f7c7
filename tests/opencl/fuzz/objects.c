/* Platforms, devices, contexts, queues, buffers, samplers, events: made and asked. */
#include "fuzz.h"

static void CL_CALLBACK ignore_memory(cl_mem memory, void *data)
{
	(void)memory, (void)data;
}

static void CL_CALLBACK ignore_event(cl_event event, cl_int status, void *data)
{
	(void)event, (void)status, (void)data;
}

/* --- Queries ------------------------------------------------------------- */

/* The faults of every query: no object, a wrong name, too little room. */
struct query {
	int fault;
	cl_uint name;
	size_t size;
	cl_int want;
};

static struct query make_query(cl_uint name, cl_int no_object)
{
	struct query q = { draw_fault(3), name, sizeof(char[256]), CL_SUCCESS };

	if (q.fault == 0)
		q.want = no_object;
	else if (q.fault != NONE)
		q.want = CL_INVALID_VALUE;
	if (q.fault == 1)
		q.name = 0xfeed;
	if (q.fault == 2)
		q.size = 1;
	return q;
}

#define PICK(names) names[draw(sizeof names / sizeof *names)]
#define ASK(call, object)                                                      \
	DO(call, q.fault ? (object) : NULL, q.name, q.size, host_bytes[s],     \
	   NULL);                                                              \
	checked(#call, q.fault, q.want)

static void ask_device(void)
{
	static const cl_uint names[] = {
		CL_DEVICE_VENDOR_ID, CL_DEVICE_MAX_COMPUTE_UNITS,
		CL_DEVICE_NAME, CL_DEVICE_EXTENSIONS, CL_DEVICE_PROFILE,
		CL_DEVICE_MAX_WORK_ITEM_SIZES, CL_DEVICE_GLOBAL_MEM_SIZE,
		CL_DEVICE_PARTITION_MAX_SUB_DEVICES, CL_DEVICE_IMAGE_SUPPORT,
	};
	struct query q = make_query(PICK(names), CL_INVALID_DEVICE);

	EVERY_SIDE
		got[s] = sides[s].d->clGetDeviceInfo(
			q.fault ? sides[s].device : NULL, q.name,
			q.fault == 2 ? 1 : sizeof host_bytes[s], host_bytes[s],
			NULL);
	checked("clGetDeviceInfo", q.fault, q.want);
}

static void ask_context(void)
{
	static const cl_uint names[] = { CL_CONTEXT_REFERENCE_COUNT,
					 CL_CONTEXT_NUM_DEVICES,
					 CL_CONTEXT_DEVICES };
	struct slot *slot = any(CONTEXT, NULL);
	struct query q = make_query(PICK(names), CL_INVALID_CONTEXT);

	if (!slot)
		return;
	ASK(clGetContextInfo, slot->handle[s]);
}

static void ask_queue(void)
{
	static const cl_uint names[] = { CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE,
					 CL_QUEUE_REFERENCE_COUNT,
					 CL_QUEUE_PROPERTIES };
	struct slot *slot = any(QUEUE, NULL);
	struct query q = make_query(PICK(names), CL_INVALID_COMMAND_QUEUE);

	if (!slot)
		return;
	ASK(clGetCommandQueueInfo, slot->handle[s]);
}

static void ask_memory(void)
{
	static const cl_uint names[] = {
		CL_MEM_TYPE, CL_MEM_FLAGS, CL_MEM_SIZE, CL_MEM_HOST_PTR,
		CL_MEM_MAP_COUNT, CL_MEM_REFERENCE_COUNT, CL_MEM_CONTEXT,
		CL_MEM_ASSOCIATED_MEMOBJECT, CL_MEM_OFFSET,
	};
	struct slot *slot = any(draw(2) ? BUFFER : IMAGE, NULL);
	struct query q = make_query(PICK(names), CL_INVALID_MEM_OBJECT);

	if (!slot)
		return;
	ASK(clGetMemObjectInfo, slot->handle[s]);
}

static void ask_sampler(void)
{
	static const cl_uint names[] = { CL_SAMPLER_REFERENCE_COUNT,
					 CL_SAMPLER_CONTEXT,
					 CL_SAMPLER_NORMALIZED_COORDS,
					 CL_SAMPLER_ADDRESSING_MODE,
					 CL_SAMPLER_FILTER_MODE };
	struct slot *slot = any(SAMPLER, NULL);
	struct query q = make_query(PICK(names), CL_INVALID_SAMPLER);

	if (!slot)
		return;
	ASK(clGetSamplerInfo, slot->handle[s]);
}

static void ask_event(void)
{
	static const cl_uint names[] = { CL_EVENT_COMMAND_QUEUE,
					 CL_EVENT_COMMAND_TYPE,
					 CL_EVENT_CONTEXT,
					 CL_EVENT_COMMAND_EXECUTION_STATUS,
					 CL_EVENT_REFERENCE_COUNT };
	struct slot *slot = any(EVENT, NULL);
	struct query q = make_query(PICK(names), CL_INVALID_EVENT);

	if (!slot)
		return;
	ASK(clGetEventInfo, slot->handle[s]);
}

static void ask_profile(void)
{
	struct slot *slot = any(EVENT, NULL);
	struct query q = make_query(CL_PROFILING_COMMAND_QUEUED + draw(4),
				    CL_INVALID_EVENT);

	if (!slot)
		return;
	/* Of an event without, whatever is asked. */
	if (slot->state != PROFILED && q.fault) {
		q = (struct query){ 3, CL_PROFILING_COMMAND_END, 8,
				    CL_PROFILING_INFO_NOT_AVAILABLE };
	} else if (q.fault) {
		open_gates();
		EVERY_SIDE {
			cl_event event = slot->handle[s];

			sides[s].d->clWaitForEvents(1, &event);
		}
	}
	ASK(clGetEventProfilingInfo, slot->handle[s]);
}

/* --- Contexts and queues ------------------------------------------------- */

static void make_context(void)
{
	static const cl_int wants[] = {
		CL_INVALID_VALUE, CL_INVALID_VALUE, CL_INVALID_DEVICE,
		CL_INVALID_PROPERTY, CL_INVALID_PLATFORM, CL_INVALID_VALUE,
	};
	int fault = draw_fault(6);
	cl_int want = fault < 0 ? CL_SUCCESS : wants[fault];
	void *handles[SIDES] = { NULL };
	int fine;

	EVERY_SIDE {
		cl_device_id device = fault == 2 ? NULL : sides[s].device;
		cl_context_properties properties[] = {
			fault == 3 ? 0x7777 : CL_CONTEXT_PLATFORM,
			fault == 4 ? 0
				   : (cl_context_properties)sides[s].platform,
			0,
		};

		handles[s] = sides[s].d->clCreateContext(
			properties, fault != 0, fault == 1 ? NULL : &device,
			NULL, fault == 5 ? host_bytes[s] : NULL, &got[s]);
	}
	fine = checked("clCreateContext", fault, want);
	keep(CONTEXT, handles, NULL, fine);
}

static void make_queue(void)
{
	static const cl_int wants[] = { CL_INVALID_CONTEXT, CL_INVALID_DEVICE,
					CL_INVALID_VALUE };
	struct slot *context = any(CONTEXT, NULL), *slot;
	int fault = draw_fault(3), fine;
	cl_command_queue_properties properties = draw(4);
	void *handles[SIDES] = { NULL };

	if (!context)
		return;
	if (fault == 2)
		properties = 1 << 20;
	EVERY_SIDE
		handles[s] = sides[s].d->clCreateCommandQueue(
			fault ? context->handle[s] : NULL,
			fault == 1 ? NULL : sides[s].device, properties,
			&got[s]);
	fine = checked("clCreateCommandQueue", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	slot = keep(QUEUE, handles, context, fine);
	if (slot)
		slot->flags = properties;
}

static void flush(void)
{
	struct slot *queue = draw(8) ? any(QUEUE, NULL) : NULL;

	DO(clFlush, ON(queue));
	checked("clFlush", queue ? NONE : 0,
		queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

static void finish(void)
{
	struct slot *queue = draw(8) ? any(QUEUE, NULL) : NULL;

	open_gates();
	DO(clFinish, ON(queue));
	checked("clFinish", queue ? NONE : 0,
		queue ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

/* --- Buffers and samplers ------------------------------------------------ */

static const cl_mem_flags good_flags[] = {
	0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY,
	CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_NO_ACCESS,
	CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
	CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR,
};

static void make_buffer(void)
{
	static const cl_int wants[] = {
		CL_INVALID_CONTEXT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE,
		CL_INVALID_BUFFER_SIZE, CL_INVALID_HOST_PTR,
		CL_INVALID_HOST_PTR,
	};
	static const cl_mem_flags bad_flags[] = {
		CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY,
		CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
		CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY,
		CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR,
	};
	int fault = draw_fault(9), fine;
	cl_mem_flags flags = PICK(good_flags);
	size_t size = 256u << draw(6);
	struct slot *context = any(CONTEXT, NULL), *slot;
	void *handles[SIDES] = { NULL };

	if (!context)
		return;
	/* Without a context, PoCL crashes when it is to use host memory. */
	if (fault == 0)
		flags &= ~(cl_mem_flags)CL_MEM_USE_HOST_PTR;
	if (fault >= 1 && fault <= 4)
		flags = bad_flags[fault - 1];
	if (fault == 5)
		size = 0;
	if (fault == 6)
		size = (size_t)-1 / 2;
	if (fault == 7)
		flags = CL_MEM_READ_ONLY;
	if (fault == 8)
		flags = CL_MEM_COPY_HOST_PTR;
	EVERY_SIDE {
		int gives = (flags & (CL_MEM_USE_HOST_PTR |
				      CL_MEM_COPY_HOST_PTR)) != 0;

		if (fault == 7 || fault == 8)
			gives = !gives;
		handles[s] = sides[s].d->clCreateBuffer(
			fault ? context->handle[s] : NULL, flags, size,
			gives ? host_bytes[s] : NULL, &got[s]);
	}
	fine = checked("clCreateBuffer", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	slot = keep(BUFFER, handles, context, fine);
	if (!slot)
		return;
	slot->flags = flags;
	slot->size = size;
}

static void make_sub_buffer(void)
{
	static const cl_int wants[] = {
		CL_INVALID_MEM_OBJECT, CL_INVALID_VALUE, CL_INVALID_VALUE,
		CL_INVALID_VALUE, CL_INVALID_VALUE, CL_INVALID_BUFFER_SIZE,
		CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_INVALID_MEM_OBJECT,
	};
	struct slot *parent = any(BUFFER, NULL), *slot;
	int fault = draw_fault(8), fine;
	cl_buffer_region region = { 0, 128 };
	void *handles[SIDES] = { NULL };
	cl_mem_flags flags = 0;

	if (!parent || (fault == 6 && parent->size < 512) ||
	    (fault == 7) != (parent->parent != NULL))
		return;
	if (fault == 4)
		region.size = parent->size + 1;
	if (fault == 5)
		region.size = 0;
	if (fault == 6)
		region.origin = 4;
	if (fault == 3)
		flags = CL_MEM_COPY_HOST_PTR;
	EVERY_SIDE
		handles[s] = sides[s].d->clCreateSubBuffer(
			fault ? parent->handle[s] : NULL, flags,
			fault == 1 ? 0x7777 : CL_BUFFER_CREATE_TYPE_REGION,
			fault == 2 ? NULL : &region, &got[s]);
	fine = checked("clCreateSubBuffer", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	slot = keep(BUFFER, handles, parent->context, fine);
	if (!slot)
		return;
	slot->flags = parent->flags;
	slot->size = region.size;
	slot->parent = parent;
}

static void set_destructor(void)
{
	static const cl_int wants[] = { CL_INVALID_MEM_OBJECT,
					CL_INVALID_VALUE };
	struct slot *slot = any(BUFFER, NULL);
	int fault = draw_fault(2);

	if (!slot)
		return;
	DO(clSetMemObjectDestructorCallback, fault ? slot->handle[s] : NULL,
	   fault == 1 ? NULL : ignore_memory, NULL);
	checked("clSetMemObjectDestructorCallback", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void make_sampler(void)
{
	static const cl_int wants[] = { CL_INVALID_CONTEXT, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	struct slot *context = any(CONTEXT, NULL);
	int fault = draw_fault(3), fine;
	void *handles[SIDES] = { NULL };

	if (!context)
		return;
	EVERY_SIDE
		handles[s] = sides[s].d->clCreateSampler(
			fault ? context->handle[s] : NULL, CL_TRUE,
			fault == 1 ? 0x7777 : CL_ADDRESS_CLAMP,
			fault == 2 ? 0x7777 : CL_FILTER_NEAREST, &got[s]);
	fine = checked("clCreateSampler", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	keep(SAMPLER, handles, context, fine);
}

/* --- Events -------------------------------------------------------------- */

static void make_user_event(void)
{
	struct slot *context = draw(8) ? any(CONTEXT, NULL) : NULL, *slot;
	void *handles[SIDES] = { NULL };
	int fine;

	EVERY_SIDE
		handles[s] = sides[s].d->clCreateUserEvent(ON(context),
							   &got[s]);
	fine = checked("clCreateUserEvent", context ? NONE : 0,
		       context ? CL_SUCCESS : CL_INVALID_CONTEXT);
	slot = keep(EVENT, handles, context, fine);
	if (slot)
		slot->state = USER_OPEN;
}

static void set_user_event(void)
{
	struct slot *slot = any(EVENT, NULL);
	int fault = draw_fault(2);
	cl_int want = CL_SUCCESS;

	if (!slot)
		return;
	if (fault == 0 || slot->state == COMMAND || slot->state == PROFILED) {
		want = CL_INVALID_EVENT;
		if (fault)
			fault = 2;
	} else if (slot->state == USER_SET) {
		want = CL_INVALID_OPERATION;
		fault = 3;
	} else if (fault == 1) {
		want = CL_INVALID_VALUE;
	}
	DO(clSetUserEventStatus, fault ? slot->handle[s] : NULL,
	   fault == 1 ? 1 : CL_COMPLETE);
	if (checked("clSetUserEventStatus", fault, want))
		slot->state = USER_SET;
}

static void set_callback(void)
{
	static const cl_int wants[] = { CL_INVALID_EVENT, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	struct slot *slot = any(EVENT, NULL);
	int fault = draw_fault(3);

	if (!slot)
		return;
	DO(clSetEventCallback, fault ? slot->handle[s] : NULL,
	   fault == 2 ? 17 : CL_COMPLETE, fault == 1 ? NULL : ignore_event,
	   NULL);
	checked("clSetEventCallback", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void wait_for_events(void)
{
	static const cl_int wants[] = { CL_INVALID_VALUE, CL_INVALID_VALUE,
					CL_INVALID_EVENT, CL_INVALID_CONTEXT };
	struct slot *first = any(EVENT, NULL), *second;
	int fault = draw_fault(4);

	if (!first)
		return;
	second = fault == 3 ? stranger(EVENT, first->context)
			    : any(EVENT, first->context);
	if (!second)
		return;
	open_gates();
	EVERY_SIDE {
		cl_event list[2] = { first->handle[s],
				     fault == 2 ? NULL : second->handle[s] };

		got[s] = sides[s].d->clWaitForEvents(fault ? 2 : 0,
						     fault == 1 ? NULL : list);
	}
	checked("clWaitForEvents", fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

const struct operation object_operations[] = {
	{ "ask device", ask_device, 2 },
	{ "ask context", ask_context, 2 },
	{ "ask queue", ask_queue, 2 },
	{ "ask memory", ask_memory, 3 },
	{ "ask sampler", ask_sampler, 2 },
	{ "ask event", ask_event, 4 },
	{ "ask profile", ask_profile, 4 },
	{ "context", make_context, 4 },
	{ "queue", make_queue, 6 },
	{ "flush", flush, 3 },
	{ "finish", finish, 1 },
	{ "buffer", make_buffer, 10 },
	{ "sub-buffer", make_sub_buffer, 6 },
	{ "destructor", set_destructor, 2 },
	{ "sampler", make_sampler, 3 },
	{ "user event", make_user_event, 6 },
	{ "set user event", set_user_event, 6 },
	{ "callback", set_callback, 4 },
	{ "wait", wait_for_events, 2 },
	{ NULL, NULL, 0 },
};
