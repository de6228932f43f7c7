/* The profile as text. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "m2s/profile/internal.h"
#include "x86/isa/disasm.h"

enum {
	SHOWN_GROUPS = 40, SHOWN_BRANCHES = 40, SHOWN_TARGETS = 4,
	SHOWN_PARTS = 3,
};

static double share(uint64_t part, uint64_t all)
{
	return all ? 100 * (double)part / (double)all : 0;
}

/* The greatest losses: "DRAM 61 %, L2 8 %". */
static void print_parts(const struct profile_sum *sum, FILE *stream)
{
	uint64_t all = profile_sum_slots(sum);
	bool shown[X86_CORE_PARTS] = { false };

	for (unsigned k = 0; k < SHOWN_PARTS; k++) {
		unsigned most = X86_CORE_PARTS;

		for (unsigned i = 0; i < X86_CORE_PARTS; i++)
			if (!shown[i] && sum->part[i] &&
			    (most == X86_CORE_PARTS ||
			     sum->part[i] > sum->part[most]))
				most = i;
		if (most == X86_CORE_PARTS)
			return;
		shown[most] = true;
		fprintf(stream, "%s%s %.0f %%", k ? ", " : "",
			profile_part_names[most], share(sum->part[most], all));
	}
}

/* Cycles, their share, instructions, cycles for each. */
static void print_figures(const struct machine_profile *profile,
			  const struct profile_sum *sum, uint64_t all,
			  FILE *stream)
{
	uint64_t slots = profile_sum_slots(sum);
	double cycles = (double)slots / profile->width;

	fprintf(stream, "%15.2f%7.2f%14" PRIu64, cycles, share(slots, all),
		sum->executions);
	if (sum->executions)
		fprintf(stream, "%8.2f  ", cycles / (double)sum->executions);
	else
		fprintf(stream, "%10s", "");
}

static void print_heading(const char *title, const char *last, FILE *stream)
{
	fprintf(stream, "\n%s\n\n%15s%7s%14s%8s  %s\n", title, "cycles", "%",
		"instructions", "CPI", last);
}

static struct profile_sum sum_of(const struct x86_profile *profile)
{
	struct profile_sum sum = { 0 };

	profile_sum_add_all(&sum, profile);
	return sum;
}

static uint64_t print_threads(const struct machine_profile *profile,
			      FILE *stream)
{
	struct profile_sum sum = sum_of(profile->idle);
	uint64_t all = profile_sum_slots(&sum);

	for (size_t i = 0; i < profile->thread_count; i++) {
		sum = sum_of(profile->thread[i]->profile);
		all += profile_sum_slots(&sum);
	}
	print_heading("Threads", "process.thread program: greatest parts",
		      stream);
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = profile->thread[i];

		sum = sum_of(thread->profile);
		print_figures(profile, &sum, all, stream);
		fprintf(stream, "%d.%d %s: ", thread->process, thread->thread,
			thread->program);
		print_parts(&sum, stream);
		fputc('\n', stream);
	}
	sum = sum_of(profile->idle);
	print_figures(profile, &sum, all, stream);
	fputs("cores without a thread\n", stream);
	return all;
}

static void print_groups(const struct machine_profile *profile,
			 const struct profile_place *places, size_t count,
			 bool lines, uint64_t all, FILE *stream)
{
	size_t used;
	struct profile_group *groups =
		profile_groups(places, count, lines, &used);

	print_heading(lines ? "Source lines" : "Functions",
		      lines ? "line: greatest parts"
			    : "function (its line with most cycles): "
			      "greatest parts", stream);
	for (size_t i = 0; i < used && i < SHOWN_GROUPS; i++) {
		const struct profile_group *group = &groups[i];

		print_figures(profile, &group->sum, all, stream);
		if (lines)
			fputs(*group->name ? group->name : "no line known",
			      stream);
		else
			fprintf(stream, *group->worst->line ? "%s (%s)" : "%s",
				group->name, group->worst->line);
		fputs(": ", stream);
		print_parts(&group->sum, stream);
		fputc('\n', stream);
	}
	free(groups);
}

