package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/durable"
)

// Saved is the file of answers for all future sessions, auto-saved.toml, which Gemini CLI
// reads and writes too.
type Saved struct {
	File string
	Tier Tier // TierUser or TierWorkspace
	// Integrity, if set, is the record of accepted policy files of the project that the file
	// belongs to.
	Integrity *Integrity
}

// SavedName is the name of the file in its policies directory.
const SavedName = "auto-saved.toml"

// savedPriority is the priority of rules from answers, in thousandths above their tier.
const savedPriority = 950

// add saves a rule. The rest of the file is preserved, including comments; an existing rule
// gets additional modes. A file that is not valid TOML is renamed, which note reports.
func (s *Saved) add(r Rule) (note string, err error) {
	if err := checkLoadable(r); err != nil {
		return "", err
	}
	if err := durable.MkdirAll(filepath.Dir(s.File), 0o700); err != nil {
		return "", durable.Cause(err)
	}
	unlock, err := durable.Lock(s.File)
	if err != nil {
		return "", durable.Cause(err)
	}
	defer unlock()
	old, err := durable.ReadFile(s.File, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	top, err := parseTOML(old)
	if err != nil {
		backup := s.File + ".bak"
		if err := durable.WriteFile(backup, old, 0o600); err != nil {
			return "", durable.Cause(err)
		}
		note = "Syntax error found in policy file. Backing up corrupted file to " + backup + " and starting fresh."
		old, top = nil, &section{}
	} else if len(old) > 0 {
		if p := parseFile(old, origin{tier: s.Tier}, SavedName); p.rules == nil && len(p.problems) > 0 {
			return "", fmt.Errorf("%s has invalid rules, so Pollux ignores it; fix them first", s.File)
		}
	}
	data := withRule(old, top, r)
	if bytes.Equal(data, old) {
		return note, nil
	}
	if p := parseFile(data, origin{tier: s.Tier}, SavedName); len(p.rules) == 0 {
		return note, fmt.Errorf("%s: cannot add a rule, because its format is not supported", s.File)
	}
	return note, s.write(data)
}

// write writes the file. If the directory's files were accepted before, they still are with
// this change; changes by others remain detectable.
func (s *Saved) write(data []byte) error {
	changed := true
	if s.Integrity != nil {
		if _, now, err := s.Integrity.Changed(); err == nil {
			changed = now
		}
	}
	if err := durable.WriteFile(s.File, data, 0o600); err != nil || changed {
		return durable.Cause(err)
	}
	hash, _, err := s.Integrity.Changed()
	if err != nil {
		return err
	}
	return s.Integrity.Accept(hash)
}

// remove removes a rule from the file.
func (s *Saved) remove(r Rule) error {
	if err := s.removeRule(r); err != nil {
		return fmt.Errorf("remove a rule from %s: %w", s.File, err)
	}
	return nil
}

func (s *Saved) removeRule(r Rule) error {
	unlock, err := durable.Lock(s.File)
	if err != nil {
		return durable.Cause(err)
	}
	defer unlock()
	data, err := durable.ReadFile(s.File, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	top, err := parseTOML(data)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(rulesOf(top), func(t *section) bool { return sameCalls(t, r) }); i >= 0 {
		return s.write(without(data, rulesOf(top)[i]))
	}
	return nil
}

// without returns a file's content without the lines of a table.
func without(data []byte, s *section) []byte {
	offset := len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	from := offset + s.from
	from = bytes.LastIndexByte(data[:from], '\n') + 1
	to := offset + s.from
	for _, m := range s.members {
		to = max(to, offset+m.to)
	}
	if end := bytes.IndexByte(data[to:], '\n'); end >= 0 {
		to += end + 1
	} else {
		to = len(data)
	}
	if bytes.HasPrefix(data[to:], []byte("\n")) && (from == 0 || bytes.HasSuffix(data[:from], []byte("\n\n"))) {
		to++ // one empty line is enough
	}
	return slices.Concat(data[:from], data[to:])
}

// checkLoadable returns an error if a rule could not be read again after saving.
func checkLoadable(r Rule) error {
	if slices.ContainsFunc(r.Prefixes, func(p string) bool { return len(p) > maxPattern || !utf8.ValidString(p) }) {
		return errors.New("the command is too long or not valid UTF-8")
	}
	if r.Args == nil {
		return nil
	}
	_, err := NewPattern(r.Args.String())
	return err
}

// withRule returns a file's content with a rule added: unchanged if the rule exists, with
// changed lines if it permits less, otherwise with a new rule.
func withRule(data []byte, top *section, r Rule) []byte {
	for _, s := range rulesOf(top) {
		if sameCalls(s, r) {
			return extended(data, s, r)
		}
	}
	out := bytes.Clone(data)
	if len(out) > 0 {
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		out = append(out, '\n')
	}
	return append(out, ruleTOML(r)...)
}

// rulesOf returns the [[rule]] tables of a file.
func rulesOf(top *section) []*section {
	list, _ := top.members["rule"].value.([]*section)
	return list
}

// sameCalls reports whether a rule in the file allows the same calls as r.
func sameCalls(s *section, r Rule) bool {
	f := fields{&fileReader{}, s, "rule", 0}
	priority, _ := s.members["priority"].value.(int64)
	for _, key := range []string{"commandRegex", "interactive", "subagent", "toolAnnotations"} {
		if _, more := s.members[key]; more {
			return false
		}
	}
	return f.text("decision") == string(Allow) && priority == savedPriority &&
		reflect.DeepEqual(f.texts("toolName", false), r.Tools) && f.text("mcpName") == r.Server &&
		slices.Equal(f.texts("commandPrefix", false), r.Prefixes) && samePattern(f.text("argsPattern"), r.Args)
}

// samePattern compares patterns in the form in which Pollux writes them, also those written by
// Gemini CLI.
func samePattern(source string, p *Pattern) bool {
	if source == "" || p == nil {
		return source == "" && p == nil
	}
	written, err := NewPattern(source)
	return err == nil && written.String() == p.String()
}

// extended returns a file's content in which the rule of a table also applies to r's modes.
func extended(data []byte, s *section, r Rule) []byte {
	f := fields{&fileReader{}, s, "rule", 0}
	type edit struct {
		member member
		text   string
	}
	var edits []edit
	if m, limited := s.members["modes"]; limited {
		if had := f.modes(); had != 0 && had|r.Modes != had {
			edits = append(edits, edit{m, "modes = " + listTOML((had | r.Modes).list())})
		}
	}
	if r.AllowRedirection && !f.flag("allowRedirection", "allow_redirection") {
		m, ok := s.members["allowRedirection"]
		if !ok {
			m, ok = s.members["allow_redirection"]
		}
		if !ok { // after the decision, which every rule has
			at := s.members["decision"]
			m = member{from: at.to, to: at.to}
			edits = append(edits, edit{m, "\nallowRedirection = true"})
		} else {
			edits = append(edits, edit{m, "allowRedirection = true"})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.member.from - a.member.from })
	offset := len(data) - len(bytes.TrimPrefix(data, []byte("\ufeff")))
	out := bytes.Clone(data)
	for _, e := range edits {
		out = slices.Concat(out[:offset+e.member.from], []byte(e.text), out[offset+e.member.to:])
	}
	return out
}

// ruleTOML returns a rule in the format of Gemini CLI.
func ruleTOML(r Rule) string {
	var b strings.Builder
	b.WriteString("[[rule]]\n")
	fmt.Fprintf(&b, "decision = %s\npriority = %d\n", stringTOML(string(r.Decision)), int(math.Round((r.Priority-math.Floor(r.Priority))*1000)))
	fmt.Fprintf(&b, "toolName = %s\n", stringTOML(r.Tools[0]))
	if r.Server != "" {
		fmt.Fprintf(&b, "mcpName = %s\n", stringTOML(r.Server))
	}
	if r.Args != nil {
		fmt.Fprintf(&b, "argsPattern = %s\n", stringTOML(r.Args.String()))
	}
	if len(r.Prefixes) > 0 {
		fmt.Fprintf(&b, "commandPrefix = %s\n", listTOML(r.Prefixes))
	}
	if r.AllowRedirection {
		b.WriteString("allowRedirection = true\n")
	}
	if r.Modes != 0 {
		fmt.Fprintf(&b, "modes = %s\n", listTOML(r.Modes.list()))
	}
	return b.String()
}

func listTOML(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = stringTOML(item)
	}
	return "[ " + strings.Join(quoted, ", ") + " ]"
}

// stringTOML returns a TOML basic string.
func stringTOML(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
