/* Signals that wait to be delivered. */
#ifndef M2S_X86_LINUX_SIGNALS_QUEUE_H
#define M2S_X86_LINUX_SIGNALS_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct context;
struct signal_information;
struct signal_queue;

void signal_queue_free(struct signal_queue *queue);
/* The set of the queued signals. */
uint64_t signal_queue_set(const struct signal_queue *queue);
void signal_queue_add(struct signal_queue *queue,
		      const struct signal_information *information);
void signal_queue_drop(struct signal_queue *queue, uint64_t set);
/* Takes the lowest-numbered signal of a set, the oldest first. False when there
 * is none. */
bool signal_queue_take(struct signal_queue *queue, uint64_t set,
		       struct signal_information *information);
/* The set of pending signals of a thread and of its process. */
uint64_t signal_pending_set(const struct context *context);

#endif