static void print_targets(const struct x86_profile_row *row, FILE *stream)
{
	if (!row->indirect)
		return;
	fprintf(stream, "  %u%s targets:", row->targets,
		row->other_targets ? " or more" : "");
	for (unsigned i = 0; i < row->targets && i < SHOWN_TARGETS; i++)
		fprintf(stream, " %" PRIx64 " (%" PRIu64 ")",
			row->target[i].address, row->target[i].count);
	if (row->targets > SHOWN_TARGETS)
		fputs(" ...", stream);
}

static void print_branches(const struct machine_profile *profile,
			   const struct profile_place *places, size_t count,
			   FILE *stream)
{
	size_t used;
	const struct profile_place **list =
		profile_hot_branches(places, count, &used);

	fprintf(stream, "\nHot branches\n\n%15s%14s%14s%14s  %s\n",
		"cycles lost", "executed", "taken", "mispredicted",
		"address, function, line");
	for (size_t i = 0; i < used && i < SHOWN_BRANCHES; i++) {
		const struct x86_profile_row *row = &list[i]->row;

		fprintf(stream, "%15.2f%14" PRIu64 "%14" PRIu64 "%14" PRIu64
			"  %" PRIx64 " %s %s", (double)profile_branch_loss(list[i]) /
			profile->width, row->branches, row->taken, row->wrong,
			list[i]->address, list[i]->function, list[i]->line);
		print_targets(row, stream);
		fputc('\n', stream);
	}
	free(list);
}

static void print_instruction(const struct machine_profile *profile,
			      const struct profile_place *place, uint64_t all,
			      FILE *stream)
{
	struct profile_sum sum = { 0 };
	char text[160];

	profile_sum_add(&sum, &place->row);
	x86_disasm(place->wide, place->address, place->row.code,
		   place->row.size, text, sizeof text);
	print_figures(profile, &sum, all, stream);
	fprintf(stream, "%8" PRIx64 "  %-44s  ", place->address, text);
	print_parts(&sum, stream);
	fputc('\n', stream);
}

/* Functions in the order of their code. */
static void print_listing(const struct machine_profile *profile,
			  const struct profile_place *places, size_t count,
			  uint64_t all, FILE *stream)
{
	const char *function = "", *line = "";

	print_heading("Instructions", "address, instruction, greatest parts",
		      stream);
	for (size_t i = 0; i < count; i++) {
		const struct profile_place *place = &places[i];

		if (!i || place->file != places[i - 1].file ||
		    strcmp(place->function, function)) {
			function = place->function;
			line = "";
			fprintf(stream, "\n%s\n", function);
		}
		if (strcmp(place->line, line)) {
			line = place->line;
			fprintf(stream, "%46s%s\n", "; ",
				*line ? line : "no line known");
		}
		print_instruction(profile, place, all, stream);
	}
}

void profile_write_text(struct machine_profile *profile,
			const struct profile_place *places, size_t count,
			FILE *stream)
{
	uint64_t all = print_threads(profile, stream);

	print_groups(profile, places, count, false, all, stream);
	print_groups(profile, places, count, true, all, stream);
	print_branches(profile, places, count, stream);
	print_listing(profile, places, count, all, stream);
}

int machine_profile_write(struct machine_profile *profile,
			  struct output *output, bool csv, const char *partial,
			  struct error *error)
{
	size_t count;
	struct profile_place *places = profile_places(profile, &count);

	if (csv) {
		profile_write_csv(profile, places, count, output->stream);
	} else {
		if (partial)
			fprintf(output->stream, "The run ended early: %s\n",
				partial);
		profile_write_text(profile, places, count, output->stream);
	}
	profile_places_free(places, count);
	return output_close(output, 0, error)
		       ? error_prefix(error, "--x86-annotate")
		       : 0;
}
