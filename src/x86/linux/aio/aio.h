/* io_submit() and its kind: what other folders need of it. */
#ifndef M2S_X86_LINUX_AIO_AIO_H
#define M2S_X86_LINUX_AIO_AIO_H

struct guest_memory;

void aio_free(struct guest_memory *memory);

#endif
