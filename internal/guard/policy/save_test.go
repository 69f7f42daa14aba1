package policy

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/guard/trust"
	"pollux/tool"
)

// saving returns an engine that saves into a file of a new directory, and its reports.
func saving(t testing.TB, mode Mode, text string) (*Engine, string, *[]string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policies", SavedName)
	if text != "" {
		write(t, filepath.Dir(file), SavedName, text)
	}
	var reports []string
	e := engine(t, Options{
		Mode: mode, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: &Saved{File: file, Tier: TierUser},
		Report: func(text string) { reports = append(reports, text) },
	})
	return e, file, &reports
}

func read(t testing.TB, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// next returns the engine of the next session.
func next(t testing.TB, file string, o Options) *Engine {
	t.Helper()
	o.Rules = load(t, Sources{User: []string{filepath.Dir(file)}}).Rules
	return engine(t, o)
}

// Saved rules hold in the next session, and no others do.
func TestSaved(t *testing.T) {
	t.Parallel()
	awkward := "a (b) [c] \"d\" \\e 'f'\t\u2028 \u00fc$^*+?{}|#.toml"
	mcp := Call{Name: "mcp_my_server_do_it", Server: "my server"}
	for _, tt := range []struct {
		name      string
		answered  Call
		mode      Mode
		want      string
		same      []Call
		different []Call
	}{
		{
			"shell", command("git status && npm test > out"), Default, `[[rule]]
decision = "allow"
priority = 950
toolName = "run_shell_command"
commandPrefix = [ "git", "npm" ]
allowRedirection = true
modes = [ "default", "autoEdit", "yolo" ]
`,
			[]Call{command("git push > x"), command("npm ci")},
			[]Call{command("make"), command("git push && make")},
		},
		{
			"path", call("write_file", "file_path", awkward, "content", "x"), AutoEdit, "",
			[]Call{call("write_file", "file_path", awkward, "content", "y")},
			[]Call{call("write_file", "file_path", "b"), call("replace", "file_path", awkward)},
		},
		{
			"MCP", mcp, Default, `[[rule]]
decision = "allow"
priority = 950
toolName = "do_it"
mcpName = "my server"
modes = [ "default", "autoEdit", "yolo" ]
`,
			[]Call{mcp},
			[]Call{{Name: "mcp_my_server_other", Server: "my server"}, {Name: "mcp_other_do_it", Server: "other"}, call("do_it")},
		},
		{
			"whole tool", call("web_fetch", "prompt", "x"), Plan, `[[rule]]
decision = "allow"
priority = 950
toolName = "web_fetch"
modes = [ "plan", "default", "autoEdit", "yolo" ]
`,
			[]Call{call("web_fetch", "prompt", "y")},
			[]Call{call("save_memory")},
		},
		{
			"globs",
			Call{Name: "read_many_files", Args: json.RawMessage(`{"include":["*.go","a \"b\""]}`)},
			Default, "",
			[]Call{{Name: "read_many_files", Args: json.RawMessage(`{"include":["*.go","a \"b\""]}`)}},
			[]Call{{Name: "read_many_files", Args: json.RawMessage(`{"include":["*.go"]}`)}},
		},
	} {
		e, file, reports := saving(t, tt.mode, "")
		if !e.canSave(tt.answered) || !e.Remember(tt.answered, tool.ProceedAlwaysAndSave) || len(*reports) > 0 {
			t.Fatalf("%s: not saved: %q", tt.name, *reports)
		}
		if got := read(t, file); tt.want != "" && got != tt.want {
			t.Errorf("%s: %s", tt.name, cmp.Diff(tt.want, got))
		}
		again := next(t, file, Options{Mode: tt.mode, Interactive: true, Trust: trust.NewLive(trust.Trusted)})
		for _, c := range tt.same {
			if e.Check(c).Decision != Allow || again.Check(c).Decision != Allow {
				t.Errorf("%s: %s %s: %v, next time %v", tt.name, c.Name, c.Args, e.Check(c).Decision, again.Check(c).Decision)
			}
		}
		for _, c := range tt.different {
			if tt.mode == AutoEdit && c.Name != "replace" && c.Name != "write_file" || tt.mode != AutoEdit {
				if e.Check(c).Decision == Allow || again.Check(c).Decision == Allow {
					t.Errorf("%s: %s %s is allowed", tt.name, c.Name, c.Args)
				}
			}
		}
		never := next(t, file, Options{Mode: tt.mode, Interactive: true, Trust: trust.NewLive(trust.Trusted), DisableAlways: true})
		if len(never.Rules()) != len(Builtin()) {
			t.Errorf("%s: saved answers count although they are disabled", tt.name)
		}
	}
}

// A file keeps text of people and other programs.
func TestSavedKeepsTheFile(t *testing.T) {
	t.Parallel()
	const text = "# mine\r\n[[rule]] # by hand\r\ntoolName = 'glob'\r\ndecision = \"deny\"\r\npriority = 950\r\n\r\n" +
		"[[rule]]\ndecision = \"allow\" # git\npriority = 950\ntoolName = \"run_shell_command\"\ncommandPrefix = [\n  \"git\", # all of it\n]\nmodes = [ \"yolo\" ]\n\n" +
		"[other]\nkey = 1"
	e, file, reports := saving(t, Default, text)
	e.Remember(command("git log"), tool.ProceedAlwaysAndSave)
	got := read(t, file)
	want := strings.Replace(text, `modes = [ "yolo" ]`, `modes = [ "default", "autoEdit", "yolo" ]`, 1)
	if got != want {
		t.Errorf("%q %s", *reports, cmp.Diff(want, got))
	}
	e.Remember(command("git log > x"), tool.ProceedAlwaysAndSave)
	want = strings.Replace(want, `decision = "allow" # git`, "decision = \"allow\"\nallowRedirection = true # git", 1)
	if got := read(t, file); got != want {
		t.Error(cmp.Diff(want, got))
	}
	e.Remember(command("git log"), tool.ProceedAlwaysAndSave)
	if got := read(t, file); got != want {
		t.Errorf("the same answer changed the file: %s", cmp.Diff(want, got))
	}
	e.Remember(call("web_fetch"), tool.ProceedAlwaysAndSave)
	want += "\n\n[[rule]]\ndecision = \"allow\"\npriority = 950\ntoolName = \"web_fetch\"\nmodes = [ \"default\", \"autoEdit\", \"yolo\" ]\n"
	if got := read(t, file); got != want {
		t.Error(cmp.Diff(want, got))
	}

	// And taken back.
	grants := e.Grants()
	last := grants[len(grants)-1]
	if last.Text != "web_fetch" || last.File != file {
		t.Errorf("%+v", grants)
	}
	if ok, err := e.Revoke(last.ID); !ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
	if got := strings.TrimRight(read(t, file), "\n"); got != strings.TrimRight(strings.Split(want, "\n\n[[rule]]\ndecision = \"allow\"\npriority = 950\ntoolName = \"web_fetch\"")[0], "\n") {
		t.Errorf("%q", got)
	}
	if e.Check(call("web_fetch")).Decision != Ask {
		t.Error("a withdrawn rule still holds")
	}
	if ok, _ := e.Revoke(last.ID); ok {
		t.Error("taken back twice")
	}
}

// As Gemini CLI writes it, the wrong pattern for a NUL included.
func TestSavedByGemini(t *testing.T) {
	t.Parallel()
	const text = `[[rule]]
decision = "allow"
priority = 950
toolName = "write_file"
argsPattern = "\\\\0\"file_path\":\"a\\.txt\"\\\\0"
modes = [ "autoEdit", "yolo" ]
`
	e, file, _ := saving(t, Default, text)
	if got := next(t, file, Options{Mode: AutoEdit, Trust: trust.NewLive(trust.Trusted)}).Check(call("write_file", "file_path", "a.txt")).Decision; got != Allow {
		t.Errorf("rules saved by Gemini CLI do not hold: %v", got)
	}
	e.Remember(call("write_file", "file_path", "a.txt"), tool.ProceedAlwaysAndSave)
	if got, want := read(t, file), strings.Replace(text, `[ "autoEdit"`, `[ "default", "autoEdit"`, 1); got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestSavedFails(t *testing.T) {
	t.Parallel()
	broken := "[[rule]\n"
	e, file, reports := saving(t, Default, broken)
	if !e.Remember(command("make"), tool.ProceedAlwaysAndSave) || read(t, file+".bak") != broken ||
		!slices.Equal(*reports, []string{"Syntax error found in policy file. Backing up corrupted file to " + file + ".bak and starting fresh."}) {
		t.Errorf("%q", *reports)
	}
	if next(t, file, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted)}).Check(command("make x")).Decision != Allow {
		t.Error("not saved")
	}

	wrong := "[[rule]]\ntoolName = \"x\"\n"
	inline := "rule = [{toolName = \"xyzzy\", decision = \"deny\", priority = 1}]\n"
	for _, tt := range []struct{ text, want string }{
		{wrong, " has invalid rules, so Pollux ignores it; fix them first"},
		{inline, ": cannot add a rule, because its format is not supported"},
	} {
		e, file, reports = saving(t, Default, tt.text)
		if !e.Remember(command("make"), tool.ProceedAlwaysAndSave) || e.Check(command("make x")).Decision != Allow {
			t.Error("an answer that can't be saved does not hold for the session")
		}
		if want := "Failed to persist policy for run_shell_command: " + file + tt.want; !slices.Equal(*reports, []string{want}) || read(t, file) != tt.text {
			t.Errorf("%q\nwant %q\n%s", *reports, want, read(t, file))
		}
		if g := e.Grants(); len(g) != 1 || g[0].File != "" || e.Rules()[0].Priority != 3.95 {
			t.Errorf("%+v", g)
		}
	}
	e, _, reports = saving(t, Default, "")
	if long := strings.Repeat("x/", 2000); !e.Remember(call("write_file", "file_path", long), tool.ProceedAlwaysAndSave) || len(*reports) != 1 {
		t.Errorf("%q", *reports)
	}
	e, file, reports = saving(t, Default, "")
	if err := os.MkdirAll(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if !e.Remember(command("make"), tool.ProceedAlwaysAndSave) || len(*reports) != 1 || !strings.Contains((*reports)[0], "directory") {
		t.Errorf("%q", *reports)
	}
}

func TestSavedBySeveral(t *testing.T) {
	t.Parallel()
	_, file, _ := saving(t, Default, "")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: &Saved{File: file, Tier: TierUser}})
			for j := range 4 {
				e.Remember(command(fmt.Sprintf("c%d-%d", i, j)), tool.ProceedAlwaysAndSave)
			}
		})
	}
	wg.Wait()
	if rules := load(t, Sources{User: []string{file}}).Rules; len(rules) != 32 {
		t.Errorf("%d rules", len(rules))
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	text := func(offers []tool.Offer) string {
		var list []string
		for _, o := range offers {
			list = append(list, fmt.Sprint(o.Outcome, "=", o.Rule, map[bool]string{true: "!"}[o.IsFirst]))
		}
		return strings.Join(list, "; ")
	}
	o := Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: &Saved{File: "x"}, SaveFirst: true}
	for _, tt := range []struct {
		change func(*Options)
		call   Call
		want   string
	}{
		{nil, command("git status && npm test"), "proceed_always=run_shell_command: git *, npm *; proceed_always_and_save=run_shell_command: git *, npm *"},
		{nil, command("ls > x"), "proceed_always=run_shell_command: ls *, also into files; proceed_always_and_save=run_shell_command: ls *, also into files"},
		{nil, call("write_file", "file_path", "a.go"), "proceed_always=all edits of files (mode auto_edit); proceed_always_and_save=write_file: a.go!"},
		{nil, call("web_fetch"), "proceed_always=web_fetch; proceed_always_and_save=web_fetch!"},
		{nil, Call{Name: "mcp_s_t", Server: "s"}, "proceed_always_tool=t of s; proceed_always_server=all tools of s; proceed_always_and_save=t of s!"},
		{nil, call("glob"), ""},
		{nil, call("ask_user"), ""},
		{nil, call("exit_plan_mode"), ""},
		{func(o *Options) { o.Permanent = false }, call("web_fetch"), "proceed_always=web_fetch"},
		{func(o *Options) { o.Saved = nil }, call("web_fetch"), "proceed_always=web_fetch"},
		{func(o *Options) { o.SaveFirst = false }, call("web_fetch"), "proceed_always=web_fetch; proceed_always_and_save=web_fetch"},
		{func(o *Options) { o.Trust = nil }, call("web_fetch"), ""},
		{func(o *Options) { o.DisableAlways = true }, call("web_fetch"), ""},
	} {
		o := o
		if tt.change != nil {
			tt.change(&o)
		}
		if got := text(engine(t, o).Offers(tt.call)); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.call.Name, tt.call.Args, got, tt.want)
		}
	}
}

