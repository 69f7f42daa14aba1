package skills

import (
	"testing"

	"pollux/internal/exit"
	"pollux/internal/manage/managetest"
)

func TestSkills(t *testing.T) {
	t.Parallel()
	p := managetest.New(t, `{}`)
	p.Write("more/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up\n---\nTidy.\n")
	p.Check(Command(), []managetest.Case{
		{Line: "list", Want: "No skills discovered.", JSON: "[]"},
		{Line: "list --all", Want: "skill-creator [Enabled] [Built-in]"},
		{Line: "/", Want: "No skills found. To learn about skills, see /docs skills."},
		{Line: "/list some", Want: "Usage: /skills list [all] [nodesc]", Code: exit.Input},
		{Line: "/list all nodesc", Want: "- skill-creator [Built-in]"},
		{Line: "install --consent more/tidy", Want: "Successfully installed skill: tidy (scope: user, location: $HOME/.gemini/skills/tidy)"},
		{Line: "list", Want: "\ntidy [Enabled]\n  Description: Tidies up\n", JSON: `[{"name":"tidy","description":"Tidiesup","location":"$HOME/.gemini/skills/tidy/SKILL.md","enabled":true,"isBuiltin":false}]`},
		{Line: "/", Want: "No skills found."},
		{Line: "/reload", Want: "Agent skills reloaded successfully. 1 newly available skill."},
		{Line: "/list", Want: "- tidy\n  Tidies up"},
		{Line: "disable tidy", Want: `Skill "tidy" disabled by adding it to the disabled list in workspace ($DIR/.gemini/settings.json) settings.`},
		{Line: "disable tidy --scope=user", Want: `Skill "tidy" is now disabled in both`},
		{Line: "disable tidy --scope=me", Want: `There is no scope "me".`, Code: exit.Input},
		{Line: "list", Want: "tidy [Disabled]"},
		{Line: "enable tidy", Want: `Skill "tidy" enabled by removing it from the disabled list in workspace`},
		{Line: "enable tidy", Want: `Skill "tidy" is already enabled.`},
		{Line: "enable none", Want: `No skill "none" was found.`, Code: exit.General},
		{Line: "disable none", Want: `Warning: No skill "none" was found.`},
		{Line: "enable none", Want: `Skill "none" enabled by removing it`},
		{Line: "/enable none", Want: `Skill "none" not found.`, Code: exit.Input},
		{Line: "/enable tidy", Want: `Skill "tidy" is already enabled.`},
		{Line: "/disable none", Want: `Skill "none" not found.`, Code: exit.Input},
		{Line: "/disable tidy --scope user", Want: `Skill "tidy" disabled by adding it to the disabled list in user`},
		{Line: "/enable", Want: "Usage: /skills enable <name>", Code: exit.Input},
		{Line: "/link", Want: "Usage: /skills link <path>", Code: exit.Input},
		{Line: "/link nowhere", Want: "Cannot link nowhere: it is not a directory.", Code: exit.Input},
		{Line: "uninstall tidy --scope=workspace", Want: `Skill "tidy" is not installed in the workspace scope.`},
		{Line: "uninstall tidy", Want: "Successfully uninstalled skill: tidy (scope: user"},
		{Line: "install --consent nowhere", Want: "nowhere", Code: exit.General},
	})
}
