/* m2s-predict: many branch predictors over recorded branches. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/version.h"
#include "x86/timing/study/device.h"
#include "x86/timing/study/output.h"

enum { PRINTED = 20, WORST = 50, EVENTS = 4096, MOST_THREADS = 1024,
       MOST_AGREEMENTS = 4096 };

struct arguments {
	const char *predictors, *csv, *json, *svg, *worst, *agreement, *of;
	const char *device; /* a part of its name */
	bool print, time, opencl;
	struct study_options study;
};

static int usage(FILE *stream)
{
	fputs("Usage: m2s-predict TRACE... --predictors FILE [OPTION...]\n"
	      "       m2s-predict --print TRACE...\n\n"
	      "Runs branch predictors over traces of branches: of m2s "
	      "--x86-branch-trace, or of the\nbranch prediction championship "
	      "of 2025. Each predictor begins anew with each trace.\n\n"
	      "  --predictors FILE  INI: a section for each predictor with the "
	      "variables of\n                     [ BranchPredictor ] (m2s "
	      "--x86-help); A..B xK, A..B +K and\n                     A, B "
	      "stand for several values\n"
	      "  --csv FILE         a row for each trace and predictor\n"
	      "  --json FILE        the same\n"
	      "  --svg FILE         MPKI against storage (one trace)\n"
	      "  --worst FILE       the branches that the best predictor "
	      "mispredicts most (one trace)\n"
	      "  --worst-of NAME    that this one does\n"
	      "  --agreement FILE   how often each two predictors say the same "
	      "of conditional\n                     branches (one trace)\n"
	      "  --threads N        of the host (default: one per "
	      "processor)\n"
	      "  --single           simulate each predictor by itself\n"
	      "  --apart            do not share tables of predictors that are "
	      "alike\n"
	      "  --opencl           simulate them on an OpenCL device, a "
	      "work-item for each:\n                     simple kinds "
	      "only\n"
	      "  --device NAME      with --opencl: one whose name contains "
	      "NAME (default: the\n                     first GPU, or else the "
	      "first device)\n"
	      "  --time             print how long it took\n"
	      "  --print            print the branches\n"
	      "  --help, --version\n",
	      stream);
	return stream == stderr ? 2 : 0;
}

static int fail(const struct error *error)
{
	fflush(stdout);
	fprintf(stderr, "m2s-predict: error: %s\n", error->text);
	return 1;
}

static int parse_threads(const char *text, unsigned *threads,
			 struct error *error)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !number ||
	    number > MOST_THREADS)
		return error_set(error, "--threads %s: expected 1 to %d", text,
				 MOST_THREADS);
	*threads = (unsigned)number;
	return 0;
}

/* Returns 0; 1: nothing is left to do; 2: wrong usage; -1: *error. */
static int parse(struct arguments *arguments, int argc, char **argv,
		 struct error *error)
{
	enum { PREDICTORS = 256, CSV, JSON, SVG, WORST_FILE, WORST_OF,
	       AGREEMENT, THREADS, SINGLE, APART, OPENCL, DEVICE, TIME, PRINT,
	       HELP, VERSION };
	static const struct option options[] = {
		{ "predictors", required_argument, NULL, PREDICTORS },
		{ "csv", required_argument, NULL, CSV },
		{ "json", required_argument, NULL, JSON },
		{ "svg", required_argument, NULL, SVG },
		{ "worst", required_argument, NULL, WORST_FILE },
		{ "worst-of", required_argument, NULL, WORST_OF },
		{ "agreement", required_argument, NULL, AGREEMENT },
		{ "threads", required_argument, NULL, THREADS },
		{ "single", no_argument, NULL, SINGLE },
		{ "apart", no_argument, NULL, APART },
		{ "opencl", no_argument, NULL, OPENCL },
		{ "device", required_argument, NULL, DEVICE },
		{ "time", no_argument, NULL, TIME },
		{ "print", no_argument, NULL, PRINT },
		{ "help", no_argument, NULL, HELP },
		{ "version", no_argument, NULL, VERSION },
		{ NULL, 0, NULL, 0 },
	};
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int option;

