package compose

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/agent"
	"pollux/internal/command"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/trust"
	"pollux/internal/owncalls"
	"pollux/internal/person"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/llm"
	"pollux/tool"
)

// command makes the prompt of a custom command with a template.
func (k *kit) command(template string) (agent.Prompt, error) {
	return k.Command(k.t.Context(), &command.Command{Prompt: "Look: " + template}, command.Call{Line: "/c", Name: "c"})
}

// One question is asked about all shell commands of a custom command, and a refusal runs none of them.
func TestCommandAsksOnce(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, nil)
	const template = "!{touch one} !{echo fine} !{touch two > three} !{pwd}"
	k.answer = tool.Cancel
	if _, err := k.command(template); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	if len(k.asked) != 1 || k.asked[0].Command != "touch one\ntouch two > three" || k.asked[0].Title != "Confirm Shell Command of /c" {
		t.Fatalf("asked %d times: %+v", len(k.asked), k.asked)
	}
	if writes := k.asked[0].Writes; len(writes) != 1 || writes[0] != "three" {
		t.Errorf("the question lists the writes %q", writes)
	}
	if left, _ := filepath.Glob(filepath.Join(k.project.Paths.Dir(), "t*")); len(left) > 0 {
		t.Errorf("a refused command made %q", left)
	}
	k.answer = tool.ProceedOnce
	p, err := k.command(template)
	if err != nil || len(k.asked) != 2 || !k.exists("one") || !k.exists("two") || !k.exists("three") {
		t.Fatal(err, len(k.asked))
	}
	if text := llm.PartsText(p.Parts); p.Shown != "/c" || !strings.HasPrefix(text, "Look: ") || !strings.Contains(text, "fine") {
		t.Errorf("the prompt is %q, shown as %q", text, p.Shown)
	}
}

// A lasting answer counts for each command, also alone, and for no command that stands in one of them.
func TestCommandRemembersAnswer(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, nil)
	k.answer = tool.ProceedAlways
	const two = "!{mkdir a} !{rmdir a}"
	if _, err := k.command(two); err != nil || len(k.asked) != 1 {
		t.Fatal(err, len(k.asked))
	}
	if offers := k.asked[0].Offers; len(offers) == 0 || !strings.Contains(offers[0].Rule, "mkdir") || !strings.Contains(offers[0].Rule, "rmdir") {
		t.Errorf("offers %+v", offers)
	}
	for _, again := range []string{two, "!{mkdir a}", "!{rmdir a}"} {
		if _, err := k.command(again); err != nil || len(k.asked) != 1 {
			t.Error(again, err, len(k.asked))
		}
	}
	k.answer = tool.Cancel
	if _, err := k.command("!{mkdir $(touch four)}"); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	if k.exists("four") {
		t.Error("a substitution ran")
	}
}

// Without a person, a shell command that needs approval is an error with a code for scripts.
func TestCommandWithoutPerson(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) { k.project.Options.Asker = nil })
	if _, err := k.command("!{touch one}"); !errors.Is(err, person.ErrNoPerson) || exit.CodeOf(err) != exit.Input || k.exists("one") {
		t.Error(err)
	}
	if p, err := k.command("!{echo fine}"); err != nil || !strings.Contains(llm.PartsText(p.Parts), "fine") {
		t.Error(err)
	}
}

// The shell commands of a custom command start for its author.
func TestCommandOrigin(t *testing.T) {
	t.Parallel()
	seen := make(chan process.Purpose, 10)
	k := newKit(t, `{}`, func(k *kit) {
		k.project.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
			return func(ctx context.Context, c *process.Command) (*process.Process, error) {
				seen <- c.For
				return next(ctx, c)
			}
		})
	})
	k.answer = tool.ProceedOnce
	for kind, origin := range map[command.Kind]process.Origin{
		command.User: process.OriginUser, command.Workspace: process.OriginProject, command.Extension: process.OriginExtension,
	} {
		c := &command.Command{Source: command.Source{Kind: kind}, Prompt: "Look: !{touch x}"}
		if _, err := k.Command(t.Context(), c, command.Call{Line: "/c", Name: "c"}); err != nil {
			t.Error(err)
		}
		if got := <-seen; got != (process.Purpose{Kind: process.KindShell, Origin: origin}) {
			t.Errorf("origin %v: runs for %+v", origin, got)
		}
	}
}

// Long output is cut, files are attached, and a prompt without a text or media is refused.
func TestCommandContents(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) { k.project.Mode = policy.Yolo })
	p, err := k.command("!{echo begin; seq 1 1000000; echo end}")
	if text := llm.PartsText(p.Parts); err != nil || len(text) > 200_000 || !strings.Contains(text, "begin") || !strings.Contains(text, "end") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	k.file("notes.txt", "The code word is heron.")
	k.file("empty.txt", "")
	k.file(".geminiignore", "secret.txt\n")
	k.file("secret.txt", "x")
	if p, err := k.command("@{notes.txt} @{secret.txt}"); err != nil || !strings.Contains(llm.PartsText(p.Parts), "heron") {
		t.Error(err)
	}
	if text := k.takeWarnings(); !strings.HasPrefix(text, "Warning: ") || !strings.Contains(text, "secret.txt") {
		t.Errorf("warned %q", text)
	}
	for _, template := range []string{"", " \n", "!{true}"} {
		c := &command.Command{Prompt: template}
		_, err := k.Command(t.Context(), c, command.Call{Line: "/c", Name: "c"})
		if exit.CodeOf(err) != exit.Input || err.Error() != "Not sent: the prompt of /c is empty." {
			t.Errorf("%q: %v", template, err)
		}
	}
	k.file("a.png", "\x89PNG\r\n\x1a\n")
	c := &command.Command{Prompt: "@{a.png}"}
	if p, err := k.Command(t.Context(), c, command.Call{Line: "/c", Name: "c"}); err != nil || len(p.Parts) != 1 || p.Parts[0].InlineData == nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// A cancelled command ends, and runs no further shell command.
