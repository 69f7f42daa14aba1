package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/skill"
	"pollux/internal/slash"
	"pollux/internal/terminal"
)

// skillsCommand returns the subcommand that manages skills.
func skillsCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	c := &skillActions{term: t, env: env}
	cmd := &cobra.Command{Use: "skills", Aliases: []string{"skill"}, Short: "List, install, enable and disable skills", Args: cobra.NoArgs, RunE: requireSubcommand}
	list := &cobra.Command{
		Use: "list", Short: "List skills", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return c.list() },
	}
	list.Flags().BoolVar(&c.all, "all", false, "Include the skills of Pollux")
	list.Flags().BoolVar(&c.json, "json", false, "Print JSON")
	enable := &cobra.Command{
		Use: "enable <name>", Short: "Enable a skill in all settings", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error { return c.setEnabled(words[0], true) },
	}
	disable := &cobra.Command{
		Use: "disable <name>", Short: "Disable a skill", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, words []string) error { return c.setEnabled(words[0], false) },
	}
	disable.Flags().StringVarP(&c.scope, "scope", "s", "workspace", "Settings to change: user or `workspace`")
	for _, one := range []*cobra.Command{enable, disable} {
		one.ValidArgsFunction = completeNames(t, env, 1, skillNames)
	}
	cmd.AddCommand(list, enable, disable)
	cmd.AddCommand(c.installCommands()...)
	return cmd
}

// skillActions holds the flags of the subcommands of skills.
type skillActions struct {
	term      *terminal.Terminal
	env       *config.Env
	all, json bool
	scope     string // of settings
	place     string // of files: the name of a scope
	sub       string
	consent   bool
}

// skillJSON is a skill in JSON output.
type skillJSON struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Location    string `json:"location"`
	Extension   string `json:"extension,omitempty"`
	Enabled     bool   `json:"enabled"`
	IsBuiltin   bool   `json:"isBuiltin"`
}

func newSkillJSON(k *skill.Skill) skillJSON {
	return skillJSON{
		Name: k.Name, Description: k.Description, Location: skillLocation(k), Extension: k.Extension, Enabled: !k.IsDisabled, IsBuiltin: k.IsBuiltin(),
	}
}

// skillLocation returns where a skill is, for people.
func skillLocation(k *skill.Skill) string {
	if k.IsBuiltin() {
		return "part of Pollux"
	}
	return k.Path
}

// list prints the skills.
func (c *skillActions) list() error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	if !setup.IsTrusted() {
		printNote(c.term, "Warning: This folder is not trusted: its skills are not used.")
	}
	set := setup.ReadSkills(setup.Settings(), setup.IsTrusted())
	for _, problem := range set.Problems {
		printNote(c.term, "Warning: "+terminal.Line(problem))
	}
	skills := slash.SortSkills(set, c.all)
	if c.json {
		list := []skillJSON{}
		for i := range skills {
			list = append(list, newSkillJSON(&skills[i]))
		}
		return printJSON(c.term, list)
	}
	if len(skills) == 0 {
		return printText(c.term, "No skills discovered.")
	}
	var b strings.Builder
	b.WriteString("Discovered Agent Skills:\n")
	for i := range skills {
		k := &skills[i]
		state := "[Enabled]"
		if k.IsDisabled {
			state = "[Disabled]"
		}
		if k.IsBuiltin() {
			state += " [Built-in]"
		}
		fmt.Fprintf(&b, "\n%s %s\n  Description: %s\n  Location:    %s\n", k.Name, state, terminal.Line(k.Description), skillLocation(k))
	}
	return printText(c.term, b.String())
}

// setEnabled enables a skill in all settings, or disables it in those of a scope.
func (c *skillActions) setEnabled(name string, enabled bool) error {
	setup, err := look(c.term, c.env)
	if err != nil {
		return err
	}
	scope := config.User
	if !enabled {
		if scope, err = setup.SkillScope(c.scope, "workspace"); err != nil {
			return err
		}
	}
	text, err := setup.SwitchSkill(name, enabled, scope)
	if err != nil {
		return err
	}
	if set := setup.ReadSkills(setup.Settings(), setup.IsTrusted()); !slices.ContainsFunc(set.All(), skill.HasName(name)) {
		printNote(c.term, fmt.Sprintf("Warning: No skill %q was found. \"pollux skills list --all\" lists the skills.", terminal.Cut(terminal.Line(name), 60)))
	}
	return printText(c.term, text)
}
