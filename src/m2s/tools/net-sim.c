#include "m2s/tools/net-sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/config-file.h"
#include "base/memory.h"
#include "m2s/defaults.h"
#include "m2s/run/run-files.h"
#include "network/script.h"
#include "network/traffic.h"
#include "report/hang.h"

static const char *first_option(const struct options *options)
{
	const struct {
		bool given;
		const char *name;
	} only[] = {
		{ options->net_traffic_pattern, "--net-traffic-pattern" },
		{ options->net_injection_rate, "--net-injection-rate" },
		{ options->net_injection, "--net-injection" },
		{ options->net_msg_size, "--net-msg-size" },
		{ options->net_max_cycles, "--net-max-cycles" },
		{ options->net_warm_up, "--net-warm-up" },
		{ options->net_seed, "--net-seed" },
		{ options->net_hotspot_fraction, "--net-hotspot-fraction" },
		{ options->net_burst_length, "--net-burst-length" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(only); i++)
		if (only[i].given)
			return only[i].name;
	return NULL;
}

int net_sim_check(const struct options *options, struct error *error)
{
	const char *name = options->net_sim ? NULL : first_option(options);

	return name ? error_set(error, "%s: this option needs --net-sim "
				"NETWORK", name) : 0;
}

static int set_real(const char *option, const char *text, double *field,
		    struct error *error)
{
	char *end;

	if (!text)
		return 0;
	*field = strtod(text, &end);
	if (end == text || *end || !isfinite(*field))
		return error_set(error, "%s %s: expected a number", option,
				 text);
	return 0;
}

static int read_options(const struct options *options,
			struct network_traffic_options *traffic,
			struct error *error)
{
	*traffic = (struct network_traffic_options){
		.rate = DEFAULT_NET_RATE,
		.size = DEFAULT_NET_MESSAGE_BYTES,
		.cycles = options->net_max_cycles ? options->net_max_cycles
						  : DEFAULT_NET_CYCLES,
		.seed = options->net_seed,
		.hotspot_fraction = DEFAULT_NET_HOTSPOT_FRACTION,
		.burst_length = DEFAULT_NET_BURST_LENGTH,
	};
	traffic->warm_up = options->net_warm_up ? options->net_warm_up
						: traffic->cycles / 10;
	if (options->net_msg_size > 0x40000000)
		return error_set(error, "--net-msg-size %" PRIu64 ": expected "
				 "at most 1073741824", options->net_msg_size);
	if (traffic->cycles > 1000000000000)
		return error_set(error, "--net-max-cycles %" PRIu64 ": "
				 "expected at most 1000000000000",
				 traffic->cycles);
	if (options->net_msg_size)
		traffic->size = (uint32_t)options->net_msg_size;
	if (options->net_injection) {
		traffic->poisson = !strcmp(options->net_injection, "poisson");
		if (!traffic->poisson &&
		    strcmp(options->net_injection, "bernoulli"))
			return error_set(error, "--net-injection %s: expected "
					 "bernoulli or poisson",
					 options->net_injection);
	}
	if (options->net_traffic_pattern &&
	    network_pattern_find(options->net_traffic_pattern,
				 &traffic->pattern, error))
		return error_prefix(error, "--net-traffic-pattern");
	if (set_real("--net-injection-rate", options->net_injection_rate,
		     &traffic->rate, error) ||
	    set_real("--net-hotspot-fraction", options->net_hotspot_fraction,
		     &traffic->hotspot_fraction, error) ||
	    set_real("--net-burst-length", options->net_burst_length,
		     &traffic->burst_length, error))
		return -1;
	return 0;
}

static void print(const struct network *network,
		  const struct network_traffic_options *options,
		  const struct network_analysis *analysis,
		  const struct network_traffic_result *result)
{
	printf("[ Network.%s.Traffic ]\n", network_name(network));
	printf("Pattern = %s\n", network_pattern_name(options->pattern));
	printf("Injection = %s\n", options->poisson ? "poisson" : "bernoulli");
	printf("InjectionRate = %g\n", options->rate);
	printf("MessageSize = %" PRIu32 "\n", options->size);
	printf("Nodes = %" PRIu64 "\n", result->nodes);
	printf("Cycles = %" PRIu64 "\n", options->cycles);
	printf("WarmUp = %" PRIu64 "\n", options->warm_up);
	printf("Seed = %" PRIu64 "\n", options->seed);
	printf("\n; messages per cycle and node\n");
	printf("OfferedThroughput = %.6g\n", result->offered);
	printf("AcceptedThroughput = %.6g\n", result->accepted);
	printf("SaturationBound = %.6g\n", analysis->bound);
	printf("Bottleneck = %s\n", analysis->bottleneck);
	printf("Backlog = %" PRIu64 "\n", result->backlog);
	printf("\n; cycles\n");
	printf("Messages = %" PRIu64 "\n", result->measured);
	printf("ZeroLoadLatency = %.6g\n", analysis->zero_load);
	printf("Latency.Mean = %.6g\n", result->mean);
	printf("Latency.Network = %.6g\n", result->network_mean);
	printf("Latency.Min = %" PRIu64 "\n", result->minimum);
	printf("Latency.Median = %" PRIu64 "\n", result->median);
	printf("Latency.P90 = %" PRIu64 "\n", result->p90);
	printf("Latency.P99 = %" PRIu64 "\n", result->p99);
	printf("Latency.Max = %" PRIu64 "\n", result->maximum);
	printf("Drained = %" PRIu64 "\n", result->drained);
	printf("Hops = %" PRIu64 "\n", result->hops);
}

static void describe(const void *owner, FILE *stream)
{
	network_describe(owner, stream);
}

static int run_traffic(const struct options *options,
		       const struct output_rules *rules,
		       struct network *network, struct stats *stats,
		       struct error *error)
{
	struct network_traffic_options traffic;
	struct network_traffic_result result;
	struct network_analysis analysis;

	if (read_options(options, &traffic, error))
		return -1;
	traffic.stats = stats;
	if (network_analyse(network, &traffic, &analysis, error))
		return error_prefix(error, "--net-sim");
	if (network_traffic(network, &traffic, &result, error)) {
		error_prefix(error, "--net-sim");
		if (network_pending(network))
			hang_write(options->hang_file, rules, describe,
				   network, error);
		return -1;
	}
	print(network, &traffic, &analysis, &result);
	return 0;
}

static int run_script(const struct options *options, struct network *network,
		      struct stats *stats, struct error *error)
{
	const char *name = first_option(options);
	uint64_t checks = 0;

	if (name)
		return error_set(error, "%s: network '%s' has commands in its "
					"file, which replace the traffic: "
					"leave this option out", name,
				 network_name(network));
	if (network_script_run(network, &checks, error))
		return -1;
	stats_freeze(stats, "network");
	printf("[ Network.%s.Commands ]\nChecks = %" PRIu64 "\n",
	       network_name(network), checks);
	return 0;
}

/* The objects of a run. */
struct run {
	struct run_files files;
	struct event_queue *events;
	struct network_set set;
	struct stats *stats;
};

static int prepare(struct run *run, const struct options *options,
		   struct network **network, struct error *error)
{
	struct ini *ini;
	int status;

	if (run_files_open(&run->files, options, true, false, error) ||
	    run_files_start(&run->files, options, error))
		return -1;
	run->events = event_queue_create();
	run->stats = stats_create();
	ini = config_file_read(options->settings, "net", options->net_config,
			       "", "", error);
	if (!ini)
		return -1;
	status = networks_read(&run->set, run->events, run->files.log, ini, error);
	ini_free(ini);
	if (status || settings_check(options->settings, error))
		return -1;
	*network = networks_find(&run->set, options->net_sim);
	return *network ? 0
			: error_set(error, "--net-sim %s: %s has no network of "
					   "this name", options->net_sim,
				    options->net_config ? options->net_config
							: options->config);
}

int net_sim(const struct options *options, const char *program,
	    struct error *error)
{
	struct run run = { 0 };
	struct network *network = NULL;
	int status;

	if (program)
		return error_set(error, "--net-sim %s: this option runs no "
				 "program, but the command line has '%s'",
				 options->net_sim, program);
	if (!options->net_config && !options->config)
		return error_set(error, "--net-sim %s: needs --net-config "
					"FILE, the file that describes the "
					"network", options->net_sim);
	status = prepare(&run, options, &network, error);
	if (!status) {
		network_register_stats(network, run.stats, "network");
		status = network_has_script(network)
				 ? run_script(options, network, run.stats,
					      error)
				 : run_traffic(options,
					       outputs_rules(run.files.outputs),
					       network, run.stats, error);
	}
	if (!status)
		status = run_files_report(&run.files, options, run.stats, NULL,
					  error);
	if (!status)
		status = outputs_end(run.files.outputs, "Complete", error);
	stats_free(run.stats);
	networks_free(&run.set);
	event_queue_free(run.events);
	run_files_close(&run.files);
	return status;
}
