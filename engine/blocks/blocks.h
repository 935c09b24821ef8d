#include <stddef.h>
#include <stdlib.h>

#ifdef __GLIBC__
#define RIFFLE_GLIBC 1
#else
#define RIFFLE_GLIBC 0
#endif

int riffle_blocks_keep(void);
void riffle_blocks_sizes(size_t *in_use, size_t *free_);
