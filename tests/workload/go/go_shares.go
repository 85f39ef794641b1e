// go_shares [-cpu SECONDS] [-pprof FILE]: known shares of CPU time in Go, in C called by Go, and in Go called back
// by C, on 1,000 goroutines. Every call of leaf and of burn_c does the same work, so shares are the counts below.
//
//	leaf    under half 3, under third 2, under fromC (through C) 1        of 6
//	burn_c  under twoOfC 2, under oneOfC 1                                of 3
//
// leaf has no frame of its own: a walk along frame pointers loses its caller.
package main

/*
#include <stdint.h>

extern void goFromC(int64_t steps);

__attribute__((noinline)) static uint64_t burn_c(int64_t steps) {
	uint64_t x = 1;
	for (int64_t i = 0; i < steps; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
__attribute__((noinline)) static uint64_t burn_two(int64_t steps) { return burn_c(steps) + 1; }
__attribute__((noinline)) static uint64_t burn_one(int64_t steps) { return burn_c(steps) + 2; }
__attribute__((noinline)) static void call_back(int64_t steps) {
	goFromC(steps);
	__asm__ volatile("");
}
*/
import "C"

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"syscall"
	"time"
)

const steps = 40000

var sinks [1024]uint64

//go:noinline
func leaf(steps int64) uint64 {
	x := uint64(1)
	for i := int64(0); i < steps; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

//go:noinline
func half(of *uint64) { *of += leaf(steps) }

//go:noinline
func third(of *uint64) { *of += leaf(steps) }

//go:noinline
func fromC(steps int64) uint64 { return leaf(steps) + 1 }

//export goFromC
func goFromC(steps C.int64_t) { fromC(int64(steps)) }

//go:noinline
func throughC() { C.call_back(steps) }

//go:noinline
func twoOfC(of *uint64) { *of += uint64(C.burn_two(steps)) }

//go:noinline
func oneOfC(of *uint64) { *of += uint64(C.burn_one(steps)) }

// Inlined into work: a frame of its own in the tables only.
func inlinedHalf(of *uint64) { half(of) }

func work(of *uint64, until func() bool) {
	for !until() {
		inlinedHalf(of)
		inlinedHalf(of)
		inlinedHalf(of)
		third(of)
		third(of)
		throughC()
		twoOfC(of)
		twoOfC(of)
		oneOfC(of)
		runtime.Gosched()
	}
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	seconds := flag.Float64("cpu", 6, "CPU seconds to use")
	profile := flag.String("pprof", "", "write runtime/pprof's own profile here")
	flag.Parse()
	if *profile != "" {
		file, err := os.Create(*profile)
		if err != nil {
			panic(err)
		}
		runtime.SetCPUProfileRate(500)
		pprof.StartCPUProfile(file)
		defer pprof.StopCPUProfile()
	}
	limit := time.Duration(*seconds * float64(time.Second))
	fmt.Println("ready")
	var all sync.WaitGroup
	for i := 0; i < 1000; i++ {
		all.Add(1)
		go func(of *uint64) {
			defer all.Done()
			work(of, func() bool { return cpuTime() > limit })
		}(&sinks[i])
	}
	all.Wait()
}
