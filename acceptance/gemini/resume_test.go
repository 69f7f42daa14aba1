//go:build unix

package gemini

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pollux/internal/scriptmodel"
)

// TestResume lets Gemini CLI make a session, and both programs resume copies of it. The model must get
// the same from both, except for the repairs.
func TestResume(t *testing.T) {
	t.Parallel()
	gemini := peer(t)
	names, err := filepath.Glob(filepath.Join("testdata", "sessions", "*.txtar"))
	if err != nil || len(names) < 30 {
		t.Fatal(len(names), err)
	}
	for _, name := range names {
		s, err := readScene(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.name == onlyOurs {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := makeSession(t, s, gemini)
			theirs, _ := r.resume(t, gemini) // a strict server refuses many
			r.restore(t)
			ours, o := r.resume(t, pollux)
			if o.exit != 0 {
				t.Errorf("pollux: %d: %s", o.exit, o.stderr)
			}
			want, got := theirs.repaired(repairs...), ours.repaired(forgetful)
			if !slices.Equal(want, got) {
				t.Errorf("gemini, repaired:\n%s\ngemini, as sent:\n%s\npollux:\n%s", want, theirs.repaired(), got)
			}
		})
	}
}

// TestResumeOurs lets Pollux make a session, and both programs resume copies of it. The model must get
// the same from both. Gemini CLI lists the session, and Pollux continues after Gemini CLI's messages.
// No start of Gemini CLI removes the session.
func TestResumeOurs(t *testing.T) {
	t.Parallel()
	gemini := peer(t)
	names, err := filepath.Glob(filepath.Join("testdata", "sessions", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		s, err := readScene(name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if changes[s.name] != nil || strings.Contains(s.model, "$PPID") {
			continue // it is about the files of Gemini CLI
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := makeSession(t, s, pollux)
			ours, _ := r.resume(t, pollux)
			r.restore(t)
			theirs, o := r.resume(t, gemini)
			if o.exit != 0 {
				t.Errorf("gemini: %d: %s", o.exit, o.stderr)
			}
			if want, got := ours.repaired(forgetful), theirs.repaired(repair{apply: signed}); !slices.Equal(want, got) {
				t.Errorf("pollux:\n%s\ngemini:\n%s", want, got)
			}
			if o := r.play(t, gemini, run{args: "--list-sessions"}); o.exit != 0 || !strings.Contains(o.out+o.stderr, "(1)") && !strings.Contains(o.out+o.stderr, "1.") {
				t.Errorf("--list-sessions: %d\n%s\n%s", o.exit, o.out, o.stderr)
			}
			r.age(t)
			again, _ := r.resume(t, pollux)
			want := append(ours.repaired(forgetful, silent), "model {\"text\":\"Resumed.\"}\n", "user {\"text\":\"go on\"}\n")
			if got := again.repaired(silent); !slices.Equal(want, got) {
				t.Errorf("after both:\nwant\n%s\ngot\n%s", want, got)
			}
			r.play(t, gemini, run{args: "-p 'something else'"})
			for name := range r.files {
				if _, err := os.Stat(filepath.Join(r.chats, name)); err != nil {
					t.Errorf("Gemini CLI has removed the session: %v", err)
				}
			}
		})
	}
}

// resumable is a stage with a session.
type resumable struct {
	*stage
	scene string
	chats string
	files map[string]string // the session files, by name
}

// makeSession lets a program play a scene whose runs make a session.
func makeSession(t *testing.T, s *scene, command []string) *resumable {
	t.Helper()
	s.model += "\nturn\n  times always\n  text Resumed.\n"
	r := &resumable{stage: set(t, s, "r"), scene: s.name}
	r.chats = filepath.Join(r.home, ".gemini", "tmp", "project", "chats")
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.work, "a.png"), dot, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, run := range s.runs {
		if o := r.play(t, command, run); o.exit != 0 && *show {
			t.Log(o)
		}
		r.age(t)
	}
	if change := changes[s.name]; change != nil {
		r.change(t, change)
	}
	r.files = tree(t, r.chats)
	if *show {
		t.Log(r.files)
	}
	return r
}

