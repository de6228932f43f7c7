#include <stdlib.h>

#include "base/memory.h"
#include "m2s/cores/internal.h"
#include "m2s/cores/windows-state.h"

static struct event_queue *queue_of(const struct x86_machine *machine,
				    unsigned core)
{
	return x86_caches_events(machine->core[core].caches);
}

static void create_outlet(struct machine_group *group, size_t islands)
{
	uint32_t posts = (uint32_t)(LANE_POSTS * islands);

	group->outlet = (struct event_outlet){
		.posts = xcalloc(posts + 1, sizeof *group->outlet.posts),
		.hub_post = posts, .earliest = UINT64_MAX, .step = 1,
	};
	event_queue_set_outlet(group->events, &group->outlet);
}

static bool has_group(const struct machine_windows *windows,
		      const struct event_queue *queue)
{
	for (unsigned i = 0; i < windows->count; i++)
		if (windows->group[i].events == queue)
			return true;
	return false;
}

/* Cores join the group of their queue. */
static void find_groups(struct machine_windows *windows)
{
	struct x86_machine *machine = windows->machine;

	for (unsigned i = 0; i < machine->count; i++) {
		struct event_queue *queue = queue_of(machine, i);
		unsigned number = 0;

		while (number < windows->count &&
		       windows->group[number].events != queue)
			number++;
		machine->core[i].group = number;
		if (number < windows->count)
			continue;
		windows->count++;
		windows->group[number].machine = machine;
		windows->group[number].number = number;
		windows->group[number].events = queue;
	}
}

struct machine_windows *machine_windows_create(struct x86_machine *machine,
					       struct islands *islands)
{
	size_t count = islands_count(islands);
	struct machine_windows *windows =
		xcalloc(1, sizeof *windows +
				   machine->count * sizeof windows->group[0]);

	windows->machine = machine;
	find_groups(windows);
	if (windows->count == 1) {
		free(windows);
		return NULL;
	}
	windows->islands = islands;
	windows->threads = 1;
	/* The window is that of a link's latency; its transfer time, a cycle or
	 * more, comes on top and makes up for what is rounded. */
	windows->cycles = (unsigned)((double)islands_window(islands) *
				     machine->frequency / 1e6 + 0.5);
	pthread_mutex_init(&windows->turn, NULL);
	windows->running = xcalloc(windows->count, sizeof *windows->running);
	windows->queues = xcalloc(count, sizeof(struct event_queue *));
	windows->back = xcalloc(count, sizeof(struct event_queue *));
	for (size_t i = 0; i < count; i++) {
		struct event_queue *queue = islands_queue(islands, i);

		windows->queues[i] = queue;
		event_queue_set_post(queue, (uint32_t)(LANE_POSTS * i));
		if (!has_group(windows, queue))
			windows->back[windows->back_count++] = queue;
	}
	for (unsigned i = 0; i < windows->count; i++)
		create_outlet(&windows->group[i], count);
	return windows;
}

void machine_windows_free(struct machine_windows *windows)
{
	if (!windows)
		return;
	crew_free(windows->crew);
	for (unsigned i = 0; i < windows->count; i++) {
		struct event_outlet *outlet = &windows->group[i].outlet;

		for (uint32_t k = 0; k <= outlet->hub_post; k++)
			free(outlet->posts[k]);
		free(outlet->posts);
		free(outlet->raised);
	}
	islands_free(windows->islands);
	pthread_mutex_destroy(&windows->turn);
	free(windows->running);
	free(windows->queues);
	free(windows->back);
	free(windows);
}

void x86_machine_set_threads(struct x86_machine *machine, unsigned threads)
{
	struct machine_windows *windows = machine->windows;

	if (!windows)
		return;
	crew_free(windows->crew);
	windows->threads = threads < windows->count ? threads : windows->count;
	windows->crew = windows->threads > 1 ? crew_create(windows->threads)
					     : NULL;
}

uint64_t machine_windows_end(const struct machine_windows *windows)
{
	return windows->end;
}


/* ---- The report ---- */

static void report(const struct machine_windows *windows, FILE *stream)
{
	double timed = (double)windows->timed, all;

	fprintf(stream, "[ Cores ]\nThreads = %u\nGroups = %u\n"
		"WindowLength = %u cycles\nWindows = %llu\nRounds = %llu\n"
		"TimedWindows = %llu\n", windows->threads, windows->count,
		windows->cycles, (unsigned long long)windows->windows,
		(unsigned long long)windows->rounds,
		(unsigned long long)windows->timed);
	if (!windows->timed)
		return;
	all = windows->work + windows->alone;
	fprintf(stream, "; nanoseconds per window\nWork = %.0f\nAlone = %.0f\n",
		windows->work / timed, windows->alone / timed);
	fprintf(stream, "; if meeting cost nothing\n");
	for (unsigned i = 0; i < PROJECTIONS; i++)
		fprintf(stream, "SpeedUp.%u = %.2f\n", 2u << i,
			all / (windows->busiest[i] + windows->alone));
}

void x86_machine_report_threads(const struct x86_machine *machine,
				FILE *stream)
{
	if (machine->windows)
		report(machine->windows, stream);
	else
		fputs("; All cores were simulated by one thread: they share "
		      "caches, have none,\n; or a GPU shares their memory, or "
		      "there is one core.\n", stream);
}
