package slash

import (
	"testing"

	"pollux/internal/tools/activate"
	"pollux/tool"
)

// activateSpec returns the specification of activate_skill in requests, nil if the model does not have the tool.
func (d *driver) activateSpec() *tool.Spec {
	for _, spec := range d.Session.Tools() {
		if spec.Name == activate.Name {
			return spec
		}
	}
	return nil
}

const tidySkill = "---\nname: Tidy\ndescription: Tidies up\n---\nTidy.\n"

// A change of skills counts at once, and without a change the requests stay as they are.
func TestSkills(t *testing.T) {
	t.Parallel()
	d := newDriver(t, setup{})
	const empty, one = `["skill-creator"]`, `["skill-creator","Tidy"]`
	wantEnum := func(want string) {
		t.Helper()
		spec := d.activateSpec()
		if spec == nil {
			t.Fatal("there is no tool")
		}
		if schema := `{"type":"object","properties":{"name":{"type":"string","enum":` + want + `}},"required":["name"],"additionalProperties":false}`; string(spec.Schema) != schema {
			t.Errorf("schema %s\nwant %s", spec.Schema, schema)
		}
	}
	wantEnum(empty)
	d.wantText("/skills", "No skills found.")
	d.file(".gemini/skills/tidy/SKILL.md", tidySkill)
	d.wantText("/skills reload", "Agent skills reloaded successfully. 1 newly available skill.")
	wantEnum(one)
	before := d.activateSpec()
	d.wantText("/skills refresh", "Agent skills reloaded successfully.")
	if d.activateSpec() != before {
		t.Error("the tool is a new one although no skill has changed")
	}
	d.wantText("/skills list", "- Tidy\n  Tidies up")
	d.wantText("/skills disable tidy", `Skill "Tidy" disabled by adding it to the disabled list in workspace`)
	wantEnum(empty)
	d.wantText("/skills list --all --nodesc", "- Tidy [Disabled]\n- skill-creator [Built-in]")
	d.wantText("/skills disable tidy --scope user", `Skill "Tidy" is now disabled in both user`)
	d.wantText("/skills enable TIDY", `Skill "Tidy" enabled by removing it from the disabled list in workspace`, " and user")
	wantEnum(one)
	d.wantText("/skills disable skill-creator", "disabled")
	d.wantText("/skills disable tidy", "disabled")
	if d.activateSpec() != nil {
		t.Error("there is a tool without skills")
	}
	for line, want := range map[string]string{
		"/skills disable":                "Usage: /skills disable <name>",
		"/skills enable":                 "Usage: /skills enable <name>",
		"/skills disable nope":           `Skill "nope" not found`,
		"/skills disable tidy --scope":   "--scope needs a value",
		"/skills enable tidy --scope=me": `There is no scope "me". Use user or workspace.`,
		"/skills list some":              "Usage: /skills list [all] [nodesc]",
		"/skills link":                   "Usage: /skills link <path>",
		"/skills link nowhere":           "Cannot link nowhere: it is not a directory.",
	} {
		d.wantFailure(line, want)
	}
}
