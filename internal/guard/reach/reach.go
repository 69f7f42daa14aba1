// Package reach finds the reach of a call, for the person deciding about it: the commands of a
// command line, the files outside of the workspace and the servers that it names. It reads text only,
// so that a program's own actions are not in it.
package reach

import (
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"pollux/internal/shellcmd"
	"pollux/tool"
)

// Call has the texts of a call.
type Call struct {
	Command string   // of a shell call, "" for others
	Dir     string   // absolute directory in which the command runs
	Paths   []string // absolute paths of the files of other calls
	URLs    []string
	// Inside reports whether an absolute path is in the workspace after links are followed.
	Inside func(path string) bool
}

// Of returns the reach of a call.
func Of(c Call) tool.Reach {
	f := finder{Call: c}
	for _, path := range c.Paths {
		f.addOutside(path, path)
	}
	for _, address := range c.URLs {
		f.addServer(address)
	}
	if c.Command != "" {
		f.readCommand()
	}
	return f.found
}

// finder collects the reach of a call.
type finder struct {
	Call
	found tool.Reach
	moved bool // from here on, relative paths may be below another directory
}

// add adds an item to a list that does not contain it, up to the limit.
func add[T comparable](list []T, item T) []T {
	if len(list) < tool.MaxReach && !slices.Contains(list, item) {
		list = append(list, item)
	}
	return list
}

func (f *finder) readCommand() {
	f.addOutside(f.Dir, f.Dir)
	scripts := parse(f.Command, 0)
	all := &shellcmd.Script{}
	for _, s := range scripts {
		all.Commands = append(all.Commands, s.Commands...)
	}
	for _, c := range all.Commands {
		for _, w := range c.Words[min(1, len(c.Words)):] {
			f.readWord(w)
		}
		f.moved = f.moved || c.Name == "cd" || c.Name == "pushd"
	}
	for _, s := range scripts {
		for _, r := range s.Redirections {
			f.readRedirection(r)
		}
	}
	if f.found.Total = len(all.Commands); f.found.Total < 2 {
		return
	}
	for _, c := range all.Distinct() {
		f.found.Commands = add(f.found.Commands, tool.ShellCommand{Program: c.Name, Text: c.Text, Times: c.Times})
	}
}

// parse returns a script and those that it passes to other shells, without unreadable ones.
func parse(command string, depth int) []*shellcmd.Script {
	const deepest = 5
	script, err := shellcmd.Parse(command)
	if err != nil || depth > deepest {
		return nil
	}
	list := []*shellcmd.Script{script}
	for _, c := range script.Commands {
		if c.Inner != "" {
			list = append(list, parse(c.Inner, depth+1)...)
		}
	}
	return list
}

func (f *finder) readRedirection(r shellcmd.Redirection) {
	isOutput := strings.Contains(r.Op, ">")
	target := r.Target.Value
	switch {
	case strings.HasPrefix(r.Op, "<<"):
		return // text, not a file
	case r.Target.Static && strings.Trim(target, "0123456789-") == "": // a descriptor
		return
	case strings.HasPrefix(target, "/dev/std") || target == "/dev/null" || target == "/dev/tty":
		return
	}
	if !isOutput {
		f.readWord(r.Target)
		return
	}
	f.found.Writes = add(f.found.Writes, r.Target.Text)
	others := f.found.Outside
	f.found.Outside = nil
	f.readWord(r.Target)
	written := f.found.Outside
	f.found.Outside = others
	for _, path := range written {
		f.found.Outside, f.found.WritesOutside = add(f.found.Outside, path), add(f.found.WritesOutside, path)
	}
}

// readWord looks for a file or a URL in a word of a command.
func (f *finder) readWord(w shellcmd.Word) {
	if !w.Static {
		if text := strings.TrimLeft(w.Text, `"'`); strings.HasPrefix(text, "~") || strings.HasPrefix(text, "$HOME") || strings.HasPrefix(text, "${HOME") {
			f.found.Outside = add(f.found.Outside, w.Text)
		}
		return
	}
	value := w.Value
	if strings.Contains(value, "://") {
		f.addServer(value[strings.LastIndexByte(value[:strings.Index(value, "://")], '=')+1:])
		return
	}
	if name, after, ok := strings.Cut(value, "="); ok && !strings.Contains(name, "/") { // --output=FILE, of=FILE
		value = after
	}
	f.addFile(value)
}

// addFile adds a word that names a file outside of the workspace: one that exists, or whose
// directory does.
func (f *finder) addFile(word string) {
	path := word
	switch {
	case word == "" || strings.ContainsAny(word, "\n\x00"):
		return
	case !filepath.IsAbs(word) && f.moved:
		return
	case !filepath.IsAbs(word):
		path = filepath.Join(f.Dir, word)
	}
	if !exists(path) && (strings.HasSuffix(path, "/") || !exists(filepath.Dir(path))) { // an expression, such as /x/d
		return
	}
	f.addOutside(path, filepath.Clean(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (f *finder) addOutside(path, shown string) {
	if len(f.found.Outside) < tool.MaxReach && f.Inside != nil && !f.Inside(path) {
		f.found.Outside = add(f.found.Outside, shown)
	}
}

func (f *finder) addServer(address string) { f.found.Servers = add(f.found.Servers, Server(address)) }

// Server returns the server of a URL.
func Server(address string) tool.Server {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return tool.Server{URL: address}
	}
	host := u.Hostname()
	ascii, err := idna.Punycode.ToASCII(host)
	if err != nil {
		ascii = host
	}
	readable, err := idna.Punycode.ToUnicode(host)
	if err != nil {
		readable = host
	}
	return tool.Server{
		URL: strings.Replace(address, host, readable, 1), Host: ascii, Readable: readable,
		IsLookalike: strings.Contains(ascii, "xn--"), HasUser: u.User != nil,
	}
}
