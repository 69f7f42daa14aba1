// Package skills manages skills: it lists, switches, installs, links and removes them.
package skills

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/skill"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// Command returns the commands about skills.
func Command() *manage.Command {
	scope := manage.Flag{Name: "scope", Default: "user", Usage: "`scope` Where the skill belongs: user or workspace"}
	consent := manage.Flag{Name: "consent", Default: false, Usage: "Agree to the installation without a question"}
	return &manage.Command{
		Name: "skills", Aliases: []string{"skill"}, Summary: "List, install, enable and disable skills",
		Session: &manage.InSession{Args: "[all] [nodesc]", Summary: "Show and manage skills", Run: listBriefly}, RunsWhileBusy: true,
		Subs: []*manage.Command{
			{
				Name: "list", Summary: "List skills", Run: manage.With(manage.Open, list),
				Flags:   []manage.Flag{{Name: "all", Default: false, Usage: "Include the skills of Pollux"}, manage.JSON},
				Session: &manage.InSession{Args: "[all] [nodesc]", Summary: "List skills, with those of Pollux or without descriptions", Run: listBriefly}, RunsWhileBusy: true,
			},
			{
				Name: "enable", Args: "<name>", Summary: "Enable a skill in all settings", Names: names, Run: setEnabled(true),
				Session: &manage.InSession{Summary: "Enable a skill"},
			},
			{
				Name: "disable", Args: "<name>", Summary: "Disable a skill", Names: names, Run: setEnabled(false),
				Flags:   []manage.Flag{{Name: "scope", Short: "s", Default: "workspace", Usage: "`scope` Settings to change: user or workspace"}},
				Session: &manage.InSession{Args: "<name> [--scope user|workspace]"},
			},
			{Name: "reload", Aliases: []string{"refresh"}, Summary: "Read the skills again", IsSessionOnly: true, Run: reload},
			{
				Name: "install", Args: "<source>", Summary: "Install the skills of a Git repository, a directory or a .skill file", Run: manage.With(open, add),
				Flags: []manage.Flag{
					{Name: "path", Default: "", Usage: "`Directory` in the source to install from"},
					{Name: "all", Default: false, Usage: "Install all skills of a repository that has many"},
					consent, scope,
				},
			},
			{
				Name: "link", Args: "<path>", Summary: "Use the skills of a directory from where they are", Run: manage.With(open, link), Values: manage.DirectoryNames, Flags: []manage.Flag{consent, scope},
				Session: &manage.InSession{Args: "<path> [--scope user|workspace]", Run: linkLive}, NeedsPerson: true, Instead: "In a terminal, run: pollux skills link PATH",
			},
			{Name: "uninstall", Args: "<name>", Summary: "Remove an installed or linked skill", Run: manage.With(open, remove), Flags: []manage.Flag{scope}},
		},
	}
}

func names(_ context.Context, p *project.Project) (names []string) {
	for _, k := range read(p).All() {
		names = append(names, k.Name)
	}
	return names
}

// read returns the skills that a session of a project would have.
func read(p *project.Project) *skill.Set { return p.ReadSkills(p.Settings(), p.IsTrusted()) }

// Skill is a row of the list of skills.
type Skill struct {
	FullName    string `json:"-"` // with the name of its extension
	Name        string `json:"name"`
	Description string `json:"description"`
	Location    string `json:"location"`
	Extension   string `json:"extension,omitempty"`
	Enabled     bool   `json:"enabled"`
	IsBuiltin   bool   `json:"isBuiltin"`
	IsManual    bool   `json:"isManual,omitempty"`
}

// rows returns skills by name, those of Pollux last. Without all, it leaves out those of Pollux.
func rows(set *skill.Set, all bool) []Skill {
	rows := []Skill{}
	for _, k := range set.All() {
		row := Skill{FullName: k.FullName(), Name: k.Name, Description: k.Description, Location: k.Path, Extension: k.Extension, Enabled: !k.IsDisabled, IsBuiltin: k.IsBuiltin(), IsManual: k.IsManual}
		switch {
		case row.IsBuiltin && !all:
			continue
		case row.IsBuiltin:
			row.Location = "part of Pollux"
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b Skill) int {
		switch {
		case a.IsBuiltin == b.IsBuiltin:
			return strings.Compare(a.Name, b.Name)
		case a.IsBuiltin:
			return 1
		}
		return -1
	})
	return rows
}

func list(_ context.Context, c *manage.Call, p *project.Project) (outcome.Outcome, error) {
	if !p.IsTrusted() {
		c.Note("Warning: This folder is not trusted: its skills are not used.")
	}
	set := read(p)
	for _, problem := range set.Problems {
		c.Note("Warning: " + terminal.Line(problem))
	}
	skills := rows(set, c.Is("all"))
	if len(skills) == 0 {
		return outcome.Textf("No skills discovered.").WithValue(skills), nil
	}
	var b strings.Builder
	b.WriteString("Discovered Agent Skills:\n")
	for _, k := range skills {
		state := "[Enabled]"
		if !k.Enabled {
			state = "[Disabled]"
		}
		if k.IsBuiltin {
			state += " [Built-in]"
		}
		if k.IsManual {
			state += " [Only you activate it]"
		}
		fmt.Fprintf(&b, "\n%s %s\n  Description: %s\n  Location:    %s\n", k.Name, state, terminal.Line(k.Description), k.Location)
	}
	return outcome.New(outcome.Text(b.String())).WithValue(skills), nil
}

func listBriefly(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	var all, brief bool
	for _, word := range strings.Fields(c.Text) {
		switch strings.TrimLeft(word, "-") {
		case "all":
			all = true
		case "nodesc":
			brief = true
		default:
			return outcome.Outcome{}, manage.Usage("/skills list [all] [nodesc]")
		}
	}
	skills := rows(c.Live.Skills.Set(), all)
	note := ""
	if !c.Live.Project.IsTrusted() {
		note = "\n\nThis folder is not trusted: Pollux ignores its skills. See /permissions trust."
	}
	if len(skills) == 0 {
		return outcome.Textf("No skills found. To learn about skills, see /docs skills.%s", note), nil
	}
	var b strings.Builder
	b.WriteString("Available Agent Skills:\n")
	for _, k := range skills {
		b.WriteString("\n- " + terminal.Line(k.FullName))
		if !k.Enabled {
			b.WriteString(" [Disabled]")
		}
		if k.IsBuiltin {
			b.WriteString(" [Built-in]")
		}
		if !brief {
			b.WriteString("\n  " + terminal.Cut(terminal.Line(k.Description), 500))
		}
	}
	return outcome.New(outcome.Text(b.String() + note)), nil
}

func reload(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	added, removed, err := c.Live.Skills.Reload()
	if err != nil {
		return outcome.Outcome{}, err
	}
	text := "Agent skills reloaded successfully."
	var changes []string
	if n := len(added); n > 0 {
		changes = append(changes, strings.Replace(wording.Count(n, "skill"), " ", " newly available ", 1))
	}
	if n := len(removed); n > 0 {
		changes = append(changes, wording.Count(n, "skill")+" no longer available")
	}
	if len(changes) > 0 {
		text += " " + strings.Join(changes, " and ") + "."
	}
	for _, problem := range c.Live.Skills.Set().Problems {
		text += "\n" + terminal.Line(problem)
	}
	return outcome.New(outcome.Text(text)), nil
}