// age gives session files the name of an hour that is over, because Gemini CLI writes into a file of
// the same minute when it starts.
func (r *resumable) age(t *testing.T) {
	t.Helper()
	minute := regexp.MustCompile(`^session-20\d\d-\d\d-\d\dT\d\d-\d\d`)
	for name := range tree(t, r.chats) {
		aged := minute.ReplaceAllString(name, "session-2020-01-01T00-00")
		if aged == name {
			continue
		}
		if _, err := os.Stat(filepath.Join(r.chats, aged)); err == nil {
			if err := os.Remove(filepath.Join(r.chats, name)); err != nil { // a stray that Gemini CLI makes beside the session
				t.Fatal(err)
			}
			continue
		}
		if err := os.Rename(filepath.Join(r.chats, name), filepath.Join(r.chats, aged)); err != nil {
			t.Fatal(err)
		}
	}
}

// onlyOurs is a scene with a signature that Gemini CLI loses and the server asks for.
const onlyOurs = "signed_call"

// changes are functions that change the session file of a scene, by name.
var changes = map[string]func(name string, data []byte) (string, []byte){
	"torn_tail": func(name string, data []byte) (string, []byte) { return name, data[:len(data)-30] },
	"torn_middle": func(name string, data []byte) (string, []byte) {
		at := bytes.Index(data, []byte(`"functionResponse"`))
		data[bytes.LastIndexByte(data[:at], '\n')+1] = 'x'
		return name, data
	},
	"rewound": func(name string, data []byte) (string, []byte) {
		at := bytes.LastIndex(data, []byte(`","type":"user","content":[{"text":"two"}]`))
		id := regexp.MustCompile(`"id":"([^"]*)"`).FindSubmatch(data[bytes.LastIndex(data[:at], []byte(`{"id":`)):at])
		return name, fmt.Appendf(data, `{"$rewindTo":"%s"}`+"\n", id[1])
	},
	// Headless, Gemini CLI compresses only a history that almost fills the window.
	"compressed": func(name string, data []byte) (string, []byte) {
		return name, append(data, `{"$set":{"messages":[`+
			`{"id":"s1","timestamp":"2026-11-21T12:00:00.000Z","type":"user","content":[{"text":"<state_snapshot>Count.</state_snapshot>"}]},`+
			`{"id":"s2","timestamp":"2026-11-21T12:00:00.000Z","type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]}`+
			`],"lastUpdated":"2026-11-21T12:00:00.000Z"}}`+"\n"...)
	},
	"legacy": func(name string, data []byte) (string, []byte) {
		var all map[string]any
		messages := []any{}
		for line := range bytes.Lines(data) {
			var record map[string]any
			_ = json.Unmarshal(line, &record) // all lines are objects
			switch id := record["id"]; {
			case all == nil:
				all = record
			case id != nil:
				messages = slices.DeleteFunc(messages, func(m any) bool { return m.(map[string]any)["id"] == id })
				messages = append(messages, record)
			}
		}
		all["messages"] = messages
		text, _ := json.Marshal(all) // it was JSON
		return strings.TrimSuffix(name, "l"), text
	},
}

