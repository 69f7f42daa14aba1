package slash

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/manage"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{ // name|arguments, "" for no command
		"/help":                      "help|",
		"/?":                         "help|",
		"/help memory":               "help|memory",
		"/memory":                    "memory|",
		"/memory show":               "memory show|",
		"/memory  refresh \n":        "memory reload|",
		"/memory add a b\nc ":        "memory add|a b\nc",
		"/memory nothing here":       "memory|nothing here",
		"/resume share x.md":         "resume share|x.md",
		"/chat\tshare\t":             "chat share|",
		"/compact the schema":        "compress|the schema",
		"/clear\nand go on":          "clear|and go on",
		"/exit":                      "quit|",
		"/bashes":                    "tasks|",
		"/stats model":               "stats model|",
		"/plan do it":                "plan|do it",
		"/plan copy":                 "plan copy|",
		"/plan copy x to y":          "plan|copy x to y",
		"/memory show x":             "memory show|x",
		"/theme x":                   "theme|x",
		"/mcp":                       "mcp|",
		"":                           "",
		"/":                          "",
		"/ help":                     "",
		"//help":                     "",
		"/* help */":                 "",
		"/nope":                      "",
		"/helpful":                   "",
		"/Help":                      "",
		"/help/me":                   "",
		"/usr/bin/env says?":         "",
		"/tools.go is what":          "",
		" /help":                     "",
		"what is /help?":             "",
		"/\nhelp":                    "",
		"/help\x00":                  "",
		"/\x1b[31mhelp":              "",
		strings.Repeat("/help", 1e5): "",
	} {
		call, ok := Lookup(line)
		got := ""
		if ok {
			got = call.Name + "|" + call.Args
		}
		if got != want {
			t.Errorf("%.40q: %q, want %q", line, got, want)
		}
	}
	if call, ok := Lookup("/init " + strings.Repeat("x", 1<<20)); !ok || len(call.Args) != 1<<20 {
		t.Error("long arguments are lost")
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	const help = "/help lists the commands."
	for line, want := range map[string]string{
		"/statz": "Did you mean /stats?", "/sttas": "Did you mean /stats?", "/modle": "Did you mean /model?", "/hlep": "Did you mean /help?",
		"/memry show": "Did you mean /memory?", "/new1": "Did you mean /new?", "/statz \n": "Did you mean /stats?",
		"/zzzzzz": help, "/x": help, "/deploy it": help, "/git:commit": help, "/größe": help, "/": help, "/ ": help,
		"/stats": "", "/theme": "", "/usr/bin": "", "/tmp": "", "/dev is what?": "", "/a.go": "", "/*": "", "//x": "", "/2": "", "/ what": "",
		" /statz": "", "statz": "", "": "", "/statz\nall": "", "/statz all\nof them": "", "/x\x1b": "",
		"/" + strings.Repeat("x", 1<<20): "",
	} {
		got := unknown(Commands(), line)
		name, _, _ := strings.Cut(line, " ")
		if want != "" {
			want = strings.TrimSpace(name) + " is not a command. " + want
		}
		if got != want {
			t.Errorf("%.40q: %q, want %q", line, got, want)
		}
	}
}

// TestTable checks the required fields of every command, unique names and the sort order.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var check func(parent string, commands []*manage.Command)
	check = func(parent string, commands []*manage.Command) {
		for _, c := range commands {
			at := parent + c.Name
			for _, name := range append([]string{c.Name}, c.Aliases...) {
				if seen[parent+name] {
					t.Errorf("%s%s is there twice", parent, name)
				}
				seen[parent+name] = true
			}
			switch {
			case c.Summary == "" || strings.HasSuffix(c.Summary, "."):
				t.Errorf("%s: the summary is %q", at, c.Summary)
			case c.IsPlanned && (c.Run != nil || c.Subs != nil || c.Args != ""):
				t.Errorf("%s is not there yet, and does something", at)
			case !c.IsPlanned && c.Run == nil && len(c.Subs) == 0:
				t.Errorf("%s does nothing", at)
			}
			check(at+" ", c.Subs)
		}
	}
	check("", Commands())
	if !slices.IsSortedFunc(Commands(), func(a, b *manage.Command) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("the table is not in order")
	}
}

// TestGeminiCommands checks that every Gemini CLI command is known.
func TestGeminiCommands(t *testing.T) {
	t.Parallel()
	for _, name := range strings.Fields(`about agents auth bug bug-memory chat resume clear new commands compress summarize compact copy directory dir
		docs editor export-session extensions footer statusline gemma help hooks ide init mcp memory model permissions plan policies privacy quit exit
		restore rewind settings setup-github shortcuts skills stats usage tasks bg background shells bashes terminal-setup theme tools upgrade vim voice
		undo redo diff context doctor cost mode ?`) {
		if _, ok := Lookup("/" + name); !ok {
			t.Errorf("/%s is not known", name)
		}
	}
}

func FuzzLookup(f *testing.F) {
	for _, line := range []string{"/memory add x", "/chat share a.md", "/", "//", "/ \n", "/plan\tcopy"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		call, ok := Lookup(line)
		if ok && (call.Command == nil || !strings.HasPrefix(line, "/") || call.Args != strings.TrimSpace(call.Args) || !strings.Contains(line, call.Args)) {
			t.Errorf("%+v", call)
		}
		if text := unknown(Commands(), line); ok && text != "" {
			t.Error(text)
		}
	})
}
