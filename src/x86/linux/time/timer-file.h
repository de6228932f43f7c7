/* Descriptors of timers. */
#ifndef M2S_X86_LINUX_TIME_TIMER_FILE_H
#define M2S_X86_LINUX_TIME_TIMER_FILE_H

struct file;

void timer_file_forget(struct file *file);

#endif
