package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"daybook"
	"daybook/engine"
	"daybook/extract"
	"daybook/model"
)

// TestServeChild is not a test: it is 'daybook serve' in a process of its own.
func TestServeChild(t *testing.T) {
	if os.Getenv(roleEnv) != "serve" {
		t.Skip("only as a child of other tests")
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go profileOnSignal(os.Getenv("DAYBOOK_SERVE_PROFILE"))
	args := append([]string{"serve", "--quiet", "--home", os.Getenv(homeEnv), "--addr", "127.0.0.1:0"}, strings.Fields(os.Getenv(nameEnv))...)
	if code := run(ctx, args, strings.NewReader(""), os.Stdout, os.Stderr); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// profileOnSignal writes a profile of the processor to a file: from one SIGUSR1 to the next.
func profileOnSignal(file string) {
	if file == "" {
		return
	}
	toggle := make(chan os.Signal, 1)
	signal.Notify(toggle, syscall.SIGUSR1)
	<-toggle
	into, err := os.Create(file)
	if err != nil || pprof.StartCPUProfile(into) != nil {
		return
	}
	<-toggle
	pprof.StopCPUProfile()
	_ = into.Close()
}

// profile starts or ends the profile, where one is wanted.
func (s *served) profile() {
	if os.Getenv("DAYBOOK_SERVE_PROFILE") != "" {
		_ = s.cmd.Process.Signal(syscall.SIGUSR1)
	}
}

// served is a server in another process.
type served struct {
	t   testing.TB
	cmd *exec.Cmd
	url string
}

var servesOn = regexp.MustCompile(`daybook serves .* on (http://\S+)`)

// serveProcess starts a server on a home and waits until it is ready.
func serveProcess(t testing.TB, home string, flags ...string) *served {
	t.Helper()
	cmd := child(context.Background(), "TestServeChild", "serve", home, strings.Join(flags, " "))
	if cpus := os.Getenv("DAYBOOK_SERVE_CPUS"); cpus != "" { // the server has these for itself
		cmd.Args = append([]string{"taskset", "-c", cpus}, cmd.Args...)
		var err error
		if cmd.Path, err = exec.LookPath("taskset"); err != nil {
			t.Fatal(err)
		}
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &served{t: t, cmd: cmd}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(out)
	for s.url == "" && lines.Scan() {
		if m := servesOn.FindStringSubmatch(lines.Text()); m != nil {
			s.url = m[1]
		}
	}
	if s.url == "" {
		t.Fatalf("the server did not start: %v", cmd.Wait())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	s.ready(30 * time.Second)
	return s
}

func (s *served) ready(within time.Duration) {
	s.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		res, err := http.Get(s.url + "/health/ready")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("not ready: %v", err)
		}
	}
}

// stop asks the server to end, and fails where it does not end well.
func (s *served) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// post sends a request; it returns the status, and the body decoded where that is 200.
func (s *served) post(client *http.Client, path string, body, into any) (int, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	res, err := client.Post(s.url+path, "application/json", bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode == http.StatusOK && into != nil {
		err = json.Unmarshal(text, into)
	}
	return res.StatusCode, err
}

// talk makes up things that people say, and questions about them.
type talk struct{ *rand.Rand }

var (
	talkNames  = []string{"Ana", "Bo", "Carla", "Dmitri", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas"}
	talkPlaces = []string{"Lisbon", "Oslo", "Nairobi", "Kyoto", "Quito", "Tbilisi", "Galway", "Perth", "Windhoek", "Turin", "Bergen", "Hanoi"}
	talkThings = []string{"a red bicycle", "the old piano", "a garden shed", "two tickets", "a pair of boots", "the blue lamp", "a camera", "a rowing boat", "an oak table", "a kettle"}
	talkDoings = []string{"went hiking near", "met a friend in", "started a job in", "bought %s in", "cooked dinner after a day in", "lost %s on the way to", "sold %s to somebody from", "wants to move to", "read a long book about", "found %s at a market in"}
)

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func (t talk) sentence() string {
	doing := pick(t.Rand, talkDoings)
	if strings.Contains(doing, "%s") {
		doing = fmt.Sprintf(doing, pick(t.Rand, talkThings))
	}
	return fmt.Sprintf("%s %s %s, it was the %d. time, and number %d on my list.", []string{"I", "My sister", "My neighbour"}[t.IntN(3)], doing, pick(t.Rand, talkPlaces), t.IntN(40)+1, t.IntN(100_000))
}

func (t talk) question() string {
	switch t.IntN(3) {
	case 0:
		return fmt.Sprintf("Where did %s buy %s?", pick(t.Rand, talkNames), pick(t.Rand, talkThings))
	case 1:
		return fmt.Sprintf("What did %s do in %s?", pick(t.Rand, talkNames), pick(t.Rand, talkPlaces))
	}
	return fmt.Sprintf("Who wants to move to %s?", pick(t.Rand, talkPlaces))
}

// traffic is what clients did to a server.
type traffic struct {
	mu           sync.Mutex
	recall, add  []time.Duration
	acknowledged []string // ids of notes
	refused      int      // told to come again
	failures     []string
}

func (l *traffic) note(into *[]time.Duration, took time.Duration, status int, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err == nil && status == http.StatusOK:
		*into = append(*into, took)
		return true
	case err == nil && status == http.StatusTooManyRequests:
		l.refused++
	default:
		l.failures = append(l.failures, fmt.Sprint(status, " ", err))
	}
	return false
}

// drive lets clients recall and add, four to one, until the time is over or the
// server is gone.
func (s *served) drive(ctx context.Context, l *traffic, run string, clients int, think time.Duration) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}, Timeout: time.Minute}
	defer client.CloseIdleConnections()
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			r := talk{rand.New(rand.NewPCG(uint64(c), uint64(len(run))))}
			for i := 0; ctx.Err() == nil; i++ {
				if think > 0 { // between half and one and a half times as long
					time.Sleep(think/2 + time.Duration(r.Int64N(int64(think))))
				}
				s.request(client, l, r, fmt.Sprintf("%s-%d-%d", run, c, i))
			}
		})
	}
	wait.Wait()
}

