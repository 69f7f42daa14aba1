package a2a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pollux/internal/a2a/a2atest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wires are the forms of the protocol.
var wires = map[string]a2atest.Options{
	"JSON-RPC 0.3": {}, "REST 0.3": {REST: true}, "JSON-RPC 1.0": {New: true}, "REST 1.0": {REST: true, New: true},
	"JSON-RPC 0.3 without streams": {NoStreams: true}, "REST 0.3 without streams": {REST: true, NoStreams: true},
	"JSON-RPC 1.0 without streams": {New: true, NoStreams: true}, "REST 1.0 without streams": {REST: true, New: true, NoStreams: true},
}

func serve(t *testing.T, o a2atest.Options) *a2atest.Agent {
	t.Helper()
	if o.Events == nil {
		o.Events = says("hello")
	}
	s := a2atest.New(o)
	t.Cleanup(s.Close)
	return s
}

// says returns an agent that answers with a message and finishes its task.
func says(text string) func(string) []string {
	return func(string) []string { return []string{status("completed", text)} }
}

// status is a change of the state of a task, with a message.
func status(state, text string) string {
	return fmt.Sprintf(`{"kind":"status-update","taskId":"TASK","contextId":"CONTEXT","final":%v,"status":{"state":%q,"message":%s}}`,
		state == "completed" || state == "input-required", state, said(text))
}

func said(text string) string {
	return fmt.Sprintf(`{"kind":"message","messageId":"m","role":"agent","contextId":"CONTEXT","taskId":"TASK","parts":[{"kind":"text","text":%q}]}`, text)
}

// agentOf returns the agent whose card is at a URL.
func agentOf(url string) *Agent { return New(Options{Name: "tester", CardURL: url}) }

func TestSend(t *testing.T) {
	t.Parallel()
	task := func(text string) []string {
		return []string{
			`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"submitted"},"history":[{"kind":"message","messageId":"u","role":"user","parts":[{"kind":"text","text":"mine"}]}]}`,
			status("working", "Thinking about "+text+". "), status("working", "Thinking about "+text+". "), said("Done. "),
			`{"kind":"artifact-update","taskId":"TASK","contextId":"CONTEXT","artifact":{"artifactId":"a","name":"report","parts":[{"kind":"text","text":"one "}]}}`,
			`{"kind":"artifact-update","taskId":"TASK","contextId":"CONTEXT","append":true,"artifact":{"artifactId":"a","parts":[{"kind":"text","text":"two "},{"kind":"data","data":{"n":[1, 2]}}]}}`,
			`{"kind":"artifact-update","taskId":"TASK","contextId":"CONTEXT","artifact":{"artifactId":"b","parts":[{"kind":"file","file":{"name":"x.pdf","bytes":"AA=="}},{"kind":"file","file":{"uri":"https://f.example/y"}}]}}`,
			status("completed", "Bye."),
		}
	}
	const want = "Thinking about mice. Done. Bye.\n\nArtifact (report):\none two Data: {\"n\":[1,2]}\n\nArtifact:\nFile: x.pdfFile: https://f.example/y"
	for name, o := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Events, o.Allow = task, nil
			wantText := want
			if o.NoStreams {
				wantText = "Bye."
			}
			s := serve(t, o)
			var updates []string
			got, err := agentOf(s.CardURL).Send(t.Context(), "mice", func(text string) { updates = append(updates, text) })
			if err != nil || got != wantText {
				t.Fatalf("got %q, %v\nwant %q\nlog %q", got, err, wantText, s.Log())
			}
			if len(updates) == 0 || !strings.HasPrefix(wantText, updates[0]) {
				t.Errorf("updates %q", updates)
			}
		})
	}
}

