#include "fuzz.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side sides[SIDES];
int side_count;
cl_int got[SIDES];
char host_bytes[SIDES][1 << 16];

enum { ANY = -2 };

static struct slot slots[KINDS][SLOTS];
static uint64_t random_state, calls, other_answers;
static int wrong, tells;

/* Different answers, each counted once for a call and a fault. */
struct difference {
	const char *call;
	int side, fault;
	cl_int want, answer;
	unsigned count;
};
static struct difference differences[4096];
static int difference_count;

unsigned draw(unsigned below)
{
	random_state = random_state * UINT64_C(6364136223846793005) +
		       UINT64_C(1442695040888963407);
	return below ? (unsigned)(random_state >> 33) % below : 0;
}

/* Where PoCL 3.1 crashes or ends the program: left out beside it. */
static const struct {
	const char *operation;
	int fault; /* or ANY */
} deadly[] = {
	{ "old wait", ANY }, { "image", 9 },   { "program", 2 },
	{ "program", 3 },    { "binary", 4 },  { "fail", ANY },
	{ "compile", 8 },    { "compile", 9 }, { "compile", 3 },
	{ "build", 3 },	     { "link", 7 },    { "copy image and buffer", ANY },
	{ "launch", 0 },     { "launch", 1 },  { "launch", 9 },
	{ "task", 0 },	     { "task", 1 },    { "task", 3 },
	{ "copy rect", 1 },  { "copy rect", 4 },
};
static const char *operation;
static jmp_buf next_operation;

static int is_deadly(int fault)
{
	for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
		if (side_count > 1 && !strcmp(operation, deadly[i].operation) &&
		    (deadly[i].fault == ANY || deadly[i].fault == fault))
			return 1;
	return 0;
}

int draw_fault(int count)
{
	int fault = draw(2) ? (int)draw((unsigned)count) : NONE;

	if (tells) {
		printf("%s, fault %d\n", operation, fault);
		fflush(stdout);
	}
	if (is_deadly(fault))
		longjmp(next_operation, 1);
	return fault;
}


static struct slot *choose(enum kind kind, const struct slot *context,
			   int same)
{
	unsigned first = draw(SLOTS);

	for (unsigned i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[kind][(first + i) % SLOTS];

		if (slot->handle[0] &&
		    (!context || (slot->context == context) == same))
			return slot;
	}
	return NULL;
}

struct slot *any(enum kind kind, const struct slot *context)
{
	return choose(kind, context, 1);
}

struct slot *stranger(enum kind kind, const struct slot *context)
{
	return choose(kind, context, 0);
}

/* --- Verdicts ------------------------------------------------------------ */

static void note(int side, const char *call, int fault, cl_int want)
{
	struct difference *d = differences;

	while (d < differences + difference_count &&
	       (d->call != call || d->side != side || d->fault != fault ||
		d->want != want || d->answer != got[side]))
		d++;
	if (d == differences + difference_count) {
		if (difference_count == 4096)
			return;
		difference_count++;
		*d = (struct difference){ call, side, fault, want, got[side],
					  0 };
	}
	d->count++;
}

static void settle(void)
{
	open_gates();
	for (int i = 0; i < SLOTS; i++)
		if (slots[QUEUE][i].handle[0])
			sides[1].d->clFinish(slots[QUEUE][i].handle[1]);
}

int checked(const char *call, int fault, cl_int want)
{
	int fine = 1;

	calls++;
	if (tells) {
		printf("%s fault %d want %d", call, fault, want);
		EVERY_SIDE
			printf(" got %d", got[s]);
		puts("");
		fflush(stdout);
	}
	EVERY_SIDE {
		fine &= got[s] == CL_SUCCESS;
		if (got[s] == want)
			continue;
		note(s, call, fault, want);
		if (s)
			other_answers++;
		else
			wrong++;
	}
	/* Other platforms work in threads: their crashes belong to this call. */
	if (side_count > 1)
		settle();
	return fine;
}

/* --- Objects ------------------------------------------------------------- */

static cl_int release(enum kind kind, int s, void *handle)
{
	const cl_icd_dispatch *d = sides[s].d;

	switch (kind) {
	case CONTEXT: return d->clReleaseContext(handle);
	case QUEUE: return d->clReleaseCommandQueue(handle);
	case BUFFER: case IMAGE: return d->clReleaseMemObject(handle);
	case SAMPLER: return d->clReleaseSampler(handle);
	case PROGRAM: return d->clReleaseProgram(handle);
	case KERNEL: return d->clReleaseKernel(handle);
	case EVENT: return d->clReleaseEvent(handle);
	default: return CL_INVALID_VALUE;
	}
}

