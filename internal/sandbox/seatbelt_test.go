package sandbox_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// belt is a profile of Seatbelt. It knows the statements that Pollux writes: only macOS can apply a profile.
type belt []statement

// statement is one of a profile.
type statement struct {
	allows     bool
	operations []string
	filters    []any // a list of lists of words, each
}

// operation is one of a program, at a path, or with a service or an address.
type operation struct{ name, path, service, protocol, address, socket string }

// wear parses a profile.
func wear(t testing.TB, text string) (b belt) {
	t.Helper()
	rest := text
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var form any
		form, rest = parse(t, rest)
		words, ok := form.([]any)
		if !ok || len(words) < 2 {
			t.Fatalf("%v is no statement in\n%s", form, text)
		}
		if words[0] == "version" {
			continue
		}
		s := statement{allows: words[0] == "allow"}
		if !s.allows && words[0] != "deny" {
			t.Fatalf("%v is no statement", words)
		}
		for _, w := range words[1:] {
			if name, ok := w.(string); ok {
				s.operations = append(s.operations, name)
			} else {
				s.filters = append(s.filters, w)
			}
		}
		b = append(b, s)
	}
	return b
}

// quoted is a string of the language, pattern a regular expression.
type (
	quoted  string
	pattern string
)

// parse returns the first form of a text, and the text behind it.
func parse(t testing.TB, text string) (form any, rest string) {
	t.Helper()
	switch text = strings.TrimSpace(text); {
	case text == "":
		t.Fatal("the profile ends too early")
	case text[0] == '(':
		list := []any{}
		for text = strings.TrimSpace(text[1:]); !strings.HasPrefix(text, ")"); text = strings.TrimSpace(text) {
			var one any
			one, text = parse(t, text)
			list = append(list, one)
		}
		return list, text[1:]
	case strings.HasPrefix(text, `#"`):
		expression, rest, ok := strings.Cut(text[2:], `"`)
		if !ok {
			t.Fatalf("no end of %s", text)
		}
		return pattern(expression), rest
	case text[0] == '"':
		var b strings.Builder
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '"':
				return quoted(b.String()), text[i+1:]
			case '\\':
				i++
			}
			b.WriteByte(text[i])
		}
		t.Fatalf("no end of %s", text)
	}
	end := strings.IndexAny(text, " ()\n\"")
	if end <= 0 {
		t.Fatalf("%q is no word", text)
	}
	return text[:end], text[end:]
}

// allows returns whether the last statement that matches allows an operation.
func (b belt) allows(t testing.TB, o operation) bool {
	t.Helper()
	allowed := false
	for _, s := range b {
		isMeant := slices.ContainsFunc(s.operations, func(name string) bool {
			start, isOpen := strings.CutSuffix(name, "*")
			return name == o.name || name == "default" || isOpen && strings.HasPrefix(o.name, start)
		})
		if isMeant && (len(s.filters) == 0 || slices.ContainsFunc(s.filters, func(f any) bool { return matches(t, f, o) })) {
			allowed = s.allows
		}
	}
	return allowed
}

// matches reports whether a filter matches an operation.
func matches(t testing.TB, filter any, o operation) bool {
	t.Helper()
	words := filter.([]any)
	of := func(f any) bool { return matches(t, f, o) }
	switch words[0] {
	case "require-all":
		return !slices.ContainsFunc(words[1:], func(f any) bool { return !of(f) })
	case "require-any":
		return slices.ContainsFunc(words[1:], of)
	case "require-not":
		if len(words) != 2 {
			t.Fatalf("%v", words)
		}
		return !of(words[1])
	case "literal":
		return o.path == string(words[1].(quoted))
	case "subpath":
		path := string(words[1].(quoted))
		return o.path != "" && (path == "/" || o.path == path || strings.HasPrefix(o.path, path+"/"))
	case "regex", "path-regex":
		return o.path != "" && regexp.MustCompile(string(words[1].(pattern))).MatchString(o.path)
	case "global-name":
		return o.service == string(words[1].(quoted))
	case "local", "remote":
		if words[1] == "unix-socket" {
			o.path = o.socket
			return matches(t, words[2], o)
		}
		if o.protocol != words[1] || o.address == "" {
			return false
		}
		host, port, _ := strings.Cut(string(words[2].(quoted)), ":")
		gotHost, gotPort, _ := strings.Cut(o.address, ":")
		return (host == "*" || host == gotHost) && (port == "*" || port == gotPort)
	}
	t.Fatalf("%v is no filter", words)
	return false
}