	arguments->study.threads = processors > 0 ? (unsigned)processors : 1;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case PREDICTORS: arguments->predictors = optarg; break;
		case CSV: arguments->csv = optarg; break;
		case JSON: arguments->json = optarg; break;
		case SVG: arguments->svg = optarg; break;
		case WORST_FILE: arguments->worst = optarg; break;
		case WORST_OF: arguments->of = optarg; break;
		case AGREEMENT: arguments->agreement = optarg; break;
		case SINGLE: arguments->study.single = true; break;
		case APART: arguments->study.apart = true; break;
		case OPENCL: arguments->opencl = true; break;
		case DEVICE: arguments->device = optarg; break;
		case TIME: arguments->time = true; break;
		case PRINT: arguments->print = true; break;
		case THREADS:
			if (parse_threads(optarg, &arguments->study.threads,
					  error))
				return -1;
			break;
		case HELP: usage(stdout); return 1;
		case VERSION:
			printf("m2s-predict %s (commit %s)\n", M2S_VERSION,
			       version_commit);
			return 1;
		default: return 2;
		}
	}
	return optind == argc || (!arguments->predictors && !arguments->print)
		       ? 2
		       : 0;
}

static int check(const struct arguments *arguments, size_t traces,
		 size_t predictors, struct error *error)
{
	if (traces > 1 && (arguments->svg || arguments->worst ||
			   arguments->agreement))
		return error_set(error, "--svg, --worst and --agreement: "
					"expected one trace, found %zu",
					traces);
	if (arguments->device && !arguments->opencl)
		return error_set(error, "--device: has no effect without "
					"--opencl");
	if (arguments->opencl && (arguments->agreement ||
				  arguments->study.single ||
				  arguments->study.apart))
		return error_set(error, "--opencl: cannot be used together with "
					"--agreement, --single and --apart");
	if (!arguments->agreement)
		return 0;
	if (arguments->study.apart)
		return error_set(error, "--agreement: cannot be used together "
					"with --apart");
	return predictors > MOST_AGREEMENTS
		       ? error_set(error, "--agreement: expected at most %d "
					  "predictors, found %zu",
					  MOST_AGREEMENTS,
				   predictors)
		       : 0;
}

/* --- Printing ------------------------------------------------------------- */

static void print_event(const struct branch_event *event)
{
	static const char *const kinds[] = {
		[BRANCH_CONDITIONAL] = "conditional",
		[BRANCH_JUMP] = "jump",
		[BRANCH_CALL] = "call",
		[BRANCH_INDIRECT_JUMP] = "indirect-jump",
		[BRANCH_INDIRECT_CALL] = "indirect-call",
		[BRANCH_RETURN] = "return",
	};

	printf("%" PRIu32 " %" PRIu32 " %" PRIu64 " 0x%" PRIx64
	       " %s %s 0x%" PRIx64 "\n",
	       event->process, event->thread, event->instruction,
	       event->branch.address, kinds[event->branch.kind],
	       event->taken ? "taken" : "not-taken", event->next);
}

static int print_trace(const char *path, struct error *error)
{
	static struct branch_event events[EVENTS];
	struct branch_reader *reader = branch_reader_open(path, error);
	long count;

	if (!reader)
		return -1;
	puts("# process thread instruction address kind direction next");
	while ((count = branch_reader_read(reader, events, EVENTS, error)) > 0)
		for (long i = 0; i < count; i++)
			print_event(&events[i]);
	if (!count)
		printf("# %" PRIu64 " instructions\n",
		       branch_reader_instructions(reader));
	branch_reader_free(reader);
	return (int)count;
}

/* --- Studies -------------------------------------------------------------- */

static const struct study_predictor *
whose_worst(const struct arguments *arguments, const struct study_result *result,
	    struct error *error)
{
	const struct study_predictor *best = NULL;

	for (size_t i = 0; i < result->count; i++) {
		const struct study_predictor *one = &result->list[i];

		if (arguments->of && !strcmp(arguments->of, one->name))
			return one;
		/* A predictor that cannot be wrong is no example. */
		if (one->storage_bits &&
		    (!best || study_sum(one).wrong < study_sum(best).wrong))
			best = one;
	}
	if (!arguments->of)
		return best ? best : result->list;
	error_set(error, "--worst-of %s: no predictor has this name",
		  arguments->of);
	return NULL;
}

static int write_worst(const struct arguments *arguments,
		       const struct study_result *result, FILE *stream,
		       struct error *error)
{
	const struct study_predictor *predictor =
		whose_worst(arguments, result, error);

	return predictor ? study_write_worst(predictor, result->trace, WORST,
					     stream, error)
			 : -1;
}

struct outputs {
	struct output csv, json, svg, worst, agreement;
};

static int open_one(struct output *output, const char *path,
		    struct error *error)
{
	return path ? output_open(output, path, NULL, error) : 0;
}

