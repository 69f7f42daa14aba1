package acceptance

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

var turns = flag.Int("turns", 0, "requests that the long sessions make; by default 60, or if POLLUX_LONG is 1, 400, and 120 for configurations whose memory need not be watched")

const (
	settled = 200    // turn after which memory should no longer grow
	slack   = 16_384 // KiB by which memory may still grow
)

// TestLongSession runs sessions of many turns through the real program, on models with a window
// of 128,000 tokens. No request may be too large for a server that counts tokens with the
// model's own tokenizer, facts from the start must be known at the end, and memory must not grow
// after the first turns.
//
// With -v it prints a table of costs. The table in docs/performance.md comes from
// go test ./acceptance -run LongSession -v -turns 2000, which also runs models with a large
// window.
func TestLongSession(t *testing.T) {
	t.Parallel()
	long, brief := *turns, *turns
	switch {
	case *turns > 0:
	case processtest.IsLong():
		long, brief = 400, 120
	default:
		long, brief = 60, 60
	}
	sessions := []session{
		{name: "as it comes", turns: long},
		{name: "without masking", turns: brief, settings: `{"pollux": {"maskToolOutputs": false}}`},
		{name: "threshold 0.9", turns: long, settings: `{"model": {"compressionThreshold": 0.9}}`},
		{name: "threshold 0.9, without masking", turns: brief, settings: `{"model": {"compressionThreshold": 0.9}, "pollux": {"maskToolOutputs": false}}`},
		{name: "no usage told", turns: brief, usage: func(*prompt) scriptmodel.Usage { return scriptmodel.Usage{None: true} }},
		{name: "wrong usage told", turns: brief, usage: func(*prompt) scriptmodel.Usage { return scriptmodel.Usage{Prompt: 10, Candidates: 1} }, refusals: true},
	}
	if !processtest.IsLong() && *turns == 0 { // those that differ most
		sessions = []session{sessions[0], sessions[2], sessions[5]}
	}
	if long >= 2000 {
		sessions = append(sessions,
			session{name: "1 M window", turns: long, model: "gpt-4.1", window: 1_047_576},
			session{name: "1 M window, without masking", turns: long, model: "gpt-4.1", window: 1_047_576, settings: `{"pollux": {"maskToolOutputs": false}}`},
		)
	}
	rows := make([]string, len(sessions))
	t.Run("all", func(t *testing.T) {
		for i, s := range sessions {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				rows[i] = s.run(t)
			})
		}
	})
	t.Logf("\n%s\n%s", heading, strings.Join(rows, "\n"))
}

// session is a configuration of the session.
type session struct {
	name     string
	turns    int
	settings string
	model    string                          // "" is one that takes 128,000 tokens
	window   int                             // of the model
	usage    func(*prompt) scriptmodel.Usage // the usage that the vendor reports; nil reports the true one
	refusals bool                            // refused requests are expected, because the program cannot know the window
}

const heading = `| | requests | refused | compressions | maskings | facts known at the end | tokens sent | in the vendor's cache | if that costs a tenth | largest request | memory at turn 200, at the end | CPU |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|`

// run runs the session and returns its row of the table.
func (s session) run(t *testing.T) string {
	s.model, s.window = cmp.Or(s.model, "gpt-4o"), cmp.Or(s.window, 128_000)
	w := &worker{t: t, session: s, counter: newCounter(t)}
	server := conduct(t, "openai", w.answer)
	p := newPerson(t)
	p.environ = append(append(p.environ, pointing("openai", server.URL)...), "OPENAI_MODEL="+s.model)
	p.settings(cmp.Or(s.settings, "{}"))
	furnish(p)

	cmd := p.command("pollux", "--yolo", "-p", "Go through all files and settle the accounts. Remember FACT-0-user-quarry.")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.pid.Store(int64(cmd.Process.Pid))
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, tail(errs.String()))
	}
	if !strings.Contains(out.String(), "All accounts are settled.") {
		t.Fatalf("it has not come to its end:\n%s\n%s", tail(out.String()), tail(errs.String()))
	}
	known := w.judge(p.home)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d of %d | %.1f M | %.1f M (%d %%) | %.1f M | %d | %d, %d MB | %.1f s |",
		s.name, w.requests, w.refused, w.compressions, w.maskings, known, len(w.planted), millions(w.sent), millions(w.cached), w.cached*100/w.sent,
		millions(w.sent-w.cached*9/10), w.largest, w.early>>10, w.late>>10, cpu.Seconds())
}

func millions(n int) float64 { return float64(n) / 1e6 }

func tail(s string) string { return s[max(0, len(s)-2000):] }

