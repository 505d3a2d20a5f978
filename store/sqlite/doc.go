// Package sqlite keeps ledgers in one SQLite file: how do commits become
// durable, checksummed pages?
//
// The file runs in WAL mode with synchronous=FULL: when Update returns, the
// commit has been synced. Every page carries a checksum that is verified when it
// is read (vfs.go), so a damaged file gives an error and not a wrong answer.
// docs/format.md describes every table.
//
// Start reading at Open in sqlite.go.
package sqlite