// The second prompt continues the conversation, but not a finished task.
func TestConversation(t *testing.T) {
	t.Parallel()
	for name, o := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Events = func(text string) []string {
				if text == "finish" {
					return []string{status("completed", "finished")}
				}
				return []string{status("input-required", text+"?")}
			}
			s := serve(t, o)
			a := agentOf(s.CardURL)
			for _, text := range []string{"a", "b", "finish", "c"} {
				if _, err := a.Send(t.Context(), text, nil); err != nil {
					t.Fatal(text, err, s.Log())
				}
			}
			s.Forget()
			if got, err := a.Send(t.Context(), "d", nil); err != nil || got != "d?" {
				t.Errorf("after a new start: %q, %v", got, err)
			}
			m := "stream"
			if o.NoStreams {
				m = "send"
			}
			want := []string{"card", m + " ", m + " context-1 task-1", m + " context-1 task-1", m + " context-1", m + " context-1 task-4", m + " "}
			if got := s.Log(); !slices.Equal(got, want) {
				t.Errorf("log  %q\nwant %q", got, want)
			}
		})
	}
}

// Cancelling ends the agent's task and keeps its partial result.
func TestCancel(t *testing.T) {
	t.Parallel()
	for name, o := range wires {
		if o.NoStreams {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Events = func(string) []string { return []string{status("working", "half")} }
			o.Fault = "hang"
			s := serve(t, o)
			stopped := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(t.Context())
			a := agentOf(s.CardURL)
			got, err := a.Send(ctx, "x", func(string) { cancel(stopped) })
			if got != "half" || !errors.Is(err, stopped) {
				t.Errorf("got %q, %v", got, err)
			}
			if log := s.Log(); log[len(log)-1] != "cancel task-1" {
				t.Errorf("log %q", log)
			}
			s.Set(func(o *a2atest.Options) { o.Fault, o.Events = "", says("again") })
			if got, err := a.Send(t.Context(), "y", nil); got != "again" || err != nil {
				t.Errorf("next call: %q, %v", got, err)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	for name, o := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, o)
			const want = "User Description: mine\nAgent Description: An agent for tests.\nSkills:\nEcho: repeats"
			for _, options := range []Options{
				{Name: "x", Description: "mine", CardURL: s.CardURL}, {Name: "x", Description: "mine", CardJSON: s.CardJSON()},
			} {
				a := New(options)
				if got, err := a.Describe(t.Context()); got != want || err != nil {
					t.Errorf("got %q, %v", got, err)
				}
				if got, err := a.Send(t.Context(), "y", nil); got != "hello" || err != nil {
					t.Errorf("call: %q, %v", got, err)
				}
			}
			if got := strings.Count(strings.Join(s.Log(), " "), "card"); got != 1 {
				t.Errorf("the card was loaded %d times", got)
			}
		})
	}
}

// An agent that misbehaves causes an error and keeps its partial result.
func TestFaults(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"id":      "the agent sends the response to another request",
		"cut":     "half|the stream of the agent broke off: ",
		"error":   "half|the agent reports: it fails (code ",
		"html":    "the agent sends something that is not a valid response",
		"event":   "half|the agent sends too much: an event of more than 16 MiB",
		"endless": "half|the agent sends too much: more than 8 MiB",
	} {
		for name, o := range wires {
			if o.NoStreams || o.REST && fault == "id" || fault == "endless" && name != "REST 1.0" {
				continue
			}
			t.Run(fault+" "+name, func(t *testing.T) {
				t.Parallel()
				o.Fault = fault
				o.Events = func(string) []string {
					return []string{status("working", "half"), fmt.Sprintf(`{"kind":"artifact-update","taskId":"TASK","artifact":{"artifactId":"a","parts":[{"kind":"file","file":{"bytes":%q}}]}}`, strings.Repeat("A", 1<<20))}
				}
				s := serve(t, o)
				a := agentOf(s.CardURL)
				if fault == "endless" {
					a.maxStream = 8 << 20
				}
				text, err := a.Send(t.Context(), "x", nil)
				wantText, wantErr, isPartial := strings.Cut(want, "|")
				if !isPartial {
					wantText, wantErr = "", want
				}
				if err == nil || !strings.HasPrefix(err.Error(), wantErr) || !strings.HasPrefix(text, wantText) {
					t.Errorf("got %.100q, %v", text, err)
				}
			})
		}
	}
}