// worker is the model of the session, and its vendor's server.
type worker struct {
	t       *testing.T
	session session
	counter *counter
	pid     atomic.Int64 // PID of the program

	turn, requests, refused int
	sent, cached, largest   int // tokens
	compressions, maskings  int
	summarised              bool // whether the history was summarized since the last turn
	early, late             int  // peak memory of the program, in KiB
	planted                 []string
	main                    *prompt // request of the last turn
	last                    []byte
}

// answer returns the model's answer to a request.
func (w *worker) answer(path string, body []byte) []scriptmodel.Step {
	if !strings.HasSuffix(path, "/chat/completions") {
		return nil
	}
	p, err := w.counter.read(body)
	if err != nil {
		w.t.Errorf("request %d: %v", w.requests+1, err)
		return says("?")
	}
	w.requests++
	if p.tokens > w.session.window {
		if w.refused++; !w.session.refusals {
			w.t.Errorf("request %d (turn %d) has %d tokens", w.requests, w.turn, p.tokens)
		}
		return []scriptmodel.Step{scriptmodel.Fail{
			Status: 400, Code: "context_length_exceeded",
			Message: fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", w.session.window, p.tokens),
		}}
	}
	w.sent, w.cached, w.largest = w.sent+p.tokens, w.cached+p.cached, max(w.largest, p.tokens)
	usage := scriptmodel.Usage{Prompt: p.tokens, Cached: p.cached, Candidates: 60}
	if w.session.usage != nil {
		usage = w.session.usage(p)
	}
	return append([]scriptmodel.Step{usage}, w.reply(p, body)...)
}

var fact = regexp.MustCompile(`FACT-[0-9]+-[a-z]+-[a-z0-9]+`)

func (w *worker) reply(p *prompt, body []byte) []scriptmodel.Step {
	switch {
	case p.stream:
		w.turn++
		w.compare(p)
		w.last = body
		return w.work(w.turn)
	case strings.Contains(p.newest, "state_snapshot"):
		if !w.summarised {
			w.compressions++
		}
		w.summarised = true
		return says(snapshot(body))
	case bytes.Contains(body, []byte("unproductive_state_confidence")):
		return says(`{"unproductive_state_analysis": "It goes from file to file.", "unproductive_state_confidence": 0.1}`)
	}
	w.t.Errorf("request %d asks an unknown question: %s", w.requests, p.newest[:min(300, len(p.newest))])
	return says("no")
}

// compare returns why the request of a turn does not start with that of the turn before it: the
// history was compressed, or old results were masked.
func (w *worker) compare(p *prompt) {
	if w.main != nil && !p.begins(w.main) {
		switch {
		case w.summarised:
		case p.masked > w.main.masked:
			w.maskings++
		default:
			w.t.Errorf("turn %d has changed what came before it, and neither compressed nor masked it", w.turn)
		}
	}
	w.main, w.summarised = p, false
	switch w.turn {
	case settled:
		w.early = processtest.PeakMemory(w.t, int(w.pid.Load()))
	case w.session.turns:
		w.late = processtest.PeakMemory(w.t, int(w.pid.Load()))
	}
}

// snapshot returns a summary with all facts of the history, and nothing else.
func snapshot(body []byte) string {
	var facts []string
	for _, f := range fact.FindAll(body, -1) {
		facts = append(facts, string(f))
	}
	slices.Sort(facts)
	facts = slices.Compact(facts)
	var b strings.Builder
	b.WriteString("<scratchpad>\nWhat is there to keep?\n</scratchpad>\n<state_snapshot>\n")
	for _, section := range []string{"overall_goal", "active_constraints", "key_knowledge", "artifact_trail", "file_system_state", "recent_actions", "task_state"} {
		text := "The accounts are being settled file by file; nothing is in the way."
		if section == "key_knowledge" {
			text = strings.Join(facts, "\n")
		}
		fmt.Fprintf(&b, "<%s>\n%s\n</%s>\n", section, text, section)
	}
	return b.String() + "</state_snapshot>"
}

