package recent

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// Memory is the memory use of the program, in bytes.
type Memory struct {
	Heap      uint64 // objects of the heap
	HeapTotal uint64 // reserved for the heap
	Other     uint64 // reserved for stacks and for the runtime itself
	Resident  uint64 // in physical memory; an estimate where the system does not report it
}

// ReadMemory measures the memory use. It does not stop the program.
func ReadMemory() Memory {
	samples := [...]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/total:bytes"},
	}
	metrics.Read(samples[:])
	value := func(i int) uint64 { return samples[i].Value.Uint64() }
	m := Memory{Heap: value(0), HeapTotal: value(0) + value(1) + value(2) + value(3)}
	m.Other = value(4) - m.HeapTotal
	m.Resident = resident(value(4) - value(3))
	return m
}

// resident returns the number of resident bytes of the program, or estimate if it is unknown.
func resident(estimate uint64) uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return estimate
	}
	fields := strings.Fields(string(b))
	if len(fields) < 2 {
		return estimate
	}
	pages, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return estimate
	}
	return pages * uint64(os.Getpagesize())
}
