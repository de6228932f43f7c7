/* Studies of many predictors by OpenCL (kernel.cl): a work-item for each. Needs
 * an OpenCL ICD loader, so it is not part of libm2s.a. */
#ifndef M2S_X86_TIMING_STUDY_DEVICE_H
#define M2S_X86_TIMING_STUDY_DEVICE_H

#include "x86/timing/study/numbers.h"
#include "x86/timing/study/study.h"

struct study_device;

/* Opens the first device whose name contains `name`, or with NULL the first
 * GPU, or else the first device. NULL and *error when there is none. */
struct study_device *study_device_open(const char *name, struct error *error);
void study_device_close(struct study_device *device);
const char *study_device_name(const struct study_device *device);
/* What transfers and kernels have taken since it was opened, in seconds of the
 * device's own clock. */
double study_device_seconds(const struct study_device *device);
/* Of these: while the kernels ran. */
double study_device_kernel_seconds(const struct study_device *device);

/* Predictors in their initial states, side by side on a device. */
struct study_batch;

/* `streams`: for each predictor the index of its first event among those that
 * study_batch_run() is given, or NULL: 0 for all. */
struct study_batch *study_batch_create(struct study_device *device,
				       const struct predict_config *const *list,
				       const uint32_t *streams, size_t count,
				       struct error *error);
void study_batch_free(struct study_batch *batch);
/* Transfers events, the streams, and runs all predictors over them: `length`
 * from each one's stream on. */
int study_batch_run(struct study_batch *batch, const struct numbered *events,
		    size_t all, size_t length, struct error *error);
/* Transfers the next `length` events of each predictor, and runs it over them:
 * event i of predictor l is at [i * count + l]. */
int study_batch_step(struct study_batch *batch, const struct numbered *events,
		     size_t length, struct error *error);
/* Adds up what became of the branches: a row of counts for each predictor. */
int study_batch_counts(struct study_batch *batch,
		       struct predict_counts (*counts)[BRANCH_KINDS],
		       struct error *error);

/* study_run() on a device. Only simple kinds without indirect predictor. */
int study_run_device(struct study_list *predictors, const char *trace,
		     struct study_device *device, struct study_totals *totals,
		     struct error *error);

#endif