func (s *served) request(client *http.Client, l *traffic, r talk, id string) {
	began := time.Now()
	if r.IntN(5) > 0 {
		status, err := s.post(client, "/v1/recall", map[string]any{"user_id": "u", "query": r.question()}, nil)
		l.note(&l.recall, time.Since(began), status, err)
		return
	}
	status, err := s.post(client, "/v1/memories", map[string]any{"user_id": "u", "run_id": id[:strings.LastIndex(id, "-")],
		"messages": []map[string]string{{"id": id, "name": pick(r.Rand, talkNames), "content": r.sentence()}}}, nil)
	if l.note(&l.add, time.Since(began), status, err) {
		l.mu.Lock()
		l.acknowledged = append(l.acknowledged, id)
		l.mu.Unlock()
	}
}

func percentile(d []time.Duration, p float64) float64 {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return float64(d[int(p*float64(len(d)-1))].Microseconds()) / 1000
}

var loadScope = daybook.Scope{User: "u"}

// lost counts acknowledged notes that the home does not have, and checks the home.
func lost(t *testing.T, home string, ids []string) {
	t.Helper()
	e := openHome(t, home)
	defer e.Close()
	missing := 0
	for _, id := range ids {
		if _, err := e.Note(t.Context(), loadScope, id); daybook.KindOf(err) == daybook.NotFound && err != nil {
			missing++
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d acknowledged notes are lost", missing, len(ids))
	}
	sound(t, e)
}

// A server that is killed in the middle of load has every note that it acknowledged,
// and learns from all of them after the next start.
func TestServeKilled(t *testing.T) {
	home := t.TempDir()
	var all traffic
	for round := range 3 {
		s := serveProcess(t, home)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { s.drive(ctx, &all, fmt.Sprint("round", round), 8, 0); close(done) }()
		time.Sleep(time.Second + time.Duration(rand.IntN(500))*time.Millisecond)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cancel()
		<-done
		_ = s.cmd.Wait()
	}
	if len(all.acknowledged) == 0 || len(all.recall) == 0 {
		t.Fatalf("%d notes, %d recalls: %v", len(all.acknowledged), len(all.recall), all.failures)
	}
	s := serveProcess(t, home)
	var jobs struct {
		Jobs []engine.Job `json:"jobs"`
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		res, err := http.Get(s.url + "/v1/jobs?user_id=u")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(res.Body).Decode(&jobs)
		res.Body.Close()
		if err == nil && len(jobs.Jobs) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d jobs are left, %v", len(jobs.Jobs), err)
		}
	}
	s.stop()
	lost(t, home, all.acknowledged)
	t.Logf("killed 3 times: %d notes acknowledged, %d recalls answered", len(all.acknowledged), len(all.recall))
}

