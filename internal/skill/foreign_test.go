package skill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlaces checks the order of the directories, and that only a project confines links.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		tier        Tier
		withForeign bool
		want, root  string
	}{
		{User, true, ".claude .gemini .agents", ""},
		{User, false, ".gemini .agents", ""},
		{Workspace, true, ".claude .gemini .agents", "dir"},
		{Workspace, false, ".gemini .agents", "dir"},
	} {
		var got []string
		for _, s := range Places(tt.tier, "dir", tt.withForeign) {
			got = append(got, filepath.Base(filepath.Dir(s.Dir)))
			if s.Root != tt.root || s.Tier != tt.tier || s.IsForeign != strings.Contains(s.Dir, ".claude") {
				t.Errorf("%+v", s)
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%+v: %s", tt, text)
		}
	}
}

// TestForeign checks that skills of Claude Code need no name, that disable-model-invocation keeps one from the model, and that
// neither holds elsewhere.
func TestForeign(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const noName = "---\ndescription: x\nallowed-tools: Bash\n---\nDo.\n"
	write(t, dir, ".claude/skills/unnamed/SKILL.md", noName)
	write(t, dir, ".claude/skills/odd/SKILL.md", "---\ndescription: it: has a colon\ndisable-model-invocation: true\n---\nDo.\n")
	write(t, dir, ".claude/skills/hand/SKILL.md", "---\nname: hand\ndescription: x\ndisable-model-invocation: true\n---\nDo.\n")
	write(t, dir, ".claude/skills/both/SKILL.md", "---\nname: both\ndescription: x\ndisable-model-invocation: false\n---\nDo.\n")
	write(t, dir, ".gemini/skills/none/SKILL.md", noName)
	write(t, dir, ".gemini/skills/own/SKILL.md", "---\nname: own\ndescription: x\ndisable-model-invocation: true\n---\nDo.\n")
	s := Load(Places(Workspace, dir, true), nil)
	var got []string
	for _, k := range s.Enabled() {
		if !k.IsBuiltin() {
			got = append(got, k.Name+map[bool]string{true: " (manual)"}[k.IsManual])
		}
	}
	if text := strings.Join(got, ", "); text != "both, hand (manual), odd (manual), own, unnamed" {
		t.Error(text)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0], filepath.Join("none", FileName)) {
		t.Errorf("problems: %q", s.Problems)
	}
	var offered []string
	for _, k := range s.Offered() {
		offered = append(offered, k.Name)
	}
	if text := strings.Join(offered, " "); !strings.HasSuffix(text, "both own unnamed") {
		t.Errorf("offered: %s", text)
	}
	if _, found := s.Lookup("hand"); !found {
		t.Error("the user cannot use a skill that is theirs alone")
	}
}

// TestSameSkill checks that a skill in several places, by a link or as a copy, is no conflict, and that other text is one.
func TestSameSkill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, ".agents/skills/linked/SKILL.md", text("linked", "x"))
	write(t, dir, ".agents/skills/copied/SKILL.md", text("copied", "x"))
	write(t, dir, ".agents/skills/differs/SKILL.md", text("differs", "x"))
	write(t, dir, ".claude/skills/copied/SKILL.md", text("copied", "x"))
	write(t, dir, ".claude/skills/differs/SKILL.md", text("differs", "y"))
	if err := os.Symlink("../../.agents/skills/linked", filepath.Join(dir, ".claude", "skills", "linked")); err != nil {
		t.Skip(err)
	}
	s := Load(Places(Workspace, dir, true), nil)
	if got := list(s); got != "copied=x differs=x linked=x" {
		t.Error(got)
	}
	if len(s.Problems) != 1 || !strings.Contains(s.Problems[0], `"differs" from`) {
		t.Errorf("problems: %q", s.Problems)
	}
}
