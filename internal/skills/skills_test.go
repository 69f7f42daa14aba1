package skills_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/agent"
	"pollux/internal/guard/trust"
	"pollux/internal/journal"
	"pollux/internal/mcp/mcptest"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/internal/record"
	"pollux/internal/servers"
	"pollux/internal/skills"
	"pollux/internal/tools/activate"
	"pollux/internal/toolset"
	"pollux/internal/toolset/toolsettest"
	"pollux/llm"
	"pollux/tool"
)

const tidy = "---\nname: Tidy\ndescription: Tidies up\n---\nTidy.\n"

// session has the skills of a project.
type session struct {
	*skills.Skills
	project *project.Project
	kit     *toolsettest.Kit
	tools   *toolset.Set
	record  *record.Record
	servers *servers.Servers
	changes int
}

// open opens the skills of a user in a trusted folder.
func open(t *testing.T, u *projecttest.User, o record.Options, changes ...func(*project.Options)) *session {
	t.Helper()
	p := u.Open(append([]func(*project.Options){func(o *project.Options) { o.Folder, o.Interactive = trust.Trusted, true }}, changes...)...)
	s := &session{project: p, kit: toolsettest.New(t, p, nil)}
	s.tools = s.kit.Open()
	var err error
	if s.record, err = record.Open(t.Context(), p, o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.record.Close)
	s.servers = servers.Open(servers.Parts{
		Project: p, Registry: s.kit.Registry, Launcher: process.NewLauncher(), Roots: func() []string { return nil }, Rules: s.kit.Policy.Rules, Model: func() servers.Model { return servers.Model{} },
	})
	t.Cleanup(s.servers.Close)
	s.Skills = skills.Open(skills.Parts{
		Project: p, Registry: s.kit.Registry, Tools: s.tools, Workspace: s.kit.Workspace, Servers: s.servers, Record: s.record, Changed: func() { s.changes++ },
	})
	return s
}

// spec returns the specification of activate_skill for the model, nil if it does not have the tool.
func (s *session) spec() *tool.Spec {
	t, ok := s.kit.Registry.Lookup(activate.Name)
	if !ok {
		return nil
	}
	return t.Spec()
}

// names returns the names that the model may activate.
func (s *session) names() string {
	spec := s.spec()
	if spec == nil {
		return ""
	}
	var schema struct {
		Properties struct{ Name struct{ Enum []string } }
	}
	_ = json.Unmarshal(spec.Schema, &schema)
	return strings.Join(schema.Properties.Name.Enum, " ")
}

// activate runs a call of the tool, and returns the text for the model.
func (s *session) activate(t *testing.T, name string) string {
	t.Helper()
	one, _ := s.kit.Registry.Lookup(activate.Name)
	i, err := tool.Build(one, json.RawMessage(`{"name":"`+name+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	return llm.PartsText(i.Run(t.Context(), tool.Host{}).Content)
}

// TestOpen checks which skills there are, by trust and settings.
func TestOpen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings  string
		untrusted bool
		home      bool
		want      string
		absent    string
	}{
		"all":       {want: "skill-creator of-extension Mine Own Shared Tidy"},
		"untrusted": {untrusted: true, want: "skill-creator of-extension Mine Shared"},
		"disabled":  {settings: `{"skills": {"disabled": ["tidy", "mine"]}}`, want: "skill-creator of-extension Own Shared"},
		"off":       {settings: `{"skills": {"enabled": false}}`, absent: "There are no skills."},
		"not core":  {settings: `{"tools": {"core": ["glob"]}}`, absent: toolset.NotCore},
		"home":      {home: true, want: "skill-creator of-extension Mine Shared"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := projecttest.NewUser(t)
			u.Write("~/.gemini/settings.json", cmp.Or(tt.settings, "{}"))
			u.Write(".gemini/skills/tidy/SKILL.md", tidy)
			u.Write(".agents/skills/own/SKILL.md", "---\nname: Own\ndescription: x\n---\n")
			u.Write("~/.gemini/skills/mine/SKILL.md", "---\nname: Mine\ndescription: x\n---\n")
			u.Write("~/.agents/skills/shared/SKILL.md", "---\nname: Shared\ndescription: x\n---\n")
			u.AddExtension("e", "", map[string]string{"skills/x/SKILL.md": "---\nname: of-extension\ndescription: x\n---\n"})
			s := open(t, u, record.Options{}, func(o *project.Options) {
				if tt.untrusted {
					o.Folder = trust.Untrusted
				}
				if tt.home {
					o.Dir = u.Home
				}
			})
			got := strings.Fields(s.names())
			want := strings.Fields(tt.want)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || s.tools.WhyHidden(activate.Name) != tt.absent {
				t.Errorf("the skills are %q, absent: %q", got, s.tools.WhyHidden(activate.Name))
			}
			if s.changes != 1 {
				t.Errorf("%d changes", s.changes)
			}
			var listed []string
			for _, k := range s.ForPrompt() {
				listed = append(listed, k.Name)
				if (k.Location == "part of Pollux") != (k.Name == "skill-creator") || k.Description == "" {
					t.Errorf("%+v", k)
				}
			}
			slices.Sort(listed)
			if tt.absent == "" && !slices.Equal(listed, want) {
				t.Errorf("the instruction lists %q", listed)
			}
		})
	}
}