static cl_int retain(enum kind kind, int s, void *handle)
{
	const cl_icd_dispatch *d = sides[s].d;

	switch (kind) {
	case CONTEXT: return d->clRetainContext(handle);
	case QUEUE: return d->clRetainCommandQueue(handle);
	case BUFFER: case IMAGE: return d->clRetainMemObject(handle);
	case SAMPLER: return d->clRetainSampler(handle);
	case PROGRAM: return d->clRetainProgram(handle);
	case KERNEL: return d->clRetainKernel(handle);
	case EVENT: return d->clRetainEvent(handle);
	default: return CL_INVALID_VALUE;
	}
}

static const struct {
	const char *retain, *release;
	cl_int error;
} kind_words[KINDS] = {
	{ "clRetainContext", "clReleaseContext", CL_INVALID_CONTEXT },
	{ "clRetainCommandQueue", "clReleaseCommandQueue",
	  CL_INVALID_COMMAND_QUEUE },
	{ "clRetainMemObject", "clReleaseMemObject", CL_INVALID_MEM_OBJECT },
	{ "clRetainMemObject", "clReleaseMemObject", CL_INVALID_MEM_OBJECT },
	{ "clRetainSampler", "clReleaseSampler", CL_INVALID_SAMPLER },
	{ "clRetainProgram", "clReleaseProgram", CL_INVALID_PROGRAM },
	{ "clRetainKernel", "clReleaseKernel", CL_INVALID_KERNEL },
	{ "clRetainEvent", "clReleaseEvent", CL_INVALID_EVENT },
};

/* Whether something in a slot needs this object: its handle would still be good,
 * but the calls on it would not. */
static int is_needed(const struct slot *slot)
{
	for (int k = 0; k < KINDS; k++)
		for (int i = 0; i < SLOTS; i++)
			if (slots[k][i].handle[0] &&
			    (slots[k][i].context == slot ||
			     slots[k][i].parent == slot))
				return 1;
	return 0;
}

void forget(enum kind kind, struct slot *slot)
{
	if (kind == EVENT && slot->state == USER_OPEN)
		EVERY_SIDE
			sides[s].d->clSetUserEventStatus(slot->handle[s],
							 CL_COMPLETE);
	if (kind == KERNEL)
		slot->parent->kernels--;
	while (slot->references--)
		EVERY_SIDE
			release(kind, s, slot->handle[s]);
	memset(slot, 0, sizeof *slot);
}

struct slot *keep(enum kind kind, void *const handles[SIDES],
		  struct slot *context, int fine)
{
	struct slot *slot = NULL;

	for (int i = 0; fine && i < SLOTS && !slot; i++)
		if (!slots[kind][i].handle[0])
			slot = &slots[kind][i];
	if (!slot) {
		EVERY_SIDE
			if (got[s] == CL_SUCCESS && handles[s])
				release(kind, s, handles[s]);
		return NULL;
	}
	EVERY_SIDE
		slot->handle[s] = handles[s];
	slot->context = context;
	slot->references = 1;
	/* PoCL's own counts go wrong after errors: nothing of it ends. */
	for (int i = 0; side_count > 1 && i < (kind == CONTEXT ? 1000 : 2); i++)
		retain(kind, 1, handles[1]);
	return slot;
}

static void retain_one(void)
{
	enum kind kind = draw(KINDS);
	struct slot *slot = draw(8) ? any(kind, NULL) : NULL;

	if (slot && slot->references > 3)
		return;
	EVERY_SIDE
		got[s] = retain(kind, s, ON(slot));
	if (checked(kind_words[kind].retain, slot ? NONE : 0,
		    slot ? CL_SUCCESS : kind_words[kind].error))
		slot->references++;
}

static void release_one(void)
{
	enum kind kind = draw(KINDS);
	struct slot *slot = draw(8) ? any(kind, NULL) : NULL;

	if (slot && slot->references == 1 &&
	    (is_needed(slot) || (kind == EVENT && slot->state == USER_OPEN) ||
	     slot->mapped[0]))
		return;
	if (slot && slot->references == 1 && (kind == CONTEXT || kind == QUEUE) &&
	    draw(4))
		return;
	EVERY_SIDE
		got[s] = release(kind, s, ON(slot));
	if (!checked(kind_words[kind].release, slot ? NONE : 0,
		     slot ? CL_SUCCESS : kind_words[kind].error) ||
	    --slot->references)
		return;
	if (kind == KERNEL)
		slot->parent->kernels--;
	memset(slot, 0, sizeof *slot);
}

