//go:build !race

package model

// raceEnabled says that the race detector slows this run down.
const raceEnabled = false
