#include "m2s/cores/window.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/cores/internal.h"
#include "x86/timing/blocks/kanata.h"

/* ---- The option ---- */

static int read_number(const char **text, uint64_t *number)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	*number = strtoull(*text, &end, 10);
	*text = end;
	return errno ? -1 : 0;
}

/* The word's value if it begins with "NAME=", else NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(word, name, length) && word[length] == '='
		       ? word + length + 1 : NULL;
}

/* One word, which `*text` is moved behind. */
static int read_window_word(struct trace_window *window, const char **text)
{
	const char *instructions = value_of(*text, "instructions");
	const char *cycles = value_of(*text, "cycles");
	const char *core = value_of(*text, "core");
	uint64_t number;

	if (core) {
		*text = core;
		if (read_number(text, &number) || number > UINT16_MAX)
			return -1;
		window->core = (unsigned)number;
		return 0;
	}
	if (!instructions && !cycles)
		return -1;
	window->cycles = cycles;
	*text = cycles ? cycles : instructions;
	if (read_number(text, &window->first) || *(*text)++ != '-' ||
	    read_number(text, &window->last))
		return -1;
	return window->first > window->last ? -1 : 0;
}

int trace_window_read(struct trace_window *window, const char *text,
		      struct error *error)
{
	const char *at = text;

	*window = (struct trace_window){ .last = WINDOW_USUAL - 1 };
	while (at && *at) {
		if (read_window_word(window, &at) || (*at && *at++ != ','))
			return error_set(error, "--x86-trace-window %s: expected "
					 "core=N, instructions=FIRST-LAST or "
					 "cycles=FIRST-LAST, with commas "
					 "between them", text);
	}
	if (!window->cycles && window->last - window->first >= WINDOW_MOST)
		return error_set(error, "--x86-trace-window %s: the window has "
				 "%" PRIu64 " instructions, expected at most %d",
				 text, window->last - window->first + 1,
				 WINDOW_MOST);
	return 0;
}

/* ---- The trace ---- */

struct machine_window {
	struct trace_window window;
	struct machine_core *core;
	struct kanata *kanata;
	uint64_t left_out; /* instructions of the window, beyond WINDOW_MOST */
};

/* For kanata_create(): the code as it is when its instruction retires. */
static size_t code_of_thread(void *owner, const struct x86_core_retired *what,
			     uint8_t *code, size_t size, bool *wide)
{
	const struct machine_window *window = owner;
	const struct x86_cpu *cpu = window->core->fetch.cpu;

	*wide = cpu->address_mask != 0xffffffff;
	/* Less at the end of a mapping. */
	while (size && space_read(cpu->space, what->address, code, size))
		size--;
	return size;
}

static void window_retired(void *owner, const struct x86_core_retired *what)
{
	struct machine_window *window = owner;
	uint64_t at = window->window.cycles ? what->retired : what->number;

	if (at > window->window.last)
		x86_core_observe(window->core->core, NULL, NULL);
	else if (at < window->window.first)
		return;
	else if (kanata_count(window->kanata) == WINDOW_MOST)
		window->left_out++;
	else
		kanata_retired(window->kanata, what);
}

int x86_machine_watch(struct x86_machine *machine,
		      const struct trace_window *window, struct error *error)
{
	struct machine_window *watched;

	if (window->core >= machine->count)
		return error_set(error, "--x86-trace-window: there is no core %u: "
				 "the processor has %u, from 0 on ([ General ] "
				 "Cores)", window->core, machine->count);
	watched = xcalloc(1, sizeof *watched);
	watched->window = *window;
	watched->core = &machine->core[window->core];
	watched->kanata = kanata_create(WINDOW_MOST, code_of_thread, watched);
	x86_core_observe(watched->core->core, window_retired, watched);
	machine->window = watched;
	return 0;
}

int x86_machine_write_window(struct x86_machine *machine,
			     struct output *output, struct error *error)
{
	const struct machine_window *window = machine->window;
	const struct trace_window *wanted = &window->window;

	if (!kanata_count(window->kanata)) {
		error_set(error, "--x86-trace: nothing retired in %s %" PRIu64
			  " to %" PRIu64 " of core %u, which has simulated "
			  "%" PRIu64 " instructions in %" PRIu64 " cycles",
			  wanted->cycles ? "cycles" : "instructions",
			  wanted->first, wanted->last, wanted->core,
			  x86_core_instructions(window->core->core),
			  x86_core_cycle(window->core->core));
		return output_close(output, -1, error);
	}
	kanata_write(window->kanata, output->stream);
	if (window->left_out)
		fprintf(stderr, "m2s: warning: --x86-trace: the first %d "
				"instructions of the window are written, and %"
				PRIu64 " left out\n",
			WINDOW_MOST, window->left_out);
	return output_close(output, 0, error);
}

void machine_window_free(struct machine_window *window)
{
	if (!window)
		return;
	kanata_free(window->kanata);
	free(window);
}
