package config

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
)

// maxDotEnv is the maximum size of a .env file in bytes. Larger files are not read.
const maxDotEnv = 1 << 20

// DotEnv is the .env file that counts in a directory. It is read once: the first file found in the working directory,
// its parents, and the home directory; in each directory, .gemini/.env comes before .env. In an untrusted folder
// .gemini/.env is not read. The zero value is ready to use.
type DotEnv struct {
	at       dotEnvPlace // without a path if there is no file
	text     []byte
	warnings []Warning // about files that cannot be read

	isRead                bool
	trusted, ignoresLocal bool // the search depends on them
}

// Extend returns env extended by the variables of the file. A file in the home directory is the user's, any other the
// project's. Variables that are already set do not change. In an untrusted folder only a few variables are used. The
// warnings list files that cannot be read, and variables that the file must not set.
func (f *DotEnv) Extend(env *Env, s *Settings, p *Paths) (*FolderEnv, []Warning) {
	if trusted, ignoresLocal := s.Trusted(), IgnoreLocalEnv.In(s); !f.isRead || f.trusted != trusted || f.ignoresLocal != ignoresLocal {
		f.isRead, f.trusted, f.ignoresLocal = true, trusted, ignoresLocal
		f.at, f.text, f.warnings = findDotEnv(p, trusted, ignoresLocal)
	}
	warnings := slices.Clone(f.warnings)
	var pairs, refused []string
	if f.at.file != "" {
		excluded := f.at.excluded(s)
		for _, v := range parseDotEnv(f.text, nil) {
			switch value, fate := evaluate(v, excluded, env, s); {
			case fate == taken:
				pairs = append(pairs, v.name+"="+value)
			case fate == forbidden && s.Trusted() && IsDangerousVariable(v.name) && isKnownVariable(v.name):
				refused = append(refused, v.name)
			}
		}
		if len(refused) > 0 {
			warnings = append(warnings, Warning(fmt.Sprintf("Warning: %s cannot set %s, because a project could redirect Pollux with it. Set it in your shell or in %s.",
				p.Display(f.at.file), strings.Join(refused, ", "), p.Display(filepath.Join(p.Home(), ".env")))))
		}
	}
	if f.at.home {
		return NewFolderEnv(env.With(pairs...)), warnings
	}
	return NewFolderEnv(env, pairs...), warnings
}

