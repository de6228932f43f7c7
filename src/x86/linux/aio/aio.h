/* Asynchronous input and output (io_submit(2) and related calls), as other
 * folders see it. */
#ifndef M2S_X86_LINUX_AIO_AIO_H
#define M2S_X86_LINUX_AIO_AIO_H

struct guest_memory;

void aio_free(struct guest_memory *memory);

#endif
