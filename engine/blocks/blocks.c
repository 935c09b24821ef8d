//go:build linux && cgo && !asan && !msan

#define _GNU_SOURCE
#include "blocks.h"

#ifndef __GLIBC__ // musl has no names for its own functions beside those that are replaced

int riffle_blocks_keep(void) { return 0; }
void riffle_blocks_sizes(size_t *in_use, size_t *free_) { *in_use = *free_ = 0; }

#else

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

extern void *__libc_memalign(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE ((size_t)8 << 20) // smaller ones glibc keeps well enough itself
#define MOST 1024               // blocks; beyond them glibc's way

struct block {
	char *at;
	size_t size;
	int used;
	unsigned long freed; // when, in blocks freed
};

static atomic_int on;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct block blocks[MOST];
static int count;
static size_t in_use, kept, most_in_use; // bytes
static unsigned long clock_;

// drop gives the free block that has lain longest back to the system, if there is one.
static int drop(void) {
	int oldest = -1;
	for (int i = 0; i < count; i++)
		if (!blocks[i].used && (oldest < 0 || blocks[i].freed < blocks[oldest].freed))
			oldest = i;
	if (oldest < 0)
		return 0;
	munmap(blocks[oldest].at, blocks[oldest].size);
	kept -= blocks[oldest].size;
	blocks[oldest] = blocks[--count];
	return 1;
}

// map asks the system for size bytes that begin with a huge page.
static char *map(size_t size) {
	char *raw = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (raw == MAP_FAILED)
		return NULL;
	char *at = (char *)(((uintptr_t)raw + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
	size_t before = (size_t)(at - raw);
	if (before > 0)
		munmap(raw, before);
	munmap(at + size, HUGE_PAGE - before);
	madvise(at, size, MADV_HUGEPAGE); // where it fails the pages are small, no more
	return at;
}

// find returns the smallest block, free or in use, that serves for size bytes, or -1.
static int find(size_t size, int used) {
	int best = -1;
	for (int i = 0; i < count; i++)
		if (blocks[i].used == used && blocks[i].size >= size && blocks[i].size - size <= size / 4 &&
		    (best < 0 || blocks[i].size < blocks[best].size))
			best = i;
	return best;
}

// take returns a block, or NULL where glibc should.
static void *take(size_t size) {
	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *at = NULL;
	pthread_mutex_lock(&lock);
	int best = find(size, 0);
	// XLA may begin a step a moment before it frees the block of the last one. To wait for that,
	// 20 ms at most, costs less than twice the memory; where both are wanted it happens once.
	for (int i = 0; i < 100 && best < 0 && in_use + size > most_in_use && find(size, 1) >= 0; i++) {
		pthread_mutex_unlock(&lock);
		nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
		pthread_mutex_lock(&lock);
		best = find(size, 0);
	}
	if (best >= 0) {
		blocks[best].used = 1;
		kept -= blocks[best].size;
	} else {
		while (in_use + kept + size > most_in_use && drop())
			;
		char *new = NULL;
		while (count < MOST && (new = map(size)) == NULL && drop())
			;
		if (new != NULL) {
			best = count++;
			blocks[best] = (struct block){new, size, 1, 0};
		}
	}
	if (best >= 0) {
		at = blocks[best].at;
		in_use += blocks[best].size;
		if (in_use > most_in_use)
			most_in_use = in_use;
	}
	pthread_mutex_unlock(&lock);
	return at;
}

// give keeps the block at p, if it is one; size is what it had. With look it stays in use.
static int give(void *p, size_t *size, int look) {
	int found = 0;
	if ((uintptr_t)p & (HUGE_PAGE - 1))
		return 0;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < count && !found; i++)
		if (blocks[i].at == p && blocks[i].used) {
			found = 1;
			if (size != NULL)
				*size = blocks[i].size;
			if (!look) {
				blocks[i].used = 0;
				blocks[i].freed = clock_++;
				in_use -= blocks[i].size;
				kept += blocks[i].size;
			}
		}
	pthread_mutex_unlock(&lock);
	return found;
}

int posix_memalign(void **out, size_t align, size_t size) {
	if (align == 0 || align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
		return EINVAL;
	void *p = NULL;
	if (size >= LARGE && align <= HUGE_PAGE && atomic_load_explicit(&on, memory_order_relaxed))
		p = take(size);
	if (p == NULL) {
		int before = errno; // posix_memalign leaves it as it is
		p = __libc_memalign(align, size);
		errno = before;
	}
	if (p == NULL)
		return ENOMEM;
	*out = p;
	return 0;
}

void free(void *p) {
	if (p != NULL && !give(p, NULL, 0))
		__libc_free(p);
}

void *realloc(void *p, size_t size) {
	size_t had;
	if (p == NULL || !give(p, &had, 1))
		return __libc_realloc(p, size);
	if (size == 0) {
		free(p);
		return NULL;
	}
	if (size <= had)
		return p;
	void *new = malloc(size);
	if (new != NULL) {
		memcpy(new, p, had);
		free(p);
	}
	return new;
}

// riffle_blocks_keep is on only where a library that is loaded will find all three here: a block
// that glibc's free got would end the program.
int riffle_blocks_keep(void) {
	if (dlsym(RTLD_DEFAULT, "posix_memalign") != (void *)posix_memalign || dlsym(RTLD_DEFAULT, "free") != (void *)free ||
	    dlsym(RTLD_DEFAULT, "realloc") != (void *)realloc)
		return 0;
	atomic_store(&on, 1);
	return 1;
}

void riffle_blocks_sizes(size_t *use, size_t *free_) {
	pthread_mutex_lock(&lock);
	*use = in_use;
	*free_ = kept;
	pthread_mutex_unlock(&lock);
}

#endif
