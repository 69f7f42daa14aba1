package plugin

import (
	"path"
	"strings"

	"pollux/internal/charset"
	command "pollux/internal/command/foreign"
	"pollux/internal/frontmatter"
	"pollux/internal/skill"
	"pollux/internal/transfer"
)

// rules converts the rules of Antigravity CLI by their triggers: one that is always on becomes a context file, one that the model chooses a
// skill, and one that the user calls a command.
func (c *Conversion) rules() *transfer.Part {
	if c.form.agent != "antigravity" {
		return &transfer.Part{}
	}
	return c.texts("rule", "rules", []string{".md"}, func(name string, text []byte, item *transfer.Item) {
		front, body, ok := frontmatter.Cut(charset.Text(text))
		fields := frontmatter.Fields(front)
		about, _ := fields["description"].(string)
		word := plainWord(strings.TrimSuffix(name, ".md"))
		trigger, _ := fields["trigger"].(string)
		switch {
		case !ok || trigger == "":
			item.Leave("it has no trigger, without which Antigravity CLI does not use it")
		case trigger == "always_on":
			file := path.Join("rules", "context", word+".md")
			c.put(file, []byte(body+"\n"), item)
			if item.IsWritten() {
				c.out.ContextFiles = append(c.out.ContextFiles, file)
			}
		case trigger == "glob":
			item.Leave("Pollux has no rules for some files only")
		case trigger == "model_decision" && strings.TrimSpace(about) == "":
			item.Leave("it has no description, by which the model would choose it")
		case trigger == "model_decision" && c.at.Has(path.Join("skills", word)):
			item.Leave("there is a skill %s", word)
		case trigger == "model_decision":
			item.Change("it is the skill %s", word)
			c.put(path.Join("skills", word, skill.FileName), []byte("---\nname: "+word+"\ndescription: "+frontmatter.Quote(about)+"\n---\n\n"+body+"\n"), item)
		case trigger == "manual":
			file := (command.Form{HasFrontMatter: true}).Translate([]byte("---\ndescription: "+frontmatter.Quote(about)+"\n---\n"+body), item)
			if file != nil {
				item.Change("it is the command /%s", word)
				c.put(path.Join("commands", word+".toml"), file, item)
			}
		default:
			item.Leave("its trigger is not known")
		}
	})
}

// plainWord returns a text as a name of a file, a skill or a command.
func plainWord(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, text)
}
