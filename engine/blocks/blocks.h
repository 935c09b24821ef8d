#include <stddef.h>
#include <stdlib.h>

int riffle_blocks_keep(void);
void riffle_blocks_sizes(size_t *in_use, size_t *free_);
