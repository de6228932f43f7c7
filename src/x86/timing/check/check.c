#include "x86/timing/check/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "x86/timing/check/image.h"

#define SEGMENTS (X86_AT(X86_AT_SEGMENT) * 0x3f)

/* What the first emulator came to by an instruction. */
struct outcome {
	struct x86_cpu cpu;    /* registers */
	uint64_t stored;       /* hash of the stored bytes */
	bool adopted;
	/* a part of a repeated instruction, executed with the whole */
	bool part;
	struct image_changes stores; /* of an adopted instruction */
};

/* A change by others, seen by instructions from number `from` on. */
struct foreign {
	uint64_t from;
	struct image_change change;
};

struct x86_check {
	struct error error;
	struct x86_check **all;
	unsigned count;
	struct x86_cpu *of;      /* the watched cpu; NULL: none */
	struct space *memory;    /* its space */
	struct space *image;
	struct x86_emulator *emulator;
	struct x86_cpu *cpu;
	bool part;               /* the last that retired was one */
	struct outcome *outcome; /* [retired, executed) */
	uint64_t executed, retired;
	struct foreign *foreign;
	size_t foreign_first, foreign_end, foreign_capacity;
	struct x86_check_counts counts;
};

struct x86_check *x86_check_create(void)
{
	struct x86_check *check = xcalloc(1, sizeof *check);

	check->outcome =
		xcalloc_aligned(X86_CHECK_AHEAD * sizeof *check->outcome);
	return check;
}

static void free_image(struct x86_check *check)
{
	x86_cpu_free(check->cpu);
	x86_emulator_free(check->emulator);
	space_free(check->image);
	check->cpu = NULL;
	check->emulator = NULL;
	check->image = NULL;
}

static void forget(struct x86_check *check)
{
	for (; check->retired < check->executed; check->retired++)
		image_changes_clear(
			&check->outcome[check->retired % X86_CHECK_AHEAD]
				 .stores);
	for (; check->foreign_first < check->foreign_end;
	     check->foreign_first++)
		free(check->foreign[check->foreign_first].change.bytes);
	check->foreign_first = check->foreign_end = 0;
}

void x86_check_free(struct x86_check *check)
{
	if (!check)
		return;
	forget(check);
	free_image(check);
	free(check->outcome);
	free(check->foreign);
	free(check);
}

const struct error *x86_check_error(const struct x86_check *check)
{
	return &check->error;
}

const struct x86_check_counts *x86_check_counts(const struct x86_check *check)
{
	return &check->counts;
}

void x86_check_join(struct x86_check *check, struct x86_check **all,
		    unsigned count)
{
	check->all = all;
	check->count = count;
}

struct space *x86_check_memory(const struct x86_check *check)
{
	return check->memory;
}

bool x86_check_is_in(const struct x86_check *check, const struct space *space)
{
	return check->of && check->memory == space;
}

/* ---- Other threads' stores ---- */

static void note_foreign(struct x86_check *check,
			 const struct image_change *change)
{
	if (check->foreign_first == check->foreign_end)
		check->foreign_first = check->foreign_end = 0;
	ARRAY_GROW(check->foreign, check->foreign_end,
		   check->foreign_capacity);
	check->foreign[check->foreign_end++] = (struct foreign){
		.from = check->executed, .change = image_change_copy(change),
	};
}

/* Bytes that this thread has stored to, and that wait to be written over those
 * of the other, are never seen here. */
static void note_foreign_write(struct x86_check *check,
			       const struct image_change *change)
{
	bool small[64], *seen = change->size > sizeof small
					? xmalloc(change->size)
					: small;
	size_t start = 0, end;

	memset(seen, true, change->size);
	x86_stores_uncover(check->of, change->address, seen, change->size);
	for (; start < change->size; start = end + 1) {
		struct image_change part = *change;

		for (end = start; end < change->size && seen[end]; end++)
			;
		part.address += start;
		part.bytes += start;
		part.size = end - start;
		if (part.size)
			note_foreign(check, &part);
	}
	if (seen != small)
		free(seen);
}

static void tell_one(struct x86_check *check, const struct image_change *change)
{
	if (change->kind == IMAGE_WRITE)
		note_foreign_write(check, change);
	else
		note_foreign(check, change);
}

static void tell(struct x86_check *check, const struct image_change *change)
{
	for (unsigned i = 0; i < check->count; i++)
		if (check->all[i] != check &&
		    x86_check_is_in(check->all[i], check->memory))
			tell_one(check->all[i], change);
}

/* A store of the watched cpu comes to memory. */
static void published(void *owner, uint64_t address, const void *bytes,
		      size_t size)
{
	struct image_change change = {
		.address = address, .size = size, .kind = IMAGE_WRITE,
		.bytes = (uint8_t *)(uintptr_t)bytes,
	};

	tell(owner, &change);
}

