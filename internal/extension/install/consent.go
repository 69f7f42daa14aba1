package install

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"pollux/internal/command"
	"pollux/internal/extension"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/skill"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// InstallWarning is the end of every text that asks for consent.
const InstallWarning = "An extension may come from anyone. Pollux does not check it. It can run commands on your computer and " +
	"change what the model does: look at its source before you install it."

// skillWarning follows for extensions with skills.
const skillWarning = "Skills give the model instructions. They can change how it understands your requests and what it does. " +
	"Read them before you install the extension."

// maxItem is the length of an item in bytes; a signature tells those apart that begin alike. Lists are complete: items that they leave out could
// change without a question.
const maxItem = 2000

// consent collects the lines of the text that asks for consent. It is made of texts of strangers:
// each is shown on one line, without characters that a terminal does not show as they are.
type consent struct{ lines []string }

func (c *consent) line(format string, args ...any) {
	for i, arg := range args {
		if text, ok := arg.(string); ok {
			args[i] = oneLine(text)
		}
	}
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

// oneLine returns a text of a stranger on one line of bounded length.
func oneLine(text string) string {
	text = terminal.Line(text)
	if rest := len(text) - maxItem; rest > 0 {
		text = fmt.Sprintf("%s... (%d more bytes)", terminal.Cut(text, maxItem), rest)
	}
	return text
}

// list adds a line for each item, below a title of ours.
func list[T any](c *consent, title string, items []T, show func(item *T)) {
	if len(items) == 0 {
		return
	}
	c.lines = append(c.lines, title)
	for i := range items {
		show(&items[i])
	}
}

// consentLines describes the parts of an extension: first the lines that Gemini CLI has, too.
func consentLines(m *extension.Manifest, content *Content) []string {
	c := &consent{}
	list(c, "This extension will run the following MCP servers:", slices.Sorted(maps.Keys(m.MCPServers)), func(name *string) {
		entry, _ := m.MCPServers[*name].(map[string]any)
		c.server(*name, entry)
	})
	if len(content.ContextFiles) > 0 {
		c.line("This extension will append info to your gemini.md context using %s", strings.Join(content.ContextFiles, ", "))
	}
	if len(m.ExcludeTools) > 0 {
		c.line("This extension will exclude the following core tools: %s", strings.Join(m.ExcludeTools, ","))
	}
	c.hooks(content)
	list(c, "This extension adds the following commands:", content.Commands, func(one *command.Command) {
		format := "  * /%s: %s"
		if strings.Contains(one.Prompt, "!{") {
			format += " (runs shell commands, which you approve)"
		}
		c.line(format, one.Name, strings.TrimPrefix(one.Description, "["+m.Name+"] "))
	})
	list(c, "This extension adds the following policy rules:", content.Rules, func(one *policy.Rule) { c.line("  * %s", describeRule(one)) })
	c.agents(content.Agents)
	list(c, "This extension asks for the following settings:", m.Settings, func(one *extension.Setting) {
		format := "  * %s (%s): %s"
		if one.IsSensitive {
			format = "  * %s (%s, in the keychain): %s"
		}
		c.line(format, one.Name, one.EnvVar, one.Description)
	})
	if len(m.Themes) > 0 {
		c.line("This extension adds %s.", wording.Count(len(m.Themes), "theme"))
	}
	if m.MigratedTo != "" {
		c.line("Updates of this extension will come from %s", m.MigratedTo)
	}
	list(c, "This extension will install the following agent skills:", content.Skills, func(one *skill.Skill) {
		entries, _ := os.ReadDir(one.Folder()) // the number is information only
		c.line("  * %s: %s (%s)", one.Name, one.Description, wording.Count(len(entries), "file"))
	})
	return c.lines
}

// describeRule returns the decision and the calls that a rule is about.
func describeRule(r *policy.Rule) string {
	text := string(r.Decision) + " " + strings.Join(r.Tools, ", ")
	if r.Server != "" {
		text += " of " + r.Server
	}
	if len(r.Prefixes) > 0 {
		text += ": " + strings.Join(r.Prefixes, ", ")
	}
	if r.Args != nil {
		text += ": " + r.Args.String()
	}
	return text
}

// hooks adds the commands that run by themselves.
func (c *consent) hooks(content *Content) {
	const title = "⚠️  This extension contains Hooks which can automatically execute commands:"
	list(c, title, content.Hooks, func(h *hook.Hook) {
		at := string(h.Event)
		if h.Matcher != "" {
			at += " (" + h.Matcher + ")"
		}
		command := MaskText(h.CommandLine())
		c.line("  * %s: %s", at, command)
		if command != h.CommandLine() || len(terminal.Line(command)) > maxItem {
			c.line("    Config signature: %s", signature(h.CommandLine()))
		}
		if h.Dir != "" {
			c.line("    Working directory: %s", h.Dir)
		}
		for _, name := range slices.Sorted(maps.Keys(h.Env)) {
			c.line("    - %s: %s", name, masked(name, h.Env[name]))
		}
	})
}

// agents adds the subagents, with the programs and services that they use.
func (c *consent) agents(all []*subagent.Definition) {
	list(c, "This extension adds the following agents:", all, func(one **subagent.Definition) {
		d := *one
		if d.Kind == subagent.RemoteKind {
			c.line("  * %s (remote): %s", d.Name, d.Description)
			if d.CardURL != "" {
				c.line("    URL: %s", MaskText(d.CardURL))
			}
			c.pairs("Authentication", maskAuth(d.Auth))
			c.line("    Config signature: %s", signature([]any{d.CardURL, d.CardJSON, d.Auth}))
			return
		}
		c.line("  * %s: %s", d.Name, d.Description)
		for _, name := range slices.Sorted(maps.Keys(d.Servers)) {
			var entry map[string]any
			if json.Unmarshal(d.Servers[name], &entry) == nil {
				c.line("    It will run the following MCP server:")
				c.server(name, entry)
			}
		}
	})
}

// server adds the lines of an MCP server.
func (c *consent) server(name string, raw map[string]any) {
	entry := maskServer(raw)
	text := func(key string) string { return show(entry[key]) }
	where, target := "remote", text("httpUrl")
	if text("command") != "" {
		where = "local"
	}
	if target == "" {
		target = strings.TrimSpace(text("command") + " " + joined(entry["args"], " "))
	}
	c.line("  * %s (%s): %s", name, where, target)
	one := func(title, value string) {
		if value != "" {
			c.line("    %s: %s", title, value)
		}
	}
	one("Working directory", text("cwd"))
	c.pairs("Environment variables", entry["env"])
	c.pairs("Headers", entry["headers"])
	one("URL", text("url"))
	one("URL", text("serverUrl"))
	one("TCP", text("tcp"))
	one("Type", text("type"))
	one("Timeout", text("timeout"))
	if text("trust") != "" {
		c.line("    Trust: %s (ignored)", text("trust"))
	}
	one("Description", text("description"))
	one("Include tools", joined(entry["includeTools"], ", "))
	one("Exclude tools", joined(entry["excludeTools"], ", "))
	one("Exclude tools", joined(entry["disabledTools"], ", "))
	one("Disabled", text("disabled"))
	one("Auth Provider Type", text("authProviderType"))
	one("Target Audience", text("targetAudience"))
	one("Target Service Account", text("targetServiceAccount"))
	c.pairs("OAuth Configuration", entry["oauth"])
	c.line("    Config signature: %s", signature(raw))
}

// pairs adds the names and the masked values of an object.
func (c *consent) pairs(title string, object any) {
	values, _ := object.(map[string]any)
	if len(values) == 0 {
		return
	}
	c.line("    %s:", title)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.line("      - %s: %s", name, show(values[name]))
	}
}

// show returns a JSON value as text: "" for null, the items of a list separated by commas.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		return joined(v, ", ")
	}
	return encode(v)
}

func joined(v any, separator string) string {
	items, _ := v.([]any)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		texts = append(texts, show(item))
	}
	return strings.Join(texts, separator)
}

// encode returns a value as JSON on one line, with sorted keys.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was JSON
	return strings.TrimSpace(b.String())
}

// signature returns a hash of the entry of a server or a command, which shows a change of masked values, too.
func signature(entry any) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(encode(entry))))
}

// changedLines returns the lines that are not in both texts: those of before with "- ", those of after
// with "+ ".
func changedLines(before, after []string) (changes []string) {
	for _, line := range before {
		if !slices.Contains(after, line) {
			changes = append(changes, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			changes = append(changes, "+ "+line)
		}
	}
	return changes
}