// mayRead and mayChange report whether a profile lets programs read and change a file.
func (b belt) mayRead(t testing.TB, path string) bool {
	t.Helper()
	return b.allows(t, operation{name: "file-read-data", path: path})
}

func (b belt) mayChange(t testing.TB, path string) bool {
	t.Helper()
	return b.allows(t, operation{name: "file-write-data", path: path})
}

// TestSeatbeltMeansProfile checks that a profile means the same in the language of macOS.
func TestSeatbeltMeansProfile(t *testing.T) {
	t.Parallel()
	names := rapid.SampledFrom([]string{"a", "b", "id_rsa", "x.pub", `q"uo\te`, "中文", "with space"})
	path := rapid.Custom(func(t *rapid.T) string {
		return "/" + strings.Join(rapid.SliceOfN(names, 1, 4).Draw(t, "names"), "/")
	})
	paths := rapid.SliceOfN(path, 0, 4)
	rapid.Check(t, func(rt *rapid.T) {
		p := sandbox.Profile{
			Write: paths.Draw(rt, "write"), Hide: paths.Draw(rt, "hide"), Keep: paths.Draw(rt, "keep"), Read: paths.Draw(rt, "read"), Scratch: paths.Draw(rt, "scratch"),
			Sockets: paths.Draw(rt, "sockets"), HideSockets: []string{"/a/b*"},
		}
		if rapid.Bool().Draw(rt, "with pattern") {
			p.Hide = append(p.Hide, "/a/id_*")
		}
		b := wear(t, p.Seatbelt("", nil, nil))
		for range 20 {
			at := path.Draw(rt, "path")
			if strings.HasPrefix(at, "/a/id_rsa/") { // in a directory that a pattern hides: on Linux, the directory is in the profile as well
				continue
			}
			verdict, _ := p.Judge(at)
			if got := b.mayRead(t, at); got != (verdict != sandbox.Hidden) {
				rt.Errorf("read %s: %v, and the verdict is %v", at, got, verdict)
			}
			if got := b.mayChange(t, at); got != (verdict == sandbox.MayChange) {
				rt.Errorf("change %s: %v, and the verdict is %v", at, got, verdict)
			}
			if got := b.allows(t, operation{name: "network-outbound", socket: at}); got != p.MayConnect(at) {
				rt.Errorf("connect to %s: %v", at, got)
			}
		}
	})
}

