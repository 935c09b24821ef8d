//go:build linux && cgo && !asan && !msan

package blocks

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

const mb = 1 << 20

// mostInUse is the most that all tests had in use at one time.
var mostInUse int

// take allocates and counts.
func take(align, size int) (unsafe.Pointer, int) {
	p, status := allocate(align, size)
	used, _ := sizes()
	mostInUse = max(mostInUse, used)
	return p, status
}

func keep(t *testing.T) {
	t.Helper()
	if !glibc {
		t.Skip("no glibc here: blocks are not kept")
	}
	if !Keep() {
		t.Fatal("blocks are not kept: the program's own functions are not those that a plugin would find")
	}
}

func bytesAt(p unsafe.Pointer, size int) []byte { return unsafe.Slice((*byte)(p), size) }

func block(t *testing.T, size int) unsafe.Pointer {
	t.Helper()
	p, status := take(64, size)
	if status != 0 {
		t.Fatalf("%d bytes: status %d", size, status)
	}
	if uintptr(p)%64 != 0 {
		t.Fatalf("%d bytes at %p: wanted a multiple of 64", size, p)
	}
	b := bytesAt(p, size)
	b[0], b[size-1] = 1, 2
	return p
}

func TestBlockIsTakenAgain(t *testing.T) {
	keep(t)
	used, _ := sizes()
	p := block(t, 16*mb)
	if now, _ := sizes(); now != used+16*mb {
		t.Fatalf("in use %d, wanted %d more than %d", now, 16*mb, used)
	}
	release(p)
	if now, free := sizes(); now != used || free < 16*mb {
		t.Fatalf("after free: in use %d, wanted %d; kept %d, wanted 16 MB or more", now, used, free)
	}
	if again := block(t, 15*mb); again != p { // 16 MB serve, they are less than a quarter more
		t.Errorf("the next block of 15 MB is at %p, wanted %p", again, p)
	}
	other := block(t, 15*mb)
	if other == p {
		t.Error("a block in use was given again")
	}
	release(p)
	release(other)
	if small := block(t, 10*mb); small == p || small == other {
		t.Error("10 MB took a block of 16 MB")
	} else {
		release(small)
	}
}

