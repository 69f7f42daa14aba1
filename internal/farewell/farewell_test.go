package farewell

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/agent"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/worktree"
	"pollux/llm"
	"pollux/tool"
)

// user answers the question about a worktree.
type user struct {
	answer string
	asked  []string
}

// Ask implements [person.Asker].
func (u *user) Ask(_ context.Context, c tool.Confirmation) (tool.Answer, error) {
	for _, q := range c.(*tool.QuestionConfirmation).Questions {
		u.asked = append(u.asked, q.Text)
	}
	return tool.Answer{Outcome: tool.ProceedOnce, Reply: &tool.Reply{Answers: map[string]string{"0": u.answer}}}, nil
}

// Approve implements [person.Asker].
func (u *user) Approve(context.Context, *agent.Question) (tool.Answer, error) {
	return tool.Answer{}, os.ErrInvalid
}

// repo is a repository with one commit.
type repo struct {
	*testing.T
	dir     string
	environ []string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c",
	}}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-q", "--allow-empty", "-m", "first"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = r.dir, r.environ
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return r
}

// enter returns the worktree with a name.
func (r *repo) enter(name string) *worktree.Worktree {
	r.Helper()
	w, err := worktree.Enter(r.Context(), worktree.Options{
		Dir: r.dir, Name: name, Environ: r.environ, Launcher: process.NewLauncher(), Warn: func(string) {},
	})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(w.Close)
	return w
}

// newFarewell returns the end of a session "id one", which is recorded if it should be.
func newFarewell(t *testing.T, isRecorded bool) *Farewell {
	t.Helper()
	p := projecttest.New(t, `{}`)
	rec, err := record.Open(t.Context(), p, record.Options{Recorded: isRecorded})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(rec.Close)
	if isRecorded {
		converse(t, p, rec)
	}
	return &Farewell{Project: p, Record: rec, ID: func() string { return "one" }}
}

// converse puts a prompt into a record.
func converse(t *testing.T, p *project.Project, rec *record.Record) {
	t.Helper()
	a := agent.New(agent.Config{Generator: nil, SessionID: "one", Journal: rec.Journal(), Tools: tool.NewRegistry()})
	a.AddMessage(t.Context(), agent.Message{Content: llm.User(llm.Text("Hi.")), IsPrompt: true})
	if !rec.IsRecorded() {
		t.Fatal("the conversation is not recorded")
	}
}

// The id of a session can be any text, which a shell must not interpret.
func TestResumeCommand(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"one": "pollux --resume one", "a b": "pollux --resume 'a b'", "a\x1b[31m;id": `pollux --resume 'a;id'`} {
		f := &Farewell{ID: func() string { return id }}
		if got := f.ResumeCommand(); got != want {
			t.Errorf("%q: %s, want %s", id, got, want)
		}
	}
}

// Hints name the session if it can be resumed, and are about a worktree that the user has entered.
func TestWorktreeHints(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	w := r.enter("side")
	for _, isRecorded := range []bool{false, true} {
		f := newFarewell(t, isRecorded)
		if got := f.WorktreeHints(); got != "" {
			t.Errorf("without a worktree: %s", got)
		}
		f.Project.Worktree = worktree.Find(w.Path)
		if got := f.WorktreeHints(); got != "" {
			t.Errorf("in a worktree that the session has begun in: %s", got)
		}
		f.Project.Worktree = w
		resume := ""
		if isRecorded {
			resume = " --resume one"
		}
		want := "To resume work in this worktree: cd " + w.Path + " && pollux" + resume +
			"\nTo remove it: git -C " + r.dir + " worktree remove " + w.Path + " && git -C " + r.dir + " branch -D worktree-side"
		if got := f.WorktreeHints(); got != want {
			t.Errorf("recorded %v:\n%s\nwant\n%s", isRecorded, got, want)
		}
	}
}

// A session in no worktree just ends. One that has begun in a worktree keeps it.
func TestEndWithoutEntered(t *testing.T) {
	t.Parallel()
	ended := 0
	f := newFarewell(t, false)
	if got := f.EndWorktree(t.Context(), func() { ended++ }); got != "" || ended != 1 {
		t.Errorf("%q, ended %d times", got, ended)
	}
	f.Project.Worktree, f.Project.Options.Asker = worktree.Find(newRepo(t).enter("side").Path), new(user)
	if got := f.EndWorktree(t.Context(), func() { ended++ }); !strings.HasPrefix(got, "To resume work in this worktree: ") || ended != 2 {
		t.Errorf("%q, ended %d times", got, ended)
	}
}

// A worktree without changes is removed, and one with changes if the person chooses so.
func TestEndWorktree(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	for _, tt := range []struct {
		name       string
		hasChanges bool
		noPerson   bool
		answer     string
		isRemoved  bool
		want       string
	}{
		{name: "unchanged", isRemoved: true, want: "Removed the worktree "},
		{name: "unattended", noPerson: true, want: "To resume work in this worktree: "},
		{name: "kept", hasChanges: true, answer: "Keep it", want: "To resume work in this worktree: "},
		{name: "no-answer", hasChanges: true, want: "To resume work in this worktree: "},
		{name: "deleted", hasChanges: true, answer: "Delete it", isRemoved: true, want: "Deleted the worktree "},
	} {
		f, w, who := newFarewell(t, true), r.enter(tt.name), &user{answer: tt.answer}
		f.Project.Worktree = w
		if !tt.noPerson {
			f.Project.Options.Asker = who
		}
		if tt.hasChanges {
			if err := os.WriteFile(filepath.Join(w.Path, "new.txt"), []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ended := false
		got := f.EndWorktree(t.Context(), func() {
			ended = len(who.asked) == 0
			f.Record.DeleteAtEnd()
			f.Record.End("one") // the hints are those of the session before its end
		})
		_, err := os.Stat(w.Path)
		if !strings.HasPrefix(got, tt.want) || (err != nil) != tt.isRemoved || !ended {
			t.Errorf("%s: %s; removed: %v, ended before the question: %v", tt.name, got, err != nil, ended)
		}
		next := " && pollux --resume one\n"
		if tt.isRemoved {
			next = "To resume this session: pollux --worktree " + tt.name + " --resume one"
		}
		if !strings.Contains(got, next) {
			t.Errorf("%s: no %q in %s", tt.name, next, got)
		}
		if hasAsked := len(who.asked) > 0; hasAsked != tt.hasChanges || hasAsked && !strings.Contains(who.asked[0], "1 changed or new file") {
			t.Errorf("%s: asked %q", tt.name, who.asked)
		}
	}
}

// A worktree that another session uses stays, and one that Git cannot inspect.
func TestEndWorktreeKept(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	first, second := r.enter("shared"), r.enter("shared")
	for _, tt := range []struct{ want, config string }{
		{"Kept the worktree, because another session uses it.\nTo resume work", ""},
		{"Kept the worktree: the repository's configuration can start programs (filter.x.clean).\nTo resume work", "[filter \"x\"]\n\tclean = id\n"},
	} {
		f := newFarewell(t, false)
		f.Project.Worktree, f.Project.Options.Asker = first, new(user)
		if tt.config != "" {
			second.Close()
			config, err := os.OpenFile(filepath.Join(r.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = config.WriteString(tt.config); err != nil || config.Close() != nil {
				t.Fatal(err)
			}
		}
		if got := f.EndWorktree(t.Context(), func() {}); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s, want %s", got, tt.want)
		}
		if _, err := os.Stat(first.Path); err != nil {
			t.Error(err)
		}
	}
}