func TestSeatbeltFiles(t *testing.T) {
	t.Parallel()
	p := sandbox.Profile{
		Write: []string{"/Users/me", "/private/tmp"}, Hide: []string{"/Users/me/.ssh/id_rsa", "/Users/me/.ssh/id_*", "/dev/ttys000", "/dev/ttys001"},
		Devices: []string{"/dev/null"},
	}
	b := wear(t, p.Seatbelt("", sandbox.Extras, []string{"/dev/ttys001"}))
	for what, want := range map[string]bool{
		"file-write-data /dev/null":                  true,
		"file-write-data /dev/disk0":                 false,
		"file-read-data /dev/ttys000":                false, // of another program
		"file-write-data /dev/ttys000":               false,
		"file-read-data /dev/ttys001":                true, // its own
		"file-write-data /dev/ttys001":               true,
		"file-write-data /dev/ttys042":               true, // one that it has made
		"file-read-metadata /Users/me/.ssh/id_rsa":   true, // names can be listed
		"file-read-xattr /Users/me/.ssh/id_rsa":      false,
		"file-link /Users/me/.ssh/id_rsa":            false,
		"file-clone /Users/me/.ssh/id_new":           false,
		"file-read-data /Users/me/.ssh/id_rsa.pub":   true,
		"file-write-create /Users/me/.ssh/new":       true,  // beside hidden files
		"file-write-unlink /Users/me/.ssh":           false, // else id_rsa would have another path
		"file-write-unlink /Users/me":                false,
		"file-write-unlink /Users/me/.ssh/new":       true,
		"process-exec /bin/launchctl":                false,
		"process-exec /bin/ls":                       true,
		"appleevent-send /":                          false,
		"lsopen /System/Applications/Calculator.app": false,
	} {
		name, path, _ := strings.Cut(what, " ")
		if got := b.allows(t, operation{name: name, path: path}); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	if b.allows(t, operation{name: "mach-lookup", service: "com.apple.pasteboard.1"}) {
		t.Error("the clipboard can be read")
	}
	without := p.Seatbelt("", nil, nil)
	for _, extra := range sandbox.Extras {
		if strings.Contains(without, extra) {
			t.Errorf("%s is denied where the system does not know it", extra)
		}
	}
}

func TestSeatbeltNetwork(t *testing.T) {
	t.Parallel()
	reach := func(protocol, address string) operation {
		return operation{name: "network-outbound", protocol: protocol, address: address}
	}
	resolver := operation{name: "network-outbound", socket: "/private/var/run/mDNSResponder"}
	own, docker := operation{name: "network-outbound", socket: "/w/s"}, operation{name: "network-outbound", socket: "/Users/me/.docker/run/docker.sock"}
	serve := operation{name: "network-bind", socket: "/w/s"}
	listen := operation{name: "network-bind", protocol: "tcp", address: "*:3000"}
	lookup := operation{name: "mach-lookup", service: "com.apple.dnssd.service"}
	const base = "(version 1)\n(allow default)\n(deny network-outbound (remote tcp \"*:25\"))\n(deny file-write* (subpath \"/w/closed\"))"
	open := []operation{reach("tcp", "192.0.2.1:443"), reach("udp", "192.0.2.1:53"), reach("tcp", "localhost:53"), resolver, own, serve, listen, lookup}
	for name, tt := range map[string]struct {
		policy          network.Policy
		base            string
		allowed, denied []operation
	}{
		"open":            {allowed: open, denied: []operation{docker}},
		"off":             {network.Policy{Off: true}, "", []operation{reach("tcp", "localhost:8080"), own, serve, listen}, []operation{docker, reach("tcp", "192.0.2.1:443"), reach("udp", "localhost:53"), reach("udp", "192.0.2.1:53"), reach("tcp", "localhost:53"), resolver, lookup}},
		"own profile":     {base: base, allowed: open, denied: []operation{docker, reach("tcp", "192.0.2.1:25")}},
		"own profile off": {network.Policy{Off: true}, base, nil, append(open, docker, reach("tcp", "localhost:8080"))},
	} {
		p := sandbox.Profile{Write: []string{"/w"}, Network: tt.policy}
		b := wear(t, p.Seatbelt(tt.base, nil, nil))
		for _, o := range tt.allowed {
			if !b.allows(t, o) {
				t.Errorf("%s: not allowed: %+v", name, o)
			}
		}
		for _, o := range tt.denied {
			if b.allows(t, o) {
				t.Errorf("%s: allowed: %+v", name, o)
			}
		}
		if got := b.mayChange(t, "/w/closed/x"); got != (tt.base == "") {
			t.Errorf("%s: %v", name, got)
		}
		if b.mayChange(t, "/elsewhere") {
			t.Errorf("%s: a profile of the user's allows more than Pollux's own", name)
		}
	}
}

// FuzzSeatbelt checks that no path ends a string of the profile.
func FuzzSeatbelt(f *testing.F) {
	for _, path := range []string{"/a", `/a") (allow default) ("`, `/a\`, `/a\"`, "/a\nb", "/#\"*", "/\xff", "/a*b[c]?", "/([{.+^$|"} {
		f.Add(path)
	}
	usual := len(wear(f, (&sandbox.Profile{Write: []string{"/w"}, Hide: []string{"/h", "/h*"}, HideSockets: []string{"/s*"}}).Seatbelt("", nil, nil)))
	f.Fuzz(func(t *testing.T, path string) {
		if path = filepath.Clean("/" + path); strings.Contains(path, "\x00") || path == "/" {
			return // there is no such file
		}
		p := sandbox.Profile{Write: []string{path}, Hide: []string{path + "/h", path + "/h*"}, HideSockets: []string{path + "*"}}
		b := wear(t, p.Seatbelt("", nil, nil))
		if len(b) != usual+1 { // one more: the directory has a hidden file, and cannot be moved
			t.Errorf("%d statements, want %d:\n%s", len(b), usual+1, p.Seatbelt("", nil, nil))
		}
		if b.mayRead(t, path+"/h") {
			t.Error("the hidden file can be read")
		}
	})
}

// TestPresent checks that hidden paths which do not exist are left out of a profile, until a directory changes.
func TestPresent(t *testing.T) {
	t.Parallel()
	there := []string{"/", "/h", "/h/.ssh", "/h/.aws", "/h/.aws/credentials"}
	p := sandbox.Profile{Hide: []string{"/h/.aws/credentials", "/h/.ssh/id_*", "/h/.config/gh/hosts.yml", "/h/.netrc", "/h/.gnupg/S.*"}}
	now, dirs := p.Present(func(path string) bool { return slices.Contains(there, path) })
	if want := []string{"/h/.aws/credentials", "/h/.ssh/id_*"}; !slices.Equal(now.Hide, want) {
		t.Errorf("hidden are %v, want %v", now.Hide, want)
	}
	if want := []string{"/h/.ssh", "/h"}; !slices.Equal(dirs, want) {
		t.Errorf("the profile depends on %v, want %v", dirs, want)
	}
}

// TestSeatbeltSize checks that no regular expression is longer than the system takes, and that all patterns have one.
func TestSeatbeltSize(t *testing.T) {
	t.Parallel()
	var p sandbox.Profile
	for i := range 200 {
		p.HideSockets = append(p.HideSockets, fmt.Sprintf("/private/tmp/some-agent-%d-*", i), fmt.Sprintf("/private/var/folders/ab/T/some-agent-%d-*", i))
	}
	p.Write = []string{"/private"}
	text := p.Seatbelt("", nil, nil)
	for _, found := range regexp.MustCompile(`#"[^"]*"`).FindAllString(text, -1) {
		if len(found) > 1000 {
			t.Errorf("%d bytes: %s", len(found), found)
		}
	}
	b := wear(t, text)
	for i := range 200 {
		for _, dir := range []string{"/private/tmp", "/private/var/folders/ab/T"} {
			if b.allows(t, operation{name: "network-outbound", socket: fmt.Sprintf("%s/some-agent-%d-x/s", dir, i)}) {
				t.Errorf("%s: the socket of agent %d is reached", dir, i)
			}
		}
	}
	if n := strings.Count(text, "(regex") + strings.Count(text, "(path-regex"); n > 30 {
		t.Errorf("%d expressions: reading a profile takes long with many", n)
	}
}

func TestChooseExtras(t *testing.T) {
	t.Parallel()
	broken := errors.New("unbound variable")
	for name, tt := range map[string]struct {
		unknown []string
		err     error
		want    []string
	}{
		"all":      {nil, nil, sandbox.Extras},
		"some":     {[]string{"file-link", "lsopen"}, nil, []string{"file-clone", "appleevent-send", "job-creation", "user-preference-write"}},
		"not even": {sandbox.Extras, broken, nil},
	} {
		tries := 0
		got, err := sandbox.ChooseExtras(func(extras []string) error {
			tries++
			if tt.err != nil || slices.ContainsFunc(extras, func(e string) bool { return slices.Contains(tt.unknown, e) }) {
				return broken
			}
			return nil
		})
		if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if name == "all" && tries != 1 {
			t.Errorf("%d programs started", tries)
		}
	}
}

// BenchmarkSeatbelt measures the profile of a usual place.
func BenchmarkSeatbelt(b *testing.B) {
	var p sandbox.Profile
	for i := range 80 {
		p.Write = append(p.Write, fmt.Sprintf("/Users/me/Library/Caches/tool%d", i))
		p.Hide = append(p.Hide, fmt.Sprintf("/Users/me/.config/tool%d", i))
	}
	for b.Loop() {
		if p.Seatbelt("", nil, nil) == "" {
			b.Fatal("no profile")
		}
	}
}
