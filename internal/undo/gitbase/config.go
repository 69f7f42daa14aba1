package gitbase

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/process"
	"pollux/internal/undo/state"
)

// config has the settings that matter for the contents of files. Settings of all files are in it, also those that git
// includes on a condition, and those that others replace: more files of attributes can only exclude more paths.
type config struct {
	attributesFiles []string          // absolute paths
	worktrees       []string          // values of core.worktree
	extensions      map[string]string // of the repository, by the name in lower case
	version         string            // core.repositoryFormatVersion
	readsTree       bool              // attributes come from a commit
	home            string
}

const (
	maxConfig  = 1 << 20 // bytes
	maxInclude = 10      // depth, as git
)

// readConfig reads the configuration of the system, the user and the repository. It is not ok if a file cannot be read
// or understood.
func (g *Git) readConfig(gitDir, commonDir string) (c *config, ok bool) {
	c = &config{extensions: map[string]string{}, home: g.variable("HOME")}
	for _, v := range g.environ { // settings in the environment
		name, value, _ := strings.Cut(v, "=")
		isSetting := name == "GIT_CONFIG_PARAMETERS" || strings.HasPrefix(name, "GIT_CONFIG_KEY_")
		value = strings.ToLower(value)
		if name == "GIT_ATTR_SOURCE" || isSetting && (strings.Contains(value, "attributesfile") || strings.Contains(value, "attr.tree") || strings.Contains(value, "include")) {
			return nil, false
		}
	}
	for _, path := range g.userFiles("config") {
		if !c.readFile(path, false, 0) {
			return nil, false
		}
	}
	own := []string{filepath.Join(commonDir, "config"), filepath.Join(gitDir, "config.worktree")}
	for _, path := range own {
		if !c.readFile(path, true, 0) {
			return nil, false
		}
	}
	return c, true
}

func (g *Git) variable(name string) string { return process.Getenv(g.environ, name) }

// userFiles returns the paths at which git may look for a file of the system or the user, "config" or "attributes". Which
// ones it uses depends on how it was built. They lie in a directory beside or above the one of the program.
func (g *Git) userFiles(name string) (paths []string) {
	for _, dir := range []string{g.variable("XDG_CONFIG_HOME"), filepath.Join(g.variable("HOME"), ".config")} {
		if filepath.IsAbs(dir) {
			paths = append(paths, filepath.Join(dir, "git", name))
		}
	}
	if home := g.variable("HOME"); name == "config" {
		paths = append(paths, g.variable("GIT_CONFIG_SYSTEM"), g.variable("GIT_CONFIG_GLOBAL"), filepath.Join(home, ".gitconfig"))
	}
	paths = append(paths, filepath.Join(string(filepath.Separator), "etc", "git"+name))
	for dir := filepath.Dir(g.path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		paths = append(paths, filepath.Join(dir, "etc", "git"+name), filepath.Join(dir, "share", "git-core", "git"+name))
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { return !filepath.IsAbs(p) || p == os.DevNull })
	slices.Sort(paths)
	return slices.Compact(paths)
}

// readFile reads a file of the configuration and those that it includes. isOwn reports whether it is one of the
// repository's own, whose format only these describe. A file that does not exist is empty.
func (c *config) readFile(path string, isOwn bool, depth int) bool {
	text, err := durable.ReadFile(path, maxConfig)
	if err != nil {
		return state.IsAbsent(err)
	}
	err = parseConfig(string(text), func(key, value string) bool {
		section, name, _ := strings.Cut(key, ".")
		switch {
		case key == "core.attributesfile":
			if value == "" {
				return true
			}
			to, ok := c.expand(value)
			c.attributesFiles = append(c.attributesFiles, to)
			return ok && filepath.IsAbs(to)
		case key == "attr.tree":
			c.readsTree = true
		case key == "include.path", section == "includeif" && strings.HasSuffix(name, ".path"):
			to, ok := c.expand(value)
			if ok && !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return ok && depth < maxInclude && c.readFile(to, false, depth+1)
		case key == "core.worktree" && isOwn:
			c.worktrees = append(c.worktrees, value)
		case key == "core.repositoryformatversion" && isOwn:
			c.version = value
		case section == "extensions" && isOwn:
			c.extensions[name] = value
		}
		return true
	})
	return err == nil
}

