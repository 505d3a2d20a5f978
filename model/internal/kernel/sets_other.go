//go:build !amd64

package kernel

func native() []*Set { return nil }
