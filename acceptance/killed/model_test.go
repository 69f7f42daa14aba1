//go:build linux

package killed

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/scripttest"
)

// model is a model that is as strict as the vendor's. It remembers what it received and sent.
type model struct {
	*httptest.Server
	strict *scriptmodel.Server
	turn   *scriptmodel.Turn

	mu     sync.Mutex
	isLast bool // it answers with text only
	count  int  // requests of the conversation
	sent   int  // bytes in the last run
	tell   func(bytes int)
	run    string // begins the paths of the requests of this run
	known
	// The person has cancelled the last request, or cleared the conversation since then.
	isCancelled, isCleared atomic.Bool
}

// known is a model's knowledge of a session.
type known struct {
	first      []piece // the first request of the last run; nil for none
	last       []piece // the last request
	answer     []scriptmodel.Step
	isWhole    bool // the answer to the last request was sent
	summarised bool // a summary was sent after the last request
	wasShort   bool // a summary was sent before the first request of the last run
}

// piece is a part of a request, and its author.
type piece struct {
	Role, Part string
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{tell: func(int) {}}
	m.strict, m.turn = scripttest.Conduct(t, scriptmodel.Options{Wires: []scriptmodel.Wire{gemini.Wire{}}})
	m.Server = httptest.NewServer(m)
	t.Cleanup(func() {
		m.CloseClientConnections()
		m.Close()
	})
	return m
}

// ServeHTTP implements [http.Handler].
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	m.mu.Lock()
	defer m.mu.Unlock()
	var isOfRun bool
	if r.URL.Path, isOfRun = strings.CutPrefix(r.URL.Path, m.run); !isOfRun {
		return // the program that sent it has ended since then
	}
	isSummary := strings.HasSuffix(r.URL.Path, ":generateContent")
	m.turn.Transport = scriptmodel.Transport{}
	if isSummary {
		m.turn.Steps = []scriptmodel.Step{scriptmodel.Delay{For: 30 * time.Millisecond}, scriptmodel.Text{Text: snapshot}}
	} else {
		m.count++
		m.isCancelled.Store(false)
		m.isCleared.Store(false)
		m.last = pieces(body)
		if m.first == nil {
			m.first, m.wasShort = m.last, m.summarised
		}
		m.answer, m.isWhole, m.summarised = m.next(), false, false
		m.turn.Steps = m.answer
		m.turn.Pace = 3 * time.Millisecond
	}
	m.strict.ServeHTTP(&counted{w, m}, r)
	if r.Context().Err() == nil {
		m.isWhole = m.isWhole || !isSummary
		m.summarised = m.summarised || isSummary
	}
}

// counted counts the bytes sent.
type counted struct {
	http.ResponseWriter
	m *model
}

func (c *counted) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	c.m.sent += n
	c.m.tell(c.m.sent)
	return n, err
}

const snapshot = "<state_snapshot>\n<overall_goal>Work through all steps.</overall_goal>\n<key_knowledge>All is well.</key_knowledge>\n</state_snapshot>"

// turns is the number of requests of a job without interruptions.
const turns = 10

// next returns the answer to a request: text in many pieces, and the calls of a step. Each command
// writes its own line into the file log, and prints a text that is not in its arguments.
func (m *model) next() []scriptmodel.Step {
	var all []scriptmodel.Step
	say := func(text string) {
		for piece := range strings.SplitAfterSeq(text, " ") {
			all = append(all, scriptmodel.Text{Text: piece})
		}
	}
	calls := 0
	call := func(name string, args map[string]string) {
		data, _ := json.Marshal(args) // strings
		calls++
		all = append(all, scriptmodel.Call{ID: fmt.Sprintf("%s_%d_%d", name, m.count, calls), Name: name, Args: string(data), Signature: signature(calls)})
	}
	run := func(format string) {
		line := fmt.Sprintf("%d.%d", m.count, calls+1)
		call("run_shell_command", map[string]string{"command": strings.ReplaceAll(format, "LOG", "echo "+line+" >>log; printf '%s-%s\\n' ran "+line)})
	}
	write := func() { call("write_file", map[string]string{"file_path": "doc", "content": version(m.count)}) }
	if m.isLast {
		return []scriptmodel.Step{scriptmodel.Text{Text: theEnd}}
	}
	all = append(all, scriptmodel.Think{Text: "**Step** I think of it."})
	say(fmt.Sprintf("Answer %d is said in several pieces, ", m.count))
	switch m.count % turns {
	case 1:
		call("read_file", map[string]string{"file_path": "read.txt"})
	case 2:
		run("LOG")
	case 3:
		write()
		run("LOG")
		call("read_file", map[string]string{"file_path": "read.txt"})
	case 4:
		run("sleep 0.1; LOG; sleep 0.1")
	case 5:
		write()
	case 6:
		run("LOG")
		all = append(all, scriptmodel.Usage{Prompt: 90_000, Candidates: 10}) // the history is compressed next
	case 7:
		run("LOG")
		run("sleep 0.05; LOG")
	case 8:
		call("list_directory", map[string]string{"dir_path": "."})
		write()
	case 9:
		call("replace", map[string]string{"file_path": "counter", "old_string": "0", "new_string": "0" + fmt.Sprint(m.count)})
	default:
		say("which was the last of this job.")
	}
	return all
}

const theEnd = "The work is done."

// signature returns a thought signature for the first of the calls.
func signature(n int) string {
	if n > 1 {
		return ""
	}
	return "c2lnbmF0dXJl"
}

// version returns the content of the file doc that a step writes.
func version(step int) string { return strings.Repeat(fmt.Sprintf("version %d\n", step), 1000) }

// pieces returns the parts of a request without the message that opens a session.
func pieces(body []byte) []piece {
	var request struct {
		Contents []struct {
			Role  string
			Parts []json.RawMessage
		}
	}
	_ = json.Unmarshal(body, &request) // the server refuses invalid JSON
	var all []piece
	for _, c := range request.Contents {
		for _, p := range c.Parts {
			if !bytes.Contains(p, []byte("<session_context>")) && !bytes.Contains(p, []byte(`\u003csession_context\u003e`)) {
				all = append(all, piece{c.Role, string(p)})
			}
		}
	}
	return all
}
