package kit

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pollux/tool"
)

// silentFields are the fields of confirmations that a question has no line for.
var silentFields = map[string]string{
	"Title":                        "the title of the question",
	"Command":                      "the text of the call itself",
	"Prompt":                       "the text of the call itself",
	"DiffDisplay":                  "the text of the call itself",
	"Server":                       "the text of the call itself",
	"Tool":                         "the text of the call itself",
	"Args":                         "the text of the call itself",
	"Schema":                       "explains the arguments to programs",
	"DisplayName":                  "the title has it",
	"Description":                  "the server's own word about its tool",
	"Modifiable":                   "an answer to choose",
	"Approval.Offers":              "answers to choose",
	"Approval.IsUsual":             "decides whether the reason is shown",
	"Approval.Hooked.Message":      "IsRequired shows it",
	"URLs":                         "Servers has them",
	"IsSent":                       "the heading of Servers depends on it",
	"IsReview":                     "decides the prompt and the options",
	"IsWaiting":                    "decides the prompt and the options",
	"Approval.Reach.Total":         "counts Commands",
	"Approval.Reach.WritesOutside": "Outside has them",
}

// TestEveryField checks that each field of each confirmation changes the lines that a person reads, or is
// listed with the reason why it does not: a warning that a new field carries cannot be forgotten.
func TestEveryField(t *testing.T) {
	t.Parallel()
	for _, c := range []tool.Confirmation{
		&tool.EditConfirmation{}, &tool.ExecConfirmation{}, &tool.InfoConfirmation{}, &tool.RemoteConfirmation{},
	} {
		kind := reflect.TypeOf(c).Elem()
		var visit func(at []int, name string, t reflect.Type)
		visit = func(at []int, name string, typ reflect.Type) {
			for i := range typ.NumField() {
				f := typ.Field(i)
				path := strings.TrimPrefix(name+"."+f.Name, ".")
				index := append(append([]int{}, at...), i)
				if silentFields[path] != "" || silentFields[f.Name] != "" {
					continue
				}
				if f.Anonymous && f.Type.Kind() == reflect.Struct {
					visit(index, path, f.Type)
					continue
				}
				set := reflect.New(kind)
				fillField(t, set.Elem().FieldByIndex(index))
				q := NewQuestion(set.Interface().(tool.Confirmation), true, nil)
				shown := strings.Join(append(q.Hook, q.Warnings...), "\n")
				isReach := strings.HasPrefix(path, "Approval.Reach") && kind != reflect.TypeFor[tool.ExecConfirmation]()
				if shown == "" && !(isReach && (f.Name == "Commands" || f.Name == "Servers")) { // which only commands have
					t.Errorf("%s.%s is shown nowhere", kind.Name(), path)
				}
			}
		}
		visit(nil, "", kind)
	}
}

// fillField sets a field to a value that is worth a line.
func fillField(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Interface().(type) {
	case bool:
		v.SetBool(true)
	case string:
		v.SetString("MARK")
	case []string:
		v.Set(reflect.ValueOf([]string{"redirection (MARK)", "MARK"}))
	case []tool.ShellCommand:
		v.Set(reflect.ValueOf([]tool.ShellCommand{{Program: "a", Text: "MARK"}, {Program: "b"}}))
	case []tool.Server:
		v.Set(reflect.ValueOf([]tool.Server{{URL: "http://MARK", Host: "MARK", IsLookalike: true, HasUser: true}}))
	default:
		t.Fatalf("the test cannot fill %s", v.Type())
	}
}

