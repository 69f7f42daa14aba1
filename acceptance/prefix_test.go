package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestPrefix checks, on all protocols, that each request of a session starts with the request
// before it: the tools, the system instruction and the messages. Vendors cache requests and
// charge less for a prefix in which no byte has changed.
func TestPrefix(t *testing.T) {
	t.Parallel()
	rounds := 15
	if processtest.IsLong() {
		rounds = 50
	}
	for _, wire := range protocols {
		t.Run(wire, func(t *testing.T) {
			t.Parallel()
			bodies := converse(t, wire, longScript(rounds))
			if len(bodies) != rounds+1 {
				t.Fatalf("%d requests were answered, not %d", len(bodies), rounds+1)
			}
			if wire == "text" { // the first request has the full form: Pollux learns from it that the model takes no tools
				bodies = bodies[1:]
			}
			last := reading(t, wire, bodies[0])
			for i, body := range bodies[1:] {
				next := reading(t, wire, body)
				if !bytes.Equal(next.fixed, last.fixed) {
					t.Fatalf("request %d: system instruction or tools are not as before:\n%s", i+2, cmp.Diff(string(last.fixed), string(next.fixed)))
				}
				if !bytes.HasPrefix(next.messages, last.messages) {
					t.Fatalf("request %d does not begin with request %d, but from here on differs:\n%s", i+2, i+1, apart(last.messages, next.messages))
				}
				if len(next.messages) == len(last.messages) {
					t.Fatalf("request %d has nothing new", i+2)
				}
				if wire == "anthropic" {
					found(t, i+2, last, next)
				}
				last = next
			}
		})
	}
}

// longScript returns a session with this many rounds of tool calls: one or several at a time,
// with and without thoughts, successful and failing.
func longScript(rounds int) string {
	var b strings.Builder
	for i := range rounds {
		b.WriteString("turn\n")
		if i%3 == 0 {
			fmt.Fprintf(&b, "  think **Step %d** is next.\n", i)
		}
		if i%4 != 1 {
			fmt.Fprintf(&b, "  text \"Step %d: \\\"é\\\" <&> 漢字 \\u2028 and\\n\\ttabs.\"\n", i)
		}
		switch i % 5 {
		case 0:
			fmt.Fprintf(&b, "  call read_file {\"file_path\": \"note.txt\", \"start_line\": %d}\n", i+1)
		case 1:
			fmt.Fprintf(&b, "  call run_shell_command {\"command\": \"seq %d; echo '<&>' \\\"é\\\"; exit %d\"}\n", i, i%2)
		case 2:
			fmt.Fprintf(&b, "  call grep_search {\"pattern\": \"line %d\"}\n  call read_file {\"file_path\": \"missing %d\"}\n", i, i)
		case 3: // more blocks than Anthropic searches for a cached prefix
			for k := range 12 {
				fmt.Fprintf(&b, "  call read_file {\"start_line\": %d, \"file_path\": \"note.txt\", \"end_line\": %d}\n", i+k+1, i+k+3)
			}
		case 4:
			fmt.Fprintf(&b, "  call write_file {\"file_path\": \"out%d\", \"content\": \"%d <&> é\"}\n", i, i)
		}
	}
	b.WriteString("turn\n  text done\n")
	return b.String()
}

const cached = `"price": {"input": 1, "output": 4, "cacheRead": 0.1}`

