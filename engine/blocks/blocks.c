//go:build linux && cgo && !asan && !msan

#include "blocks.h"

#ifndef __GLIBC__ // tried with glibc alone

int riffle_blocks_keep(void) { return 0; }
int riffle_blocks_fork(size_t size) { return size == 0; }
void riffle_blocks_sizes(size_t *in_use, size_t *free_) { *in_use = *free_ = 0; }

#else

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// next are the functions that those below stand in for: glibc's, or those of an allocator that was
// loaded before the program (LD_PRELOAD). What malloc gave must go back to the same allocator.
static struct {
	_Atomic(void *) free, realloc, posix_memalign, malloc_usable_size;
} next;

// FIRST_VERSION is the version under which glibc has these functions, and its library of checks
// (libc_malloc_debug.so, for MALLOC_CHECK_), which is not found without.
#if defined(__x86_64__)
#define FIRST_VERSION "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_VERSION "GLIBC_2.17"
#endif

static int in_libc(void *function) {
	Dl_info f, libc;
	return dladdr(function, &f) != 0 && dladdr(dlsym(RTLD_NEXT, "strtod"), &libc) != 0 && f.dli_fbase == libc.dli_fbase;
}

static void *look(const char *name) {
	void *found = dlsym(RTLD_NEXT, name);
#ifdef FIRST_VERSION
	void *versioned = dlvsym(RTLD_NEXT, name, FIRST_VERSION);
	if (versioned != NULL && (found == NULL || in_libc(found)))
		found = versioned;
#endif
	return found;
}

// resolve finds one of them. To look for it may free memory: then there is none yet, and NULL.
static void *resolve(_Atomic(void *) *function, const char *name) {
	static _Thread_local int looking;
	void *found = atomic_load_explicit(function, memory_order_acquire);
	if (found == NULL && !looking) {
		looking = 1;
		found = look(name);
		looking = 0;
		atomic_store_explicit(function, found, memory_order_release);
	}
	return found;
}

#define NEXT(type, name) ((type)resolve(&next.name, #name))

#define HUGE_PAGE ((size_t)2 << 20)
#define LARGE ((size_t)8 << 20) // smaller ones glibc keeps well enough itself
#define MOST 1024               // blocks; beyond them the next allocator's way

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

// take returns a block, or NULL where the next allocator should.
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

static int is_on(void) { return atomic_load_explicit(&on, memory_order_acquire); }

int posix_memalign(void **out, size_t align, size_t size) {
	if (align == 0 || align % sizeof(void *) != 0 || (align & (align - 1)) != 0)
		return EINVAL;
	if (size >= LARGE && align <= HUGE_PAGE && is_on()) {
		void *p = take(size);
		if (p != NULL) {
			*out = p;
			return 0;
		}
	}
	int (*f)(void **, size_t, size_t) = NEXT(int (*)(void **, size_t, size_t), posix_memalign);
	return f == NULL ? ENOMEM : f(out, align, size);
}

void free(void *p) {
	if (p == NULL || (is_on() && give(p, NULL, 0)))
		return;
	void (*f)(void *) = NEXT(void (*)(void *), free);
	if (f != NULL) // else a few bytes of the search for it are lost
		f(p);
}

void *realloc(void *p, size_t size) {
	size_t had;
	if (p == NULL || !is_on() || !give(p, &had, 1)) {
		void *(*f)(void *, size_t) = NEXT(void *(*)(void *, size_t), realloc);
		if (f != NULL)
			return f(p, size);
		errno = ENOMEM;
		return NULL;
	}
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

// reallocarray of glibc goes to its own realloc, not to the one above.
void *reallocarray(void *p, size_t count, size_t size) {
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(p, bytes);
}

size_t malloc_usable_size(void *p) {
	size_t had;
	if (p == NULL)
		return 0;
	if (is_on() && give(p, &had, 1))
		return had;
	size_t (*f)(void *) = NEXT(size_t (*)(void *), malloc_usable_size);
	return f == NULL ? 0 : f(p);
}

// A process that forks while a thread has the lock would have it for ever in the child.
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

// riffle_blocks_keep is on only where a library that is loaded will find all of them here: a block
// that another free got would end the program.
int riffle_blocks_keep(void) {
	const struct {
		const char *name;
		void *own;
	} functions[] = {{"posix_memalign", posix_memalign}, {"free", free}, {"realloc", realloc}, {"reallocarray", reallocarray}, {"malloc_usable_size", malloc_usable_size}};
	static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
		if (dlsym(RTLD_DEFAULT, functions[i].name) != functions[i].own || dlsym(RTLD_NEXT, functions[i].name) == NULL)
			return 0;
	pthread_mutex_lock(&once);
	if (!is_on() && pthread_atfork(before_fork, after_fork, after_fork) == 0)
		atomic_store(&on, 1);
	pthread_mutex_unlock(&once);
	return is_on();
}

int riffle_blocks_fork(size_t size) {
	pid_t child = fork();
	if (child == 0) {
		void *p = NULL;
		alarm(20);
		if (posix_memalign(&p, 64, size) != 0)
			_exit(1);
		memset(p, 1, size);
		free(p);
		_exit(0);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void riffle_blocks_sizes(size_t *use, size_t *free_) {
	pthread_mutex_lock(&lock);
	*use = in_use;
	*free_ = kept;
	pthread_mutex_unlock(&lock);
}

#endif
