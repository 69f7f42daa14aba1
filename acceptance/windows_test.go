package acceptance

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tiktoken-go/tokenizer/codec"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
)

var everyWindow = flag.Bool("windows", false, "run all jobs with all windows on all protocols, with native and text calls")

// TestWindows runs jobs whose tools print far more than the model's window has room for. A job is
// well done if it comes to its end, the fact that was found at its beginning is still known
// there, and no request is larger than the window, by the count of a tokenizer.
//
// With -v it prints a table. The table in docs/performance.md comes from
// go test ./acceptance -run Windows -v -windows.
func TestWindows(t *testing.T) {
	t.Parallel()
	windows, modes := []int{6_000, 32_000, 200_000}, []string{"native"}
	if *everyWindow {
		windows, modes = []int{6_000, 8_000, 12_000, 16_000, 32_000, 128_000, 200_000, 1_000_000, 2_000_000}, []string{"native", "text"}
	}
	var mu sync.Mutex
	var rows []string
	t.Run("all", func(t *testing.T) {
		slots := make(chan struct{}, 2)
		for w, window := range windows {
			for i, wire := range []string{"openai", "gemini", "anthropic", "responses", "ollama", "text"} {
				for k, mode := range modes {
					for n, job := range windowJobs {
						name := fmt.Sprintf("%d/%s/%s/%s", window, wire, mode, job.name)
						switch {
						case wire == "text" && k > 0:
							continue
						case *everyWindow:
						case n == i%len(windowJobs) && w == i%len(windows): // each protocol once, with each job and each window
						case (i+n+window/1000)%3 != 0 || !processtest.InLong(name): // a third of the others in a long run
							continue
						}
						t.Run(name, func(t *testing.T) {
							t.Parallel()
							slots <- struct{}{}
							defer func() { <-slots }()
							row := (&windowed{t: t, window: window, wire: wire, text: mode == "text", job: job}).run()
							mu.Lock()
							defer mu.Unlock()
							rows = append(rows, row)
						})
					}
				}
			}
		}
	})
	slices.Sort(rows)
	t.Logf("%d jobs:\n| window | protocol | calls | job | requests | summaries | their part of all input | largest request | wall, ms |\n|---:|---|---|---|---:|---:|---:|---:|---:|\n%s", len(rows), strings.Join(rows, "\n"))
}

// windowJob is a series of calls. Each call is a name and its arguments, in JSON.
type windowJob struct {
	name  string
	turns func(n int) [][2]string // the calls of turn n from 1; nil at the end
}

var windowJobs = []windowJob{
	{"huge file", func(n int) [][2]string {
		switch n {
		case 1:
			return [][2]string{{"read_file", `{"file_path":"big.log"}`}}
		case 2:
			return [][2]string{{"read_file", `{"file_path":"big.log","start_line":9000,"end_line":12000}`}}
		}
		return nil
	}},
	{"huge search", func(n int) [][2]string {
		switch n {
		case 1:
			return [][2]string{{"grep_search", `{"pattern":"needle"}`}}
		case 2:
			return [][2]string{{"glob", `{"pattern":"**/*"}`}, {"grep_search", `{"pattern":"needle","include_pattern":"*.txt"}`}}
		}
		return nil
	}},
	{"four floods", func(n int) [][2]string {
		if n > 2 {
			return nil
		}
		flood := [2]string{"run_shell_command", `{"command":"cat big.log","description":"flood"}`}
		return [][2]string{flood, flood, flood, flood}
	}},
	{"sixty turns", func(n int) [][2]string {
		if n > 60 {
			return nil
		}
		return [][2]string{{"read_file", fmt.Sprintf(`{"file_path":"pages/%d.txt"}`, n)}}
	}},
	{"long log", func(n int) [][2]string {
		switch n {
		case 1:
			return [][2]string{{"run_shell_command", `{"command":"cat big.log; exit 3"}`}}
		case 2:
			return [][2]string{{"run_shell_command", `{"command":"grep -n ERROR big.log"}`}}
		}
		return nil
	}},
}

// windowed is a job, and the model and the server that it meets.
type windowed struct {
	t      *testing.T
	window int
	wire   string
	text   bool // calls are text
	job    windowJob

	turn, requests, summaries, largest int
	input, summaryInput                int // tokens of all requests, and of those for summaries
	codec                              *codec.Codec
	counts                             map[uint64]int
	seed                               maphash.Seed
}

// windowSnapshot is a summary as models write it.
const windowSnapshot = "<state_snapshot>\n<overall_goal>Settle the accounts of TASK-heron, and name the fact that is found first.</overall_goal>\n" +
	"<active_constraints>none</active_constraints>\n<key_knowledge>%s</key_knowledge>\n<artifact_trail>none</artifact_trail>\n" +
	"<file_system_state>READ: pages/1.txt and those after it, each of which holds entries of no worth.</file_system_state>\n" +
	"<recent_actions>Pages were read one by one, without an error.</recent_actions>\n<task_state>[IN PROGRESS] Read the pages. Next: the page after the last.</task_state>\n</state_snapshot>"

const windowFact = "FACT-4711-heron"

