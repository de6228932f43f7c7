/* Branch predictors side by side: a work-item each. device.c sets the words of
 * `config`, and doc/branch-traces.md says what they mean.
 *
 * Word w of work-item l lies at [w * n + l], so that neighbours' words lie
 * side by side. Counters of two bits lie 16 in a word, those of three bits
 * eight. */

#define AT(word) state[(word) * n + lane]
#define CONFIG(word) config[(word) * n + lane]

enum {
	KIND, MASK, HISTORY, SHIFT, FIRST, COLUMNS, CHOICE_MASK, COUNTERS,
	SECOND, CHOICES, LOCALS, LOCAL_HISTORIES, BTB_SETS, BTB_WAYS, BTB,
	BTB2_SETS, BTB2_WAYS, BTB2, FALLS_THROUGH, RAS_SIZE, RAS, STREAM, WORDS
};
enum { TAKEN, NOT_TAKEN, BACKWARD, BY_HISTORY, TWO_LEVEL, COMBINED, TOURNAMENT };
enum { CONDITIONAL, JUMP, CALL, INDIRECT_JUMP, INDIRECT_CALL, RETURN, NO_BRANCH = 7 };
enum { FROM_NOTHING, FROM_FALL_THROUGH, FROM_BTB, FROM_BTB2, FROM_DECODE, SOURCES };
/* The first words of the state. */
enum { PAST, TOP };

/* Sets the tables of counters. All other words are 0. */
__kernel void init(__global const uint *config, __global uint *state, uint n)
{
	uint lane = get_global_id(0);

	if (lane >= n)
		return;
	/* Tables of two bits lie from COUNTERS to LOCALS, then those of three
	 * to LOCAL_HISTORIES. */
	for (uint word = CONFIG(COUNTERS); word < CONFIG(LOCALS); word++)
		AT(word) = 0xaaaaaaaau;
	for (uint word = CONFIG(LOCALS); word < CONFIG(LOCAL_HISTORIES); word++)
		AT(word) = 0x44444444u;
}

static uint stepped(uint counter, uint taken, uint most)
{
	if (taken)
		return counter < most ? counter + 1 : most;
	return counter ? counter - 1 : 0;
}

/* What a counter of two bits says, which then learns. */
static uint ask(__global uint *state, uint n, uint lane, uint table, uint index,
		uint taken)
{
	uint at = table + (index >> 4), shift = (index & 15) * 2;
	uint word = AT(at), old = word >> shift & 3;
	uint new = stepped(old, taken, 3);

	if (new != old)
		AT(at) = word ^ (old ^ new) << shift;
	return old >> 1;
}

static uint ask_three_bits(__global uint *state, uint n, uint lane, uint table,
			   uint index, uint taken)
{
	uint at = table + (index >> 3), shift = (index & 7) * 4;
	uint word = AT(at), old = word >> shift & 7;
	uint new = stepped(old, taken, 7);

	if (new != old)
		AT(at) = word ^ (old ^ new) << shift;
	return old >> 2;
}

/* The choice between two answers learns where they differ. */
static uint choose(__global uint *state, uint n, uint lane, uint table,
		   uint index, uint one, uint other, uint taken)
{
	uint at = table + (index >> 4), shift = (index & 15) * 2;
	uint word = AT(at), old = word >> shift & 3;

	if (one != other) {
		uint new = stepped(old, other == taken, 3);

		if (new != old)
			AT(at) = word ^ (old ^ new) << shift;
	}
	return old >> 1 ? other : one;
}

/* The way of a set that has the branch, or the number of ways. */
static uint find(__global uint *state, uint n, uint lane, uint set, uint ways,
		 uint id)
{
	uint way = 0;

	while (way < ways && AT(set + 2 * way) != id)
		way++;
	return way;
}

/* Ways lie in the order of their use, the newest first. */
static void enter(__global uint *state, uint n, uint lane, uint set, uint ways,
		  uint way, uint id, uint target)
{
	for (way = way < ways ? way : ways - 1; way; way--) {
		AT(set + 2 * way) = AT(set + 2 * way - 2);
		AT(set + 2 * way + 1) = AT(set + 2 * way - 1);
	}
	AT(set) = id;
	AT(set + 1) = target;
}

/* `stride` 1: the events of a work-item are those of its stream from `first`
 * on. Else it is n: event i of work-item l is at [i * n + l]. */
