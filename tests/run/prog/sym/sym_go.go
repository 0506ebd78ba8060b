// SPDX-License-Identifier: ISC

// sym_go [MSECS]
//
// Go: scenes as in sym_frames.c.  leaf_spin has no frame pointer, since it calls
// nothing and has no local variables in memory.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
)

var sink uint32

//go:noinline
func leaf_spin() {
	x := uint32(1)
	for i := 0; i < 200000; i++ {
		x *= 7
	}
	sink += x
}

//go:noinline
func plain_spin() {
	var a [20]uint32
	for i := 0; i < 100000; i++ {
		a[i%20] += uint32(i)
	}
	sink += a[3]
}

//go:noinline
func sort_spin() {
	var a [20]uint32
	for i := 0; i < 100000; i++ {
		a[i%20] += uint32(i)
	}
	sink += a[3] + 1
}

//go:noinline
func routine_spin() {
	var a [20]uint32
	for i := 0; i < 100000; i++ {
		a[i%20] += uint32(i)
	}
	sink += a[3] + 2
}

//go:noinline
func deferred_spin() {
	var a [20]uint32
	for i := 0; i < 100000; i++ {
		a[i%20] += uint32(i)
	}
	sink += a[3] + 3
}

//go:noinline
func deep(n int) int {
	var a [20]int
	a[n] = n
	if n == 0 {
		plain_spin()
		return a[0]
	}
	return deep(n-1) + a[n]
}

//go:noinline
func plain_scene() {
	sink += uint32(deep(10))
}

//go:noinline
func leaf_scene() {
	leaf_spin()
	sink++
}

//go:noinline
func sort_scene() {
	v := []int{3, 1, 2}
	sort.Slice(v, func(i, j int) bool {
		sort_spin()
		return v[i] < v[j]
	})
}

//go:noinline
func routine_work(n int) {
	for i := 0; i < n; i++ {
		routine_spin()
	}
}

//go:noinline
func routine_scene() {
	done := make(chan bool)
	go func() {
		routine_work(50)
		done <- true
	}()
	<-done
}

//go:noinline
func deferred_frame() {
	defer func() {
		deferred_spin()
		recover()
	}()
	panic("expected")
}

//go:noinline
func deferred_scene() {
	deferred_frame()
	sink++
}

func main() {
	scenes := []struct {
		fn    func()
		stack string
	}{
		{plain_scene, "main.plain_spin .*;runtime.main;main.main;main.plain_scene;(main.deep;)*main.deep"},
		{leaf_scene, "main.leaf_spin .*;runtime.main;main.main;main.leaf_scene"},
		{sort_scene, "main.sort_spin .*;runtime.main;main.main;main.sort_scene;.*sort.Slice.*;main.sort_scene.func1"},
		{routine_scene, "main.routine_spin ([^;]*goexit[^;]*;)?main.routine_scene.func1;main.routine_work"},
		{deferred_scene, "main.deferred_spin .*;main.main;main.deferred_scene;main.deferred_frame;.*gopanic.*;main.deferred_frame.func1"},
	}
	msecs := 100
	if len(os.Args) > 1 {
		msecs, _ = strconv.Atoi(os.Args[1])
	}
	fmt.Fprintln(os.Stderr, "depth main.deep 11")
	for _, sc := range scenes {
		fmt.Fprintln(os.Stderr, "stack", sc.stack)
	}
	for _, sc := range scenes {
		end := time.Now().Add(time.Duration(msecs) * time.Millisecond)
		for time.Now().Before(end) {
			sc.fn()
		}
	}
}
