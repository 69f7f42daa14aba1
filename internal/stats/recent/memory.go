package recent

import (
	"os"
	"runtime"
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

// ReadMemory measures the memory use. It stops the program for some microseconds. (Package runtime/metrics would not,
// but it prepares its tables at each start.)
func ReadMemory() Memory {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return Memory{
		Heap: stats.HeapAlloc, HeapTotal: stats.HeapSys, Other: stats.Sys - stats.HeapSys,
		Resident: resident(stats.Sys - stats.HeapReleased),
	}
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
