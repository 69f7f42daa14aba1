// Package activate has the tool activate_skill, with which a model gets the instructions of a skill.
package activate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"pollux/internal/skill"
	"pollux/llm"
	"pollux/tool"
)

// maxItems is the number of files and folders of a skill that the model gets the names of.
const maxItems = 200

// Options are the values that the tool depends on. All must be set.
type Options struct {
	Skills *skill.Set
	// Tree lists the files in a directory, an absolute path without links: as many as items.
	Tree func(items int, dir string) string
	// Open lets the file tools read such a directory.
	Open func(dir string)
}

// Name is the name of the tool.
const Name = "activate_skill"

// New returns the tool activate_skill for these skills, nil if the model may activate none.
func New(o Options) tool.Tool {
	var names, accepted []string
	for _, k := range o.Skills.Enabled() {
		if k.IsManual { // for the user's command
			accepted = append(accepted, k.Name)
			continue
		}
		names = append(names, k.Name)
		if k.FullName() != k.Name {
			accepted = append(accepted, k.FullName())
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &activateSkill{Options: o, spec: tool.Spec{
		Name:        Name,
		DisplayName: "Activate Skill",
		Aliases:     []string{"ActivateSkillTool"},
		Kind:        tool.KindOther,
		Serial:      true,
		Description: "Returns the instructions of a skill in `<available_skills>`, and makes its files readable.",
		Schema:      schema(names),
		Accepted:    schema(append(names, accepted...)),
	}}
}

// schema returns the schema of a call that activates one of the named skills.
func schema(names []string) json.RawMessage {
	enum, _ := json.Marshal(names) // strings are always valid
	return json.RawMessage(`{"type":"object","properties":{"name":{"type":"string","enum":` + string(enum) +
		`}},"required":["name"],"additionalProperties":false}`)
}

type activateSkill struct {
	tool.ChangesNoFile
	Options
	spec tool.Spec
}

func (t *activateSkill) Spec() *tool.Spec { return &t.spec }

func (t *activateSkill) Build(raw json.RawMessage) (tool.Invocation, error) {
	var args struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &args); err != nil {
		return nil, fmt.Errorf("read the name: %w", err)
	}
	k, found := t.Skills.Lookup(args.Name)
	if !found { // the schema has refused it
		return nil, fmt.Errorf("there is no skill %q", args.Name)
	}
	return &call{Options: t.Options, skill: k}, nil
}

type call struct {
	Options
	skill skill.Skill
	files string // as Tree returned them
}

func (c *call) Summary() string { return fmt.Sprintf("%q: %s", c.skill.Name, c.skill.Description) }

func (c *call) Locations() []tool.Location {
	if c.skill.IsBuiltin() {
		return nil
	}
	return []tool.Location{{Path: c.skill.Path}}
}

// Confirmation is nil for a skill of Pollux: it adds nothing that a user should check.
func (c *call) Confirmation(context.Context) (tool.Confirmation, error) {
	if c.skill.IsBuiltin() {
		return nil, nil
	}
	return &tool.InfoConfirmation{
		Title:  "Activate Skill: " + c.skill.Name,
		Prompt: c.skill.Description + "\n\nFiles that the model can read:\n" + c.list(),
	}, nil
}

func (c *call) list() string {
	if c.skill.IsBuiltin() {
		return "(none)"
	}
	c.files = cmp.Or(c.files, c.Tree(maxItems, c.skill.Folder()))
	return c.files
}

func (c *call) Run(context.Context, tool.Host) *tool.Result {
	text, err := c.skill.Instructions()
	if err != nil {
		return tool.Fail(tool.ErrExecutionFailed, fmt.Sprintf("Cannot read the skill %q: %v.", c.skill.Name, err))
	}
	if !c.skill.IsBuiltin() {
		c.Open(c.skill.Folder())
	}
	result := fmt.Sprintf("<activated_skill name=\"%s\">\n  <instructions>\n    %s\n  </instructions>\n\n  <available_resources>\n    %s\n  </available_resources>\n</activated_skill>%s",
		c.skill.Name, text, c.list(), c.places())
	shown := fmt.Sprintf("Skill %s activated.", c.skill.Name)
	if !c.skill.IsBuiltin() {
		shown += fmt.Sprintf(" The model can read its files in `%s`.", c.skill.Folder())
	}
	return &tool.Result{
		Content: []llm.Part{llm.Text(result)},
		Display: tool.TextDisplay(shown),
		Summary: "Activated " + c.skill.Name,
	}
}

// places explains the paths in the instructions to the model; it is "" if the skill has no files.
func (c *call) places() string {
	if c.skill.IsBuiltin() {
		return ""
	}
	return fmt.Sprintf("\nPaths of the skill's files are relative to %s: write that directory before them, also in commands. Commands run in the project's directory.", c.skill.Folder())
}