// loadSettings are what DAYBOOK_SERVE_LOAD says: notes, clients, seconds, most
// milliseconds of recall's p95 (0: not judged), think time of a client in
// milliseconds (0: none).
func loadSettings(t *testing.T) (n [5]int) {
	text := os.Getenv("DAYBOOK_SERVE_LOAD")
	if text == "" {
		text = "300,8,2,0,0"
	}
	for i, part := range strings.Split(text, ",") {
		if i >= len(n) {
			t.Fatalf("DAYBOOK_SERVE_LOAD=%s has more than %d numbers", text, len(n))
		}
		var err error
		if n[i], err = strconv.Atoi(part); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestServeUnderLoad fills a scope and lets clients recall and add. No request may
// fail and no acknowledged write be lost. DAYBOOK_SERVE_LOAD sets the size,
// DAYBOOK_SERVE_HOME keeps the filled home for the next run, DAYBOOK_SERVE_CPUS names
// the processors that the server runs on, such as 0,1, DAYBOOK_SERVE_FLAGS more
// flags of 'daybook serve', and DAYBOOK_SERVE_PROFILE a file for a profile of the
// server's processor time while it is under load.
func TestServeUnderLoad(t *testing.T) {
	set := loadSettings(t)
	notes, clients, seconds, most, think := set[0], set[1], set[2], set[3], time.Duration(set[4])*time.Millisecond
	home := filledHome(t, notes)
	s := serveProcess(t, home, strings.Fields(os.Getenv("DAYBOOK_SERVE_FLAGS"))...)
	s.warm()
	var l traffic
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	defer cancel()
	curve := make(chan []string, 1)
	go func() {
		curve <- s.memory(ctx, max(time.Second, min(10*time.Second, time.Duration(seconds)*time.Second/5)))
	}()
	began, spent := time.Now(), s.processor()
	s.profile()
	s.drive(ctx, &l, fmt.Sprint("load", time.Now().UnixNano()), clients, think)
	s.profile()
	took := time.Since(began)
	spent = s.processor() - spent
	t.Logf("%d notes, %d clients, %v, think time %v: %d recalls, %d adds, %d told to come again, %.0f requests/s", notes, clients, took.Round(time.Second), think,
		len(l.recall), len(l.add), l.refused, float64(len(l.recall)+len(l.add))/took.Seconds())
	for _, k := range []struct {
		name string
		all  []time.Duration
	}{{"recall", l.recall}, {"add", l.add}} {
		t.Logf("%s p50 %.1f p95 %.1f p99 %.1f ms", k.name, percentile(k.all, .5), percentile(k.all, .95), percentile(k.all, .99))
	}
	t.Logf("resident MB over time: %s", strings.Join(<-curve, " "))
	t.Logf("stages: %s", s.stages())
	t.Logf("processor time of the server: %.1f s, %.1f ms a request with what follows from it", spent.Seconds(), float64(spent.Milliseconds())/float64(max(1, len(l.recall)+len(l.add))))
	s.stop()
	lost(t, home, l.acknowledged)
	if len(l.failures) > 0 {
		t.Errorf("%d requests failed, such as %s", len(l.failures), l.failures[0])
	}
	if p := percentile(l.recall, .95); most > 0 && p > float64(most) {
		t.Errorf("p95 of recall is %.1f ms, over %d", p, most)
	}
}

// warm lets the server build what the first questions need, which on a busy machine may
// take longer than it lets a question wait.
func (s *served) warm() {
	s.t.Helper()
	r := talk{rand.New(rand.NewPCG(1, 1))}
	deadline := time.Now().Add(10 * time.Minute)
	for answered := 0; answered < 20; {
		status, err := s.post(http.DefaultClient, "/v1/recall", map[string]any{"user_id": "u", "query": r.question()}, nil)
		if err == nil && status == http.StatusOK {
			answered++
		} else if time.Now().After(deadline) {
			s.t.Fatalf("warm up: %d %v", status, err)
		}
	}
}

// memory reads how much memory the server holds until ctx is done.
func (s *served) memory(ctx context.Context, every time.Duration) (curve []string) {
	for {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
		if err != nil {
			return append(curve, err.Error())
		}
		_, rest, _ := strings.Cut(string(data), "VmRSS:")
		kb, _ := strconv.Atoi(strings.Fields(rest)[0])
		curve = append(curve, strconv.Itoa(kb/1024))
		select {
		case <-ctx.Done():
			return curve
		case <-time.After(every):
		}
	}
}

// processor is the time that all processors spent on the server so far.
func (s *served) processor() time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')'):])) // the name may hold spaces
	user, _ := strconv.Atoi(fields[12])
	system, _ := strconv.Atoi(fields[13])
	return time.Duration(user+system) * time.Second / 100
}