// ReadDotEnv returns the variables of a .env file, nil if there is no such file. The error has no path.
func ReadDotEnv(path string) (map[string]string, error) {
	data, err := readFile(path, maxDotEnv)
	switch {
	case errors.Is(err, errAbsent), errors.Is(err, durable.ErrDirectory):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return ParseDotEnv(data), nil
}

// ParseDotEnv returns the variables in the text of a .env file.
func ParseDotEnv(data []byte) map[string]string {
	values := map[string]string{}
	for _, v := range parseDotEnv(data, nil) {
		if strings.IndexByte(v.value, 0) < 0 {
			values[v.name] = v.value
		}
	}
	return values
}

// isKnownVariable reports whether Pollux itself reads a variable.
func isKnownVariable(name string) bool {
	return slices.ContainsFunc(envTable[:], func(v Variable) bool { return v.Name == name && v.Support == live })
}

// excluded returns a function that reports whether a file in this place must not set a variable.
func (at *dotEnvPlace) excluded(s *Settings) func(name string) bool {
	// These select a program to run, or the service that stores the user's secrets (the
	// address of a bus can do either). A project must not decide that.
	names := []string{"DBUS_SESSION_BUS_ADDRESS", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "HOME", "USERPROFILE"}
	if filepath.Base(filepath.Dir(at.file)) != ".gemini" {
		names = append(names, "DEBUG", "DEBUG_MODE", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", "GEMINI_CLI_IDE_SERVER_STDIO_ARGS")
		if at.home { // a project cannot take variables from the user's own file, which may restrict it
			s = s.WithoutWorkspace()
		}
		names = append(names, ExcludedEnvVars.In(s)...)
	}
	return func(name string) bool {
		return slices.Contains(names, name) || !at.home && IsDangerousVariable(name)
	}
}

// outcome is the result for one variable of a .env file.
type outcome int

const (
	taken      outcome = iota
	alreadySet         // the variable is already set
	forbidden          // such a file must not set it
)

// evaluate returns the outcome for a variable, and its value.
func evaluate(v variable, excluded func(name string) bool, env *Env, s *Settings) (value string, f outcome) {
	_, set := env.Lookup(v.name)
	switch {
	case set:
		return "", alreadySet
	case excluded(v.name), strings.IndexByte(v.value, 0) >= 0:
		return "", forbidden
	case s.Trusted():
		return v.value, taken
	case !slices.Contains(harmless[:], v.name):
		return "", forbidden
	}
	return strings.Map(onlyPlain, v.value), taken
}

// DotEnvFile returns the path of the .env file that [DotEnv] reads, "" if there is none.
func DotEnvFile(s *Settings, p *Paths) string {
	at, _, _ := findDotEnv(p, s.Trusted(), IgnoreLocalEnv.In(s))
	return at.file
}

// harmless lists the variables that an untrusted folder may set.
var harmless = [...]string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"}

// IsHarmlessVariable reports whether even an untrusted folder's .env file may set a variable.
func IsHarmlessVariable(name string) bool { return slices.Contains(harmless[:], name) }

// onlyPlain removes characters that never occur in the variables' values.
func onlyPlain(r rune) rune {
	if r < 0x80 && (isWord(byte(r)) || strings.ContainsRune("-./", r)) {
		return r
	}
	return -1
}

// findDotEnv returns the first existing .env file in search order. It skips files that cannot
// be read, with a warning unless the path is a directory.
func findDotEnv(p *Paths, trusted, ignoreLocal bool) (found dotEnvPlace, data []byte, warnings []Warning) {
	for at := range dotEnvPlaces(p) {
		if at.ignored(trusted, ignoreLocal) != "" {
			continue
		}
		content, err := readFile(at.file, maxDotEnv)
		switch {
		case err == nil:
			return at, content, warnings
		case !errors.Is(err, errAbsent) && !errors.Is(err, durable.ErrDirectory) && !isUnreachable(at.file, err):
			warnings = append(warnings, Warning(fmt.Sprintf("Warning: Cannot read %s: %v.", at.file, err)))
		}
	}
	return dotEnvPlace{}, nil, warnings
}

// dotEnvPlace is a possible location of a .env file.
type dotEnvPlace struct {
	file    string
	special bool // in a .gemini directory
	home    bool
}

// ignored returns the reason why a file in this place is ignored, "" if it is not.
func (at *dotEnvPlace) ignored(trusted, ignoreLocal bool) string {
	switch {
	case at.special && !trusted:
		return "this folder is not trusted"
	case !at.special && ignoreLocal && !at.home:
		return "advanced.ignoreLocalEnv is set"
	}
	return ""
}

// dotEnvPlaces returns the possible locations in search order.
func dotEnvPlaces(p *Paths) iter.Seq[dotEnvPlace] {
	return func(yield func(dotEnvPlace) bool) {
		real, err := filepath.EvalSymlinks(p.Home()) // the working directory has no links either
		if err != nil {
			real = p.Home()
		}
		in := func(dir string) bool {
			home := dir == p.Home() || dir == real
			return yield(dotEnvPlace{filepath.Join(dir, ".gemini", ".env"), true, home}) &&
				yield(dotEnvPlace{filepath.Join(dir, ".env"), false, home})
		}
		passed := false
		for dir := p.Dir(); ; dir = filepath.Dir(dir) {
			if !in(dir) {
				return
			}
			passed = passed || dir == p.Home() || dir == real
			if dir == filepath.Dir(dir) {
				break
			}
		}
		if !passed {
			in(p.Home())
		}
	}
}

type variable struct{ name, value string }

// parseDotEnv parses the format of Node's dotenv, which .env files are written for: an
// optional "export", a name, "=" or ": ", and a value. The value either ends at a "#" or line
// end, or is in one of three kinds of quotes and may contain several lines. In double quotes,
// \n and \r are line ends. There is no ${X}. Invalid lines are skipped; onInvalid, if set, is
// called with the line number. If a name is set twice, the last value is used. (The dotenv
// libraries for Go expand variables and stop at the first invalid line.)
func parseDotEnv(data []byte, onInvalid func(line int)) []variable {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	var vars []variable
	index := map[string]int{}
	whole, line, counted := text, 1, 0
	for text != "" {
		text = strings.TrimLeft(text, " \t\n\v\f")
		v, rest, ok := parseAssignment(text)
		if !ok {
			if onInvalid != nil && text != "" && text[0] != '#' {
				at := len(whole) - len(text)
				line += strings.Count(whole[counted:at], "\n")
				counted = at
				onInvalid(line)
			}
			_, text, _ = strings.Cut(text, "\n")
			continue
		}
		text = rest
		if i, dup := index[v.name]; dup {
			vars[i] = v
			continue
		}
		index[v.name] = len(vars)
		vars = append(vars, v)
	}
	return vars
}

const blanks = " \t\v\f"

// parseAssignment parses one assignment at the start of text.
func parseAssignment(text string) (v variable, rest string, ok bool) {
	if after, found := strings.CutPrefix(text, "export"); found && after != strings.TrimLeft(after, blanks) {
		text = strings.TrimLeft(after, blanks)
	}
	n := 0
	for n < len(text) && (isWord(text[n]) || text[n] == '.' || text[n] == '-') {
		n++
	}
	v.name, text = text[:n], text[n:]
	if v.name == "" {
		return v, "", false
	}
	if after, found := strings.CutPrefix(strings.TrimLeft(text, blanks), "="); found {
		text = after
	} else if after, found := strings.CutPrefix(text, ":"); found && after != strings.TrimLeft(after, blanks) {
		text = after
	} else {
		return v, "", false
	}
	v.value, rest = parseEnvValue(strings.TrimLeft(text, blanks))
	return v, rest, true
}

// parseEnvValue parses a value and the comment after it.
func parseEnvValue(text string) (value, rest string) {
	if quoteOf(text) != 0 {
		if end := closingQuote(text); end > 0 {
			after := strings.TrimLeft(text[end+1:], blanks)
			if after == "" || after[0] == '\n' || after[0] == '#' {
				_, rest, _ = strings.Cut(after, "\n")
				return unquote(text[:end+1]), rest
			}
		}
	}
	line, rest, _ := strings.Cut(text, "\n")
	value, _, _ = strings.Cut(line, "#")
	return unquote(strings.TrimSpace(value)), rest
}

// unquote removes the quotes around a value, whatever is between them: 'it's' becomes it's.
func unquote(value string) string {
	q := quoteOf(value)
	if last := len(value) - 1; q != 0 && last > 0 && value[last] == q {
		value = value[1:last]
	}
	if q == '"' {
		value = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(value)
	}
	return value
}

// quoteOf returns the quotation mark that text starts with, 0 if there is none.
func quoteOf(text string) byte {
	if text != "" && strings.IndexByte(`'"`+"`", text[0]) >= 0 {
		return text[0]
	}
	return 0
}

// closingQuote returns the index of the end of the quote that text starts with, 0 if there is
// none.
func closingQuote(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i
		}
	}
	return 0
}