static int open_outputs(struct outputs *outputs,
			const struct arguments *arguments, struct error *error)
{
	return open_one(&outputs->csv, arguments->csv, error) ||
	       open_one(&outputs->json, arguments->json, error) ||
	       open_one(&outputs->svg, arguments->svg, error) ||
	       open_one(&outputs->worst, arguments->worst, error) ||
	       open_one(&outputs->agreement, arguments->agreement, error);
}

static int close_outputs(struct outputs *outputs, int status,
			 struct error *error)
{
	struct output *list[] = { &outputs->csv, &outputs->json, &outputs->svg,
				  &outputs->worst, &outputs->agreement };

	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i]->stream && output_close(list[i], status, error))
			status = -1;
	return status;
}

static int write_result(const struct arguments *arguments,
			struct outputs *outputs,
			const struct study_result *result, bool first,
			struct error *error)
{
	if (outputs->csv.stream)
		study_write_csv(result, first, outputs->csv.stream);
	if (outputs->json.stream)
		study_write_json(result, first, outputs->json.stream);
	if (outputs->svg.stream)
		study_write_svg(result, outputs->svg.stream);
	if (outputs->agreement.stream)
		study_write_agreements(result, arguments->study.agreements,
				       outputs->agreement.stream);
	return outputs->worst.stream
		       ? write_worst(arguments, result, outputs->worst.stream,
				     error)
		       : 0;
}

static double processor_seconds(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int run_study(struct arguments *arguments,
		     struct study_list *predictors, struct study_device *device,
		     struct study_result *result, struct error *error)
{
	return device ? study_run_device(predictors, result->trace, device,
					 &result->totals, error)
		      : study_run(predictors, result->trace, &arguments->study,
				  &result->totals, error);
}

static void print_time(const struct study_result *result, double seconds,
		       double work, const struct study_device *device)
{
	double steps = (double)result->totals.branches *
			       (double)result->count + 1e-9;

	printf("%.3f s, %.3f s of processors: %.3f ns for a branch of a "
	       "predictor\n", seconds, work, work * 1e9 / steps);
	if (device)
		printf("%s: %.6f s, %.3f ns for a branch of a predictor\n",
		       study_device_name(device), study_device_seconds(device),
		       study_device_seconds(device) * 1e9 / steps);
}

static int study_traces(struct arguments *arguments,
			struct study_list *predictors,
			struct study_device *device, char **traces,
			struct outputs *outputs, struct error *error)
{
	if (outputs->json.stream)
		fputc('[', outputs->json.stream);
	for (char **trace = traces; *trace; trace++) {
		struct study_result result = {
			.trace = *trace,
			.list = predictors->list,
			.count = predictors->count,
		};
		double start = host_seconds(), work = processor_seconds();

		if (run_study(arguments, predictors, device, &result, error))
			return -1;
		study_print(&result, PRINTED, stdout);
		if (arguments->time)
			print_time(&result, host_seconds() - start,
				   processor_seconds() - work, device);
		if (write_result(arguments, outputs, &result, trace == traces,
				 error))
			return -1;
	}
	if (outputs->json.stream)
		fputs("\n]\n", outputs->json.stream);
	return 0;
}

static int study(struct arguments *arguments, char **traces, size_t count,
		 struct error *error)
{
	struct study_list predictors = { 0 };
	struct outputs outputs = { 0 };
	struct study_device *device = NULL;
	int status = -1;

	if (!study_list_read(&predictors, arguments->predictors, error) &&
	    !check(arguments, count, predictors.count, error) &&
	    (!arguments->opencl ||
	     (device = study_device_open(arguments->device, error))) &&
	    !open_outputs(&outputs, arguments, error)) {
		if (arguments->agreement)
			arguments->study.agreements =
				xcalloc(predictors.count * predictors.count,
					sizeof(uint64_t));
		status = study_traces(arguments, &predictors, device, traces,
				      &outputs, error);
	}
	status = close_outputs(&outputs, status, error);
	study_device_close(device);
	free(arguments->study.agreements);
	study_list_clear(&predictors);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct error error = { "" };
	int status = parse(&arguments, argc, argv, &error);

	if (status < 0)
		return fail(&error);
	if (status)
		return status == 2 ? usage(stderr) : 0;
	if (!arguments.print)
		return study(&arguments, argv + optind,
			     (size_t)(argc - optind), &error)
			       ? fail(&error)
			       : 0;
	for (; optind < argc; optind++)
		if (print_trace(argv[optind], &error))
			return fail(&error);
	return 0;
}
