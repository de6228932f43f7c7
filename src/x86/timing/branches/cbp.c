#include "x86/timing/branches/cbp.h"

#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/branches/format.h"

enum { LENGTH = 4 }; /* of an instruction */

enum class {
	CLASS_LOAD = 1,
	CLASS_STORE = 2,
	CLASS_CONDITIONAL = 3,
	CLASS_JUMP = 4,
	CLASS_INDIRECT_JUMP = 5,
	CLASS_UNDEFINED = 8,
	CLASS_CALL = 9,
	CLASS_INDIRECT_CALL = 10,
	CLASS_RETURN = 11,
};

struct cbp_reader {
	struct branch_bytes *bytes;
	const char *wrong;
	uint64_t instructions;
	/* Targets of direct branches. The trace has those of taken branches
	 * only. */
	struct branch_paths targets;
};

struct cbp_reader *cbp_create(struct branch_bytes *bytes)
{
	struct cbp_reader *reader = xcalloc(1, sizeof *reader);

	reader->bytes = bytes;
	return reader;
}

void cbp_free(struct cbp_reader *reader)
{
	if (!reader)
		return;
	branch_paths_clear(&reader->targets);
	free(reader);
}

static bool get(struct cbp_reader *reader, unsigned size, uint64_t *value)
{
	*value = 0;
	for (unsigned i = 0; i < size; i++) {
		int byte = branch_bytes_get(reader->bytes);

		if (byte < 0) {
			reader->wrong = "the trace is cut off";
			return false;
		}
		*value |= (uint64_t)byte << 8 * i;
	}
	return true;
}

static bool skip(struct cbp_reader *reader, unsigned size)
{
	uint64_t ignored;

	for (; size > 8; size -= 8)
		if (!get(reader, 8, &ignored))
			return false;
	return get(reader, size, &ignored);
}

/* Register names 0 to 31, 64 and 65 have 8 bytes, other names 16. */
static bool skip_registers(struct cbp_reader *reader)
{
	uint64_t count, name;
	unsigned size = 0;

	if (!get(reader, 1, &count) || !skip(reader, (unsigned)count) ||
	    !get(reader, 1, &count))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		if (!get(reader, 1, &name))
			return false;
		if (name > 65) {
			reader->wrong = "no trace of m2s, and no register that "
					"one of the championship has";
			return false;
		}
		size += name >= 32 && name < 64 ? 16 : 8;
	}
	return skip(reader, size);
}

static enum branch_kind kind_of(uint64_t class)
{
	switch (class) {
	case CLASS_CONDITIONAL:
		return BRANCH_CONDITIONAL;
	case CLASS_INDIRECT_JUMP:
		return BRANCH_INDIRECT_JUMP;
	case CLASS_CALL:
		return BRANCH_CALL;
	case CLASS_INDIRECT_CALL:
		return BRANCH_INDIRECT_CALL;
	case CLASS_RETURN:
		return BRANCH_RETURN;
	default:
		return BRANCH_JUMP;
	}
}

static bool is_branch(uint64_t class)
{
	return (class >= CLASS_CONDITIONAL && class <= CLASS_INDIRECT_JUMP) ||
	       class >= CLASS_CALL;
}

/* A direct branch has the target that it had whenever it was taken. */
static void know_target(struct cbp_reader *reader, struct branch_event *event)
{
	struct branch_path path = { .start = event->branch.address,
				    .target = event->next };
	const struct branch_path *known;

	if (event->branch.kind >= BRANCH_INDIRECT_JUMP)
		return;
	known = branch_paths_find(&reader->targets, 0, path.start);
	if (event->taken && (!known || known->target != event->next))
		known = branch_paths_put(&reader->targets, &path);
	event->branch.target = known ? known->target : 0;
}

static bool get_branch(struct cbp_reader *reader, uint64_t address,
		       uint64_t class, struct branch_event *event)
{
	uint64_t taken;

	*event = (struct branch_event){
		.branch = { .address = address, .kind = kind_of(class) },
		.behind = address + LENGTH,
		.next = address + LENGTH,
		.instruction = reader->instructions + 1,
	};
	if (!get(reader, 1, &taken))
		return false;
	if (taken > 1 || (!taken && class != CLASS_CONDITIONAL)) {
		reader->wrong = "no trace of m2s, and no branch that one of the "
				"championship has";
		return false;
	}
	event->taken = taken;
	if (taken && !get(reader, 8, &event->next))
		return false;
	know_target(reader, event);
	return true;
}

/* Reads one instruction: 1 for a branch, 0 for another one, 2 at the end, -1
 * when the trace is wrong. */
static int get_instruction(struct cbp_reader *reader,
			   struct branch_event *event)
{
	uint64_t address, class, rest;
	int first = branch_bytes_get(reader->bytes);

	if (first < 0)
		return reader->bytes->failed ? -1 : 2;
	if (!get(reader, 7, &rest) || !get(reader, 1, &class))
		return -1;
	address = rest << 8 | (uint64_t)first;
	if (class > CLASS_RETURN || class == CLASS_UNDEFINED) {
		reader->wrong = "no trace of m2s, and no instruction that one "
				"of the championship has";
		return -1;
	}
	if ((class == CLASS_LOAD && !skip(reader, 10)) ||
	    (class == CLASS_STORE && !skip(reader, 11)) ||
	    (is_branch(class) && !get_branch(reader, address, class, event)) ||
	    !skip_registers(reader))
		return -1;
	reader->instructions++;
	return is_branch(class);
}

long cbp_read(struct cbp_reader *reader, struct branch_event *events,
	      size_t most, struct error *error)
{
	size_t count = 0;

	while (count < most) {
		int status = get_instruction(reader, &events[count]);

		if (status < 0)
			return branch_bytes_error(reader->bytes, error,
						  reader->wrong);
		if (status == 2)
			break;
		count += status == 1;
	}
	return (long)count;
}

uint64_t cbp_instructions(const struct cbp_reader *reader)
{
	return reader->instructions;
}