// stages are the mean milliseconds of each stage of a request, and what is left to learn.
func (s *served) stages() string {
	res, err := http.Get(s.url + "/metrics")
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	sums, counts := map[string]float64{}, map[string]float64{}
	into := map[string]map[string]float64{"sum": sums, "count": counts}
	data, _ := io.ReadAll(res.Body)
	line := regexp.MustCompile(`daybook_stage_seconds_(sum|count)\{stage="(\w+)"\} (\S+)`)
	for _, m := range line.FindAllStringSubmatch(string(data), -1) {
		into[m[1]][m[2]], _ = strconv.ParseFloat(m[3], 64)
	}
	var all []string
	for _, stage := range []string{"wait", "encode", "index", "find", "yield"} {
		all = append(all, fmt.Sprintf("%s %.1f ms", stage, 1000*sums[stage]/max(1, counts[stage])))
	}
	waiting := regexp.MustCompile(`(?m)^daybook_waiting_notes (\S+)`).FindSubmatch(data)
	if waiting != nil {
		all = append(all, fmt.Sprintf("%s notes wait to be learned from", waiting[1]))
	}
	return strings.Join(all, ", ")
}

// filledHome is a home with a scope of so many notes that is ready to be asked.
func filledHome(t *testing.T, notes int) string {
	home := t.TempDir()
	if kept := os.Getenv("DAYBOOK_SERVE_HOME"); kept != "" {
		home = filepath.Join(kept, strconv.Itoa(notes))
		if _, err := os.Stat(filepath.Join(home, "filled")); err == nil {
			return home
		}
	}
	enc, err := model.Default()
	if err != nil {
		t.Fatal(err)
	}
	e := openHome(t, home).WithEncoder(enc).WithLearner(extract.Local{Encoder: enc})
	fill(t, e, notes)
	if err := errors.Join(e.Close(), os.WriteFile(filepath.Join(home, "filled"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	return home
}

// fill keeps the notes of many conversations. What is learned from a tenth of them
// stands for what a long use leaves behind.
func fill(t *testing.T, e *engine.Engine, notes int) {
	began := time.Now()
	r := talk{rand.New(rand.NewPCG(7, 7))}
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	plain := e.WithLearner(nil)
	for from := 0; from < notes; from += 1000 {
		var batch []daybook.Note
		for i := from; i < min(from+1000, notes); i++ {
			batch = append(batch, daybook.Note{
				SourceID: fmt.Sprint("fill-", i), Session: fmt.Sprint("s", i/20), Speaker: talkNames[i/20%len(talkNames)], Text: r.sentence(), Time: start.Add(time.Duration(i) * 20 * time.Minute),
			})
		}
		into := plain
		if from%10_000 == 0 {
			into = e
		}
		if _, err := into.Add(t.Context(), loadScope, engine.By{Author: "fill"}, batch); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := engine.NewWorker(e, engine.WorkerOptions{})
	done := make(chan struct{})
	go func() { _ = w.Run(ctx); close(done) }()
	head, _, err := e.Commit(t.Context(), loadScope, "HEAD")
	if err == nil {
		err = w.Wait(t.Context(), loadScope, head)
	}
	cancel()
	<-done
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("filled %d notes in %v", notes, time.Since(began).Round(time.Second))
}

// The README's commands, as they stand there, lead to an answer within a minute. Only the
// port is another, so that tests can run side by side.
func TestReadmeStart(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("SKIPPED, THE README WAS NOT TRIED: there is no curl")
	}
	commands := readmeCommands(t)
	if len(commands) != 4 {
		t.Fatalf("%d commands: %q", len(commands), commands)
	}
	bin := t.TempDir()
	if said, err := exec.Command("go", "build", "-o", bin+"/daybook", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	began := time.Now()
	addr := freeAddr(t)
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "DAYBOOK_HOME="+t.TempDir(), "DAYBOOK_ADDR="+addr)
	shell := func(command string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", strings.ReplaceAll(command, "localhost:7077", addr))
		cmd.Env, cmd.Dir = env, "../.."
		return cmd
	}
	serve := shell("exec " + commands[0])
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = serve.Process.Signal(syscall.SIGTERM)
		_ = serve.Wait()
	}()
	(&served{t: t, url: "http://" + addr}).ready(3 * time.Minute)
	ready := time.Since(began)
	var said []byte
	for _, c := range commands[1:] {
		var err error
		if said, err = shell(c).Output(); err != nil {
			t.Fatalf("%s: %v %s", c, err, said)
		}
	}
	if !strings.Contains(string(said), `"answer":"Lisbon"`) {
		t.Errorf("the last command says %s", said)
	}
	took := time.Since(began)
	t.Logf("ready after %.1f s, answered %.2f s later", ready.Seconds(), (took - ready).Seconds())
	if took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

// readmeCommands are the lines that begin with "$" under "Over HTTP" in the README.
func readmeCommands(t *testing.T) (commands []string) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(text), "\n## Over HTTP\n")
	if !ok {
		t.Fatal("the README has no section 'Over HTTP'")
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	for line := range strings.Lines(section) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
			commands = append(commands, command)
		}
	}
	return commands
}

