package memory

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Check(Command(), []managetest.Case{
		{Line: "", Want: "Memory is currently empty.", JSON: `{"trusted":true,"tokens":0,"files":[]}`},
		{Line: "list", Want: "No GEMINI.md files in use."},
		{Line: "/list", Want: "No GEMINI.md files in use."},
		{Line: "/add", Want: "Enter the text to remember", Code: exit.Input},
		{Line: "add Likes tea.", Want: "Added to ~/.gemini/GEMINI.md: Likes tea."},
		{Line: "/add Likes tea.", Want: "Already in ~/.gemini/GEMINI.md: Likes tea."},
		{Line: "/list", Want: "No GEMINI.md files in use."},
		{Line: "/reload", Want: "Memory reloaded successfully. Loaded "},
		{Line: "/list", Want: "There are 1 GEMINI.md file(s) in use:"},
		{Line: "show", Want: "TOKENS  TIER    BYTES  WHY         FILE\n"},
		{Line: "show", Want: "~/.gemini/GEMINI.md\n"},
		{Line: "refresh", Want: "Loaded "},
		{Line: "/show", Want: "Likes tea."},
	})
	if _, err := p.Shell(Command(), "add", " "); exit.CodeOf(err) != exit.General {
		t.Errorf("an empty line: %v", err)
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	for _, want := range []string{"Created GEMINI.md. Analyzing the project to fill it.", "Analyzing the project to write GEMINI.md."} {
		if o, next, err := p.Slash(InitCommand(), "", ""); err != nil || o.Markdown(0) != want || next.Prompt == nil || !next.IsPromptHidden {
			t.Errorf("%s, %+v, %v", o.Markdown(0), next, err)
		}
	}
	if info, err := os.Stat(filepath.Join(p.Options.Dir, "GEMINI.md")); err != nil || info.Size() != 0 {
		t.Errorf("%v, %v", info, err)
	}
	p.Write("AGENTS.md", "")
	if o, _, err := p.Slash(InitCommand(), "", ""); err != nil || o.Markdown(0) != "Analyzing the project to write AGENTS.md." {
		t.Errorf("%s, %v", o.Markdown(0), err)
	}
	p.Write("AGENTS.md", "x")
	if o, _, err := p.Slash(InitCommand(), "", ""); err != nil || o.Markdown(0) != "An AGENTS.md file already exists in this directory. No changes were made." {
		t.Errorf("%s, %v", o.Markdown(0), err)
	}
	if err := os.Remove(filepath.Join(p.Options.Dir, "AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	p.Write("GEMINI.md", "x")
	if o, next, err := p.Slash(InitCommand(), "", ""); err != nil || next.Prompt != nil || o.Markdown(0) != "A GEMINI.md file already exists in this directory. No changes were made." {
		t.Errorf("%s, %+v, %v", o.Markdown(0), next, err)
	}
}