func TestCommandCancelled(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	k := newKit(t, `{}`, func(k *kit) {
		k.project.Mode = policy.Yolo
		k.project.Launcher = process.NewLauncher(func(next process.Handler) process.Handler {
			return func(ctx context.Context, c *process.Command) (*process.Process, error) {
				close(began)
				return next(ctx, c)
			}
		})
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		c := &command.Command{Prompt: "!{sleep 1000} !{touch after}"}
		_, err := k.Command(ctx, c, command.Call{Line: "/c", Name: "c"})
		done <- err
	}()
	<-began
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) || k.exists("after") {
		t.Error(err)
	}
}

// Custom commands are those of the user, of a project that is not the home directory, and of extensions, if the folder is
// trusted.
func TestCommandSources(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) {
		projecttest.AddExtension(t, k.project, "e", "", map[string]string{"commands/a.toml": `prompt = "x"`})
	})
	p := k.project
	e := filepath.Join(p.ExtensionsDir(), "e")
	want := []command.Source{
		{Kind: command.User, Dir: filepath.Join(p.Paths.GeminiDir(), "commands")},
		{Kind: command.Workspace, Dir: filepath.Join(p.Paths.Dir(), ".gemini", "commands"), Root: p.Paths.Dir()},
		{Kind: command.Extension, Owner: "e", Dir: filepath.Join(e, "commands"), Root: e},
	}
	if diff := cmp.Diff(want, k.CommandSources()); diff != "" {
		t.Error(diff)
	}
	home := t.TempDir()
	atHome := project.New(project.Options{Dir: home, Folder: trust.Trusted, Env: config.NewEnv("HOME="+home, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+home+"/none.json")})
	k.check(atHome.Load(t.Context()))
	if got := New(Parts{Project: atHome}).CommandSources(); len(got) != 1 || got[0].Kind != command.User {
		t.Errorf("in the home directory: %+v", got)
	}
	p.Trust.Set(trust.Untrusted)
	if got := k.CommandSources(); got != nil {
		t.Errorf("in an untrusted folder: %+v", got)
	}
}

// The instructions of a skill precede the person's text, which may name files.
func TestSkill(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) {
		k.file(".gemini/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up\n---\nSweep first.\n")
	})
	k.file("notes.txt", "The code word is heron.")
	k.answer = tool.Cancel
	if _, err := k.Skill(t.Context(), "tidy", "/tidy", "x"); !errors.Is(err, owncalls.ErrRefused) {
		t.Error(err)
	}
	k.answer = tool.ProceedOnce
	p, err := k.Skill(t.Context(), "tidy", "/tidy @notes.txt", "Use @notes.txt")
	k.check(err)
	text := llm.PartsText(p.Parts)
	skill, file := strings.Index(text, "Sweep first."), strings.Index(text, "heron")
	if skill < 0 || file < skill || p.Shown != "/tidy @notes.txt" {
		t.Errorf("the prompt is %q, shown as %q", text, p.Shown)
	}
	if expanded := k.expand(p); fmt.Sprint(expanded.Parts) != fmt.Sprint(p.Parts) || expanded.Shown != p.Shown {
		t.Errorf("expanded to %+v", expanded)
	}
	if _, err := k.Skill(t.Context(), "none", "/none", "x"); err == nil {
		t.Error("a skill that does not exist is no error")
	}
}

// A text that fits the window stays as it is. Another one goes into a file, and the prompt has its beginning and its end.
func TestFitInput(t *testing.T) {
	t.Parallel()
	long := "begin\n" + strings.Repeat("a line of words\n", 20_000) + "end\n"
	k := newKit(t, `{}`, nil)
	if got := k.FitInput(long); got != long {
		t.Error("a text is cut for a window of unknown size")
	}
	k.limit = 20_000
	if got := k.FitInput("short"); got != "short" {
		t.Errorf("a short text becomes %q", got)
	}
	got := k.FitInput(long)
	path := strings.TrimSuffix(strings.TrimPrefix(firstLine(got), "The standard input of this command is longer than your context window. The full input is in "), ".")
	saved, err := os.ReadFile(path)
	if err != nil || string(saved) != long {
		t.Errorf("%d bytes in the file %q, %v", len(saved), path, err)
	}
	if n := llm.EstimateTokens([]llm.Part{llm.Text(got)}); n > 12_000 || !strings.Contains(got, "begin\n") || !strings.HasSuffix(strings.TrimSpace(got), "end") {
		t.Errorf("the prompt has %d tokens", n)
	}
	if text := k.takeWarnings(); !strings.HasPrefix(text, "Warning: Standard input is too long") || !strings.Contains(text, filepath.Base(path)) {
		t.Errorf("warned %q", text)
	}
}

// If the text cannot be saved, the prompt and the warning have the reason.
func TestFitInputUnsaved(t *testing.T) {
	t.Parallel()
	k := newKit(t, `{}`, func(k *kit) { k.limit = 20_000 })
	temp, err := k.project.Paths.ProjectTemp()
	k.check(err)
	k.check(os.WriteFile(filepath.Join(temp, "tool-outputs"), nil, 0o600))
	got := k.FitInput(strings.Repeat("a line of words\n", 20_000))
	for _, text := range []string{firstLine(got), k.takeWarnings()} {
		if !strings.Contains(text, "Pollux could not save it: not a directory.") {
			t.Errorf("%q has no reason", text)
		}
	}
}

func firstLine(text string) string { line, _, _ := strings.Cut(text, "\n"); return line }