// TestProblems checks the warnings about skills that cannot be read.
func TestProblems(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	u.Write(".gemini/skills/tidy/SKILL.md", "---\nname: \"Ti\x1b[31m\"\n---\n")
	s := open(t, u, record.Options{})
	if text := u.TakeWarnings(); !strings.HasPrefix(text, "Warning: ") || !strings.Contains(text, "SKILL.md") || strings.ContainsAny(text, "\x1b\n") {
		t.Errorf("warnings: %q", text)
	}
	if s.HasOwn() {
		t.Error("a broken skill counts")
	}
}

// TestReload checks that a change of skills or settings counts at once, and that without a change the requests stay as
// they are.
func TestReload(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	s := open(t, u, record.Options{})
	if s.HasOwn() || s.names() != "skill-creator" {
		t.Fatalf("the skills are %s", s.names())
	}
	reload := func(added, removed, all string, changes int) {
		t.Helper()
		gotAdded, gotRemoved, err := s.Reload()
		if err != nil || strings.Join(gotAdded, " ") != added || strings.Join(gotRemoved, " ") != removed || s.names() != all || s.changes != changes {
			t.Errorf("added %q, removed %q, %v; the skills are %s, %d changes", gotAdded, gotRemoved, err, s.names(), s.changes)
		}
	}
	before := s.spec()
	reload("", "", "skill-creator", 1)
	if s.spec() != before {
		t.Error("the tool is a new one although no skill has changed")
	}
	u.Write(".gemini/skills/tidy/SKILL.md", tidy)
	reload("Tidy", "", "skill-creator Tidy", 2)
	if !s.HasOwn() {
		t.Error("there are no own skills")
	}
	u.Write(".gemini/skills/tidy/SKILL.md", strings.Replace(tidy, "Tidies", "Cleans", 1))
	reload("", "", "skill-creator Tidy", 3)
	u.Write("~/.gemini/settings.json", `{"skills": {"disabled": ["skill-creator", "Tidy"]}}`)
	reload("", "skill-creator Tidy", "", 4)
	if s.spec() != nil || s.tools.WhyHidden(activate.Name) != "There are no skills." {
		t.Errorf("without skills: %q", s.tools.WhyHidden(activate.Name))
	}
	u.Write("~/.gemini/settings.json", `{}`)
	reload("skill-creator Tidy", "", "skill-creator Tidy", 5)
	u.Write("~/.gemini/settings.json", `{`)
	if _, _, err := s.Reload(); err == nil || s.names() != "skill-creator Tidy" {
		t.Errorf("with broken settings: %v, the skills are %s", err, s.names())
	}
	s.project.Trust.Set(trust.Untrusted)
	if set := s.Read(); len(set.Enabled()) != 1 || s.Set() != set {
		t.Errorf("in an untrusted folder: %v", set.Enabled())
	}
}