__kernel void run(__global const uint4 *events, uint first, uint count,
		  uint stride, __global const uint *config,
		  __global uint *state, __global uint *counts, uint n)
{
	uint lane = get_global_id(0);

	if (lane >= n)
		return;

	uint past = AT(PAST), top = AT(TOP), predictor = CONFIG(KIND);
	uint at = stride == 1 ? CONFIG(STREAM) + first : lane;

	for (uint i = 0; i < count; i++, at += stride) {
		uint4 event = events[at];
		uint address = event.x & 0xfffff, kind = event.x >> 20 & 7;
		uint taken = event.x >> 23 & 1, backward = event.x >> 24 & 1;
		uint target = 0, returned = 0, said = 1;
		uint source = FROM_FALL_THROUGH, next = 0, known = 0;

		if (kind == NO_BRANCH)
			continue;
		if (kind == CALL || kind == INDIRECT_CALL) {
			top = top + 1 == CONFIG(RAS_SIZE) ? 0 : top + 1;
			AT(CONFIG(RAS) + top) = event.w;
		} else if (kind == RETURN) {
			returned = AT(CONFIG(RAS) + top);
			top = top ? top - 1 : CONFIG(RAS_SIZE) - 1;
		}
		if (kind == CALL)
			target = event.z;
		else if (kind <= JUMP)
			target = event.w;

		if (kind == CONDITIONAL) {
			uint history = past & CONFIG(HISTORY);

			if (predictor == NOT_TAKEN) {
				said = 0;
			} else if (predictor == BACKWARD) {
				said = backward;
			} else if (predictor == BY_HISTORY) {
				said = ask(state, n, lane, CONFIG(COUNTERS),
					   (address ^ history << CONFIG(SHIFT)) &
						   CONFIG(MASK),
					   taken);
			} else if (predictor == TWO_LEVEL ||
				   predictor == COMBINED) {
				uint columns = CONFIG(COLUMNS);
				uint where = CONFIG(LOCAL_HISTORIES) +
					     (address & CONFIG(FIRST));
				uint before = AT(where);

				said = ask(state, n, lane, CONFIG(SECOND),
					   before * columns +
						   (address & (columns - 1)),
					   taken);
				AT(where) = (before << 1 | taken) &
					    CONFIG(HISTORY);
				if (predictor == COMBINED) {
					uint one = ask(state, n, lane,
						       CONFIG(COUNTERS),
						       address & CONFIG(MASK),
						       taken);

					said = choose(state, n, lane,
						      CONFIG(CHOICES),
						      address &
							CONFIG(CHOICE_MASK),
						      one, said, taken);
				}
			} else if (predictor == TOURNAMENT) {
				uint where = CONFIG(LOCAL_HISTORIES) +
					     (address & CONFIG(FIRST));
				uint before = AT(where);
				uint one = ask_three_bits(
					state, n, lane, CONFIG(LOCALS), before,
					taken);
				uint other = ask(state, n, lane, CONFIG(SECOND),
						 history, taken);

				said = choose(state, n, lane, CONFIG(CHOICES),
					      history, one, other, taken);
				AT(where) = (before << 1 | taken) & CONFIG(MASK);
			}
			past = past << 1 | taken;
		}

		if (said || taken) {
			uint ways = CONFIG(BTB_WAYS);
			uint set = CONFIG(BTB) +
				   (address & (CONFIG(BTB_SETS) - 1)) * ways * 2;
			uint way = find(state, n, lane, set, ways, event.y);
			uint sets2 = CONFIG(BTB2_SETS), ways2 = 0, set2 = 0;
			uint way2 = 0, level = way < ways ? 1 : 0;

			if (level)
				known = AT(set + 2 * way + 1);
			if (sets2) {
				ways2 = CONFIG(BTB2_WAYS);
				set2 = CONFIG(BTB2) +
				       (address & (sets2 - 1)) * ways2 * 2;
				way2 = find(state, n, lane, set2, ways2,
					    event.y);
				if (!level && way2 < ways2) {
					level = 2;
					known = AT(set2 + 2 * way2 + 1);
				}
			}
			if (said && !level && CONFIG(FALLS_THROUGH)) {
				said = 0;
			} else if (said) {
				next = target	  ? target
				       : returned ? returned
				       : level	  ? known
						  : 0;
				source = !next ? FROM_NOTHING
					 : !level || (target && known != target)
						 ? FROM_DECODE
					 : level == 1 ? FROM_BTB
						      : FROM_BTB2;
			}
			if (taken) {
				enter(state, n, lane, set, ways, way, event.y,
				      event.z);
				if (sets2)
					enter(state, n, lane, set2, ways2, way2,
					      event.y, event.z);
			}
		}
		/* The answer and what became of it are one of many cases. */
		uint wrong_way = said != taken;
		uint wrong = wrong_way || (said && next != event.z);

		counts[((kind * SOURCES + source) * 4 + wrong * 2 + wrong_way) *
			       n + lane]++;
	}
	AT(PAST) = past;
	AT(TOP) = top;
}
