/* Programs and kernels. */
#include "fuzz.h"

static const char source[] =
	"kernel void one(global int *p, int v, local int *l) {\n"
	"  l[get_local_id(0)] = v; p[get_global_id(0)] = l[get_local_id(0)]; }\n"
	"kernel void two(global int *p) { p[get_global_id(0)] = 1; }\n";

static void make_program(void)
{
	static const cl_int wants[] = { CL_INVALID_CONTEXT, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_VALUE };
	struct slot *context = any(CONTEXT, NULL);
	int fault = draw_fault(4), fine;
	void *handles[SIDES] = { NULL };
	const char *strings[] = { fault == 3 ? NULL : source };

	if (!context)
		return;
	EVERY_SIDE
		handles[s] = sides[s].d->clCreateProgramWithSource(
			fault ? context->handle[s] : NULL, fault != 1,
			fault == 2 ? NULL : strings, NULL, &got[s]);
	fine = checked("clCreateProgramWithSource", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	keep(PROGRAM, handles, context, fine);
}

static void make_binary_program(void)
{
	static const cl_int wants[] = { CL_INVALID_CONTEXT, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_DEVICE };
	struct slot *context = any(CONTEXT, NULL);
	int fault = draw_fault(6);

	if (!context || fault < 0) /* a right one is each platform's own */
		return;
	EVERY_SIDE {
		const unsigned char *bytes = (unsigned char *)host_bytes[s];
		cl_device_id device = fault == 5 ? NULL : sides[s].device;
		size_t length = fault == 3 ? 0 : 16;

		sides[s].d->clCreateProgramWithBinary(
			fault ? context->handle[s] : NULL, fault != 1, &device,
			fault == 2 ? NULL : &length, fault == 4 ? NULL : &bytes,
			NULL, &got[s]);
	}
	checked("clCreateProgramWithBinary", fault, wants[fault]);
}

static void build(void)
{
	static const cl_int wants[] = { CL_INVALID_PROGRAM, CL_INVALID_VALUE,
					CL_INVALID_VALUE, CL_INVALID_DEVICE,
					CL_INVALID_VALUE };
	struct slot *program = any(PROGRAM, NULL);
	int fault = draw_fault(5);
	cl_int want = fault < 0 ? CL_SUCCESS : wants[fault];

	if (!program)
		return;
	if (fault < 0 && (program->kernels || program->parent)) {
		fault = 5;
		want = CL_INVALID_OPERATION;
	}
	EVERY_SIDE {
		cl_device_id device = fault == 3 ? NULL : sides[s].device;

		got[s] = sides[s].d->clBuildProgram(
			fault ? program->handle[s] : NULL, fault != 1,
			fault == 2 ? NULL : &device, "", NULL,
			fault == 4 ? host_bytes[s] : NULL);
	}
	checked("clBuildProgram", fault, want);
	if (fault < 0 && first_succeeded())
		program->state = BUILT;
}

static void ask_program(void)
{
	static const cl_int wants[] = { CL_INVALID_PROGRAM, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	static const cl_uint names[] = {
		CL_PROGRAM_REFERENCE_COUNT, CL_PROGRAM_CONTEXT,
		CL_PROGRAM_NUM_DEVICES, CL_PROGRAM_DEVICES, CL_PROGRAM_SOURCE,
	};
	struct slot *program = any(PROGRAM, NULL);
	int fault = draw_fault(3);
	cl_uint name = fault == 1 ? 0xfeed : names[draw(5)];

	/* The source of a linked one is empty: there is room for it. */
	if (!program || (program->parent && fault == 2))
		return;
	DO(clGetProgramInfo, fault ? program->handle[s] : NULL, name,
	   fault == 2 ? 1 : 4096, host_bytes[s], NULL);
	checked("clGetProgramInfo", fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void ask_build(void)
{
	static const cl_int wants[] = { CL_INVALID_PROGRAM, CL_INVALID_DEVICE,
					CL_INVALID_VALUE, CL_INVALID_VALUE };
	static const cl_uint names[] = { CL_PROGRAM_BUILD_STATUS,
					 CL_PROGRAM_BINARY_TYPE };
	struct slot *program = any(PROGRAM, NULL);
	int fault = draw_fault(4);
	cl_uint name = fault == 2 ? 0xfeed : names[draw(2)];

	if (!program)
		return;
	DO(clGetProgramBuildInfo, fault ? program->handle[s] : NULL,
	   fault == 1 ? NULL : sides[s].device, name, fault == 3 ? 1 : 4096,
	   host_bytes[s], NULL);
	checked("clGetProgramBuildInfo", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void make_kernel(void)
{
	static const cl_int wants[] = { CL_INVALID_PROGRAM, CL_INVALID_VALUE,
					CL_INVALID_KERNEL_NAME };
	struct slot *program = any(PROGRAM, NULL), *kernel;
	void *handles[SIDES] = { NULL };
	int fault = draw_fault(3), which = (int)draw(2), fine;
	cl_int want = fault < 0 ? CL_SUCCESS : wants[fault];

	if (!program)
		return;
	if (program->state != BUILT) {
		if (fault >= 0 && fault)
			return;
		if (fault < 0) {
			fault = 3;
			want = CL_INVALID_PROGRAM_EXECUTABLE;
		}
	}
	EVERY_SIDE
		handles[s] = sides[s].d->clCreateKernel(
			fault ? program->handle[s] : NULL,
			fault == 1   ? NULL
			: fault == 2 ? "three"
			: which	     ? "two"
				     : "one",
			&got[s]);
	fine = checked("clCreateKernel", fault, want);
	kernel = keep(KERNEL, handles, program->context, fine);
	if (!kernel)
		return;
	kernel->parent = program;
	kernel->state = which;
	program->kernels++;
}

static void set_argument(void)
{
	static const cl_int wants[] = {
		CL_INVALID_KERNEL,    CL_INVALID_ARG_INDEX,
		CL_INVALID_ARG_SIZE,  CL_INVALID_ARG_VALUE,
		CL_INVALID_ARG_VALUE, CL_INVALID_ARG_SIZE,
		CL_INVALID_ARG_SIZE,
	};
	struct slot *kernel = any(KERNEL, NULL), *buffer;
	int fault = draw_fault(7), number = 5;

	if (!kernel || kernel->state)
		return;
	buffer = any(BUFFER, kernel->context);
	if (!buffer)
		return;
	EVERY_SIDE {
		cl_mem memory = buffer->handle[s];
		const cl_icd_dispatch *d = sides[s].d;
		cl_kernel own = fault ? kernel->handle[s] : NULL;

		switch (fault) {
		case 1:
			got[s] = d->clSetKernelArg(own, 3, 4, &number);
			break;
		case 2:
			got[s] = d->clSetKernelArg(own, 1, 3, &number);
			break;
		case 3:
			got[s] = d->clSetKernelArg(own, 1, 4, NULL);
			break;
		case 4:
			got[s] = d->clSetKernelArg(own, 2, 64, &number);
			break;
		case 5:
			got[s] = d->clSetKernelArg(own, 2, 0, NULL);
			break;
		case 6:
			got[s] = d->clSetKernelArg(own, 0, 3, &memory);
			break;
		default:
			got[s] = d->clSetKernelArg(own, 0, sizeof memory,
						   &memory);
		}
	}
	checked("clSetKernelArg", fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void ask_kernel(void)
{
	static const cl_int wants[] = { CL_INVALID_KERNEL, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	static const cl_uint names[] = {
		CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS,
		CL_KERNEL_REFERENCE_COUNT, CL_KERNEL_CONTEXT, CL_KERNEL_PROGRAM,
	};
	struct slot *kernel = any(KERNEL, NULL);
	int fault = draw_fault(3);
	cl_uint name = fault == 1 ? 0xfeed : names[draw(5)];

	if (!kernel)
		return;
	DO(clGetKernelInfo, fault ? kernel->handle[s] : NULL, name,
	   fault == 2 ? 1 : 4096, host_bytes[s], NULL);
	checked("clGetKernelInfo", fault, fault < 0 ? CL_SUCCESS : wants[fault]);
}

static void ask_work_group(void)
{
	static const cl_int wants[] = { CL_INVALID_KERNEL, CL_INVALID_VALUE,
					CL_INVALID_VALUE };
	static const cl_uint names[] = {
		CL_KERNEL_WORK_GROUP_SIZE, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
		CL_KERNEL_LOCAL_MEM_SIZE,
		CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
		CL_KERNEL_PRIVATE_MEM_SIZE,
	};
	struct slot *kernel = any(KERNEL, NULL);
	int fault = draw_fault(3);
	cl_uint name = fault == 1 ? 0xfeed : names[draw(5)];

	if (!kernel)
		return;
	DO(clGetKernelWorkGroupInfo, fault ? kernel->handle[s] : NULL,
	   sides[s].device, name, fault == 2 ? 1 : 64, host_bytes[s], NULL);
	checked("clGetKernelWorkGroupInfo", fault,
		fault < 0 ? CL_SUCCESS : wants[fault]);
}

const struct operation program_operations[] = {
	{ "program", make_program, 4 },
	{ "binary", make_binary_program, 4 },
	{ "build", build, 3 },
	{ "ask program", ask_program, 3 },
	{ "ask build", ask_build, 3 },
	{ "kernel", make_kernel, 8 },
	{ "argument", set_argument, 8 },
	{ "ask kernel", ask_kernel, 3 },
	{ "ask work-group", ask_work_group, 3 },
	{ NULL, NULL, 0 },
};
