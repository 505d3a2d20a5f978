// Command release builds what a release consists of: static binaries for each platform in
// archives, a list of what is in them (SBOM, SPDX 2.3), checksums, and a Homebrew formula
// where an address is given. The same commit gives the same archives.
//
//	go run ./tools/release -version v0.1.0 -out dist/release
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// platforms are those that a release has binaries for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// release says what to build and where to put it.
type release struct {
	version, revision string
	root, out         string
	url               string    // where the files will be downloaded from; empty: no formula
	date              time.Time // of the commit; the time of all files in archives
}

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "version, such as v0.1.0; required")
	out := flag.String("out", "dist/release", "folder to write to")
	targets := flag.String("targets", platforms, "platforms to build for")
	url := flag.String("url", "", "where the files will be downloaded from; makes the Homebrew formula")
	flag.Parse()
	if *version == "" {
		log.Fatal("release: -version is missing, such as -version v0.1.0")
	}
	r := release{version: *version, root: ".", out: *out, url: strings.TrimRight(*url, "/")}
	if err := r.run(strings.Split(*targets, ",")); err != nil {
		log.Fatal("release: ", err)
	}
}

func (r *release) run(targets []string) error {
	if err := r.commit(); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	sums := map[string]string{}
	for _, target := range targets {
		name, err := r.platform(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		if sums[name], err = sumOf(filepath.Join(r.out, name)); err != nil {
			return err
		}
		log.Println(name)
	}
	if r.url != "" {
		if err := os.WriteFile(filepath.Join(r.out, "daybook.rb"), []byte(r.formula(sums)), 0o644); err != nil {
			return err
		}
	}
	return r.writeSums()
}

// commit finds out which commit this is, and when it was made.
func (r *release) commit() error {
	out, err := exec.Command("git", "-C", r.root, "log", "-1", "--format=%H %ct").Output()
	if err != nil {
		return fmt.Errorf("which commit is this? %w", err)
	}
	var seconds int64
	if _, err := fmt.Sscan(string(out), &r.revision, &seconds); err != nil {
		return err
	}
	r.date = time.Unix(seconds, 0).UTC()
	return nil
}

// platform builds the binary of one platform, its archive and its SBOM, and returns the
// archive's name.
func (r *release) platform(target string) (string, error) {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return "", fmt.Errorf("a platform is SYSTEM/ARCHITECTURE, such as linux/amd64")
	}
	work, err := os.MkdirTemp("", "daybook-release-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a temporary folder
	binary := filepath.Join(work, "daybook")
	if system == "windows" {
		binary += ".exe"
	}
	flags := fmt.Sprintf("-s -w -X main.version=%s -X main.revision=%s", r.version, r.revision)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", binary, "./cmd/daybook")
	build.Dir = r.root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	base := fmt.Sprintf("daybook_%s_%s_%s", strings.TrimPrefix(r.version, "v"), system, arch)
	if err := r.writeSBOM(binary, filepath.Join(r.out, base+".spdx.json")); err != nil {
		return "", err
	}
	files, err := r.files(binary)
	if err != nil {
		return "", err
	}
	name, pack := base+".tar.gz", tarball
	if system == "windows" {
		name, pack = base+".zip", zipped
	}
	archive, err := pack(files, r.date)
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(r.out, name), archive, 0o644)
}

// file is one file of an archive.
type file struct {
	name    string
	content []byte
	mode    int64
}

// files are what an archive holds.
func (r *release) files(binary string) ([]file, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	files := []file{{filepath.Base(binary), content, 0o755}}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		content, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, content, 0o644})
	}
	return files, nil
}

func tarball(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: date, Format: tar.FormatPAX}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.content); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), packed.Close())
	return out.Bytes(), err
}

func zipped(files []file, date time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		into, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date})
		if err != nil {
			return nil, err
		}
		if _, err := into.Write(f.content); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeSums writes the checksums of all files, as sha256sum does.
func (r *release) writeSums() error {
	paths, err := filepath.Glob(filepath.Join(r.out, "daybook*"))
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, path := range paths {
		sum, err := sumOf(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%s  %s\n", sum, filepath.Base(path))
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines.String()), 0o644)
}