// The text of an agent that sends without end is limited.
func TestBoundedResult(t *testing.T) {
	t.Parallel()
	r, piece := newResult(), strings.Repeat("ä", 1<<18)
	for i := range 40 {
		e := &event{Kind: messageEvent, Parts: []part{{Kind: "text", Text: fmt.Sprint(i) + piece}}}
		if i%2 == 1 {
			e = &event{Kind: artifactEvent, Append: true, Artifact: &artifact{ID: fmt.Sprint("a", i%4), Name: "n", Parts: e.Parts}}
		}
		r.add(e)
	}
	text := r.String()
	if len(text) > maxResult+200 || len(text) < maxResult-1<<20 || !strings.HasSuffix(text, "(The agent has sent more than 8 MiB. The rest is left out.)") {
		t.Errorf("%d bytes", len(text))
	}
	// An artifact that is replaced does not count twice.
	r = newResult()
	for range 40 {
		r.add(&event{Kind: artifactEvent, Artifact: &artifact{ID: "a", Name: "n", Parts: []part{{Kind: "text", Text: piece}}}})
	}
	if text := r.String(); text != "Artifact (n):\n"+piece {
		t.Errorf("replaced: %d bytes", len(text))
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	body := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	code := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	card := func(members string) http.HandlerFunc { return body(`{"name":"x","capabilities":{},` + members + `}`) }
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		want   string
	}{
		"not found":    {code(404), `Agent card not found (404) at URL. Verify the agent_card_url in your agent definition.`},
		"unauthorized": {code(401), `Authentication failed (401 Unauthorized) at URL. Check the "auth" configuration in your agent definition.`},
		"forbidden":    {code(403), `Authentication failed (403 Forbidden) at URL. Check the "auth" configuration in your agent definition.`},
		"broken":       {code(500), `Connection failed for URL: URL answers with status 500 Internal Server Error`},
		"html":         {body("<html>"), `Failed to load remote agent: the agent card is not a JSON object`},
		"null":         {body("null"), `Failed to load remote agent: the agent card is not a JSON object`},
		"types":        {card(`"url":7`), `Failed to load remote agent: the agent card is not valid: url is a number`},
		"no address":   {card(`"description":"x"`), `Failed to load remote agent: the agent card names no address to call`},
		"gRPC":         {card(`"url":"https://x","preferredTransport":"GRPC"`), `Failed to load remote agent: the agent offers only gRPC, which Pollux does not speak. Ask its provider for JSON-RPC or HTTP+JSON`},
		"scheme":       {card(`"url":"file:///etc/passwd"`), `Failed to load remote agent: the agent card is not valid: its address begins with "file:", not with https`},
		"password":     {card(`"url":"https://u:p@x/"`), `Failed to load remote agent: the agent card is not valid: its address contains a password`},
		"metadata":     {card(`"url":"http://169.254.169.254/latest"`), `Failed to load remote agent: URL leads to http://169.254.169.254, another host without https`},
		"huge": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"description":"`)
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, `Connection failed for URL: the agent card has more than 1 MiB`},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		}, `Connection failed for URL: the redirect is not followed: URL leads to http://169.254.169.254, another host without https`},
		"loop": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/card", http.StatusFound) }, `Connection failed for URL: it redirects too often`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(c.handle)
			defer s.Close()
			defer s.CloseClientConnections()
			_, err := agentOf(s.URL + "/card?key=secret").Describe(t.Context())
			if want := "[tester] " + strings.ReplaceAll(c.want, "URL", s.URL+"/card"); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	if _, err := agentOf("http://127.0.0.1:1/card").Describe(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "[tester] Connection failed for http://127.0.0.1:1/card: cannot reach 127.0.0.1:1: ") {
		t.Errorf("no server: %v", err)
	}
	if _, err := agentOf("ftp://x").Describe(t.Context()); err == nil || err.Error() != `[tester] Failed to load remote agent: agent_card_url: its address begins with "ftp:", not with https` {
		t.Errorf("scheme: %v", err)
	}
}