func TestApprovalLines(t *testing.T) {
	t.Parallel()
	c := &tool.ExecConfirmation{
		Roots: []string{"make", "redirection (>)"}, UntrustedFlags: []string{"--evil\x1b[2J"}, ModifiedBuildFiles: []string{"Makefile"},
		Approval: tool.Approval{
			Hooked: tool.Hooked{IsRequired: true, IsChanged: true, Message: "one\nAllow once?\u202e", Continues: "read_file"}, Reason: "not shown beside a hook's",
			Reach: tool.Reach{
				Commands: []tool.ShellCommand{{Program: "make", Text: "make all", Times: 2}, {Program: "curl", Text: "curl x", Times: 1}}, Total: 3,
				Writes: []string{"a", "b"}, Outside: []string{"/home/me/x"},
				Servers: []tool.Server{{URL: "http://me@xn--e1awd7f.com", Host: "xn--e1awd7f.com", Readable: "еріс.com", IsLookalike: true, HasUser: true}},
			},
		},
	}
	want := `The line runs 3 commands:
Command 1: make all (2 times)
Command 2: curl x
The command redirects its input or output.
Servers: еріс.com
Warning: this host name can deceive: еріс.com is xn--e1awd7f.com
Warning: the text before the @ is not the host. The host is xn--e1awd7f.com
Warning: these words come from tool output, not from you: --evil
Warning: the command runs code from files that changed in this session: Makefile
It writes to: a, b
Outside the workspace: ~/x
Warning: a hook makes this call after read_file. The model did not make it.
Warning: a hook has changed this call. The model did not write it like this.`
	q := NewQuestion(c, true, home{})
	if got := strings.Join(q.Warnings, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	said := "A hook requires your approval:\n  one\n  Allow once?\nWarning: the text above has characters that cannot be shown."
	if got := strings.Join(q.Hook, "\n"); got != said {
		t.Errorf("got\n%s\nwant\n%s", got, said)
	}
}

// TestRedirection checks that a question names the mode which allows redirections only if that mode would not ask about them.
func TestRedirection(t *testing.T) {
	t.Parallel()
	const line = "The command redirects its input or output."
	const hint = line + " Mode auto_edit does not ask about that: see /help mode."
	for _, test := range []struct {
		name     string
		approval tool.Approval
		want     string
	}{
		{"in the workspace", tool.Approval{Reach: tool.Reach{Writes: []string{"out.txt"}}}, hint},
		{"outside", tool.Approval{Reach: tool.Reach{Writes: []string{"~/笔记.txt"}, Outside: []string{"~/笔记.txt"}}}, line},
		{"with a permission", tool.Approval{Permission: "This run would be without the sandbox."}, line},
		{"again with more permission", tool.Approval{IsRetry: true, Reason: "No."}, line},
		{"a hook asks", tool.Approval{Hooked: tool.Hooked{IsRequired: true}}, line},
	} {
		q := NewQuestion(&tool.ExecConfirmation{Roots: []string{"echo", "redirection (>)"}, Approval: test.approval}, true, nil)
		if q.Warnings[0] != test.want {
			t.Errorf("%s: %q, want %q", test.name, q.Warnings[0], test.want)
		}
	}
}

// TestReason checks that the reason for a question stands in one place: in a line, or in the help.
func TestReason(t *testing.T) {
	t.Parallel()
	const reason = "In the sandbox, it can signal only its own processes."
	for _, test := range []struct {
		approval               tool.Approval
		warnings, prompt, help string
	}{
		{tool.Approval{Reason: reason, IsRetry: true}, "It lacked a permission. " + reason, "Run it again with more permission?", ""},
		{tool.Approval{Reason: reason}, reason, "Run this command?", ""},
		{tool.Approval{Reason: reason, IsUsual: true}, "", "Run this command?", reason},
		{tool.Approval{Reason: reason, Hooked: tool.Hooked{IsRequired: true}}, "", "Run this command?", reason},
	} {
		q := NewQuestion(&tool.ExecConfirmation{Approval: test.approval}, true, nil)
		if got := strings.Join(q.Warnings, "\n"); got != test.warnings || q.Prompt != test.prompt || q.Help != test.help {
			t.Errorf("%+v: %q, %q, %q", test.approval, got, q.Prompt, q.Help)
		}
	}
}

// TestBounds checks that long lists and texts in warnings are cut, with the number of the parts left out.
func TestBounds(t *testing.T) {
	t.Parallel()
	c := &tool.ExecConfirmation{Approval: tool.Approval{Hooked: tool.Hooked{IsRequired: true, Message: strings.Repeat("x\n", 201)}}}
	for range 22 {
		c.UntrustedFlags = append(c.UntrustedFlags, strings.Repeat("é", 300))
		c.Commands = append(c.Commands, tool.ShellCommand{Program: "make", Text: "make"})
	}
	c.Total = 22
	q := NewQuestion(c, true, nil)
	lines := append(q.Warnings, q.Hook...)
	short := strings.Repeat("é", 200) + "..., "
	for i, want := range map[int]string{
		0: "The line runs 22 commands:", 20: "Command 20: make", 21: "and 2 more: make",
		22: "Warning: these words come from tool output, not from you: " + strings.Repeat(short, 20) + "and 2 more",
		23: "A hook requires your approval:", 223: "  x", 224: "  (1 more line)",
	} {
		if i >= len(lines) || lines[i] != want {
			t.Errorf("line %d is not %q:\n%s", i, want, strings.Join(lines, "\n"))
			break
		}
	}
	if len(lines) != 225 {
		t.Errorf("%d lines", len(lines))
	}
	if all, hidden := FirstLines("a\n\x1b[2Jb\n\n", 0); strings.Join(all, "|") != "a|b" || hidden != 0 {
		t.Errorf("%q, %d", all, hidden)
	}
}

// home is the names of a session in which paths below /home/me are shortened.
type home struct{ mode string }

func (h home) ModeName() string          { return h.mode }
func (home) ToolTitle(string) string     { return "" }
func (home) ShortPath(p string) string   { return strings.Replace(p, "/home/me", "~", 1) }
func (h home) ShortText(t string) string { return h.ShortPath(t) }

// TestWaitingServer checks that the question whether a command that waits may reach a host warns about one that can deceive, and does not name it twice.
func TestWaitingServer(t *testing.T) {
	t.Parallel()
	c := &tool.InfoConfirmation{IsWaiting: true}
	c.Servers = []tool.Server{{URL: "https://a.example", Host: "a.example", Readable: "a.example"}, {URL: "https://tidełine.example", Host: "xn--tideine-qjb.example", Readable: "tidełine.example", IsLookalike: true}}
	want := []string{"Warning: this host name can deceive: tidełine.example is xn--tideine-qjb.example"}
	if got := warnings(c, nil); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
