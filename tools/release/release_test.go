package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const testURL = "https://releases.example.com/daybook/v1.2.3"

// made is a release for this machine, built once.
var made = sync.OnceValues(func() (string, error) {
	out, err := os.MkdirTemp("", "daybook-release-test-*")
	if err != nil {
		return "", err
	}
	r := release{version: "v1.2.3", root: "../..", out: out, url: testURL}
	return out, r.run([]string{runtime.GOOS + "/" + runtime.GOARCH})
})

func TestMain(m *testing.M) {
	code := m.Run()
	if out, err := made(); err == nil {
		_ = os.RemoveAll(out)
	}
	os.Exit(code)
}

func built(t *testing.T) (folder, archive string) {
	t.Helper()
	out, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return out, "daybook_1.2.3_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
}

// unpack writes the files of an archive to a folder and returns their names.
func unpack(t *testing.T, archive, to string) (names []string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(plain); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, h.Name), content, os.FileMode(h.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}

func TestArchive(t *testing.T) {
	out, archive := built(t)
	work := t.TempDir()
	if got := strings.Join(unpack(t, filepath.Join(out, archive), work), " "); got != "daybook LICENSE NOTICE README.md" {
		t.Errorf("the archive holds %s", got)
	}
	version, err := exec.Command(filepath.Join(work, "daybook"), "version").Output()
	if err != nil || !strings.HasPrefix(string(version), "daybook v1.2.3\n  commit   ") || strings.Contains(string(version), "not known") {
		t.Errorf("version: %v\n%s", err, version)
	}
	sums, err := exec.Command("sh", "-c", "cd "+out+" && sha256sum -c SHA256SUMS").CombinedOutput()
	if err != nil || strings.Count(string(sums), ": OK") != 3 { // archive, SBOM, formula
		t.Errorf("checksums: %v\n%s", err, sums)
	}
}