// work returns the model's answer in turn n.
func (w *worker) work(n int) []scriptmodel.Step {
	if n >= w.session.turns {
		return says("All accounts are settled.")
	}
	text := fmt.Sprintf("Turn %d: next are the entries of part %d.", n, n*7%parts)
	switch {
	case n == 5:
		text += " I keep in mind FACT-5-model-heron."
		w.planted = append(w.planted, "FACT-0-user-quarry", "FACT-5-model-heron", "FACT-5-tool-amber")
		return calling(says(text), "read_file", "file_path", `"facts.txt"`)
	case n%100 == 50:
		f := fmt.Sprintf("FACT-%d-model-w%d", n, n*n)
		w.planted = append(w.planted, f)
		text += " " + f
	}
	steps := says(text)
	src, log := fmt.Sprintf(`"src/part%03d.go"`, n*7%parts), fmt.Sprintf(`"logs/day%03d.log"`, n*11%parts)
	line := strconv.Itoa(1 + n%9)
	switch n % 10 {
	case 0, 6:
		return calling(steps, "read_file", "file_path", src)
	case 3: // several calls at once
		for k := range 3 {
			steps = calling(steps, "read_file", "file_path", src, "start_line", strconv.Itoa(1+n%7+40*k), "end_line", strconv.Itoa(30+n%7+40*k))
		}
		return steps
	case 1, 8:
		return calling(steps, "run_shell_command", "command", fmt.Sprintf(`"tail -n +%s %s # turn %d"`, line, strings.Trim(log, `"`), n))
	case 4:
		if n%50 == 4 { // text with many tokens per character
			return calling(steps, "run_shell_command", "command", fmt.Sprintf(`"cat blob.txt # turn %d"`, n))
		}
		return calling(steps, "run_shell_command", "command", fmt.Sprintf(`"seq %d %d"`, n, n+1500))
	case 2, 7:
		return calling(steps, "grep_search", "pattern", fmt.Sprintf(`"func settle%03d"`, n*3%parts), "dir_path", `"src"`)
	case 5:
		return calling(steps, "replace", "file_path", `"notes.md"`, "instruction", `"Count on."`,
			"old_string", fmt.Sprintf(`"done: %d\n"`, n/10), "new_string", fmt.Sprintf(`"done: %d\n"`, n/10+1))
	}
	return calling(steps, "read_file", "file_path", `"chinese.md"`, "start_line", line, "end_line", strconv.Itoa(60+n%9))
}

// judge checks the promises of the session and returns how many facts are in its last request. A
// fact that was only in a masked result may be missing; it must then be in an output file.
func (w *worker) judge(home string) (known int) {
	for _, f := range w.planted {
		switch {
		case bytes.Contains(w.last, []byte(f)):
			known++
		case w.maskings == 0 || !strings.Contains(f, "-tool-") || !onFile(w.t, home, f):
			w.t.Errorf("%s is not known any more at the end", f)
		}
	}
	if w.compressions+w.maskings == 0 {
		w.t.Error("the session was neither compressed nor masked")
	}
	if w.session.turns > settled && w.late-w.early > slack {
		w.t.Errorf("the program needed %d KiB of memory at turn %d, and %d KiB at the end", w.early, settled, w.late)
	}
	return known
}

// onFile reports whether a saved output contains this text.
func onFile(t *testing.T, home, text string) bool {
	files, err := filepath.Glob(filepath.Join(home, ".gemini", "tmp", "*", "tool-outputs", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		data, err := os.ReadFile(name)
		return err == nil && bytes.Contains(data, []byte(text))
	})
}

const parts = 120 // files of each kind

// furnish creates the files of the project.
func furnish(p *person) {
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("account balance carry credit debit entry fee gross harbour invoice journal ledger margin net order payment quote rate settle total unit value")
	word := func() string { return words[random.IntN(len(words))] }
	for i := range parts {
		var src, log strings.Builder
		for k := range 40 + random.IntN(240) { // 2 to 17 KB
			fmt.Fprintf(&src, "func settle%03d_%d(%s, %s int) int { return %s*%d - %s }\n", i, k, word(), word(), word(), random.IntN(999), word())
		}
		for range 20 + random.IntN(160) { // 2 to 20 KB
			fmt.Fprintf(&log, "2026-11-%02dT%02d:%02d:00Z INFO %s: %s of %s is %d.%02d (id %08x)\n", 1+random.IntN(30), random.IntN(24), random.IntN(60),
				word(), word(), word(), random.IntN(90_000), random.IntN(100), random.Uint32())
		}
		p.write(fmt.Sprintf("src/part%03d.go", i), src.String())
		p.write(fmt.Sprintf("logs/day%03d.log", i), log.String())
	}
	var facts, chinese, blob strings.Builder
	for i := range 60 {
		if i == 30 {
			facts.WriteString("What matters is FACT-5-tool-amber\n")
		}
		fmt.Fprintf(&facts, "The %s of the %s is the %s of the %s.\n", word(), word(), word(), word())
		chinese.WriteString("港口的账目每天都要核对一次，所有的收入和支出都必须记录在总账里，不能有任何遗漏。\n")
		fmt.Fprintf(&chinese, "第%d条：%d 元\n", i, random.IntN(10_000))
	}
	for range 300 {
		fmt.Fprintf(&blob, "%016x%016x%016x%016x\n", random.Uint64(), random.Uint64(), random.Uint64(), random.Uint64())
	}
	p.write("facts.txt", facts.String())
	p.write("chinese.md", chinese.String())
	p.write("blob.txt", blob.String())
	p.write("notes.md", "# Accounts\ndone: 0\n")
}
