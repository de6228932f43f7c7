/* Compiling and linking, each by itself. */
#include "fuzz.h"

static const cl_int compile_wants[] = {
	CL_INVALID_PROGRAM,   CL_INVALID_VALUE,		   CL_INVALID_VALUE,
	CL_INVALID_DEVICE,    CL_INVALID_VALUE,		   CL_INVALID_VALUE,
	CL_INVALID_OPERATION, CL_INVALID_COMPILER_OPTIONS, CL_INVALID_VALUE,
	CL_INVALID_PROGRAM,
};

/* A program with kernels cannot be compiled, and one from clLinkProgram has no
 * source. */
static void compile(void)
{
	static const char *names[] = { "one.h" };
	struct slot *program = any(PROGRAM, NULL), *header;
	int fault = draw_fault(10), with_header = draw(2), refused;

	if (!program)
		return;
	header = any(PROGRAM, program->context);
	refused = program->kernels || program->parent;
	if (fault == 7 && program->state)
		return;
	if (fault == 6 || (refused && fault < 0)) {
		if (!refused)
			return;
		fault = 6;
	} else if (refused && (fault == 7 || fault == 9)) {
		return;
	}
	if (header->parent) /* without source */
		with_header = 0;
	EVERY_SIDE {
		cl_device_id device = fault == 3 ? NULL : sides[s].device;
		cl_program headers[] = { fault == 9 ? NULL
						    : header->handle[s] };
		int has = fault == 9 || (with_header && fault != 5);

		got[s] = sides[s].d->clCompileProgram(
			fault ? program->handle[s] : NULL, fault != 1,
			fault == 2 ? NULL : &device,
			fault == 7 ? "-no-such-option" : "",
			fault == 8 ? 1 : (cl_uint)has,
			has && fault != 8 ? headers : NULL,
			(has || fault == 5) && fault != 8 ? names : NULL, NULL,
			fault == 4 ? host_bytes[s] : NULL);
	}
	checked("clCompileProgram", fault,
		fault < 0 ? CL_SUCCESS : compile_wants[fault]);
	if (fault < 0 && first_succeeded())
		program->state = COMPILED;
}

static void link(void)
{
	static const cl_int wants[] = {
		CL_INVALID_CONTEXT, CL_INVALID_VALUE,   CL_INVALID_VALUE,
		CL_INVALID_DEVICE,  CL_INVALID_VALUE,   CL_INVALID_VALUE,
		CL_INVALID_VALUE,   CL_INVALID_PROGRAM,
		CL_INVALID_LINKER_OPTIONS, CL_INVALID_OPERATION,
	};
	struct slot *program = any(PROGRAM, NULL), *linked;
	void *handles[SIDES] = { NULL };
	int fault = draw_fault(10), fine;

	if (!program)
		return;
	if (fault == 9 || (fault < 0 && program->state != COMPILED)) {
		if (program->state == COMPILED)
			return;
		fault = 9;
	} else if (fault == 8 && program->state != COMPILED) {
		return;
	}
	EVERY_SIDE {
		cl_device_id device = fault == 3 ? NULL : sides[s].device;
		cl_program inputs[] = { fault == 7 ? NULL
						   : program->handle[s] };

		handles[s] = sides[s].d->clLinkProgram(
			fault ? program->context->handle[s] : NULL, fault != 1,
			fault == 2 ? NULL : &device,
			fault == 8 ? "-no-such-option" : "", fault != 5,
			fault == 6 ? NULL : inputs, NULL,
			fault == 4 ? host_bytes[s] : NULL, &got[s]);
	}
	fine = checked("clLinkProgram", fault,
		       fault < 0 ? CL_SUCCESS : wants[fault]);
	linked = keep(PROGRAM, handles, program->context, fine);
	if (!linked)
		return;
	linked->state = BUILT;
	linked->parent = program;
}

const struct operation linking_operations[] = {
	{ "compile", compile, 3 },
	{ "link", link, 4 },
	{ NULL, NULL, 0 },
};
