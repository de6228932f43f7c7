#include "x86/timing/branches/observe.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "x86/timing/branches/follow.h"

/* The host thread that executes the program fills buffers. Another thread turns
 * them into the trace and compresses it. */
enum { BUFFERS = 8, WORDS = 1 << 14 };

struct buffer {
	size_t count;
	uint64_t words[WORDS + 2];
};

struct branch_observer {
	struct x86_branch_log log; /* the first member */
	struct branch_follower *follower;
	uint64_t instructions;
	struct buffer *buffers;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* Under the lock: numbers of buffers handed over and consumed. The next
	 * buffer is being filled. */
	uint64_t filled, consumed;
	bool over;
};

static void *consume(void *owner)
{
	struct branch_observer *observer = owner;

	pthread_mutex_lock(&observer->lock);
	for (;;) {
		const struct buffer *buffer =
			&observer->buffers[observer->consumed % BUFFERS];

		if (observer->consumed == observer->filled) {
			if (observer->over)
				break;
			pthread_cond_wait(&observer->changed, &observer->lock);
			continue;
		}
		pthread_mutex_unlock(&observer->lock);
		branch_follow(observer->follower, buffer->words,
			      buffer->count);
		pthread_mutex_lock(&observer->lock);
		observer->consumed++;
		pthread_cond_broadcast(&observer->changed);
	}
	pthread_mutex_unlock(&observer->lock);
	return NULL;
}

/* When there is something to do, so that what the process does before the
 * program starts finds it with one thread. */
static void start(struct branch_observer *observer)
{
	sigset_t all, old;

	/* Signals are for the thread that runs the program. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&observer->thread, NULL, consume, observer))
		abort(); /* no memory */
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	observer->running = true;
}

/* Hands the present buffer over, and waits until at most `most` buffers are not
 * consumed. */
static void hand_over(struct branch_observer *observer, uint64_t most)
{
	struct buffer *buffer;

	if (!observer->running)
		start(observer);
	pthread_mutex_lock(&observer->lock);
	buffer = &observer->buffers[observer->filled % BUFFERS];
	buffer->count = (size_t)(observer->log.at - buffer->words);
	observer->filled++;
	pthread_cond_broadcast(&observer->changed);
	while (observer->filled - observer->consumed > most)
		pthread_cond_wait(&observer->changed, &observer->lock);
	buffer = &observer->buffers[observer->filled % BUFFERS];
	pthread_mutex_unlock(&observer->lock);
	observer->log.at = buffer->words;
	observer->log.end = buffer->words + WORDS;
}

static void full(struct x86_branch_log *log)
{
	hand_over((struct branch_observer *)log, BUFFERS - 1);
}

static void settle(struct x86_branch_log *log)
{
	struct branch_observer *observer = (struct branch_observer *)log;

	if (observer->over)
		return;
	hand_over(observer, 0);
	branch_follower_forget(observer->follower);
}

struct branch_observer *branch_observer_create(FILE *stream)
{
	struct branch_observer *observer = xcalloc(1, sizeof *observer);

	observer->follower = branch_follower_create(stream);
	observer->buffers = xcalloc(BUFFERS, sizeof *observer->buffers);
	observer->log = (struct x86_branch_log){
		.at = observer->buffers[0].words,
		.end = observer->buffers[0].words + WORDS,
		.full = full,
		.settle = settle,
	};
	pthread_mutex_init(&observer->lock, NULL);
	pthread_cond_init(&observer->changed, NULL);
	return observer;
}

enum x86_stop branch_observer_run(struct branch_observer *observer,
				  uint32_t process, uint32_t thread,
				  struct x86_cpu *cpu, uint64_t instructions)
{
	struct x86_branch_log *log = &observer->log;
	uint64_t before = x86_instructions(cpu);
	enum x86_stop stop;

	x86_log_branches(cpu->emulator, log);
	x86_log_two(log, BRANCH_LOG_RUN, (uint64_t)process << 32 | thread);
	x86_log_two(log, BRANCH_LOG_FROM, cpu->rip);
	x86_log_two(log, X86_LOG_COUNT, before);
	log->on = true;
	stop = x86_run(cpu, instructions);
	log->on = false;
	x86_log_two(log, X86_LOG_COUNT, x86_instructions(cpu));
	x86_log_two(log, BRANCH_LOG_UNTIL, cpu->rip);
	observer->instructions += x86_instructions(cpu) - before;
	return stop;
}

static void stop(struct branch_observer *observer)
{
	if (observer->over)
		return;
	hand_over(observer, 0);
	pthread_mutex_lock(&observer->lock);
	observer->over = true;
	pthread_cond_broadcast(&observer->changed);
	pthread_mutex_unlock(&observer->lock);
	pthread_join(observer->thread, NULL);
}

void branch_observer_end(struct branch_observer *observer)
{
	stop(observer);
	branch_follower_end(observer->follower, observer->instructions);
}

void branch_observer_free(struct branch_observer *observer)
{
	if (!observer)
		return;
	stop(observer);
	pthread_cond_destroy(&observer->changed);
	pthread_mutex_destroy(&observer->lock);
	branch_follower_free(observer->follower);
	free(observer->buffers);
	free(observer);
}