/* Lets changes come that instruction `number` has seen. */
static void let_come(struct x86_check *check, uint64_t number)
{
	while (check->foreign_first < check->foreign_end) {
		struct foreign *foreign =
			&check->foreign[check->foreign_first];

		if (foreign->from > number)
			return;
		image_apply(check->image, &foreign->change);
		free(foreign->change.bytes);
		check->foreign_first++;
		check->counts.foreign++;
	}
}

/* ---- Threads ---- */

static int make_image(struct x86_check *check, struct x86_cpu *cpu)
{
	struct space *memory = cpu->space;

	free_image(check);
	check->image = space_create_far(memory->size, memory->end,
					&check->error);
	if (!check->image)
		return -1;
	check->emulator =
		x86_emulator_create(check->image, cpu->mode,
				    x86_emulator_model(cpu->emulator),
				    &check->error);
	if (!check->emulator)
		return -1;
	check->cpu = x86_cpu_create(check->emulator);
	return 0;
}

/* Makes the image equal to memory. */
static void follow(struct x86_check *check)
{
	struct image_changes changes = { 0 };

	image_compare(check->image, check->memory, true, &changes);
	for (size_t i = 0; i < changes.count; i++)
		image_apply(check->image, &changes.list[i]);
	image_changes_clear(&changes);
}

int x86_check_enter(struct x86_check *check, struct x86_cpu *cpu)
{
	struct space *memory = cpu->space;

	x86_check_leave(check);
	if (!check->image || check->image->size != memory->size ||
	    check->image->end != memory->end || check->cpu->mode != cpu->mode)
		if (make_image(check, cpu))
			return -1;
	check->of = cpu;
	check->memory = memory;
	x86_stores_watch(cpu, published, check);
	follow(check);
	x86_cpu_copy(check->cpu, cpu);
	check->part = false;
	return 0;
}

void x86_check_leave(struct x86_check *check)
{
	forget(check);
	check->of = NULL;
	check->memory = NULL;
}

void x86_check_tell(struct x86_check *check)
{
	struct image_changes changes = { 0 };

	let_come(check, UINT64_MAX);
	image_compare(check->image, check->memory, false, &changes);
	for (size_t i = 0; i < changes.count; i++) {
		tell(check, &changes.list[i]);
		image_apply(check->image, &changes.list[i]);
	}
	image_changes_clear(&changes);
}

/* ---- Execution ---- */

static uint64_t hash(uint64_t value, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
	return value;
}

static bool is_shared(const struct x86_check *check, uint64_t address)
{
	const struct space_region *region =
		space_region_at(check->memory, address);

	return region && region->shared;
}

static size_t bytes_of(const struct x86_reference *reference)
{
	return (size_t)reference->size * reference->count;
}

/* The store of a reference, as the first emulator's thread sees it now. */
static void note_store(struct x86_check *check, const struct x86_cpu *cpu,
		       const struct x86_reference *reference,
		       struct outcome *outcome)
{
	size_t size = bytes_of(reference);
	uint8_t small[256], *bytes = size > sizeof small ? xmalloc(size)
							 : small;
	struct image_change change = {
		.address = reference->address, .size = size, .bytes = bytes,
		.kind = IMAGE_WRITE,
	};

	if (!x86_stores_read(cpu, reference->address, bytes, size)) {
		outcome->stored = hash(outcome->stored, bytes, size);
		/* It has not been held. */
		if (reference->direction == X86_MODIFY)
			tell(check, &change);
		if (outcome->adopted)
			image_note_write(&outcome->stores, change.address,
					 bytes, size);
	}
	if (bytes != small)
		free(bytes);
}

void x86_check_executed(struct x86_check *check, const struct x86_cpu *cpu,
			const struct x86_ring *ring,
			const struct x86_record *record)
{
	const struct x86_reference *reference = ring->reference + record->first;
	struct outcome *outcome =
		&check->outcome[check->executed % X86_CHECK_AHEAD];

	x86_cpu_copy(&outcome->cpu, cpu);
	outcome->stored = 0;
	outcome->part = record->unfinished;
	outcome->adopted = record->inst->class == X86_CLASS_SYSTEM ||
			   record->inst->written & SEGMENTS ||
			   record->inst->branch == X86_BRANCH_FAR ||
			   is_shared(check, record->inst->address);
	for (unsigned i = 0; i < record->references; i++)
		outcome->adopted |= is_shared(check, reference[i].address);
	check->executed++;
	for (unsigned i = 0; i < record->references; i++)
		if (reference[i].direction & X86_STORE)
			note_store(check, cpu, &reference[i], outcome);
}

/* ---- Retirement ---- */

static bool differ(struct x86_check *check, const struct x86_record *record,
		   const char *what, uint64_t own, uint64_t theirs)
{
	char text[200];
	uint64_t rip = check->cpu->rip;

	check->cpu->rip = record->inst->address;
	x86_describe_instruction(check->cpu, text, sizeof text);
	check->cpu->rip = rip;
	error_set(&check->error,
		  "--x86-check: %s differs after %s: %#" PRIx64 " where plain "
		  "execution has %#" PRIx64 ": an error of the model", what,
		  text, theirs, own);
	return false;
}

