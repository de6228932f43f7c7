/* Prices European call options in the binomial model. */
#include <math.h>
#include <stdlib.h>

#include "sample.h"

enum { STEPS = 63 };

static const double risk_free = 0.02, volatility = 0.30;

static float reference(const float option[4])
{
	double dt = option[2] / STEPS, jump = volatility * sqrt(dt);
	double up = exp(jump), down = 1 / up, growth = exp(risk_free * dt);
	double up_weight = (growth - down) / (up - down) / growth;
	double down_weight = 1 / growth - up_weight;
	double value[STEPS + 1];

	for (int i = 0; i <= STEPS; i++)
		value[i] = fmax(option[0] * exp(jump * (2 * i - STEPS)) -
				option[1], 0);
	for (int step = STEPS; step > 0; step--)
		for (int i = 0; i < step; i++)
			value[i] = up_weight * value[i + 1] +
				   down_weight * value[i];
	return (float)value[0];
}

int main(int argc, char **argv)
{
	struct sample sample;
	float (*options)[4], *prices, *expected;
	cl_mem buffer[2];
	cl_kernel kernel;
	cl_uint steps = STEPS;
	int status;

	sample_open(&sample, "binomial-option", argc, argv, 64, 1, 0,
		    "options to price (default 64)", "");
	options = sample_allocate(sample.n * sizeof *options);
	prices = sample_allocate(sample.n * sizeof *prices);
	expected = sample_allocate(sample.n * sizeof *expected);
	for (size_t i = 0; i < sample.n; i++) {
		options[i][0] = 5 + 25 * sample_random_float(&sample);
		options[i][1] = 1 + 99 * sample_random_float(&sample);
		options[i][2] = 0.25f + 9 * sample_random_float(&sample);
		options[i][3] = 0;
		expected[i] = reference(options[i]);
	}
	buffer[0] = sample_buffer(&sample, sample.n * sizeof *options,
				  options);
	buffer[1] = sample_buffer(&sample, sample.n * sizeof *prices, NULL);
	kernel = sample_kernel(&sample, "binomial_option");
	sample_arguments(kernel, SAMPLE_ARGUMENT(buffer[0]),
			 SAMPLE_ARGUMENT(buffer[1]), SAMPLE_ARGUMENT(steps),
			 SAMPLE_LOCAL((STEPS + 1) * sizeof(float)),
			 SAMPLE_END);
	sample_run_1d(&sample, kernel, sample.n * (STEPS + 1), STEPS + 1);
	sample_read(&sample, buffer[1], sample.n * sizeof *prices, prices);
	status = sample_verdict_float(&sample, expected, prices, sample.n,
				      1e-4f);
	clReleaseMemObject(buffer[0]);
	clReleaseMemObject(buffer[1]);
	clReleaseKernel(kernel);
	sample_close(&sample);
	free(options);
	free(prices);
	free(expected);
	return status;
}
