package container

import (
	"strings"
	"testing"
)

// TestExecution checks the command line that begins a session in a container of LXD.
func TestExecution(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		doc              string
		keyboard, screen bool
		want             string
	}{
		{"a terminal", true, true, "--force-interactive -- "},
		{"a script", false, false, "--force-noninteractive -- "},
		{"a script at a terminal", true, false, "--force-noninteractive --disable-stdin -- "},
	} {
		o := options(t, lxc, nil)
		o.HasKeyboard, o.HasScreen = c.keyboard, c.screen
		line := strings.Join(o.execution("box", "/p/pollux", "/run/pollux/x/entry"), " ")
		want := "exec box --cwd / --env POLLUX_CONTAINER=/run/pollux/x/entry " + c.want + "/p/pollux -p two words"
		if line != want {
			t.Errorf("%s: %s\nwant %s", c.doc, line, want)
		}
	}
}

// TestDevices checks that each file has a place of the user's own in a container of LXD, one for reading and one for writing.
func TestDevices(t *testing.T) {
	t.Parallel()
	o := options(t, lxc, nil)
	same, other := o.disk(mount{"/a b", "/x", readable}), o.disk(mount{"/a b", "/y", "ro,z"})
	if same.name != other.name || same.place() != other.place() || !strings.HasPrefix(same.place(), "/run/pollux/1000/") || !strings.HasPrefix(same.name, "pollux-1000-") {
		t.Errorf("%+v, %+v", same, other)
	}
	if d := o.disk(mount{"/a b", "/x", writable}); d.place() == same.place() || d.name == same.name || d.keys["readonly"] != "" || same.keys["readonly"] != "true" || d.keys["required"] != "false" {
		t.Errorf("%+v, %+v", same, d)
	}
	if d := o.disk(mount{"/opt/pollux", program, readable}); !strings.HasSuffix(d.place(), "/pollux") {
		t.Errorf("%+v", d)
	}
	o.UID = 1001
	if d := o.disk(mount{"/a b", "/x", readable}); d.place() == same.place() || d.name == same.name {
		t.Errorf("another user has the same: %+v", d)
	}
	if d := o.port(80); d.String() != "port 80" || d.keys["connect"] != "tcp:127.0.0.1:80" {
		t.Errorf("%+v", d)
	}
}

// TestKnows checks which users a container knows.
func TestKnows(t *testing.T) {
	t.Parallel()
	const mapped = `[{"Isuid":true,"Hostid":100000,"Nsid":0,"Maprange":1001},{"Isuid":true,"Hostid":1001,"Nsid":1001,"Maprange":1}]`
	for _, c := range []struct {
		idmap string
		uid   int
		want  bool
	}{{mapped, 1001, true}, {mapped, 1000, false}, {mapped, 1002, false}, {mapped, 101000, true}, {mapped, 101001, false}, {"[]", 1000, true}, {"", 1000, true}} {
		s := &state{Config: keys{"volatile.idmap.current": c.idmap}}
		if got := s.knows(c.uid); got != c.want {
			t.Errorf("%s, %d: %v", c.idmap, c.uid, got)
		}
	}
}
