#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <malloc.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef __GLIBC__
#define RIFFLE_GLIBC 1
#else
#define RIFFLE_GLIBC 0
#endif

int riffle_blocks_keep(void);
int riffle_blocks_fork(size_t size); // for tests
void riffle_blocks_sizes(size_t *in_use, size_t *free_);
