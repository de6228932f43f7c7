/* The order of commands: which of those that wait runs next. */
#ifndef M2S_OPENCL_RT_DRIVER_COMMAND_ORDER_H
#define M2S_OPENCL_RT_DRIVER_COMMAND_ORDER_H

#include "opencl-rt/driver/internal.h"

/* Puts a command behind the others of its queue. */
void command_order_add(struct opencl_driver *driver, struct command *command);
/* Takes out of its queue the oldest command of the oldest queue, of those that
 * nothing holds back; NULL: there is none. */
struct command *command_order_take(struct opencl_driver *driver);
/* Commands that waited for this event wait for one event less. */
void command_order_event_ended(struct opencl_driver *driver, struct event *event);
/* Takes out the first command of a queue, or NULL, although it cannot run: no
 * command may run afterwards. */
struct command *command_order_discard(struct queue *queue);

#endif