func TestRuleString(t *testing.T) {
	t.Parallel()
	pattern, err := NewPattern("a`b")
	if err != nil {
		t.Fatal(err)
	}
	for want, r := range map[string]Rule{
		"**ALLOW** tool: `x` (args match: `a`b`) [Priority: 1.05] [Source: Default: reads]":             {Tools: []string{"x"}, Decision: Allow, Args: pattern, Priority: 1.05, Source: "Default: reads"},
		"**DENY** tool: `run_shell_command` (commands: `git`, `npm`) (headless only) [Priority: 4.123]": {Tools: []string{shellTool}, Decision: Deny, Prefixes: []string{"git", "npm"}, When: Headless, Priority: TierUser.priority(123)},
		"**ASK_USER** tool: `mcp_s_t` [Priority: 5]":                                                    {Tools: []string{"t"}, Server: "s", Decision: Ask, Priority: 5},
		"**DENY** tool: `mcp_*` [Priority: 5]":                                                          {Tools: []string{"*"}, Server: "*", Decision: Deny, Priority: 5},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

func TestIntegrity(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := Integrity{File: filepath.Join(t.TempDir(), "x", "policy_integrity.json"), Dir: dir}
	check := func(want bool) string {
		t.Helper()
		hash, changed, err := i.Changed()
		if changed != want || err != nil {
			t.Errorf("changed %v, %v", changed, err)
		}
		return hash
	}
	check(false)
	write(t, dir, ".gemini/policies/a.toml", valid)
	if err := i.Accept(check(true)); err != nil {
		t.Fatal(err)
	}
	check(false)
	write(t, dir, ".gemini/policies/b.toml", "")
	if err := i.Accept(check(true)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(i.Policies(), "b.toml"), filepath.Join(i.Policies(), "c.toml")); err != nil {
		t.Fatal(err)
	}
	check(true)
	if text := read(t, i.File); !strings.Contains(text, `"workspace:`+dir+`": "`) {
		t.Errorf("%s", text)
	}
	write(t, filepath.Dir(i.File), "policy_integrity.json", "[]")
	if _, changed, err := i.Changed(); !changed || err == nil {
		t.Errorf("%v %v", changed, err)
	}
}

// Answering the same twice is one permission, which the user can take back.
func TestGrantedTwice(t *testing.T) {
	t.Parallel()
	o := Options{Mode: AutoEdit, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: &Saved{File: filepath.Join(t.TempDir(), SavedName), Tier: TierUser}}
	e := engine(t, o)
	file := call("read_file", "file_path", "/else/a")
	for range 2 {
		e.Remember(command("make > x"), tool.ProceedAlways)
		e.Remember(file, tool.ProceedAlways)
	}
	if err := e.SetMode(Default); err != nil {
		t.Fatal(err)
	}
	e.Remember(command("make y"), tool.ProceedAlwaysAndSave)
	e.Remember(command("npm y"), tool.ProceedAlways)
	grants := e.Grants()
	var got []string
	for _, g := range grants {
		got = append(got, fmt.Sprint(g.ID, " ", g.Text, " ", g.File != ""))
	}
	want := []string{"1 run_shell_command: make *, also into files true", "2 read_file: /else/a false", "3 run_shell_command: npm * false"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := e.Check(command("make z > out")).Decision; got != Allow {
		t.Errorf("rules allowed in autoEdit: %v", got)
	}
	if ok, err := e.Revoke(1); !ok || err != nil || e.Check(command("make z")).Decision != Ask || strings.Contains(read(t, o.Saved.File), "make") {
		t.Errorf("%v %v: %s", ok, err, read(t, o.Saved.File))
	}
}

// An answer that is saved among a project's own rules is accepted with them, and does
// not make others accepted that have come there since.
func TestSavedInProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	i := Integrity{File: filepath.Join(t.TempDir(), "policy_integrity.json"), Dir: dir}
	s := &Saved{File: filepath.Join(i.Policies(), SavedName), Tier: TierWorkspace, Integrity: &i}
	e := engine(t, Options{Mode: Default, Interactive: true, Trust: trust.NewLive(trust.Trusted), Permanent: true, Saved: s, Report: func(text string) { t.Error(text) }})
	changed := func(want bool) {
		t.Helper()
		if _, got, err := i.Changed(); got != want || err != nil {
			t.Errorf("changed %v, %v", got, err)
		}
	}
	e.Remember(command("make x"), tool.ProceedAlwaysAndSave)
	changed(false)
	e.Remember(command("npm x"), tool.ProceedAlwaysAndSave)
	changed(false)
	if _, err := e.Revoke(1); err != nil {
		t.Error(err)
	}
	changed(false)
	write(t, dir, ".gemini/policies/evil.toml", valid)
	e.Remember(command("git x"), tool.ProceedAlwaysAndSave)
	if _, err := e.Revoke(2); err != nil {
		t.Error(err)
	}
	changed(true)
}