func (r *resumable) change(t *testing.T, change func(name string, data []byte) (string, []byte)) {
	t.Helper()
	for name, text := range tree(t, r.chats) {
		changed, data := change(name, []byte(text))
		if err := os.Remove(filepath.Join(r.chats, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(r.chats, changed), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// restore restores the original session files.
func (r *resumable) restore(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(r.chats); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(r.files)) {
		path := filepath.Join(r.chats, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(r.files[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// said is the contents of a request.
type said []saying

// saying is a part of a request.
type saying struct {
	role string
	part map[string]any
}

// resume continues the latest session, and returns the contents of the first request.
func (r *resumable) resume(t *testing.T, command []string) (said, outcome) {
	t.Helper()
	before := len(r.server.Requests())
	o := r.play(t, command, run{args: "--resume latest -p 'go on'"})
	for _, q := range r.server.Requests()[before:] {
		if strings.Contains(q.Path, ":streamGenerateContent") && bytes.Contains(q.Body, []byte(`"tools"`)) {
			return r.said(t, q), o
		}
	}
	t.Errorf("%s has sent nothing: %s", filepath.Base(command[0]), o.stderr)
	return nil, o
}

func (r *resumable) said(t *testing.T, q scriptmodel.Request) said {
	t.Helper()
	var body struct {
		Contents []struct {
			Role  string
			Parts []map[string]any
		}
	}
	if err := json.Unmarshal(q.Body, &body); err != nil {
		t.Fatal(err)
	}
	var all said
	for _, c := range body.Contents {
		for _, p := range c.Parts {
			if text, _ := p["text"].(string); !strings.HasPrefix(text, "<session_context>") {
				all = append(all, saying{c.Role, p})
			}
		}
	}
	return all
}

// repaired returns the parts as lines, after repairs.
func (s said) repaired(repairs ...repair) []string {
	for _, r := range repairs {
		if r.apply != nil {
			s = r.apply(s)
		}
	}
	var lines []string
	for _, p := range s {
		lines = append(lines, p.role+" "+string(encoded(p.part))+"\n")
	}
	return lines
}

func (p saying) get(kind, key string) string {
	v, _ := p.part[kind].(map[string]any)
	text, _ := v[key].(string)
	return text
}

// repair is a change that Pollux makes to a session of Gemini CLI.
type repair struct {
	what  string          // and why, as documentation
	apply func(said) said // nil if forgetful or silent undoes it
}

// repairs lists the changes to a session of Gemini CLI. docs/differences.md describes them.
var repairs = []repair{
	{"`--resume` sends each result of a tool once. Gemini CLI sends it once more with each resume, which the Gemini API refuses.", once},
	{"`--resume` leaves out results whose call stands in a damaged line of the session file, as the Gemini API refuses them.", withCalls},
	{"`--resume` goes on with prompts that begin with `/` or `?` and were answered. Gemini CLI forgets them.", nil},
	{"`--resume` sends `skip_thought_signature_validator` for each signature that the session file does not have. Gemini CLI sends it only if it has left out a thought; without it, Gemini 3 refuses the call.", signed},
	{"`--resume` sends again the message `[The previous response was interrupted before it completed.]`, which both programs send if a prompt follows results of tools. Gemini CLI does not record it: after the next `--resume`, the model sees another history.", nil},
}

// forgetful leaves out the prompts that Gemini CLI takes for commands.
var forgetful = repair{apply: func(s said) said {
	return slices.DeleteFunc(slices.Clone(s), func(p saying) bool {
		text, _ := p.part["text"].(string)
		return p.role == "user" && text != "" && strings.ContainsRune("/?", rune(text[0]))
	})
}}

// silent removes the placeholder of a missing response, which no session file of Gemini CLI has.
var silent = repair{apply: func(s said) said {
	return slices.DeleteFunc(slices.Clone(s), func(p saying) bool {
		text, _ := p.part["text"].(string)
		return strings.HasPrefix(text, "[The previous response was interrupted")
	})
}}

// once leaves out responses that are there again, with the media behind them.
func once(s said) said {
	seen, again := map[string]bool{}, false
	return slices.DeleteFunc(slices.Clone(s), func(p saying) bool {
		if id := p.get("functionResponse", "id"); id != "" {
			again, seen[id] = seen[id], true
		} else if p.part["inlineData"] == nil {
			again = false
		}
		return again
	})
}

// withCalls leaves out responses of calls that are not there.
func withCalls(s said) said {
	calls := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(s), func(p saying) bool {
		calls[p.get("functionCall", "id")] = true
		id := p.get("functionResponse", "id")
		return id != "" && !calls[id]
	})
}

// signed adds the text that replaces a signature which the session file does not have.
func signed(s said) said {
	s = slices.Clone(s)
	isFirst := true
	for i, p := range s {
		switch {
		case p.role == "user":
			isFirst = true
		case p.part["functionCall"] != nil && isFirst:
			isFirst = false
			if p.part["thoughtSignature"] == nil {
				s[i].part = maps.Clone(p.part)
				s[i].part["thoughtSignature"] = "skip_thought_signature_validator"
			}
		}
	}
	return s
}
