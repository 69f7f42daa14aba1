package install

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"pollux/internal/command"
	"pollux/internal/durable"
	"pollux/internal/extension"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
)

// Limits on what is read to describe an extension.
const (
	maxText      = 1 << 20 // bytes of a file
	maxDocuments = 500     // skills, and agents
)

// Content is what an extension brings, in files other than the manifest.
type Content struct {
	Hooks    []hook.Hook
	Commands []command.Command
	Skills   []Document
	Agents   []Document
	Rules    []policy.Rule
	// ContextFiles are the names of the files that the model gets.
	ContextFiles []string
	// Problems describe files with mistakes, each in a line.
	Problems []string
}

// Document is a skill or an agent.
type Document struct {
	Name, Description string
	// Location is the path of its file, and Body the text after the front matter.
	Location, Body string
	// Files is the number of files and directories of a skill.
	Files int
}

// readContent reads what the extension in dir brings.
func readContent(dir string, m *extension.Manifest) *Content {
	c := &Content{}
	e := &extension.Extension{Manifest: *m, Dir: dir}
	c.readHooks(e)
	if sub, ok := e.Directory("commands"); ok {
		var l command.Loader
		list, problems := l.Load([]command.Source{{Kind: command.Extension, Owner: m.Name, Dir: sub, Root: dir}})
		c.Commands = list
		for _, p := range problems {
			c.problem(relative(dir, p.Path), "%s", p.Reason)
		}
	}
	if sub, ok := e.Directory("policies"); ok {
		files, err := policy.Load(policy.Sources{Extensions: []policy.Extension{{Name: m.Name, Dir: sub}}})
		c.Rules = files.Rules
		for _, warning := range files.Warnings {
			warning = policy.OnOneLine(warning)
			if _, rest, ok := strings.Cut(warning, " in "+dir+string(filepath.Separator)); ok {
				warning = rest // which begins with the path of the file
			}
			c.Problems = append(c.Problems, warning)
		}
		if err != nil {
			c.Problems = append(c.Problems, err.Error())
		}
	}
	if sub, ok := e.Directory("skills"); ok {
		c.Skills = c.documents(dir, filepath.Join(sub, "*", "SKILL.md"))
	}
	if sub, ok := e.Directory("agents"); ok {
		c.Agents = c.documents(dir, filepath.Join(sub, "*.md"))
	}
	for _, name := range m.ContextFileNames {
		if _, err := os.Stat(filepath.Join(dir, name)); filepath.IsLocal(name) && err == nil {
			c.ContextFiles = append(c.ContextFiles, name)
		}
	}
	return c
}

func (c *Content) problem(file, format string, args ...any) {
	c.Problems = append(c.Problems, file+": "+fmt.Sprintf(format, args...))
}

// readHooks reads hooks/hooks.json, without replacing variables.
func (c *Content) readHooks(e *extension.Extension) {
	const name = "hooks/hooks.json"
	sub, ok := e.Directory("hooks")
	if !ok {
		return
	}
	data, err := durable.ReadFile(filepath.Join(sub, "hooks.json"), maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var file struct {
		Hooks map[string]json.RawMessage `json:"hooks"`
	}
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err != nil || file.Hooks == nil {
		c.problem(name, "it is not an object with the key \"hooks\"")
		return
	}
	hooks, problems := hook.Read(hook.Extensions, file.Hooks)
	c.Hooks = hooks
	for _, p := range problems {
		c.problem(name, "%s", p)
	}
}

// documents reads the files that match a pattern, sorted by path.
func (c *Content) documents(dir, pattern string) (list []Document) {
	files, _ := filepath.Glob(pattern) // the pattern is valid
	slices.Sort(files)
	for _, file := range files[:min(len(files), maxDocuments)] {
		name := filepath.Base(file)
		if strings.HasPrefix(name, "_") {
			continue
		}
		data, err := durable.ReadFile(file, maxText)
		if err != nil {
			c.problem(relative(dir, file), "%v", err)
			continue
		}
		d := Document{Name: strings.TrimSuffix(name, ".md"), Location: file}
		if name == "SKILL.md" {
			d.Name = filepath.Base(filepath.Dir(file))
			entries, _ := os.ReadDir(filepath.Dir(file)) // the number is information only
			d.Files = len(entries)
		}
		if !d.parse(string(data)) {
			c.problem(relative(dir, file), "it does not begin with front matter: a line ---, name, description, and a line ---")
		}
		list = append(list, d)
	}
	return list
}

// parse reads the front matter of a document, and reports whether it names and describes it.
func (d *Document) parse(text string) bool {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return false
	}
	front, body, ok := strings.Cut("\n"+rest, "\n---")
	if !ok {
		return false
	}
	var head struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	err := yaml.Unmarshal([]byte(front), &head)
	if head.Name != "" {
		d.Name = head.Name
	}
	d.Description, d.Body = head.Description, strings.TrimSpace(body)
	return err == nil && head.Name != "" && head.Description != ""
}

// relative returns a path relative to the extension, for messages.
func relative(dir, path string) string {
	if name, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(name) {
		return filepath.ToSlash(name)
	}
	return path
}
