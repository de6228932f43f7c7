/* Execution of a thread ahead of its core: on the right path and on wrong ones, alone
 * or beside other cores. */
#include "base/optimize.h"

#include "m2s/cores/fetch.h"

/* Asked for on each path and on the right one: the time is read, and code is
 * written over, when all before has retired. */
enum { BEFORE = X86_READS_TIME, BEFORE_RIGHT = BEFORE | X86_CODE_STORE };

/* The right path has been executed, from record `from` on. */
static void note_executed(struct fetch *fetch, uint64_t from)
{
	const struct x86_ring *ring = fetch->ring;

	for (; from < ring->head; from++)
		x86_check_executed(fetch->check, fetch->cpu, ring,
				   &ring->record[from & ring->mask]);
}

/* Instructions that are executed before the core needs them: fewer calls on the
 * right path. On a wrong one they would be in vain. */
enum { BATCH = 16 };

unsigned fetch_wanted_ahead(const struct fetch *fetch)
{
	return fetch->ahead + (fetch->wrong_count ? 0 : BATCH);
}

/* Takes the instructions of the right path from record `from` on off the number
 * that is left. A part of an instruction is none; the ring had `parts` of them
 * before. */
static void count_executed(struct fetch *fetch, uint64_t from, uint64_t parts)
{
	const struct x86_ring *ring = fetch->ring;
	uint64_t whole = ring->head - from - (ring->parts - parts);

	*fetch->left -= whole;
	fetch->executed += whole;
}

/* The right path is about to be executed: when, and behind which store. */
static void note_state(struct fetch *fetch)
{
	if (fetch->holds)
		fetch->pushed_stores = x86_stores_published(fetch->cpu) +
				       x86_stores_held(fetch->cpu);
	fetch->executed_at = x86_core_cycle(fetch->core);
}

/* Templates of what has been executed from record `from` on, and of the instruction
 * before which that stopped: they belong to all cores, which may not make one when
 * they run beside each other. */
static void make_templates(struct fetch *fetch, uint64_t from,
			   enum x86_stop stop)
{
	const struct x86_ring *ring = fetch->ring;

	for (; from < ring->head; from++)
		x86_template_of(fetch->templates,
				ring->record[from & ring->mask].inst);
	if (stop == X86_STOP_ASKED && fetch->cpu->inst)
		x86_template_of(fetch->templates, fetch->cpu->inst);
}

