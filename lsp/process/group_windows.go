package process

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// newJob puts the process in a job object, which ends all its members when its last handle, ours, is closed, even
// when lspi is killed. It returns nil when the system refuses; only the process itself is ended then. What the
// process starts before it is in the object, within some microseconds, is not a member.
func newJob(p *os.Process) any {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return nil
	}
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil
	}
	defer func() { _ = windows.CloseHandle(h) }()
	if err := windows.AssignProcessToJobObject(job, h); err != nil {
		_ = windows.CloseHandle(job)
		return nil
	}
	return job
}

// termGroup does nothing: Windows has no signal that asks a process without a console to end.
func termGroup(*Process) {}

func killGroup(p *Process) {
	if job, ok := p.job.(windows.Handle); ok {
		_ = windows.TerminateJobObject(job, 1)
		return
	}
	_ = p.cmd.Process.Kill()
}
