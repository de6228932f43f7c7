/* The profile as comma-separated values: slots of retirement, so that sums are
 * exact. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv.h"
#include "m2s/profile/internal.h"
#include "x86/isa/disasm.h"

const char *const profile_part_names[X86_CORE_PARTS] = {
#define PART(id, name, doc) name,
#include "x86/timing/core/parts.def"
#undef PART
};

static void heading(FILE *stream)
{
	fputs("kind,process,thread,file,function,line,address,executions,slots",
	      stream);
	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		fprintf(stream, ",%s", profile_part_names[i]);
	fputs(",branches,taken,mispredicted,text\n", stream);
}

static void figures(const struct profile_sum *sum, FILE *stream)
{
	fprintf(stream, ",%" PRIu64 ",%" PRIu64, sum->executions,
		profile_sum_slots(sum));
	for (unsigned i = 0; i < X86_CORE_PARTS; i++)
		fprintf(stream, ",%" PRIu64, sum->part[i]);
	fprintf(stream, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", sum->branches,
		sum->taken, sum->wrong);
}

static const char *file_name(const struct machine_profile *profile,
			     const struct profile_place *place)
{
	return place->file == PROFILE_NO_FILE ? ""
					      : profile->file[place->file].name;
}

static void write_threads(const struct machine_profile *profile,
			  struct profile_sum *outside, FILE *stream)
{
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = profile->thread[i];
		struct profile_sum sum = { 0 };

		profile_sum_add_all(&sum, thread->profile);
		profile_sum_add(outside, &thread->profile->outside);
		fprintf(stream, "thread,%d,%d,", thread->process,
			thread->thread);
		csv_print(thread->program, stream);
		fputs(",,,", stream);
		figures(&sum, stream);
		fputc('\n', stream);
	}
}

/* Processes in the order of their first threads. */
static void write_processes(const struct machine_profile *profile, FILE *stream)
{
	for (size_t i = 0; i < profile->thread_count; i++) {
		int process = profile->thread[i]->process;
		struct profile_sum sum = { 0 };
		size_t first = 0;

		while (profile->thread[first]->process != process)
			first++;
		if (first != i)
			continue;
		for (size_t k = i; k < profile->thread_count; k++)
			if (profile->thread[k]->process == process)
				profile_sum_add_all(&sum,
						    profile->thread[k]->profile);
		fprintf(stream, "process,%d,,,,,", process);
		figures(&sum, stream);
		fputc('\n', stream);
	}
}

static void write_plain(const char *kind, const struct profile_sum *sum,
			FILE *stream)
{
	fprintf(stream, "%s,,,,,,", kind);
	figures(sum, stream);
	fputc('\n', stream);
}

static void write_groups(const struct machine_profile *profile,
			 const struct profile_place *places, size_t count,
			 bool lines, FILE *stream)
{
	size_t used;
	struct profile_group *groups =
		profile_groups(places, count, lines, &used);

	for (size_t i = 0; i < used; i++) {
		fprintf(stream, "%s,,,", lines ? "line" : "function");
		csv_print(file_name(profile, groups[i].first), stream);
		fputc(',', stream);
		if (!lines)
			csv_print(groups[i].name, stream);
		fputc(',', stream);
		csv_print(lines ? groups[i].name : groups[i].worst->line,
			  stream);
		fputc(',', stream);
		figures(&groups[i].sum, stream);
		fputc('\n', stream);
	}
	free(groups);
}

static void write_instruction(const struct machine_profile *profile,
			      const struct profile_place *place, FILE *stream)
{
	struct profile_sum sum = { 0 };
	char text[160];

	profile_sum_add(&sum, &place->row);
	fputs("instruction,,,", stream);
	csv_print(file_name(profile, place), stream);
	fputc(',', stream);
	csv_print(place->function, stream);
	fputc(',', stream);
	csv_print(place->line, stream);
	fprintf(stream, ",%" PRIx64, place->address);
	figures(&sum, stream);
	x86_disasm(place->wide, place->address, place->row.code,
		   place->row.size, text, sizeof text);
	csv_print(text, stream);
	fputc('\n', stream);
}

void profile_write_csv(struct machine_profile *profile,
		       const struct profile_place *places, size_t count,
		       FILE *stream)
{
	struct profile_sum outside = { 0 }, idle = { 0 };

	heading(stream);
	write_threads(profile, &outside, stream);
	write_processes(profile, stream);
	profile_sum_add(&idle, &profile->idle->outside);
	write_plain("idle", &idle, stream);
	write_plain("outside", &outside, stream);
	write_groups(profile, places, count, false, stream);
	write_groups(profile, places, count, true, stream);
	for (size_t i = 0; i < count; i++)
		write_instruction(profile, &places[i], stream);
}
