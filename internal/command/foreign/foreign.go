// Package foreign translates commands of other agents, which are Markdown, to files of custom commands.
package foreign

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/charset"
	"pollux/internal/frontmatter"
	"pollux/internal/secret"
	"pollux/internal/transfer"
)

// Form is the form of an agent's commands.
type Form struct {
	// HasFrontMatter means that a description and other keys may precede the prompt.
	HasFrontMatter bool
	// HasArguments means that $ARGUMENTS, $1 and so on stand for arguments, HasNames that $NAME does, too.
	HasArguments, HasNames bool
	// HasShell means that !`command` stands for the output of a command, and HasFiles that @path stands for a file.
	HasShell, HasFiles bool
	// IsOwn means that the prompt is a template of Gemini CLI.
	IsOwn bool
}

// Forms returns the form of an agent's commands. ok is false if it has none that are known.
func Forms(agent string) (form Form, ok bool) {
	switch agent {
	case "claude", "opencode":
		return Form{HasFrontMatter: true, HasArguments: true, HasShell: true, HasFiles: true}, true
	case "codex":
		return Form{HasFrontMatter: true, HasArguments: true, HasNames: true}, true
	case "antigravity":
		return Form{HasFrontMatter: true}, true
	case "cursor":
		return Form{}, true
	case "qwen":
		return Form{HasFrontMatter: true, IsOwn: true}, true
	}
	return form, false
}

// Translate returns a file with the command that a text is, and says in the item how it differs. It returns nil for a command that is left
// out.
func (f Form) Translate(text []byte, item *transfer.Item) []byte {
	prompt := strings.ReplaceAll(strings.ToValidUTF8(charset.Text(text), "\ufffd"), "\r\n", "\n")
	fields := map[string]any{}
	if f.HasFrontMatter {
		if front, body, ok := frontmatter.Cut(prompt); ok {
			prompt, fields = body, frontmatter.Fields(front)
		}
	}
	if secret.EraseForms(prompt) != prompt {
		item.Leave("it has a key")
		return nil
	}
	if strings.TrimSpace(prompt) == "" {
		item.Leave("it is empty")
		return nil
	}
	var b strings.Builder
	description, _ := fields["description"].(string)
	if description = strings.TrimSpace(description); description != "" {
		b.WriteString("description = " + quoted(description) + "\n")
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case key == "description" && (description != "" || fields[key] == nil || fields[key] == ""):
		case key == "disable-model-invocation": // no model can run a command
		case key == "allowed-tools":
			item.Change("without allowed-tools, which allow calls without a question")
		default:
			item.Change("without %s", key)
		}
	}
	if !f.IsOwn {
		t := template{form: f, item: item}
		t.translate(prompt)
		if item.Result == transfer.LeftOut {
			return nil
		}
		prompt = t.out.String()
	}
	return []byte(b.String() + "prompt = " + block(prompt) + "\n")
}

// quoted returns a string of TOML in one line.
func quoted(text string) string {
	data, _ := json.Marshal(text) // strings are always valid, and TOML has the escapes of JSON
	return strings.ReplaceAll(string(data), "\x7f", `\u007f`)
}

// block returns a string of TOML, as it is in lines of their own if TOML has no meaning for it.
func block(text string) string {
	isPlain := !strings.Contains(text, "'''") && !strings.HasSuffix(text, "'") && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0x7f
	})
	if isPlain {
		return "'''\n" + text + "'''"
	}
	return quoted(text)
}

// template is a template of Gemini CLI, in the making.
type template struct {
	form Form
	item *transfer.Item
	out  strings.Builder
	end  byte // the last byte of out, 0 if there is none
}

// write adds a part of the template. It keeps apart a "!" or "@" and a brace behind it, which would begin a command or a file.
func (t *template) write(text string) {
	if text == "" {
		return
	}
	if text[0] == '{' && (t.end == '!' || t.end == '@') {
		t.out.WriteByte(' ')
		t.item.Change("a space is in %c{, which would be a %s", t.end, map[byte]string{'!': "shell command", '@': "file"}[t.end])
	}
	t.out.WriteString(text)
	t.end = text[len(text)-1]
}

// argsMark stands for the arguments in a template.
const argsMark = "{{args}}"

// argument matches a name that may stand for arguments.
const argument = `\$(ARGUMENTS\b|[0-9]+|[A-Z][A-Z0-9_]*)`

