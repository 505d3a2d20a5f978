package kernel

import (
	"sync"
	"syscall"

	"golang.org/x/sys/cpu"
)

const (
	requestPermission = 0x1023 // ARCH_REQ_XCOMP_PERM
	tileData          = 18     // XFEATURE_XTILEDATA
)

// tilesAllowed asks the system, once, to let this process use AMX tiles. It
// holds for all threads; a system too old to know the question says no.
var tilesAllowed = sync.OnceValue(func() bool {
	if !cpu.X86.HasAMXTile || !cpu.X86.HasAMXInt8 {
		return false
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, requestPermission, tileData, 0)
	return errno == 0
})
