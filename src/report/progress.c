#include "report/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"

/* Seconds between two looks of a terminal's line, and before its first. */
static const double TERMINAL_EVERY = 0.5, TERMINAL_FIRST = 1;

void progress_init(struct progress *progress, uint64_t seconds, bool quiet)
{
	double now = host_seconds();

	*progress = (struct progress){ .time = now };
	if (seconds) {
		progress->every = (double)seconds;
		progress->program_too = true;
		progress->due = now + progress->every;
	} else if (!quiet && isatty(STDERR_FILENO)) {
		progress->on_terminal = true;
		progress->program_too = !isatty(STDOUT_FILENO);
		progress->every = TERMINAL_EVERY;
		progress->due = now + TERMINAL_FIRST;
	}
}

bool progress_is_due(const struct progress *progress, bool kernel_runs)
{
	return progress->every > 0 && (kernel_runs || progress->program_too) &&
	       host_seconds() >= progress->due;
}

/* "950 k", "1.2 M", "34 G" into text, which it returns. */
static char *format_number(char text[16], double number)
{
	static const char *const units[] = { "", " k", " M", " G", " T" };
	size_t unit = 0;

	while (number >= 1000 && unit + 1 < ARRAY_SIZE(units)) {
		number /= 1000;
		unit++;
	}
	snprintf(text, 16, unit && number < 10 ? "%.1f%s" : "%.0f%s", number,
		 units[unit]);
	return text;
}

/* "35 s", "12 min", "3.5 h", likewise. */
static char *format_time(char text[16], double seconds)
{
	if (seconds < 120)
		snprintf(text, 16, "%.0f s", seconds);
	else if (seconds < 7200)
		snprintf(text, 16, "%.0f min", seconds / 60);
	else
		snprintf(text, 16, "%.1f h", seconds / 3600);
	return text;
}

/* "; kernel launch 3 (name): 10 of 40 work-groups, cycle 1.2 M (300 k/s), 12 s
 * left"; `elapsed`: seconds since the last line. */
static void print_kernel(FILE *out, struct progress *progress,
			 const struct gpu_progress *kernel, double elapsed)
{
	char text[16], rate[16];

	fprintf(out, "; kernel launch %llu (%s): %llu of %llu work-groups",
		(unsigned long long)kernel->launch, kernel->kernel,
		(unsigned long long)kernel->done,
		(unsigned long long)kernel->total);
	if (kernel->cycles)
		fprintf(out, ", cycle %s (%s/s)",
			format_number(text, (double)kernel->cycles),
			format_number(rate,
					(double)(kernel->cycles -
						 progress->cycles) /
						elapsed));
	if (kernel->done)
		fprintf(out, ", %s left",
			format_time(text,
				      kernel->seconds / (double)kernel->done *
					      (double)(kernel->total -
						       kernel->done)));
	progress->cycles = kernel->cycles;
}

static void print_line(FILE *out, struct progress *progress,
		       const struct progress_facts *facts, double elapsed)
{
	uint64_t done = facts->instructions, limit = facts->instruction_limit;
	double rate = (double)(done - progress->instructions) / elapsed;
	char time[16], number[16];

	fprintf(out, "%s, %s x86 instructions",
		format_time(time, facts->seconds),
		format_number(number, (double)done));
	if (rate > 0)
		fprintf(out, " (%s/s)", format_number(number, rate));
	if (facts->kernel.running)
		print_kernel(out, progress, &facts->kernel, elapsed);
	else if (limit > done && rate > 0)
		fprintf(out, ", %s left",
			format_time(time, (double)(limit - done) / rate));
	progress->instructions = done;
}

void progress_print(struct progress *progress,
		    const struct progress_facts *facts)
{
	double now = host_seconds(), elapsed = now - progress->time;

	fputs(progress->on_terminal ? "\rm2s: " : "m2s: ", stderr);
	print_line(stderr, progress, facts, elapsed > 1e-3 ? elapsed : 1e-3);
	fputs(progress->on_terminal ? "\x1b[K" : "\n", stderr);
	fflush(stderr);
	progress->shown = progress->on_terminal;
	progress->time = now;
	progress->due = now + progress->every;
}

void progress_keep(struct progress *progress)
{
	if (progress->shown)
		fputc('\n', stderr);
	progress->shown = false;
}

void progress_erase(struct progress *progress)
{
	if (progress->shown)
		fputs("\r\x1b[K", stderr);
	progress->shown = false;
}
