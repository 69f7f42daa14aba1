//go:build unix

package gemini

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An extension that one program has installed is listed, updated, disabled and removed by the other:
// both agree on files, signatures and words.
func TestSharedExtensions(t *testing.T) {
	t.Parallel()
	gemini := peer(t)
	s, err := readScene(filepath.Join("testdata", "home", "extensions.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	g := set(t, s, "e")
	// both runs a command with both programs, and compares their output.
	both := func(args string) {
		t.Helper()
		ours, theirs := g.play(t, pollux, run{args: args}), g.play(t, gemini, run{args: args})
		if a, b := printed(&ours), printed(&theirs); a != b || ours.exit != theirs.exit {
			t.Errorf("%s: pollux %d\n%s\ngemini %d\n%s", args, ours.exit, a, theirs.exit, b)
		}
	}
	one := func(program []string, args, want string) {
		t.Helper()
		o := g.play(t, program, run{args: args, stdin: "y\n"}) // Gemini CLI asks again because paths differ
		if text := printed(&o); o.exit != 0 || !strings.Contains(text, want) {
			t.Errorf("%s %s: %d\n%s\nwant %s", program[0], args, o.exit, text, want)
		}
	}
	version := func(name, number string) {
		t.Helper()
		path := filepath.Join(g.work, name, "gemini-extension.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(string(text), `"version": "`) + len(`"version": "`)
		if err := os.WriteFile(path, []byte(string(text[:at])+number+string(text[at+5:])), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	one(pollux, "extensions install ./ours --consent --skip-settings", `Extension "ours" installed successfully and enabled.`)
	one(gemini, "extensions install "+filepath.Join(g.work, "theirs")+" --consent", `Extension "theirs" installed successfully and enabled.`)
	both("extensions list")
	for i, number := range []string{"2.0.0", "3.0.0"} {
		version("ours", number)
		version("theirs", number)
		first, second := "ours", "theirs"
		if i > 0 { // the other way round: each updates the other's extension
			first, second = second, first
		}
		one(gemini, "extensions update "+first, "→ "+number)
		one(pollux, "extensions update "+second, "→ "+number)
		both("extensions list")
	}
	one(pollux, "extensions disable theirs --scope workspace", `Extension "theirs" successfully disabled for scope "workspace".`)
	one(gemini, "extensions disable ours --scope workspace", `Extension "ours" successfully disabled for scope "workspace".`)
	both("extensions list")
	one(pollux, "extensions enable ours --scope workspace", `Extension "ours" successfully enabled for scope "workspace".`)
	both("extensions update --all")
	both("extensions validate ours")
	one(gemini, "extensions uninstall ours", `Extension "ours" successfully uninstalled.`)
	one(pollux, "extensions uninstall theirs", `Extension "theirs" successfully uninstalled.`)
	both("extensions list")
}

// printed returns the output of a program on both streams, without the program's name and the notes of
// its profiler.
func printed(o *outcome) string {
	var b strings.Builder
	for line := range strings.Lines(o.stderr + o.out) {
		if !strings.HasPrefix(line, "[STARTUP]") && !strings.HasPrefix(line, "Warning: ") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(strings.ReplaceAll(b.String(), "gemini extensions", "pollux extensions"))
}