func (w *windowed) run() string {
	t := w.t
	w.codec, w.counts, w.seed = codec.NewO200kBase(), map[uint64]int{}, maphash.MakeSeed()
	server := conduct(t, w.wire, w.answer)
	p := newPerson(t)
	p.environ = append(p.environ, pointing(w.wire, server.URL)...)
	profile := fmt.Sprintf(`{"imitated": false, "models": [{"match": "*", "window": %d}]}`, w.window)
	if w.wire == "responses" {
		profile = `{"protocol": "responses", ` + profile[1:]
	}
	calling := "auto"
	if w.text {
		calling = "text"
	}
	p.settings(fmt.Sprintf(`{"pollux": {"toolCalling": %q}, "modelProviders": {"gemini": %[2]s, "openai": %[2]s, "anthropic": %[2]s, "ollama": %[2]s}}`, calling, profile))
	var log strings.Builder
	for i := range 30_000 {
		level := "INFO"
		if i%1500 == 1499 {
			level = "ERROR"
		}
		fmt.Fprintf(&log, "2026-11-20T10:%02d:%02d %s worker-%d request %d took %d ms\n", i/60%60, i%60, level, i%7, i, i%997)
	}
	p.write("big.log", log.String())
	for i := range 60 {
		p.write(fmt.Sprintf("pages/%d.txt", i+1), strings.Repeat(fmt.Sprintf("page %d of the accounts has an entry of no worth\n", i+1), 60))
	}
	for i := range 40 {
		p.write(fmt.Sprintf("hay/%d.txt", i), strings.Repeat(strings.Repeat("straw and hay, ", 60)+"a needle and more of it\n", 5))
	}
	began := time.Now()
	cmd := p.command("pollux", "--yolo", "-p", "Settle the accounts of TASK-heron, and name the fact that you find first.")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "All is settled: "+windowFact) {
		t.Errorf("%v after %d requests\n%s\n%s", err, w.requests, tail(out.String()), tail(errs.String()))
	}
	mode := "native"
	if w.text || w.wire == "text" {
		mode = "text"
	}
	return fmt.Sprintf("| %7d | %s | %s | %s | %d | %d | %d%% | %d | %d |", w.window, w.wire, mode, w.job.name, w.requests, w.summaries, 100*w.summaryInput/max(1, w.input), w.largest, time.Since(began).Milliseconds())
}

// answer is the model, and its vendor's check of the size.
func (w *windowed) answer(path string, body []byte) []scriptmodel.Step {
	if strings.Contains(path, "count") || strings.HasSuffix(path, "/api/show") || strings.HasSuffix(path, "/models") {
		return says("")
	}
	var request any
	if err := json.Unmarshal(body, &request); err != nil {
		w.t.Error(err)
	}
	if fields, _ := request.(map[string]any); w.wire == "text" && fields["tools"] != nil {
		return says("") // refused by the server, which takes no tools
	}
	size := w.count(request) + 10
	w.requests++
	w.largest = max(w.largest, size)
	w.input += size
	if size > w.window {
		w.t.Errorf("request %d, after %d turns and %d summaries, has %d tokens, the window is %d: %s", w.requests, w.turn, w.summaries, size, w.window, w.outline(request))
		return []scriptmodel.Step{scriptmodel.Fail{Status: 400, Code: "context_length_exceeded", Message: fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", w.window, size)}}
	}
	usage := scriptmodel.Usage{Prompt: size, Candidates: 20}
	text := string(body)
	known := "nothing"
	if strings.Contains(text, windowFact) {
		known = windowFact
	}
	if strings.Contains(text, "You write the memory of a coding agent.") {
		w.summaries++
		w.summaryInput += size
		return append(says(fmt.Sprintf(windowSnapshot, known)), usage)
	}
	w.turn++
	calls := w.job.turns(w.turn)
	switch {
	case calls == nil:
		if !strings.Contains(text, "TASK-heron") {
			w.t.Error("the task is not known at the end")
		}
		return append(says("All is settled: "+known), usage)
	case w.turn == 1:
		known = "The fact is " + windowFact + "."
	default:
		known = ""
	}
	var steps []scriptmodel.Step
	if known != "" {
		steps = says(known)
	}
	for i, c := range calls {
		if w.text {
			steps = append(steps, scriptmodel.Text{Text: fmt.Sprintf("\n```json\n{\"tool_call\":{\"name\":%q,\"arguments\":%s}}\n```\n", c[0], c[1])})
			continue
		}
		steps = append(steps, scriptmodel.Call{ID: fmt.Sprintf("%s_%d_%d", c[0], w.turn, i), Name: c[0], Args: c[1]})
	}
	return append(steps, usage)
}

// count returns the tokens of all strings in a JSON value.
func (w *windowed) count(value any) int {
	switch v := value.(type) {
	case string:
		hash := maphash.String(w.seed, v)
		n, known := w.counts[hash]
		if !known {
			n, _ = w.codec.Count(v) // counting never fails
			w.counts[hash] = n
		}
		return n + 1
	case []any:
		n := 0
		for _, item := range v {
			n += w.count(item)
		}
		return n
	case map[string]any:
		n := 0
		for key, item := range v {
			n += w.count(item) + len(key)/6
		}
		return n
	}
	return 1
}

// outline lists the sizes of the larger strings in a request.
func (w *windowed) outline(value any) string {
	switch v := value.(type) {
	case string:
		if n := w.count(v); n > 50 {
			return fmt.Sprintf(" %d:%.30q", n, v)
		}
	case []any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(w.outline(item))
		}
		return b.String()
	case map[string]any:
		var b strings.Builder
		for _, item := range v {
			b.WriteString(w.outline(item))
		}
		return b.String()
	}
	return ""
}