static bool compare_x87(struct x86_check *check,
			const struct x86_record *record,
			const struct x86_x87 *a, const struct x86_x87 *b)
{
	if (a->control != b->control || a->status != b->status ||
	    a->top != b->top || a->empty != b->empty)
		return differ(check, record, "the x87's state",
			      (uint64_t)a->control << 32 | a->status << 16 |
				      a->top << 8 | a->empty,
			      (uint64_t)b->control << 32 | b->status << 16 |
				      b->top << 8 | b->empty);
	for (unsigned i = 0; i < 8; i++)
		if (a->reg[i].mantissa != b->reg[i].mantissa ||
		    a->reg[i].sign_exponent != b->reg[i].sign_exponent)
			return differ(check, record, "a register of the x87",
				      a->reg[i].mantissa, b->reg[i].mantissa);
	return true;
}

static bool compare_registers(struct x86_check *check,
			      const struct x86_record *record,
			      const struct x86_cpu *b)
{
	static const char names[][16] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};
	const struct x86_cpu *a = check->cpu;

	if (a->rip != b->rip)
		return differ(check, record, "rip", a->rip, b->rip);
	for (unsigned i = 0; i < 16; i++)
		if (a->reg[i] != b->reg[i])
			return differ(check, record, names[i], a->reg[i],
				      b->reg[i]);
	if (x86_eflags(a) != x86_eflags(b))
		return differ(check, record, "eflags", x86_eflags(a),
			      x86_eflags(b));
	for (unsigned i = 0; i < 16; i++)
		if (memcmp(&a->vector[i], &b->vector[i], sizeof a->vector[i]))
			return differ(check, record, "a vector register",
				      a->vector[i].u64[0], b->vector[i].u64[0]);
	if (a->mxcsr != b->mxcsr)
		return differ(check, record, "mxcsr", a->mxcsr, b->mxcsr);
	return compare_x87(check, record, &a->x87, &b->x87);
}

/* The stores of an instruction, in the image. */
static bool compare_stores(struct x86_check *check,
			   const struct x86_ring *ring,
			   const struct x86_record *record,
			   const struct outcome *outcome)
{
	const struct x86_reference *reference = ring->reference + record->first;
	uint64_t stored = 0, address = 0;

	for (unsigned i = 0; i < record->references; i++) {
		size_t size = bytes_of(&reference[i]);
		uint8_t small[256], *bytes = small;

		if (!(reference[i].direction & X86_STORE))
			continue;
		address = reference[i].address;
		if (size > sizeof small)
			bytes = xmalloc(size);
		if (!space_read(check->image, address, bytes, size))
			stored = hash(stored, bytes, size);
		if (bytes != small)
			free(bytes);
		check->counts.stores++;
	}
	return stored == outcome->stored ||
	       differ(check, record, "(hash of) what was stored", stored,
		      outcome->stored);
}

static void adopt(struct x86_check *check, struct outcome *outcome)
{
	check->counts.adopted++;
	for (size_t i = 0; i < outcome->stores.count; i++)
		image_apply(check->image, &outcome->stores.list[i]);
	image_changes_clear(&outcome->stores);
	x86_cpu_copy(check->cpu, &outcome->cpu);
	check->part = false;
}

static void run_one(struct x86_cpu *cpu, const struct x86_inst *inst)
{
	uint64_t counter;

	do {
		counter = cpu->reg[X86_RCX];
		x86_run(cpu, 1);
	} while (inst->traits & X86_REPEATED && cpu->rip == inst->address &&
		 cpu->reg[X86_RCX] != counter);
}

bool x86_check_retired(struct x86_check *check, const struct x86_ring *ring,
		       const struct x86_record *record)
{
	struct outcome *outcome =
		&check->outcome[check->retired % X86_CHECK_AHEAD];

	let_come(check, check->retired);
	check->retired++;
	check->counts.instructions++;
	if (check->cpu->rip != record->inst->address)
		return differ(check, record, "the instruction's address",
			      check->cpu->rip, record->inst->address);
	if (outcome->adopted) {
		adopt(check, outcome);
		return true;
	}
	check->part = outcome->part;
	if (outcome->part)
		return true;
	run_one(check->cpu, record->inst);
	return compare_registers(check, record, &outcome->cpu) &&
	       compare_stores(check, ring, record, outcome);
}

bool x86_check_drained(struct x86_check *check, const struct x86_cpu *cpu)
{
	struct image_changes changes = { 0 };
	bool same;

	let_come(check, UINT64_MAX);
	if (check->part) /* it faulted, or has lost the core, in the middle */
		return true;
	check->counts.memories++;
	image_compare(check->image, cpu->space, false, &changes);
	same = !changes.count;
	if (!same)
		error_set(&check->error,
			  "--x86-check: memory differs from that of plain "
			  "execution at %#" PRIx64 " and %zu other places: an "
			  "error of the model",
			  changes.list[0].address, changes.count - 1);
	image_changes_clear(&changes);
	return same;
}
