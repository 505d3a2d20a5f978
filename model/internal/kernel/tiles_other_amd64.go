//go:build !linux

package kernel

// tilesAllowed: only Linux is known to let a process use AMX tiles on request.
func tilesAllowed() bool { return false }