// The same commit gives the same archive.
func TestArchiveAgain(t *testing.T) {
	out, archive := built(t)
	again := release{version: "v1.2.3", root: "../..", out: t.TempDir(), url: testURL}
	if err := again.run([]string{runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{archive, "SHA256SUMS"} {
		a, errA := sumOf(filepath.Join(out, name))
		b, errB := sumOf(filepath.Join(again.out, name))
		if errA != nil || errB != nil || a != b {
			t.Errorf("%s differs: %v %v", name, errA, errB)
		}
	}
}

// The SBOM names every module that the binary is made of, with its licence.
func TestSBOM(t *testing.T) {
	out, archive := built(t)
	data, err := os.ReadFile(filepath.Join(out, strings.Replace(archive, ".tar.gz", ".spdx.json", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var s sbom
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range s.Packages {
		listed[c.Name+" "+c.Version] = true
		if c.Found == unknown {
			t.Errorf("the licence of %s is not known", c.Name)
		}
	}
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/daybook")
	cmd.Dir = "../.."
	deps, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(deps)) {
		if dep = strings.TrimSpace(dep); dep != "" && !listed[dep] {
			t.Errorf("%s is not listed", dep)
		}
	}
}

func TestFormula(t *testing.T) {
	out, archive := built(t)
	text, err := os.ReadFile(filepath.Join(out, "daybook.rb"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := sumOf(filepath.Join(out, archive))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{testURL + "/" + archive, sum, `version "1.2.3"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	needs(t, "ruby")
	if said, err := exec.Command("ruby", "-c", filepath.Join(out, "daybook.rb")).CombinedOutput(); err != nil {
		t.Errorf("ruby: %v\n%s", err, said)
	}
}

// needs skips the test where the machine lacks a program.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("*** NOT RUN to its end: there is no %s", program)
	}
}

func install(t *testing.T, from, bin string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "../../packaging/install.sh")
	cmd.Env = append(os.Environ(), "DAYBOOK_RELEASES="+from, "DAYBOOK_BIN="+bin, "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestInstallScript(t *testing.T) {
	out, archive := built(t)
	needs(t, "curl")
	site := httptest.NewServer(http.FileServer(http.Dir(out)))
	defer site.Close()
	bin := filepath.Join(t.TempDir(), "bin")
	for range 2 { // the second time is an upgrade
		said, err := install(t, site.URL, bin)
		if err != nil || !strings.Contains(said, "daybook v1.2.3") || !strings.Contains(said, "add "+bin+" to your PATH") {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	if said, err := install(t, "", bin); err == nil || !strings.Contains(said, "DAYBOOK_RELEASES is not set") {
		t.Errorf("without an address: %v\n%s", err, said)
	}
	tampered := t.TempDir()
	if err := os.CopyFS(tampered, os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tampered, archive), []byte("something else"), 0o644); err != nil {
		t.Fatal(err)
	}
	bad := httptest.NewServer(http.FileServer(http.Dir(tampered)))
	defer bad.Close()
	other := filepath.Join(t.TempDir(), "bin")
	if said, err := install(t, bad.URL, other); err == nil || !strings.Contains(said, "checksum") {
		t.Errorf("a changed archive: %v\n%s", err, said)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("a changed archive left something behind")
	}
}

// The unit is sound, with a binary where it expects one.
func TestUnit(t *testing.T) {
	needs(t, "systemd-analyze")
	out, archive := built(t)
	work := t.TempDir()
	unpack(t, filepath.Join(out, archive), work)
	unit, err := os.ReadFile("../../packaging/daybook.service")
	if err != nil {
		t.Fatal(err)
	}
	const binary = "/usr/local/bin/daybook"
	if !strings.Contains(string(unit), "ExecStart="+binary+" serve") {
		t.Fatalf("the unit starts something else:\n%s", unit)
	}
	path := filepath.Join(work, "daybook.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(unit), binary, filepath.Join(work, "daybook"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("systemd-analyze", "verify", path).CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("systemd-analyze: %v\n%s", err, said)
	}
}

// What the image holds is enough: the binary serves from an otherwise empty root, as a user
// without rights. It stands for the image where Docker cannot run.
func TestImageRoot(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("*** NOT RUN: only root on Linux can change the root")
	}
	out, archive := built(t)
	root := filepath.Join(t.TempDir(), "root")
	home := filepath.Join(root, "home/daybook")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	const user = 65532
	unpack(t, filepath.Join(out, archive), root)
	for dir := root; dir != "/"; dir = filepath.Dir(dir) {
		if strings.HasPrefix(dir, os.TempDir()+"/") {
			_ = os.Chmod(dir, 0o755)
		}
	}
	if err := os.Chown(home, user, user); err != nil {
		t.Fatal(err)
	}
	inside := func(args ...string) *exec.Cmd {
		cmd := exec.Command("/daybook", args...)
		cmd.Env, cmd.Dir = []string{"DAYBOOK_HOME=/home/daybook", "DAYBOOK_ADDR=127.0.0.1:" + port(t), "TMPDIR=/home/daybook"}, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: user, Gid: user}}
		return cmd
	}
	if said, err := inside("add", "My dentist is Dr. Weiss.", "--speaker", "Ana", "--time", "2026-05-01").CombinedOutput(); err != nil {
		t.Fatalf("add: %v\n%s", err, said)
	}
	server := inside("serve")
	lines, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() }()
	said, err := bufio.NewReader(lines).ReadString('\n')
	_, url, ok := strings.Cut(strings.TrimSpace(said), " on ")
	if err != nil || !ok {
		t.Fatalf("serve says %q: %v", said, err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		said, err := inside("doctor", "--server", url).CombinedOutput() // as the image's health check does
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the health check fails: %v\n%s", err, said)
		}
	}
}

func port(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, p, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The image itself, where Docker runs.
func TestPublishedImage(t *testing.T) {
	if out, err := exec.Command("docker", "info").CombinedOutput(); err != nil {
		t.Skipf("\n\n*** NOT RUN: Docker does not run here (%v): %s\n", err, strings.TrimSpace(string(out)))
	}
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = "../.."
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	run("make", "image")
	if got := run("docker", "run", "--rm", "daybook", "version"); !strings.Contains(got, "encoder") {
		t.Errorf("version: %s", got)
	}
	if got := run("docker", "inspect", "-f", "{{.Config.User}}", "daybook"); strings.TrimSpace(got) != "65532:65532" {
		t.Errorf("it runs as %s", got)
	}
}

// Files that travel by themselves say what licence they are under, and the packages of the
// clients hold it.
func TestLicence(t *testing.T) {
	licence, err := os.ReadFile("../../LICENSE")
	if err != nil || !strings.Contains(string(licence), "Apache License\n                           Version 2.0") {
		t.Fatalf("LICENSE: %v", err)
	}
	for _, copied := range []string{"../../clients/python/LICENSE", "../../clients/typescript/LICENSE"} {
		if text, err := os.ReadFile(copied); err != nil || string(text) != string(licence) {
			t.Errorf("%s is not LICENSE: %v", copied, err)
		}
	}
	for _, path := range []string{"packaging/install.sh", "packaging/daybook.service", "Dockerfile", "compose.yaml"} {
		text, err := os.ReadFile("../../" + path)
		if err != nil || !strings.Contains(string(text), "# SPDX-License-Identifier: Apache-2.0\n") {
			t.Errorf("%s does not name its licence: %v", path, err)
		}
	}
}