// The memory of a process must never pass what it would have been without.
func TestNoMoreThanWasInUse(t *testing.T) {
	keep(t)
	check := func() {
		t.Helper()
		if used, free := sizes(); used+free > mostInUse {
			t.Fatalf("in use %d MB and kept %d MB, wanted %d MB together at most", used/mb, free/mb, mostInUse/mb)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var held []unsafe.Pointer
	for range 500 {
		if len(held) > 0 && rng.IntN(2) == 0 {
			i := rng.IntN(len(held))
			release(held[i])
			held[i] = held[len(held)-1]
			held = held[:len(held)-1]
		} else if len(held) < 10 {
			p, status := take(64, (8+rng.IntN(40))*mb)
			if status != 0 {
				t.Fatal("status", status)
			}
			held = append(held, p)
		}
		check()
	}
	for _, p := range held {
		release(p)
		check()
	}
}

func TestResize(t *testing.T) {
	keep(t)
	p := block(t, 16*mb)
	copy(bytesAt(p, 3), "abc")
	if same := resize(p, 9*mb); same != p {
		t.Errorf("made smaller it moved from %p to %p", p, same)
	}
	q := resize(p, 40*mb)
	if string(bytesAt(q, 3)) != "abc" || bytesAt(q, 16*mb)[16*mb-1] != 2 {
		t.Error("made greater it lost what was in it")
	}
	bytesAt(q, 40*mb)[40*mb-1] = 1
	release(q)
	used, _ := sizes()
	if p = block(t, 16*mb); resize(p, 0) != nil {
		t.Error("resized to nothing: wanted no block")
	}
	if now, _ := sizes(); now != used {
		t.Errorf("resized to nothing it is still in use (%d, was %d)", now, used)
	}
}

func TestWhatGlibcDoes(t *testing.T) {
	keep(t)
	used, free := sizes()
	for _, align := range []int{0, 3, 4, 24, 100} {
		if _, status := allocate(align, 16*mb); status != 22 { // EINVAL
			t.Errorf("alignment %d: status %d, wanted 22", align, status)
		}
	}
	for _, c := range []struct{ align, size int }{{64, 0}, {8, 1}, {4096, 5000}, {64, 7 * mb}, {4 * mb, 16 * mb}} {
		p, status := allocate(c.align, c.size)
		if status != 0 || uintptr(p)%uintptr(c.align) != 0 {
			t.Errorf("%d bytes at multiples of %d: status %d, at %p", c.size, c.align, status, p)
		}
		release(p)
	}
	if _, status := allocate(64, 1<<62); status != 12 { // ENOMEM
		t.Errorf("4 EB: status %d, wanted 12", status)
	}
	release(nil)
	if u, f := sizes(); u != used || f > free {
		t.Errorf("small blocks and refusals changed what is in use (%d, was %d) or kept (%d, was %d)", u, used, f, free)
	}
}

// What asks for a block's size, or makes it greater by counts, must know it too.
func TestOtherFunctionsOfBlocks(t *testing.T) {
	keep(t)
	p := block(t, 15*mb)
	if got := usable(p); got < 15*mb || got > 16*mb+4*mb {
		t.Errorf("usable size %d, wanted 15 MB to a quarter more than 16", got)
	}
	copy(bytesAt(p, 3), "abc")
	q := resizeArray(p, 10, 4*mb)
	if q == nil || string(bytesAt(q, 3)) != "abc" || bytesAt(q, 15*mb)[15*mb-1] != 2 {
		t.Fatal("made greater it lost what was in it")
	}
	if got := usable(q); got < 40*mb {
		t.Errorf("usable size %d, wanted 40 MB or more", got)
	}
	if resizeArray(q, 1<<40, 1<<40) != nil {
		t.Error("2^80 bytes: wanted no block")
	}
	release(q)
	if got := usable(nil); got != 0 {
		t.Errorf("usable size %d of nothing", got)
	}
}

// A child that was forked while threads allocate can allocate.
func TestBlocksAfterFork(t *testing.T) {
	keep(t)
	done := make(chan struct{})
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if p, status := allocate(64, 8*mb); status == 0 {
						release(p)
					}
				}
			}
		})
	}
	for range 20 {
		if code := allocateInChild(16 * mb); code != 0 {
			t.Errorf("the child ended with %d, wanted 0", code)
			break
		}
	}
	close(done)
	wait.Wait()
	used, _ := sizes()
	mostInUse = max(mostInUse, used+2*8*mb)
}

// again is the variable by which a test runs the others in another process.
const again = "RIFFLE_TEST_BLOCKS_AGAIN"

// Another allocator that is loaded before the program gets back what it gave.
func TestOtherAllocators(t *testing.T) {
	keep(t)
	if os.Getenv(again) != "" {
		t.Skip("is in the other process")
	}
	for _, name := range []string{"libjemalloc.so.2", "libmimalloc.so.2", "libtcmalloc_minimal.so.4", "libc_malloc_debug.so.0"} {
		t.Run(name, func(t *testing.T) {
			found, _ := filepath.Glob("/usr/lib/*/" + name)
			if found == nil {
				t.Skip("not installed")
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^Test(Block|Resize|Other|NoMore)", "-test.v")
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+found[0], "MALLOC_CHECK_=3", again+"=1")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "--- PASS: TestBlockIsTakenAgain") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// The variable has it not begin.
func TestTurnedOff(t *testing.T) {
	keep(t)
	t.Setenv(Variable, "off")
	if Keep() {
		t.Error("keeps blocks")
	}
}

// Threads fill blocks with their number and must find it there.
func TestBlocksOfThreads(t *testing.T) {
	keep(t)
	const workers, most = 8, 14 * mb
	used, _ := sizes()
	mostInUse = max(mostInUse, used+workers*most)
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(worker), 3))
			for round := range 40 {
				size := (6 + rng.IntN(8)) * mb // to 13, which take 14
				p, status := allocate(64, size)
				if status != 0 {
					t.Errorf("status %d", status)
					return
				}
				b, mark := bytesAt(p, size), byte(worker*31+round)
				for i := 0; i < size; i += 4096 {
					b[i] = mark
				}
				for i := 0; i < size; i += 4096 {
					if b[i] != mark {
						t.Errorf("thread %d found %d at %d, wanted %d", worker, b[i], i, mark)
						return
					}
				}
				release(p)
			}
		})
	}
	wait.Wait()
}