// converse runs the program with a scripted model on a protocol, and returns the bodies of the
// answered requests. It adds variables to the environment.
func converse(t *testing.T, wire, text string, variables ...string) [][]byte {
	t.Helper()
	server := scripttest.Serve(t, text, scriptmodel.Options{Wires: everyWire(), Wire: strings.Replace(wire, "vertex", "gemini", 1)})
	p := newPerson(t)
	p.environ = append(append(p.environ, pointing(wire, server.URL())...), variables...)
	settings := `"model": {"disableLoopDetection": true, "compressionThreshold": 1}` // their requests are not part of the session
	if wire == "responses" {
		settings += `, "modelProviders": {"openai": {"protocol": "responses"}}`
	}
	switch wire { // unknown models need a setting for their cache
	case "ollama":
		settings += `, "modelProviders": {"ollama": {"models": [{"match": "*", "window": 200000, ` + cached + `}]}}`
	case "text":
		settings += `, "modelProviders": {"openai": {"imitated": false, "models": [{"match": "*", ` + cached + `}]}}`
	}
	p.settings("{" + settings + "}")
	var lines strings.Builder
	for i := range 100 {
		fmt.Fprintf(&lines, "line %d of the note\n", i)
	}
	p.write("note.txt", lines.String())
	if out, err := p.command("pollux", "--yolo", "-p", "work").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%v", err, out, server.Check())
	}
	if err := server.Check(); err != nil {
		t.Fatal(err)
	}
	var bodies [][]byte
	for _, r := range server.Requests() {
		if r.Turn > 0 {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// person is a user with a home directory and a working directory.
type person struct {
	t          *testing.T
	home, work string
	environ    []string
}

func newPerson(t *testing.T) *person {
	t.Helper()
	p := &person{t: t, home: t.TempDir(), work: t.TempDir()}
	p.environ = processtest.Environ(
		"HOME="+p.home, "TMPDIR="+t.TempDir(), "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_FORCE_FILE_STORAGE=true",
	)
	return p
}

// pointing returns the variables that make the program use a server.
func pointing(wire, url string) []string {
	var vars []string
	for name, value := range wires[wire] {
		vars = append(vars, name+"="+strings.ReplaceAll(value, "URL", url))
	}
	if wire == "gemini" || wire == "vertex" {
		vars = append(vars, "GEMINI_MODEL=gemini-2.5-flash")
	}
	return vars
}

func (p *person) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) settings(text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Join(p.home, ".gemini"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.home, ".gemini", "settings.json"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), name, args...)
	cmd.Dir, cmd.Env = p.work, p.environ
	return cmd
}

// read is a request as a prompt cache sees it.
type read struct {
	fixed    []byte // the fields before the messages
	messages []byte // without the closing bracket
	blocks   int    // Anthropic: number of blocks, and the indexes of those with a mark
	marks    []int
}

func reading(t *testing.T, wire string, body []byte) read {
	t.Helper()
	if wire == "anthropic" {
		return readBlocks(t, body)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	name := map[string]string{"gemini": "contents", "vertex": "contents", "responses": "input"}[wire]
	if name == "" {
		name = "messages"
	}
	messages := bytes.TrimSuffix(fields[name], []byte("]"))
	delete(fields, name)
	fixed, err := json.Marshal(fields) // parameters are not part of the prompt, but must not change either
	if err != nil || len(messages) == 0 {
		t.Fatal("no messages", err)
	}
	return read{fixed: fixed, messages: messages}
}

// readBlocks reads a request to Anthropic, where marks select the prefix to cache. The marks are not
// part of the cached prefix.
func readBlocks(t *testing.T, body []byte) read {
	t.Helper()
	var asked struct {
		Tools    []map[string]json.RawMessage
		System   []map[string]json.RawMessage
		Messages []struct {
			Role    string
			Content []map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		t.Fatal(err)
	}
	var r read
	add := func(to *[]byte, kind string, blocks []map[string]json.RawMessage) {
		for _, block := range blocks {
			if block["cache_control"] != nil {
				r.marks = append(r.marks, r.blocks)
				delete(block, "cache_control")
			}
			r.blocks++
			text, err := json.Marshal(block)
			if err != nil {
				t.Fatal(err)
			}
			*to = append(append(append(*to, kind...), text...), '\n')
		}
	}
	add(&r.fixed, "tool ", asked.Tools)
	add(&r.fixed, "system ", asked.System)
	for _, m := range asked.Messages {
		add(&r.messages, m.Role+" ", m.Content)
	}
	return r
}

// found fails the test if Anthropic would not find the cached prefix of the previous request. It
// searches the block of each mark and the 20 blocks before it for the end of a cached prefix,
// which is a block that had a mark. There are at most 4 marks.
func found(t *testing.T, number int, last, next read) {
	t.Helper()
	if len(next.marks) == 0 || len(next.marks) > 4 {
		t.Fatalf("request %d has %d marks", number, len(next.marks))
	}
	best := -1 // the longest prefix found
	for _, kept := range last.marks {
		for _, mark := range next.marks {
			if kept <= mark && mark-kept <= 20 {
				best = max(best, kept)
			}
		}
	}
	if want := last.marks[len(last.marks)-1]; best < want {
		t.Errorf("request %d: of %d blocks that were kept, %d are found (marks %v, before %v)", number, want+1, best+1, next.marks, last.marks)
	}
}

// apart describes the first difference between two texts.
func apart(a, b []byte) string {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	from := max(0, n-200)
	return fmt.Sprintf("%s\n---\n%s", a[from:min(len(a), n+300)], b[from:min(len(b), n+300)])
}