void open_gates(void)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &slots[EVENT][i];

		if (!slot->handle[0] || slot->state != USER_OPEN)
			continue;
		EVERY_SIDE
			sides[s].d->clSetUserEventStatus(slot->handle[s],
							 CL_COMPLETE);
		slot->state = USER_SET;
	}
}

/* What depends on others first. */
static void release_all(void)
{
	static const enum kind order[] = { EVENT, KERNEL, PROGRAM, SAMPLER,
					   IMAGE, BUFFER, QUEUE, CONTEXT };

	open_gates();
	for (int i = 0; i < SLOTS; i++)
		if (slots[QUEUE][i].handle[0])
			EVERY_SIDE
				sides[s].d->clFinish(slots[QUEUE][i].handle[s]);
	for (int k = 0; k < KINDS; k++)
		/* Sub-buffers may be before or behind their parents. */
		for (int i = 0; i < SLOTS; i++)
			if (slots[order[k]][i].handle[0])
				forget(order[k], &slots[order[k]][i]);
}

/* --- Runs ---------------------------------------------------------------- */

static const struct operation own_operations[] = {
	{ "retain", retain_one, 6 },
	{ "release", release_one, 20 },
	{ NULL, NULL, 0 },
};

static const struct operation *const tables[] = {
	own_operations, object_operations, program_operations,
	command_operations, launch_operations, image_operations,
	linking_operations, failing_operations,
};

static unsigned all_weights(void)
{
	unsigned sum = 0;

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct operation *o = tables[t]; o->name; o++)
			sum += o->weight;
	return sum;
}

/* draw_fault may come back here. */
static void run_guarded(void (*run)(void))
{
	if (!setjmp(next_operation))
		run();
}

static void run_one(unsigned weights)
{
	unsigned at = draw(weights);

	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct operation *o = tables[t]; o->name; o++) {
			if (at < o->weight) {
				operation = o->name;
				run_guarded(o->run);
				return;
			}
			at -= o->weight;
		}
}

static int open_sides(const char *names[])
{
	cl_platform_id all[16];
	cl_uint count = 0;
	char name[256];

	clGetPlatformIDs(16, all, &count);
	for (; names[side_count] && side_count < SIDES; side_count++) {
		struct side *side = &sides[side_count];

		for (cl_uint i = 0; i < count; i++) {
			clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name,
					  name, NULL);
			if (strstr(name, names[side_count]))
				side->platform = all[i];
		}
		if (!side->platform ||
		    clGetDeviceIDs(side->platform, CL_DEVICE_TYPE_ALL, 1,
				   &side->device, NULL)) {
			printf("no platform %s\n", names[side_count]);
			return -1;
		}
		side->d = *(const cl_icd_dispatch **)side->platform;
		/* PoCL crashes when contexts come after the last one. */
		side->d->clCreateContext(NULL, 1, &side->device, NULL, NULL,
					 NULL);
	}
	return 0;
}

/* fuzz CALLS SEED PLATFORM [PLATFORM]; FUZZ_TELLS: prints each call. */
int main(int argc, char **argv)
{
	uint64_t wanted, next = 500;
	unsigned weights = all_weights();

	if (argc < 4)
		return 2;
	wanted = strtoull(argv[1], NULL, 0);
	random_state = strtoull(argv[2], NULL, 0);
	tells = getenv("FUZZ_TELLS") != NULL;
	if (open_sides((const char *[]){ argv[3], argv[4], NULL }))
		return 3;
	while (calls < wanted) {
		run_one(weights);
		if (calls >= next) {
			release_all();
			next += 500;
		}
	}
	release_all();
	for (int i = 0; i < difference_count; i++) {
		const struct difference *d = &differences[i];

		printf("%s: %s, fault %d: expected %d, got %d (%u times)\n",
		       d->side ? argv[4] : argv[3], d->call, d->fault, d->want,
		       d->answer, d->count);
	}
	printf("%llu calls, %d wrong", (unsigned long long)calls, wrong);
	if (side_count > 1)
		printf(", %llu other answers of %s",
		       (unsigned long long)other_answers, argv[4]);
	puts("");
	return wrong != 0;
}
