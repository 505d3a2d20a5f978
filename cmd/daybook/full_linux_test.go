package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"daybook"
)

// tinyDisk mounts a file system of so many bytes; where that is not allowed the test is
// skipped, and TestFullDisk stands for it.
func tinyDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0700", size)); err != nil {
		t.Skipf("a file system of its own cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// fillDisk writes a file until only so many bytes of the disk are left.
func fillDisk(t *testing.T, dir string, left int64) {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	block := make([]byte, 4096)
	for err == nil {
		_, err = f.Write(block)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Truncate(max(0, info.Size()-left))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func runOn(home string, args ...string) (code int, out, errOut string) {
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), append([]string{"--home", home}, args...), strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// On a disk without room for a single byte everything can be read, everything that writes
// says that room is to be made, and with room everything works again.
func TestDiskWithoutRoom(t *testing.T) {
	dir := tinyDisk(t, 1<<20)
	home := filepath.Join(dir, "home")
	must(t, home, "add", "My dentist is Dr. Weiss.")
	must(t, home, "fact", "add", "Ana", "likes", "coffee")
	must(t, home, "add", "Without a vector yet.", "--no-learn")
	fillDisk(t, dir, 0)
	unavailable := exitCodes[daybook.Unavailable]
	for _, command := range append(readOnlyCommands, []struct {
		args string
		code int
	}{
		{"export|--out|" + filepath.Join(dir, "out"), unavailable}, {"backup|" + filepath.Join(dir, "copy"), unavailable}, {"reindex", unavailable},
		{"check|--scrub", unavailable}, {"tree|list", 0}, {"history|Ana", 0}, {"entities", 0}, {"notes", 0},
	}...) {
		code, out, errOut := runOn(home, strings.Split(command.args, "|")...)
		if code != command.code {
			t.Errorf("%s ends with %d, not %d: %s%s", command.args, code, command.code, out, errOut)
		}
		if code != 0 && !strings.Contains(errOut, "make room") {
			t.Errorf("%s does not say what to do: %s", command.args, errOut)
		}
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	must(t, home, "add", "the last")
	must(t, home, "check")
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("half-written files are left: %v, %v", left, err)
	}
}

// With room for a little, each write is whole or not there, wherever the room ends.
func TestDiskWithLittleRoom(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many commands")
	}
	dir := tinyDisk(t, 2<<20)
	home := filepath.Join(dir, "home")
	must(t, home, "add", "the first", "--id", "first")
	kept, refused := []string{"first"}, 0
	for left := int64(0); left < 200<<10; left += 12 << 10 {
		fillDisk(t, dir, left)
		for i := range 3 {
			id := fmt.Sprintf("%d-%d", left, i)
			code, _, errOut := runOn(home, "add", "I moved to Lisbon. "+strings.Repeat("And so on. ", 600*i), "--id", id, "--no-learn")
			switch {
			case code == 0:
				kept = append(kept, id)
			case code == exitCodes[daybook.Unavailable] && strings.Contains(errOut, "make room"):
				refused++
			default:
				t.Errorf("room for %d bytes: add ends with %d: %s", left, code, errOut)
			}
		}
		for _, id := range kept {
			if code, _, errOut := runOn(home, "show", id); code != 0 {
				t.Errorf("room for %d bytes: %s: %s", left, id, errOut)
			}
		}
		if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
			t.Fatal(err)
		}
		must(t, home, "check")
	}
	if refused == 0 || len(kept) < 5 {
		t.Errorf("%d kept, %d refused: there was always room, or never", len(kept), refused)
	}
	t.Logf("%d notes kept, %d refused", len(kept), refused)
}

// What cannot be printed does not pass for success.
func TestOutputWithoutRoom(t *testing.T) {
	home := t.TempDir()
	must(t, home, "fact", "add", "Ana", "likes", "coffee")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, command := range []string{"facts", "facts|--json", "export", "log", "check"} {
		var errOut bytes.Buffer
		code := run(context.Background(), append([]string{"--home", home}, strings.Split(command, "|")...), strings.NewReader(""), full, &errOut)
		if want := exitCodes[daybook.Unavailable]; code != want {
			t.Errorf("%s ends with %d, not %d: %s", command, code, want, errOut.String())
		}
	}
}
