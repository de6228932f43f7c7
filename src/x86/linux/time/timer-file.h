/* Descriptors of timers. */
#ifndef M2S_X86_LINUX_TIME_TIMER_FILE_H
#define M2S_X86_LINUX_TIME_TIMER_FILE_H

struct file;
struct linux_system;

/* Makes timers_poll() check the file of a timer. */
void timer_file_watch(struct linux_system *system, struct file *file);

#endif
