package slash

import (
	"fmt"
	"strconv"
	"strings"
)

// owned is a command that is not in the table, with its owner.
type owned struct {
	*Command
	prefix string // of its name, where another command has this name: "user."
	owner  string // for people: "user command"
}

// settleNames gives each command a name of its own. A name of the table belongs to the table, and one that
// several commands have belongs to none of them: they are renamed. The notices are for the user.
func settleNames(table []*Command, list []owned) (commands []*Command, notices []string) {
	owners := map[string]int{} // by name
	for _, c := range list {
		owners[c.Name]++
	}
	taken := func(name string) bool {
		return findCommand(table, name) != nil || owners[name] > 0 || findCommand(commands, name) != nil
	}
	renamed := map[string][]string{} // notices, by name
	var order []string
	for _, o := range list {
		c, name := *o.Command, o.Name
		isBuiltin := findCommand(table, name) != nil
		if isBuiltin || owners[name] > 1 {
			c.Name = o.prefix + name
			for n := 1; taken(c.Name); n++ {
				c.Name = o.prefix + name + strconv.Itoa(n)
			}
			if renamed[name] == nil {
				order = append(order, name)
			}
			renamed[name] = append(renamed[name], fmt.Sprintf("%s '/%s' was renamed to '/%s'", capitalize(o.owner), name, c.Name))
		}
		commands = append(commands, &c)
	}
	for _, name := range order {
		switch lines := renamed[name]; {
		case len(lines) > 1:
			notices = append(notices, fmt.Sprintf("Conflicts detected for command '/%s':\n- %s", name, strings.Join(lines, "\n- ")))
		default: // a command that is alone keeps its name, unless the table has it
			notices = append(notices, lines[0]+" because it conflicts with built-in command.")
		}
	}
	return commands, notices
}

// capitalize returns text with a capital letter at its beginning. The first character is ASCII.
func capitalize(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
