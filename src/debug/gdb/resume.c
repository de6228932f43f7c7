/* Resuming the guest: which threads run or make a step, with which signals. */
#include "base/memory.h"
#include "debug/gdb/internal.h"

struct action {
	enum linux_resume how;
	uint64_t start, end;
	int signal;
	int thread; /* -1: all that no action before is for */
};

static void apply(struct gdb *gdb, const struct action *action, int thread)
{
	linux_debug_resume(gdb->system, thread, action->how, action->start,
			   action->end);
	/* The signal that it stopped for is dropped unless sent again. */
	if (action->signal || (gdb->stop->kind == LINUX_STOP_SIGNAL &&
			       thread == gdb->stop->thread))
		linux_debug_signal(gdb->system, thread, action->signal);
}

static void apply_all(struct gdb *gdb, const struct action *list,
		      size_t count)
{
	static const struct action hold = { .how = LINUX_RESUME_HOLD,
					    .thread = -1 };
	int thread = 0;

	while ((thread = linux_debug_next_thread(gdb->system, thread))) {
		size_t i = 0;

		while (i < count && list[i].thread != -1 &&
		       list[i].thread != thread)
			i++;
		if (i < count)
			apply(gdb, &list[i], thread);
		else
			linux_debug_resume(gdb->system, thread, hold.how, 0,
					   0);
	}
	gdb->go_on = true;
}

/* One action of vCont: "c", "C05", "s", "S05", "rSTART,END", each with an
 * optional ":thread". */
static bool parse_action(struct gdb *gdb, const char **text,
			 struct action *action)
{
	char kind = *(*text)++;
	uint64_t signal;

	*action = (struct action){ .how = LINUX_RESUME_RUN, .thread = -1 };
	switch (kind) {
	case 'C':
	case 'S':
		if (!gdb_number(text, &signal))
			return false;
		action->signal = gdb_signal_to_linux(signal);
		break;
	case 'r':
		if (!gdb_number_and(text, ',', &action->start) ||
		    !gdb_number(text, &action->end))
			return false;
		break;
	case 'c':
	case 's':
		break;
	default:
		return false;
	}
	if (kind == 's' || kind == 'S' || kind == 'r')
		action->how = LINUX_RESUME_STEP;
	if (**text == ':') {
		++*text;
		if (!gdb_thread(gdb, text, &action->thread))
			return false;
	}
	return **text == ';' || !**text;
}

void gdb_continue_threads(struct gdb *gdb, const char *text)
{
	struct action list[256];
	size_t count = 0;

	while (*text == ';') {
		text++;
		if (count == ARRAY_SIZE(list) ||
		    !parse_action(gdb, &text, &list[count++])) {
			gdb_put(gdb, "E01");
			return;
		}
	}
	if (count)
		apply_all(gdb, list, count);
	else
		gdb_put(gdb, "E01");
}

void gdb_continue(struct gdb *gdb, const char *text)
{
	bool step = gdb->packet[0] == 's' || gdb->packet[0] == 'S';
	struct action actions[2] = {
		{ .how = step ? LINUX_RESUME_STEP : LINUX_RESUME_RUN,
		  .thread = gdb->resume_thread },
		{ .how = LINUX_RESUME_RUN, .thread = -1 },
	};
	uint64_t value;

	if (step && actions[0].thread <= 0)
		actions[0].thread = gdb->stop->thread;
	if (gdb->packet[0] == 'C' || gdb->packet[0] == 'S') {
		if (!gdb_number(&text, &value)) {
			gdb_put(gdb, "E01");
			return;
		}
		actions[0].signal = gdb_signal_to_linux(value);
		/* A signal is for one thread. */
		if (actions[0].thread <= 0)
			actions[0].thread = gdb->stop->thread;
		text += *text == ';';
	}
	if (*text) {
		if (!gdb_number(&text, &value) || *text) {
			gdb_put(gdb, "E01");
			return;
		}
		linux_debug_set_rip(gdb->system, gdb->stop->thread, value);
	}
	apply_all(gdb, actions, 2);
}

void gdb_detach(struct gdb *gdb)
{
	linux_debug_detach(gdb->system);
	gdb->go_on = true;
}

void gdb_kill(struct gdb *gdb)
{
	linux_debug_kill(gdb->system);
	gdb->go_on = true;
}
