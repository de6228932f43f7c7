#include "report/summary.h"

static double per(double value, double under)
{
	return under > 0 ? value / under : 0;
}

static void print_evergreen(const struct summary *summary, FILE *stream)
{
	const struct gpu_summary *gpu = &summary->gpu;
	const struct evg_stats *n = &gpu->totals;
	double active = 0, executed = 0;

	for (int i = 0; i <= EVG_WAVEFRONT_SIZE; i++) {
		active += (double)gpu->divergence[i] * i;
		executed += (double)gpu->divergence[i];
	}
	fprintf(stream, "[ Evergreen ]\n");
	fprintf(stream, "RealTime = %.3f [s]\n", gpu->host_seconds);
	fprintf(stream, "NDRangeCount = %llu\n",
		(unsigned long long)gpu->ndranges);
	fprintf(stream, "WorkGroups = %llu\n",
		(unsigned long long)n->work_groups);
	fprintf(stream, "Instructions = %llu\n",
		(unsigned long long)n->instructions);
	fprintf(stream, "InstructionsPerSecond = %.0f\n",
		per((double)n->instructions, gpu->host_seconds));
	fprintf(stream, "LaneOperations = %llu\n",
		(unsigned long long)n->lane_operations);
	fprintf(stream, "LaneOperationsPerSecond = %.0f\n",
		per((double)n->lane_operations, gpu->host_seconds));
	fprintf(stream, "VLIWOccupancy.Average = %.2f [slots of 5]\n",
		per((double)n->alu_slots, (double)n->alu_groups));
	fprintf(stream, "ActiveWorkItems = %.1f [of %d]\n",
		per(active, executed), EVG_WAVEFRONT_SIZE);
	if (summary->detailed) {
		fprintf(stream, "SimTime = %.2f [ns]\n",
			(double)gpu->cycles * 1e3 / gpu->frequency);
		fprintf(stream, "Frequency = %g [MHz]\n", gpu->frequency);
		fprintf(stream, "Cycles = %llu\n",
			(unsigned long long)gpu->cycles);
		fprintf(stream, "IPC = %.4g\n",
			per((double)n->instructions, (double)gpu->cycles));
		for (int i = 0; i < 2; i++)
			fprintf(stream, "L%dHitRatio = %.3f [reads]\n", i + 1,
				per((double)gpu->cache_hits[i],
				    (double)gpu->cache_reads[i]));
		fprintf(stream, "CyclesPerSecond = %.0f\n",
			per((double)gpu->cycles, gpu->host_seconds));
	}
	if (!summary->detailed)
		fprintf(stream, "EstimatedTime = %.2f [ns]\n",
			(double)gpu->estimated_cycles * 1e3 / gpu->frequency);
	fputc('\n', stream);
}

static void print_cores(const struct x86_summary *x86, double seconds,
			FILE *stream)
{
	const char *before = "CycleShares = ";
	double right = (double)(x86->branches - x86->wrong);

	fprintf(stream, "Core = %s (%s)\n", x86->core, x86->memory);
	fprintf(stream, "Cores = %u\n", x86->cores);
	fprintf(stream, "Frequency = %u [MHz]\n", x86->frequency);
	fprintf(stream, "Cycles = %llu\n", (unsigned long long)x86->cycles);
	fprintf(stream, "CommittedInstructions = %llu\n",
		(unsigned long long)x86->instructions);
	fprintf(stream, "CommittedInstructionsPerCycle = %.4g\n",
		per((double)x86->instructions, (double)x86->cycles));
	fprintf(stream, "BranchPredictionAccuracy = %.4f\n",
		x86->branches ? right / (double)x86->branches : 1);
	fprintf(stream, "CyclesPerSecond = %.0f\n",
		per((double)x86->cycles, seconds));
	for (unsigned i = 0; i < x86->part_count; i++) {
		if (x86->part[i].share < 0.0005)
			continue;
		fprintf(stream, "%s%s %.1f %%", before, x86->part[i].name,
			x86->part[i].share * 100);
		before = ", ";
	}
	if (before[0] == ',')
		fputc('\n', stream);
	if (x86->diagnosis)
		fprintf(stream, "Diagnosis = %s\n", x86->diagnosis);
}

static void print_x86(const struct summary *summary, FILE *stream)
{
	double x86_time = summary->real_time - summary->gpu.host_seconds;

	fprintf(stream, "[ x86 ]\n");
	fprintf(stream, "RealTime = %.3f [s]\n", x86_time);
	fprintf(stream, "Instructions = %llu\n",
		(unsigned long long)summary->x86_instructions);
	fprintf(stream, "InstructionsPerSecond = %.0f\n",
		per((double)summary->x86_instructions, x86_time));
	fprintf(stream, "Contexts = %llu\n",
		(unsigned long long)summary->contexts);
	if (summary->x86)
		print_cores(summary->x86, x86_time, stream);
	fputc('\n', stream);
}

void summary_print(const struct summary *summary, FILE *stream)
{
	fflush(stdout);
	fprintf(stream, "\n[ General ]\n");
	fprintf(stream, "RealTime = %.3f [s]\n", summary->real_time);
	fprintf(stream, "SimEnd = %s\n", summary->end);
	if (summary->gpu.ndranges || summary->x86)
		fprintf(stream, "SimTime = %.2f [ns%s]\n",
			(double)summary->simulated * 1e-3,
			summary->detailed || !summary->gpu.ndranges
				? ""
				: ", kernels estimated");
	fputc('\n', stream);
	if (!summary->native)
		print_x86(summary, stream);
	if (summary->gpu.ndranges)
		print_evergreen(summary, stream);
}