// Of several ways to call an agent, the preferred one that Pollux speaks is used.
func TestChoose(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"url":"u"}`: "JSONRPC u",
		`{"url":"u","preferredTransport":"http+json"}`: "HTTP+JSON u",
		`{"url":"u","preferredTransport":"GRPC","additionalInterfaces":[{"url":"v","transport":"GRPC"},{"url":"w","transport":"HTTP+JSON"}]}`: "HTTP+JSON w",
		`{"supportedInterfaces":[{"url":"v","protocolBinding":"GRPC"},{"url":"w","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`:      "JSONRPC w",
		`{"url":"u","preferredTransport":"GRPC","additionalInterfaces":[{"url":"v","transport":"WS\u001b"}]}`:                                 "the agent offers only GRPC, WS. Pollux speaks JSONRPC and HTTP+JSON",
	} {
		c, err := parseCard([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		way, err := c.choose()
		got := fmt.Sprint(err)
		if err == nil {
			got = way.Transport + " " + way.URL
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The description from a card is short and clean.
func TestHostileDescription(t *testing.T) {
	t.Parallel()
	skill := `{"name":"a\u001b[31m\n## b","description":"` + strings.Repeat("x", 5000) + `"},`
	c, err := parseCard([]byte(`{"description":"` + strings.Repeat("d", 100_000) + `","skills":[` + strings.Repeat(skill, 1000) + `{}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := c.describe("mine")
	if len(got) > maxDescription+10 || strings.Contains(got, "\x1b") || strings.Contains(got, "\n##") {
		t.Errorf("%d bytes: %.300q", len(got), got)
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"history": {
			[]string{`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"completed"},"history":[` +
				`{"kind":"message","messageId":"1","role":"agent","parts":[{"kind":"text","text":"first"}]},` +
				`{"kind":"message","messageId":"2","role":"agent","parts":[{"kind":"text","text":"last"}]},` +
				`{"kind":"message","messageId":"3","role":"user","parts":[{"kind":"text","text":"mine"}]}]}`}, "last",
		},
		"history of a task that is not over": {
			[]string{`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"input-required"},"history":[{"kind":"message","messageId":"1","role":"agent","parts":[{"kind":"text","text":"first"}]}]}`}, "",
		},
		"own message": {
			[]string{`{"kind":"message","messageId":"1","role":"user","parts":[{"kind":"text","text":"mine"}]}`, said("theirs")}, "theirs",
		},
		"authorization": {
			[]string{status("auth-required", "Go there."), status("auth-required", "Go there.")}, authRequired + "Go there.",
		},
		"task with artifacts": {
			[]string{`{"kind":"task","id":"TASK","contextId":"CONTEXT","status":{"state":"completed"},"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"x"}]}]}`}, "Artifact:\nx",
		},
		"unknown kind": {[]string{`{"kind":"weather","parts":[{"kind":"text","text":"rain"}]}`, said("a")}, "a"},
		"unknown part": {[]string{`{"kind":"message","messageId":"1","role":"agent","parts":[{"kind":"video"},{"kind":"text","text":"\u001b[31mred"}]}`}, "red"},
	} {
		for wire, o := range wires {
			if o.NoStreams && len(c.events) > 1 {
				continue
			}
			t.Run(name+" "+wire, func(t *testing.T) {
				t.Parallel()
				o.Events = func(string) []string { return slices.Clone(c.events) }
				s := serve(t, o)
				if got, err := agentOf(s.CardURL).Send(t.Context(), "x", nil); got != c.want || err != nil {
					t.Errorf("got %q, %v, want %q", got, err, c.want)
				}
			})
		}
	}
}

// An agent that keeps the stream open after its last event does not keep the call.
func TestOpenStream(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]a2atest.Options{"final": {}, "terminal": {New: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Fault = "hang"
			s := serve(t, o)
			if got, err := agentOf(s.CardURL).Send(t.Context(), "x", nil); got != "hello" || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// The path of an interface and a task cannot leave each other, and a tenant is part of both protocols.
func TestRequests(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]endpoint{
		"/base/v1/tasks/a%2Fb:cancel?q=1":   {isREST: true},
		"/base/T%2F/tasks/a%2Fb:cancel?q=1": {isREST: true, isNew: true, tenant: "T/"},
		"/base?q=1":                         {},
	} {
		u, err := parseAddress("https://x.example/base?q=1")
		if err != nil {
			t.Fatal(err)
		}
		e.url = u
		req, err := e.cancel(t.Context(), "a/b")
		if err != nil || req.URL.RequestURI() != want {
			t.Errorf("got %s, %v, want %s", req.URL.RequestURI(), err, want)
		}
	}
}
