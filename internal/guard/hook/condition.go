package hook

import (
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"pollux/internal/process"
	"pollux/internal/shellcmd"
	"pollux/internal/workspace"
)

// condition is a permission rule of Claude Code, such as Bash(git push *) or Edit(src/**): it limits a hook to
// the calls that it matches. In doubt it matches, because a guard that runs too often is not
// dangerous.
type condition struct{ tool, spec string }

var conditionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z][\w-]*|mcp__[\w*-]+)\s*(?:\((.*)\))?\s*$`)
})

// parseCondition reads a condition. It returns false for one that Pollux does not understand.
func parseCondition(text string) (c condition, ok bool) {
	m := conditionForm().FindStringSubmatch(text)
	if m == nil {
		return c, false
	}
	c = condition{m[1], strings.TrimSpace(m[2])}
	switch {
	case strings.HasPrefix(c.tool, "mcp__"):
		return c, c.spec == "" || c.spec == "*"
	case c.tools() == nil:
		return c, false
	case c.spec == "" || c.spec == "*":
		return condition{tool: c.tool}, true
	}
	switch c.tool {
	case "Bash", "Task", "Agent", "Skill":
		return c, true
	case "WebFetch":
		return c, strings.HasPrefix(c.spec, "domain:")
	case "Read", "Edit", "Write", "MultiEdit", "Glob", "Grep", "LS":
		return c, !strings.HasPrefix(c.spec, "!") && doublestar.ValidatePattern(c.spec)
	}
	return c, false
}

// tools returns the names of the tools that the condition is about, nil for one that Pollux does not have.
func (c condition) tools() []string {
	switch c.tool {
	case "Edit":
		return []string{"Edit", "MultiEdit", "Write"}
	case "Read":
		return []string{"Read", "Glob", "Grep", "LS"}
	case "Task", "Agent":
		return []string{"Task", "Agent"}
	}
	if ClaudeTool(c.tool) == "" {
		return nil
	}
	return []string{c.tool}
}

// meets reports whether a call meets the condition of a hook. name is the tool's name in Claude Code.
func (s *Set) meets(h *Hook, at target, name string) bool {
	if h.Condition == "" {
		return true
	}
	c, ok := parseCondition(h.Condition)
	if !ok {
		return true
	}
	if strings.HasPrefix(c.tool, "mcp__") {
		matched, err := path.Match(c.tool, name)
		return matched || err != nil || isServerOf(c.tool, name)
	}
	if !slices.Contains(c.tools(), name) {
		return false
	}
	if c.spec == "" {
		return true
	}
	args, _ := parseJSON(string(at.args))
	for _, args := range at.argsFor(Claude, name, args, s.o.Dir) {
		switch c.tool {
		case "Bash":
			return matchesCommand(c.spec, args.text("command"))
		case "Task", "Agent":
			return matchesWords(c.spec, args.text("subagent_type"))
		case "Skill":
			return matchesWords(c.spec, args.text("skill"))
		case "WebFetch":
			if matchesDomain(c.spec, args.text("url")) {
				return true
			}
		default:
			file := args.text("file_path")
			if file == "" {
				file = args.text("path")
			}
			return s.matchesPath(c.spec, file)
		}
	}
	return false
}

// wrappers are programs that run the command after them, and the options between.
var wrappers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:sudo|doas|env|nice|nohup|time|timeout|command|exec|xargs|stdbuf|setsid|builtin)\s+|-\S+\s+|[A-Za-z_]\w*=\S*\s+|\d+[smh]?\s+)+`)
})

// matchesCommand reports whether a condition about commands matches a command line or a part of it.
func matchesCommand(spec, command string) bool {
	script, err := shellcmd.Parse(command)
	if err != nil || script.Evaluates != "" {
		return true
	}
	if matchesWords(spec, strings.TrimSpace(command)) {
		return true
	}
	return slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool {
		if c.Computed && mayMatchWords(spec, c.Known()) {
			return true
		}
		for _, text := range []string{c.Text, c.Plain} {
			bare := wrappers().ReplaceAllString(text, "")
			program, rest, _ := strings.Cut(bare, " ")
			for _, text := range []string{text, bare, strings.TrimSpace(path.Base(program) + " " + rest)} {
				if matchesWords(spec, text) {
					return true
				}
			}
		}
		return c.Inner != "" && matchesCommand(spec, c.Inner)
	})
}

// mayMatchWords reports whether a condition may match a command of which only the beginning is known,
// because the output of a substitution follows.
func mayMatchWords(spec, known string) bool {
	program, rest, _ := strings.Cut(wrappers().ReplaceAllString(known+" ", ""), " ")
	begin, _, _ := strings.Cut(strings.TrimSuffix(spec, ":*"), "*")
	known = strings.TrimSpace(path.Base(program) + " " + rest)
	return program == "" || strings.HasPrefix(begin, known) || strings.HasPrefix(known, begin)
}

// matchesWords reports whether a text matches a condition: exactly, with * for anything, or with :* at the end for
// any further words.
func matchesWords(spec, text string) bool {
	if prefix, ok := strings.CutSuffix(spec, ":*"); ok {
		return text == prefix || strings.HasPrefix(text, prefix+" ")
	}
	if prefix, ok := strings.CutSuffix(spec, " *"); ok && !strings.Contains(prefix, "*") && text == prefix {
		return true
	}
	parts := strings.Split(spec, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	re, err := regexp.Compile(`(?s)^` + strings.Join(parts, `.*`) + `$`)
	return err != nil || re.MatchString(text)
}

// matchesDomain reports whether an address is of the domain in a condition.
func matchesDomain(spec, address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return true
	}
	domain := strings.ToLower(strings.TrimPrefix(spec, "domain:"))
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if below, ok := strings.CutPrefix(domain, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return domain == "*" || host == domain
}

// matchesPath reports whether a file, or the target of its links, matches a pattern as .gitignore has them: //x
// is absolute, ~/x below the home directory, /x below the project, ./x and x below the working directory.
func (s *Set) matchesPath(pattern, file string) bool {
	if file == "" {
		return true
	}
	switch {
	case strings.HasPrefix(pattern, "//"):
		pattern = pattern[1:]
	case strings.HasPrefix(pattern, "~/"):
		pattern = filepath.ToSlash(process.Getenv(s.o.Environ(process.OriginPollux), "HOME")) + pattern[1:]
	case strings.HasPrefix(pattern, "/"):
		pattern = filepath.ToSlash(s.o.Dir) + pattern
	case strings.HasPrefix(pattern, "./"):
		pattern = filepath.ToSlash(s.o.Dir) + pattern[1:]
	case strings.Contains(strings.TrimSuffix(pattern, "/"), "/"):
		pattern = filepath.ToSlash(s.o.Dir) + "/" + pattern
	default:
		pattern = "/**/" + pattern
	}
	pattern = strings.TrimSuffix(pattern, "/")
	for _, name := range []string{file, workspace.RealPath(file)} {
		name = filepath.ToSlash(name)
		for _, p := range []string{pattern, pattern + "/**"} {
			if ok, err := doublestar.Match(p, name); ok || err != nil {
				return true
			}
		}
	}
	return false
}
