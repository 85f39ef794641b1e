// Threads of Go's scheduler with nothing to do: eight goroutines ran, and are done.
package main

import (
	"fmt"
	"os"
	"sync"
	"time"
)

func spin(until time.Time) {
	for time.Now().Before(until) {
	}
}

func main() {
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			spin(time.Now().Add(20 * time.Millisecond))
		}()
	}
	all.Wait()
	fmt.Printf("pid=%d\nready\n", os.Getpid())
	time.Sleep(60 * time.Second)
}