// parts returns the expression for the parts of a prompt that may have a meaning: shell commands, files, code, arguments and braces.
func parts() *regexp.Regexp {
	return regexp.MustCompile("!`([^`\n]+)`" + `|@([^\s` + "`" + `'"()<>{}\[\],;]+)|` + "```|`[^`\n]*`|" + texts)
}

// texts matches the parts that have a meaning in all places.
const texts = argument + `|\{\{args\}\}|\{`

// translate writes the template for a prompt.
func (t *template) translate(prompt string) {
	if t.form.HasShell && strings.Contains(prompt, "```!") {
		t.item.Change("a block ```! stays text, and does not run")
	}
	isCode, at := false, 0 // isCode: in a block between lines with ```
	for _, m := range parts().FindAllStringSubmatchIndex(prompt, -1) {
		t.write(prompt[at:m[0]])
		at = m[1]
		whole := prompt[m[0]:m[1]]
		isWord := m[0] > 0 && isWordByte(prompt[m[0]-1])
		switch {
		case whole == "```":
			isCode = !isCode
			t.write(whole)
		case m[2] >= 0 && t.form.HasShell:
			t.shell(prompt[m[2]:m[3]])
		case m[4] >= 0 && t.form.HasFiles && !isCode && !isWord:
			t.file(prompt[m[4]:m[5]])
		default:
			t.text(whole)
		}
	}
	t.write(prompt[at:])
}

// text writes a text in which only arguments have a meaning.
func (t *template) text(text string) {
	at := 0
	for _, m := range regexp.MustCompile(texts).FindAllStringSubmatchIndex(text, -1) {
		t.write(text[at:m[0]])
		at = m[1]
		switch whole := text[m[0]:m[1]]; {
		case whole == argsMark:
			t.write("{ {args}}")
			t.item.Change("a space is in %s, which would be the arguments", argsMark)
		case m[2] >= 0 && t.form.HasArguments:
			t.argument(whole, text[m[2]:m[3]])
		default:
			t.write(whole)
		}
	}
	t.write(text[at:])
}

// shell writes a shell command. In it, the arguments are one word, which the shell does not interpret.
func (t *template) shell(command string) {
	replaced := regexp.MustCompile(`\$(?:ARGUMENTS\b|[0-9]+)`).ReplaceAllString(command, argsMark)
	switch {
	case strings.Contains(command, argsMark) || !isBalanced(replaced):
		t.item.Leave("a shell command has braces that a template cannot have")
		return
	case replaced != command:
		t.item.Change("in a shell command, the arguments are one quoted text")
	}
	t.write("!")
	t.out.WriteString("{" + replaced + "}")
	t.end = '}'
}

// isBalanced reports whether each brace that is opened is closed, and no other.
func isBalanced(text string) bool {
	open := 0
	for _, r := range text {
		switch r {
		case '{':
			open++
		case '}':
			if open--; open < 0 {
				return false
			}
		}
	}
	return open == 0
}

// argument writes the arguments.
func (t *template) argument(whole, name string) {
	switch {
	case name == "ARGUMENTS":
		t.write(argsMark)
	case strings.Trim(name, "0123456789") == "":
		t.item.Change("%s stands for all arguments", whole)
		t.write(argsMark)
	case t.form.HasNames:
		t.item.Change("%s stays as it is: arguments have no names", whole)
		t.write(whole)
	default:
		t.write(whole)
	}
}

// file writes a file. A name without a dot and a slash is a word, such as that of a subagent.
func (t *template) file(path string) {
	name := strings.TrimRight(path, ".:!?")
	switch {
	case strings.Contains(name, "$"):
		t.item.Change("a file that the arguments name is not attached")
		t.text(path)
	case !strings.ContainsAny(name, "./"):
		t.write("@" + path)
	default:
		t.write("@")
		t.out.WriteString("{" + name + "}" + path[len(name):])
		t.end = (name + "}" + path[len(name):])[len(path)]
	}
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// CheckOwn reports in the item whether a file of a command in Gemini CLI's form can be copied.
func CheckOwn(text []byte, item *transfer.Item) []byte {
	object, err := transfer.ParseTOML(text)
	prompt, isText := object["prompt"].(string)
	switch {
	case err != nil:
		item.Leave("it is not valid TOML")
	case !isText:
		item.Leave("it has no prompt")
	case secret.EraseForms(fmt.Sprint(object)) != fmt.Sprint(object) || secret.EraseForms(prompt) != prompt:
		item.Leave("it has a key")
	default:
		return text
	}
	return nil
}
