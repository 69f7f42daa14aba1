package process

import (
	"bytes"
	"os"
	"strconv"
	"unsafe"
)

// WipeEnvironment overwrites the environment that the system gave this process, which /proc shows to
// programs that it starts, and to root even if the process is sealed. The variables themselves stay:
// Go has copied them. It must run before other goroutines start. Nothing is lost if it fails: then /proc is not
// there or has another form.
func WipeEnvironment() {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return
	}
	start, end := environmentAt(stat)
	const longest = 64 << 20 // far more than a system allows
	if start == 0 || end <= start || end-start > longest {
		return
	}
	clear(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), start)), end-start))
}

// environmentAt returns where the environment is in memory, by the content of /proc/self/stat; 0 if that is not
// there.
func environmentAt(stat []byte) (start, end uintptr) {
	const third, envStart, envEnd = 3, 50, 51                       // numbers of fields, of which the third follows the name of the program
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // the name may have spaces
	if len(fields) <= envEnd-third {
		return 0, 0
	}
	from, err1 := strconv.ParseUint(string(fields[envStart-third]), 10, strconv.IntSize)
	to, err2 := strconv.ParseUint(string(fields[envEnd-third]), 10, strconv.IntSize)
	if err1 != nil || err2 != nil {
		return 0, 0
	}
	return uintptr(from), uintptr(to)
}