func freeAddr(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// An address that is taken is said so, with what to do.
func TestServeAddressTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var out, errOut bytes.Buffer
	args := []string{"serve", "--quiet", "--home", t.TempDir(), "--addr", taken.Addr().String()}
	if code := run(t.Context(), args, strings.NewReader(""), &out, &errOut); code != exitCodes[daybook.Unavailable] || !strings.Contains(errOut.String(), "--addr chooses another") {
		t.Errorf("exit code %d, %s", code, errOut.String())
	}
}

// Off loopback a server wants keys.
func TestServeWantsKeysOffLoopback(t *testing.T) {
	home := t.TempDir()
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.com:0"} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"serve", "--home", home, "--addr", addr}, strings.NewReader(""), &out, &errOut); code != exitCodes[daybook.Invalid] || !strings.Contains(errOut.String(), "key create") {
			t.Errorf("%s: exit code %d, %s", addr, code, errOut.String())
		}
	}
}

// A signal ends the server soon, whatever it is doing: learning from messages that are made
// to take long, and waiting for a body that never comes.
func TestServeEndsSoon(t *testing.T) {
	s := serveProcess(t, t.TempDir())
	for i := range 20 {
		text := fmt.Sprintf("Message %d. ", i) + strings.Repeat("I live in Rome. ", 6000)
		if status, err := s.post(http.DefaultClient, "/v1/memories", map[string]any{"user_id": "u", "messages": text}, nil); err != nil || status != http.StatusOK {
			t.Fatalf("%d %v", status, err)
		}
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	began := time.Now()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.cmd.Wait() }()
	select {
	case err := <-ended:
		t.Logf("ended after %s: %v", time.Since(began), err)
	case <-time.After(10 * time.Second):
		t.Fatal("the server still runs ten seconds after the signal")
	}
}
