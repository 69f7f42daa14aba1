// Package scene is a model on loopback that plays scenes for measurements: "Play 20 turns." in a prompt makes it ask for
// 20 pages, one after the other.
package scene

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Model answers a prompt such as "Play 20 turns.", the first match of a scene, in the protocol of the request. Each
// answer is one write, so that the number of reads does not depend on the machine. Its scenes are turns, calls (all in
// one answer), commands, refusals (of commands), sleeps, megabytes (of output of a command), and chunks (of text).
type Model struct {
	*httptest.Server

	// Settle is the time before the last answer.
	Settle time.Duration

	mu       sync.Mutex
	requests []Request
}

// Request is a request for content.
type Request struct {
	Body              []byte
	Arrived, Answered time.Time // the headers were read, and the answer is written
}

// Start serves a model until Close.
func Start(settle time.Duration) *Model {
	m := &Model{Settle: settle}
	m.Server = httptest.NewServer(m)
	return m
}

// TakeRequests returns the requests since the last call.
func (m *Model) TakeRequests() []Request {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.requests
	m.requests = nil
	return all
}

// ServeHTTP implements [http.Handler].
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := Request{Arrived: time.Now()}
	var err error
	if q.Body, err = io.ReadAll(r.Body); err != nil {
		return // the client has closed the connection
	}
	text := `{"candidates":[{"content":{"role":"model","parts":[{"text":"{\"unproductive_state_analysis\":\"It goes on.\",\"unproductive_state_confidence\":0.1}"}]},"finishReason":"STOP"}]}`
	kind := "application/json"
	if !q.IsQuestion() {
		wire, isLast := &Gemini, false
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			wire = &OpenAI
		}
		if text, isLast = wire.answer(q.Body); isLast {
			time.Sleep(m.Settle)
		}
		kind = "text/event-stream"
	}
	w.Header().Set("Content-Type", kind)
	q.Answered = time.Now()
	m.mu.Lock()
	m.requests = append(m.requests, q)
	m.mu.Unlock()
	_, _ = io.WriteString(w, text)
}

// IsQuestion reports whether the request asks if the work makes progress. It is not part of the conversation.
func (q *Request) IsQuestion() bool {
	return bytes.Contains(q.Body, []byte("unproductive_state_confidence"))
}

// Wire encodes answers of a protocol.
type Wire struct {
	environ    []string // with http://URL for the model
	text, call string   // formats of frames: text; number, tool, arguments
	end        string
	Messages   string // the field of a request with the conversation
	result     string // is in each tool result of a request
}

// Variables returns the variables that make the program use the model at an address.
func (w *Wire) Variables(url string) (vars []string) {
	for _, v := range w.environ {
		vars = append(vars, strings.Replace(v, "http://URL", url, 1))
	}
	return vars
}

// The protocols that the model speaks.
var (
	Gemini = Wire{
		environ:  []string{"GOOGLE_GEMINI_BASE_URL=http://URL", "GEMINI_API_KEY=key", "GEMINI_MODEL=gemini-2.5-flash"},
		Messages: "contents",
		text:     "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":%q}]}}]}\r\n\r\n",
		call:     "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"id\":\"c%d\",\"name\":%q,\"args\":%s}}]}}]}\r\n\r\n",
		end:      "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n",
		result:   `"functionResponse"`,
	}
	OpenAI = Wire{
		environ:  []string{"OPENAI_BASE_URL=http://URL/v1", "OPENAI_API_KEY=key", "OPENAI_MODEL=gpt-4.1"},
		Messages: "messages",
		text:     "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n",
		call:     "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":%[1]d,\"id\":\"c%[1]d\",\"type\":\"function\",\"function\":{\"name\":%[2]q,\"arguments\":%[3]q}}]}}]}\n\n",
		end:      "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
		result:   `"role":"tool"`,
	}
)

// commands counts the commands of all models: none is like an earlier one.
var commands atomic.Int64

// answer returns the answer to a request, and whether it ends the run.
func (w *Wire) answer(body []byte) (text string, isLast bool) {
	var n int
	var scene string
	at := max(0, bytes.Index(body, []byte("Play ")))
	_, _ = fmt.Sscanf(string(body[at:min(len(body), at+40)]), "Play %d %s", &n, &scene) // without a match there is no scene
	done := bytes.Count(body, []byte(w.result))
	before := done
	var b strings.Builder
	call := func(tool, args string) { fmt.Fprintf(&b, w.call, done, tool, args); done++ }
	switch {
	case strings.HasPrefix(scene, "turns") && done < n:
		call("read_file", fmt.Sprintf(`{"file_path":"page%d"}`, done))
	case strings.HasPrefix(scene, "calls") && done == 0:
		for done < n {
			call("read_file", fmt.Sprintf(`{"file_path":"page%d"}`, done))
		}
	case strings.HasPrefix(scene, "commands") && done == 0:
		for done < n {
			call("run_shell_command", fmt.Sprintf(`{"command":"true %d"}`, commands.Add(1)))
		}
	case strings.HasPrefix(scene, "refusals") && done == 0: // by the sandbox
		for done < n {
			call("run_shell_command", fmt.Sprintf(`{"command":"touch ~/.bashrc %d"}`, commands.Add(1)))
		}
	case strings.HasPrefix(scene, "sleeps") && done == 0:
		for done < n {
			call("run_shell_command", `{"command":"sleep 0.2"}`)
		}
	case strings.HasPrefix(scene, "megabytes") && done == 0:
		call("run_shell_command", fmt.Sprintf(`{"command":"yes 'a line of output' | head -c %d000000"}`, n))
	case strings.HasPrefix(scene, "chunks"):
		for i := range n {
			fmt.Fprintf(&b, w.text, fmt.Sprintf("Sentence %d says %x. ", i, i*i*7919))
		}
	default:
		fmt.Fprintf(&b, w.text, "Done.")
	}
	return b.String() + w.end, done == before
}