/* For about as long as a turn takes it is better to wait than to sleep. */
static void take_turn(pthread_mutex_t *turn)
{
	enum { TRIES = 1000 };

	for (unsigned i = 0; i < TRIES; i++) {
		if (!pthread_mutex_trylock(turn))
			return;
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(turn);
}

/* x86_observe(), beside other cores. X86_STOP_ALONE: not this instruction. */
static enum x86_stop observe_beside(struct fetch *fetch, uint64_t wanted,
				    unsigned traits)
{
	uint64_t before = fetch->ring->head;
	const struct x86_inst *inst;
	enum x86_stop stop;

	traits |= X86_BESIDE | X86_SHARED;
	if (fetch->turn)
		take_turn(fetch->turn);
	stop = x86_observe(fetch->cpu, fetch->ring, wanted, traits);
	make_templates(fetch, before, stop);
	if (fetch->turn)
		pthread_mutex_unlock(fetch->turn);
	inst = fetch->cpu->inst;
	if (stop == X86_STOP_ASKED && inst && inst->traits & X86_SHARED &&
	    !(inst->traits & (X86_LOCKED | X86_READS_TIME)))
		return X86_STOP_ALONE;
	return stop;
}

/* x86_observe(), in the way that the core's surroundings want. */
static enum x86_stop observe_once(struct fetch *fetch, uint64_t wanted,
				  unsigned traits)
{
	uint64_t before = fetch->ring->head;
	enum x86_stop stop;

	if (fetch->beside)
		return observe_beside(fetch, wanted, traits);
	stop = x86_observe(fetch->cpu, fetch->ring, wanted, traits);
	if (fetch->turn)
		make_templates(fetch, before, stop);
	return stop;
}

/* Likewise, on the right path of a thread that is checked: registers are kept behind
 * each instruction. As many are executed as in one call, since what binds now binds
 * without the check now, too. */
static enum x86_stop observe_checked(struct fetch *fetch, uint64_t wanted,
				     unsigned traits)
{
	struct x86_ring *ring = fetch->ring;
	enum x86_stop stop = X86_STOP_QUANTUM;
	bool goes_on = true;

	while (goes_on && wanted && stop == X86_STOP_QUANTUM) {
		uint64_t before = ring->head;
		const struct x86_record *last;

		stop = observe_once(fetch, 1, traits);
		note_executed(fetch, before);
		last = &ring->record[(ring->head - 1) & ring->mask];
		goes_on = ring->head != before &&
			  last->inst->branch == X86_BRANCH_NONE;
		wanted -= ring->head != before && !last->unfinished;
	}
	return stop;
}

bool fetch_execute(struct fetch *fetch)
{
	struct x86_ring *ring = fetch->ring;
	bool wrong = fetch->wrong_count > 0;
	uint64_t before = ring->head, parts = ring->parts;
	uint64_t wanted = fetch_wanted_ahead(fetch);
	unsigned traits = wrong ? BEFORE : BEFORE_RIGHT;
	enum x86_stop stop;

	if (wrong)
		wanted -= x86_core_ahead(fetch->core);
	else if (wanted > *fetch->left)
		wanted = *fetch->left;
	if (!wanted) {
		fetch->stopped = true;
		fetch->stop = X86_STOP_QUANTUM;
		return false;
	}
	if (!wrong)
		note_state(fetch);
	if (fetch->holds && !wrong)
		traits |= X86_LOCKED;
	traits |= X86_AFTER_BRANCH;
	stop = fetch->check && !wrong ? observe_checked(fetch, wanted, traits)
				      : observe_once(fetch, wanted, traits);
	fetch->alone = stop == X86_STOP_ALONE;
	if (wrong)
		fetch->counts.wrong_instructions += ring->head - before;
	else
		count_executed(fetch, before, parts);
	if (stop == X86_STOP_QUANTUM || fetch->alone)
		return ring->head != before;
	if (wrong) {
		fetch->ended = true;
		fetch->counts.wrong_ends++;
	} else {
		fetch->stopped = true;
		fetch->stop = stop;
		fetch->locks = stop == X86_STOP_ASKED &&
			       fetch->cpu->inst->traits & X86_LOCKED;
		fetch->lock_asks = 0;
	}
	return ring->head != before;
}

void fetch_alone(struct fetch *fetch)
{
	fetch->beside = fetch->alone = false;
	fetch_execute(fetch);
	fetch->beside = true;
}

void fetch_step(struct fetch *fetch)
{
	uint64_t before = fetch->ring->head, parts = fetch->ring->parts;

	fetch->locks = false;
	note_state(fetch);
	fetch->stop = x86_step(fetch->cpu, fetch->ring, 0);
	if (fetch->turn)
		make_templates(fetch, before, fetch->stop);
	for (uint64_t at = before; at < fetch->ring->head; at++) {
		const struct x86_record *record =
			&fetch->ring->record[at & fetch->ring->mask];

		/* The new code is seen at once. */
		if (!(record->inst->traits & (X86_READS_TIME | X86_LOCKED))) {
			fetch->counts.code_stores++;
			x86_stores_publish(fetch->cpu, UINT64_MAX);
		}
	}
	fetch->stopped = fetch->stop != X86_STOP_QUANTUM;
	count_executed(fetch, before, parts);
	if (fetch->check)
		note_executed(fetch, before);
}

void fetch_lock(struct fetch *fetch, bool accessed)
{
	fetch->accessed = accessed ? fetch->ring->head + 1 : 0;
	fetch_step(fetch);
}