// TestActivate checks that the files of an activated skill are readable, and that the record has their folder once.
func TestActivate(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	file := u.Write("~/.gemini/skills/tidy/SKILL.md", tidy)
	extra := u.Write("~/.gemini/skills/tidy/list.txt", "x")
	s := open(t, u, record.Options{Recorded: true, SessionID: "first"})
	j := s.record.Journal()
	if err := j.Begin(t.Context(), "first", nil); err != nil {
		t.Fatal(err)
	}
	if err := j.Append(t.Context(), agent.Entry{Message: agent.Message{ID: "m", Content: llm.User(llm.Text("hi")), IsPrompt: true}}); err != nil {
		t.Fatal(err)
	}
	if s.kit.Workspace.CheckRead(extra) == nil {
		t.Fatal("a skill that is not activated is readable")
	}
	for range 2 {
		if text := s.activate(t, "Tidy"); !strings.Contains(text, "Tidy.") || !strings.Contains(text, "list.txt") {
			t.Errorf("the instructions are %s", text)
		}
	}
	if s.kit.Workspace.CheckRead(extra) != nil || s.kit.Workspace.CheckWrite(extra) == nil {
		t.Error("the files are not readable, or writable")
	}
	path := s.record.Transcript()
	s.record.Close()
	loaded, err := journal.Load(path)
	if err != nil || !slices.Equal(loaded.SkillFolders, []string{filepath.Dir(file)}) {
		t.Errorf("the record has %+v, %v", loaded, err)
	}
	if text := s.activate(t, "skill-creator"); text == "" {
		t.Error("the skill of Pollux has no instructions")
	}
}

// Servers know of the folder of a skill from its activation on.
func TestServersKnowFolders(t *testing.T) {
	t.Parallel()
	toy := func(*http.Request) *sdk.Server { return mcptest.New("toy", mcptest.Process{}) }
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(toy, nil))
	t.Cleanup(service.Close)
	t.Cleanup(service.CloseClientConnections)
	u := projecttest.NewUser(t)
	u.Write("~/.gemini/settings.json", `{"mcpServers": {"toy": {"httpUrl": "`+service.URL+`"}}}`)
	folder := filepath.Dir(u.Write("~/.gemini/skills/tidy/SKILL.md", tidy))
	s := open(t, u, record.Options{}, func(o *project.Options) { o.Interactive, o.ApprovalMode = false, "yolo" })
	s.servers.Await(t.Context())
	roots := func() string {
		one, ok := s.kit.Registry.Lookup("mcp_toy_roots")
		if !ok {
			t.Fatalf("the server is not connected: %+v", s.servers.Status())
		}
		i, err := tool.Build(one, json.RawMessage(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		return llm.PartsText(i.Run(t.Context(), tool.Host{}).Content)
	}
	if got := roots(); strings.Contains(got, folder) {
		t.Errorf("before the activation: %s", got)
	}
	s.activate(t, "Tidy")
	if got := roots(); !strings.Contains(got, folder) {
		t.Errorf("after the activation: %s", got)
	}
}

// TestOpenResumed checks that a resumed session reads the folders of skills that may still be used, and no others.
func TestOpenResumed(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	folder := filepath.Dir(u.Write("~/.gemini/skills/tidy/SKILL.md", tidy))
	disabled := filepath.Dir(u.Write("~/.gemini/skills/off/SKILL.md", "---\nname: Off\ndescription: x\n---\n"))
	unused := filepath.Dir(u.Write("~/.gemini/skills/unused/SKILL.md", "---\nname: Unused\ndescription: x\n---\n"))
	other := filepath.Dir(u.Write("~/secrets/x", ""))
	u.Write("~/.gemini/settings.json", `{"skills": {"disabled": ["Off"]}}`)
	s := open(t, u, record.Options{Recorded: true, SessionID: "first"})
	s.OpenResumed(nil)
	s.OpenResumed([]string{folder, disabled, other, ""})
	for dir, want := range map[string]bool{folder: true, disabled: false, unused: false, other: false} {
		if got := slices.Contains(s.kit.Workspace.ReadableDirs(), dir); got != want {
			t.Errorf("%s is readable: %v", dir, got)
		}
	}
}
