/* Latency over injection rate of the sample networks, as SVG and CSV, beside
 * the latency without load and the saturation bound: `make network-curves`.
 * Arguments: the folder of the samples, the folder for the curves. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "network/traffic.h"
#include "stats/plot.h"

enum { POINTS = 24 };

static const struct network_traffic_options options = {
	.pattern = NETWORK_PATTERN_UNIFORM,
	.size = 64,
	.cycles = 20000,
	.warm_up = 4000,
	.seed = 1,
	.burst_length = 1,
};

/* One run on a fresh network; rate 0: the analysis alone. */
static int run(const char *path, double rate,
	       struct network_analysis *analysis,
	       struct network_traffic_result *result, struct error *error)
{
	struct network_traffic_options traffic = options;
	struct event_queue *events = event_queue_create();
	struct network_set set = { 0 };
	struct ini *ini = ini_read(path, error);
	int status = ini ? networks_read(&set, events, NULL, ini, error) : -1;

	traffic.rate = rate;
	if (!status)
		status = network_analyse(set.networks[0], &traffic, analysis,
					 error);
	if (!status && rate > 0)
		status = network_traffic(set.networks[0], &traffic, result,
					 error);
	ini_free(ini);
	networks_free(&set);
	event_queue_free(events);
	return status;
}

static FILE *create(const char *folder, const char *name, const char *suffix,
		    struct error *error)
{
	char *path = xasprintf("%s/%s.%s", folder, name, suffix);
	FILE *stream = fopen(path, "we");

	if (!stream)
		error_set(error, "%s: %s", path, strerror(errno));
	free(path);
	return stream;
}

static int finish(FILE *stream, struct error *error)
{
	bool bad = ferror(stream);

	return fclose(stream) || bad ? error_set(error, "cannot write") : 0;
}

static int draw(const char *folder, const char *name,
		const struct network_analysis *analysis, const double *x,
		const double *y, size_t count, struct error *error)
{
	char *title = xasprintf("%s: latency without load %.4g cycles, bound "
				"%.4g", name, analysis->zero_load,
				analysis->bound);
	struct plot_series series = { .x = x, .y = y, .count = count };
	struct plot plot = {
		.title = title,
		.x_label = "messages of 64 bytes offered per cycle and node",
		.y_label = "mean latency, cycles",
		.series = &series, .series_count = 1,
		.marked = true,
		.mark_x = analysis->bound, .mark_y = analysis->zero_load,
		.mark_label = "bound",
	};
	FILE *stream = create(folder, name, "svg", error);
	int status = -1;

	if (stream) {
		plot_write_svg(&plot, stream);
		status = finish(stream, error);
	}
	free(title);
	return status;
}

static int curve(const char *samples, const char *folder, const char *name,
		 struct error *error)
{
	struct network_analysis analysis;
	struct network_traffic_result result;
	char *path = xasprintf("%s/%s.ini", samples, name);
	FILE *csv = create(folder, name, "csv", error);
	double x[POINTS + 1], y[POINTS + 1];
	size_t count = 0;
	int status = csv ? run(path, 0, &analysis, &result, error) : -1;

	if (!status)
		fprintf(csv, "rate,offered,accepted,mean,median,p99,"
			"zero_load,bound\n");
	/* The curve begins at the latency without load. */
	x[count] = 0;
	y[count++] = status ? 0 : analysis.zero_load;
	for (int i = 1; i <= POINTS && !status; i++) {
		double rate = analysis.bound * i * 1.2 / POINTS;

		status = run(path, rate, &analysis, &result, error);
		if (status)
			break;
		fprintf(csv, "%.6g,%.6g,%.6g,%.6g,%llu,%llu,%.6g,%.6g\n",
			rate, result.offered, result.accepted, result.mean,
			(unsigned long long)result.median,
			(unsigned long long)result.p99, analysis.zero_load,
			analysis.bound);
		/* Beyond saturation the latency is that of the queues. */
		if (result.mean < 8 * analysis.zero_load) {
			x[count] = result.offered;
			y[count++] = result.mean;
		}
	}
	if (csv && finish(csv, error))
		status = -1;
	if (!status)
		status = draw(folder, name, &analysis, x, y, count, error);
	if (!status)
		printf("| %s | %.2f | %.4f | %.4f | %.0f %% | %s |\n", name,
		       analysis.zero_load, analysis.bound, result.accepted,
		       100 * result.accepted / analysis.bound,
		       analysis.bottleneck);
	free(path);
	return status;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "bus", "crossbar", "ring",
					     "mesh-4x4", "mesh-8x8",
					     "torus-8x8" };
	struct error error = { "" };

	if (argc != 3) {
		fputs("curves: expected the folder of the samples and one to "
		      "write to\n", stderr);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (curve(argv[1], argv[2], names[i], &error)) {
			fprintf(stderr, "curves: %s\n", error.text);
			return 1;
		}
	return 0;
}