// expand returns a path with the user's home directory in place of ~. It is not ok for a path that only git knows.
func (c *config) expand(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(c.home, rest), filepath.IsAbs(c.home)
	}
	isSpecial := path == "" || path[0] == '~' || strings.HasPrefix(path, "%(") || strings.HasPrefix(path, ":(")
	return filepath.FromSlash(path), !isSpecial
}

// isSupported reports whether the format of the repository is one that this package knows.
func (c *config) isSupported() bool {
	for name, value := range c.extensions {
		switch name {
		case "objectformat":
			if value != "sha1" && value != "sha256" {
				return false
			}
		case "noop", "noop-v1", "preciousobjects", "partialclone", "worktreeconfig", "refstorage", "relativeworktrees":
		default:
			return false
		}
	}
	return !c.readsTree && (c.version == "" || c.version == "0" || c.version == "1")
}

func (c *config) hashSize() int {
	if c.extensions["objectformat"] == "sha256" {
		return sha256.Size
	}
	return sha1.Size
}

// isAt reports whether the work tree of the git directory is at top, and not elsewhere.
func (c *config) isAt(top, gitDir string) bool {
	for _, dir := range c.worktrees {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(gitDir, dir)
		}
		if real, err := filepath.EvalSymlinks(dir); err != nil || real != top {
			return false
		}
	}
	return true
}

var errConfig = errors.New("it is not a configuration of git")

// parseConfig parses a file of git's configuration. It calls visit with each setting: the section and the name in lower
// case, with a subsection between them, joined by dots. visit returns false for a setting that cannot be used.
func parseConfig(text string, visit func(key, value string) bool) error {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	section := ""
	for {
		text = strings.TrimLeft(text, " \t\n\v\f\r")
		if text == "" {
			return nil
		}
		switch c := text[0]; {
		case c == '#' || c == ';':
			_, text, _ = strings.Cut(text, "\n")
			continue
		case c == '[':
			var ok bool
			if section, text, ok = parseSection(text[1:]); !ok {
				return errConfig
			}
			continue
		}
		end := 0
		for end < len(text) && isNameByte(text[end]) {
			end++
		}
		name := strings.ToLower(text[:end])
		text = strings.TrimLeft(text[end:], " \t")
		if name == "" || name[0] < 'a' || section == "" {
			return errConfig
		}
		value := ""
		if rest, ok := strings.CutPrefix(text, "="); ok {
			if value, text, ok = parseValue(rest); !ok {
				return errConfig
			}
		} else if text != "" && text[0] != '\n' {
			return errConfig
		}
		if !visit(section+"."+name, value) {
			return errConfig
		}
	}
}

func isNameByte(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// parseSection parses the rest of a line such as [remote "origin"] after the bracket.
func parseSection(text string) (section, rest string, ok bool) {
	end := 0
	for end < len(text) && (isNameByte(text[end]) || text[end] == '.') {
		end++
	}
	section, rest = strings.ToLower(text[:end]), strings.TrimLeft(text[end:], " \t")
	if section != "" && strings.HasPrefix(rest, `"`) {
		var sub strings.Builder
		i := 1
		for ; i < len(rest) && rest[i] != '"' && rest[i] != '\n'; i++ {
			if rest[i] == '\\' && i+1 < len(rest) {
				i++
			}
			sub.WriteByte(rest[i])
		}
		if i >= len(rest) || rest[i] != '"' {
			return "", "", false
		}
		section, rest = section+"."+sub.String(), rest[i+1:]
	}
	rest, ok = strings.CutPrefix(rest, "]")
	return section, rest, ok && section != ""
}

// parseValue parses a value up to the end of its line.
func parseValue(text string) (value, rest string, ok bool) {
	var b strings.Builder
	kept := 0 // length without white space at the end
	isQuoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			return b.String()[:kept], text[i:], !isQuoted
		case c == '"':
			isQuoted = !isQuoted
			kept = b.Len()
		case !isQuoted && (c == '#' || c == ';'):
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			return b.String()[:kept], text[i+end:], true
		case c == '\\':
			if i++; i == len(text) {
				return "", "", false
			}
			if text[i] == '\n' {
				continue
			}
			at := strings.IndexByte(`nt b\"`, text[i])
			if at < 0 || at == 2 {
				return "", "", false
			}
			b.WriteByte("\n\t \b\\\""[at])
			kept = b.Len()
		case !isQuoted && (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
			kept = b.Len()
		}
	}
	return b.String()[:kept], "", !isQuoted
}
