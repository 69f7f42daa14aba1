package process

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// job is a job object: a program with all processes that it starts. Windows ends them when Pollux ends, however it
// ends. The zero job has no processes.
type job struct {
	mu     sync.Mutex     // guards handle
	handle windows.Handle // 0 if there is none
}

// create makes the job.
func (j *job) create() error {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	if err := setLimits(handle, windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err != nil {
		_ = windows.CloseHandle(handle)
		return err
	}
	j.handle = handle
	return nil
}

// setLimits sets the limits of a job to these flags.
func setLimits(handle windows.Handle, flags uint32) error {
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: flags}}
	_, err := windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

// begin puts a suspended program into the job and lets it run. It ends a program that it cannot let run. A program that
// Windows does not let into the job runs without it.
func (j *job) begin(pid uint32) {
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	process, err := windows.OpenProcess(access, false, pid)
	if err != nil {
		return // it was killed
	}
	defer windows.CloseHandle(process)
	_ = windows.AssignProcessToJobObject(j.handle, process)
	if resume(pid) != nil {
		_ = windows.TerminateProcess(process, 1)
	}
}

// resume lets the threads of a suspended process run.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	resumed := false
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return err
		}
		resumed = true
	}
	if !resumed {
		return err
	}
	return nil
}

// terminate ends the processes of the job.
func (j *job) terminate() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		_ = windows.TerminateJobObject(j.handle, 1) // they may have ended
	}
}

// active returns the number of processes in the job that run.
func (j *job) active() uint32 {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle == 0 {
		return 0
	}
	var counts struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		userTime, kernelTime, periodUserTime, periodKernelTime int64
		pageFaults, processes, active, terminated              uint32
	}
	size := uint32(unsafe.Sizeof(counts))
	if windows.QueryInformationJobObject(j.handle, windows.JobObjectBasicAccountingInformation, uintptr(unsafe.Pointer(&counts)), size, nil) != nil {
		return 0
	}
	return counts.active
}

// release closes the job. Processes that still run go on, and outlive Pollux.
func (j *job) release() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.handle != 0 {
		_ = setLimits(j.handle, 0) // else the processes end now
		_ = windows.CloseHandle(j.handle)
		j.handle = 0
	}
}
