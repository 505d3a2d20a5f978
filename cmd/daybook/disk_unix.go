//go:build unix

package main

import "golang.org/x/sys/unix"

// freeBytes is the room that is left for this user where a folder lies.
func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	err := unix.Statfs(dir, &s)
	return uint64(s.Bavail) * uint64(s.Bsize), err //nolint:unconvert // other systems have other types
}
