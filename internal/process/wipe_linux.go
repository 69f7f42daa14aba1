package process

import (
	"bytes"
	"strconv"
	"syscall"
	"unsafe"
)

// WipeEnvironment overwrites the environment that the system gave this process, which /proc shows to
// programs that it starts, and to root even if the process is sealed. The variables themselves stay:
// Go has copied them. It must run before other goroutines start. Nothing is lost if it fails: then /proc is not
// there or has another form.
func WipeEnvironment() {
	// Without an os.File, for which Go would begin to watch files: a program that only says its version need not.
	fd, err := syscall.Open("/proc/self/stat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	stat := make([]byte, 2048) // 52 fields of up to 20 digits, and a name of 15 characters
	n, err := syscall.Read(fd, stat)
	_ = syscall.Close(fd)
	if err != nil {
		return
	}
	start, end := environmentAt(stat[:n])
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
