/* Random sequences of OpenCL calls, valid ones and such with one fault each, on
 * one platform or on several in step. The specification's error code of each
 * fault is known beside it; what the platforms return is compared with it. */
#ifndef M2S_TESTS_OPENCL_FUZZ_FUZZ_H
#define M2S_TESTS_OPENCL_FUZZ_FUZZ_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <stdint.h>

enum { SIDES = 2, SLOTS = 24, NONE = -1 };

enum kind { CONTEXT, QUEUE, BUFFER, IMAGE, SAMPLER, PROGRAM, KERNEL, EVENT, KINDS };

/* An object that exists on all platforms. */
struct slot {
	void *handle[SIDES];   /* NULL: the slot is free */
	struct slot *context;
	unsigned references;
	uint64_t flags;        /* of memory objects; properties of queues */
	size_t size;           /* of buffers; width of images */
	struct slot *parent;   /* of sub-buffers, kernels, linked programs */
	void *mapped[SIDES];
	int state;             /* programs: enum program_state; kernels: which
				  one; events: enum event_state */
	unsigned kernels;      /* of a program */
};

enum program_state { SOURCE, BUILT, COMPILED };
enum event_state { COMMAND, PROFILED, USER_OPEN, USER_SET };

struct side {
	cl_platform_id platform;
	cl_device_id device;
	const cl_icd_dispatch *d; /* its functions, without a loader's checks */
};

extern struct side sides[SIDES];
extern int side_count;
extern cl_int got[SIDES]; /* of the call under way */
extern char host_bytes[SIDES][1 << 16]; /* of the program, for transfers */

unsigned draw(unsigned below);
/* The fault of a call: 0 to count - 1, or NONE in half of all calls. Does not
 * return where a platform is known to crash. */
int draw_fault(int count);
/* Any object of a kind, in this context unless it is NULL; NULL: none exists. */
struct slot *any(enum kind kind, const struct slot *context);
/* One in another context than this. */
struct slot *stranger(enum kind kind, const struct slot *context);
/* NULL on every side is a fault, too. */
#define ON(slot) ((slot) ? (slot)->handle[s] : NULL)

/* Compares got[] with `want`, the specification's code. True: success all over. */
int checked(const char *call, int fault, cl_int want);
/* The state that is remembered of an object is the one on the first side: another
 * one may refuse what is right. */
static inline int first_succeeded(void)
{
	return got[0] == CL_SUCCESS;
}
/* Keeps what was created if it was on all sides, else what there is gets
 * released. NULL: not kept. */
struct slot *keep(enum kind kind, void *const handles[SIDES],
		  struct slot *context, int fine);
void forget(enum kind kind, struct slot *slot);
/* Completes all user events, so that calls that wait end. */
void open_gates(void);

#define EVERY_SIDE for (int s = 0; s < side_count; s++)
#define DO(name, ...) EVERY_SIDE got[s] = sides[s].d->name(__VA_ARGS__)

struct operation {
	const char *name;
	void (*run)(void);
	unsigned weight;
};
extern const struct operation object_operations[], program_operations[],
	command_operations[], launch_operations[], image_operations[],
	linking_operations[], failing_operations[]; /* end with a NULL name */

#endif
