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

// maxDotEnv bounds a .env file, in bytes; a larger one is not read.
const maxDotEnv = 1 << 20

// WithDotEnv returns env with the variables of the one .env file that counts
// here: the nearest, going up from the working directory, else the one at home;
// in each directory .gemini/.env before .env. It never changes a variable that
// is set. In a folder that is not trusted only a few variables are taken, and
// .gemini/.env is not read (spec/cli.md §3.1, spec/safety.md §6). The warnings name
// files that cannot be read, and variables that nothing comes of yet.
func WithDotEnv(env *Env, s *Settings, p *Paths) (*Env, []Warning) {
	at, data, warnings := findDotEnv(p, s.Trusted(), IgnoreLocalEnv.In(s))
	if at.file != "" {
		excluded := excludedFrom(at.file, s)
		var pairs []string
		for _, v := range parseDotEnv(data, nil) {
			if value, fate := judge(v, excluded, env, s); fate == taken {
				pairs = append(pairs, v.name+"="+value)
			}
		}
		env = env.with(pairs, !at.home)
	}
	if missing := missingVariables(env); len(missing) > 0 {
		warnings = append(warnings, Warning("Warning: no effect yet in this version of Pollux: "+enumerate(missing)))
	}
	return env, warnings
}

// excludedFrom returns the names that the file at a path may not set.
func excludedFrom(path string, s *Settings) []string {
	// These lead to a program that is run, or to who keeps the user's secrets (the
	// address of a bus can be either); a project has no say in that.
	excluded := []string{"DBUS_SESSION_BUS_ADDRESS", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_PROFILE", "AWS_DEFAULT_PROFILE", "HOME", "USERPROFILE"}
	if filepath.Base(filepath.Dir(path)) != ".gemini" {
		excluded = append(excluded, "DEBUG", "DEBUG_MODE", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND", "GEMINI_CLI_IDE_SERVER_STDIO_ARGS")
		excluded = append(excluded, ExcludedEnvVars.In(s)...)
	}
	return excluded
}

// fate is what becomes of a variable in a .env file.
type fate int

const (
	taken     fate = iota
	overruled      // it is set already
	forbidden      // such a file has no say in it
)

// judge says what becomes of a variable, and which value it gets.
func judge(v variable, excluded []string, env *Env, s *Settings) (value string, f fate) {
	_, set := env.Lookup(v.name)
	switch {
	case set:
		return "", overruled
	case slices.Contains(excluded, v.name), strings.IndexByte(v.value, 0) >= 0:
		return "", forbidden
	case s.Trusted():
		return v.value, taken
	case !slices.Contains(harmless[:], v.name):
		return "", forbidden
	}
	return strings.Map(onlyPlain, v.value), taken
}

// DotEnv returns the path of the .env file that [WithDotEnv] reads, "" if there is
// none.
func DotEnv(s *Settings, p *Paths) string {
	at, _, _ := findDotEnv(p, s.Trusted(), IgnoreLocalEnv.In(s))
	return at.file
}

// harmless are the variables that a folder without trust may set.
var harmless = [...]string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"}

// onlyPlain drops the characters that the value of such a variable never has.
func onlyPlain(r rune) rune {
	if r < 0x80 && (isWord(byte(r)) || strings.ContainsRune("-./", r)) {
		return r
	}
	return -1
}

// findDotEnv returns the first .env file there is, in the order of the search.
// One that cannot be read is passed by; a directory of that name is nothing strange,
// all else is told of.
func findDotEnv(p *Paths, trusted, ignoreLocal bool) (found dotEnvPlace, data []byte, warnings []Warning) {
	for at := range dotEnvPlaces(p) {
		if at.ignored(trusted, ignoreLocal) != "" {
			continue
		}
		content, err := readFile(at.file, maxDotEnv)
		switch {
		case err == nil:
			return at, content, warnings
		case !errors.Is(err, errAbsent) && !errors.Is(err, durable.ErrDirectory) && !outOfReach(at.file, err):
			warnings = append(warnings, Warning(fmt.Sprintf("Warning: %s was not read: %v.", at.file, err)))
		}
	}
	return dotEnvPlace{}, nil, warnings
}

// dotEnvPlace is where a .env file may be.
type dotEnvPlace struct {
	file    string
	special bool // in a .gemini directory
	home    bool
}

// ignored says why a file there would not count, "" if it would.
func (at *dotEnvPlace) ignored(trusted, ignoreLocal bool) string {
	switch {
	case at.special && !trusted:
		return "this folder is not trusted"
	case !at.special && ignoreLocal && !at.home:
		return "advanced.ignoreLocalEnv is set"
	}
	return ""
}

// dotEnvPlaces are the places of the search, in its order.
func dotEnvPlaces(p *Paths) iter.Seq[dotEnvPlace] {
	return func(yield func(dotEnvPlace) bool) {
		real, err := filepath.EvalSymlinks(p.Home()) // as the working directory is known
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

// parseDotEnv reads the dialect of Node's dotenv, which the files are written
// for: an optional export, a name, "=" or ": ", and a value that is bare up to a
// "#" or in quotes of three kinds, where it may have several lines. In double
// quotes \n and \r are line ends. There is no ${X}, and a line that makes no
// sense is skipped; odd, where set, is told its number. (The dotenv libraries for
// Go expand variables and give up at the first such line.) Of a name that is set
// twice the last value counts.
func parseDotEnv(data []byte, odd func(line int)) []variable {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
	var vars []variable
	index := map[string]int{}
	whole, line, counted := text, 1, 0
	for text != "" {
		text = strings.TrimLeft(text, " \t\n\v\f")
		v, rest, ok := assignment(text)
		if !ok {
			if odd != nil && text != "" && text[0] != '#' {
				at := len(whole) - len(text)
				line += strings.Count(whole[counted:at], "\n")
				counted = at
				odd(line)
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

// assignment reads one assignment at the start of text.
func assignment(text string) (v variable, rest string, ok bool) {
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
	v.value, rest = assigned(strings.TrimLeft(text, blanks))
	return v, rest, true
}

// assigned reads a value, and the comment after it.
func assigned(text string) (value, rest string) {
	if quote(text) != 0 {
		if end := closing(text); end > 0 {
			after := strings.TrimLeft(text[end+1:], blanks)
			if after == "" || after[0] == '\n' || after[0] == '#' {
				_, rest, _ = strings.Cut(after, "\n")
				return unquoted(text[:end+1]), rest
			}
		}
	}
	line, rest, _ := strings.Cut(text, "\n")
	value, _, _ = strings.Cut(line, "#")
	return unquoted(strings.TrimSpace(value)), rest
}

// unquoted takes the quotes off that a value begins and ends with, whatever is between
// them: 'it's' is it's.
func unquoted(value string) string {
	q := quote(value)
	if last := len(value) - 1; q != 0 && last > 0 && value[last] == q {
		value = value[1:last]
	}
	if q == '"' {
		value = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(value)
	}
	return value
}

// quote returns the quotation mark that text starts with, or 0.
func quote(text string) byte {
	if text != "" && strings.IndexByte(`'"`+"`", text[0]) >= 0 {
		return text[0]
	}
	return 0
}

// closing returns where the quote that text starts with ends, or 0.
func closing(text string) int {
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
