package container

import (
	"slices"
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
		line := strings.Join(o.execution("box", "/run/pollux/x/entry"), " ")
		want := "exec box --cwd " + o.Dir + " --env POLLUX_CONTAINER=/run/pollux/x/entry " + c.want + o.programWithin() + " -p two words"
		if line != want {
			t.Errorf("%s: %s\nwant %s", c.doc, line, want)
		}
	}
}

// TestDevices checks the devices for a session: directories come before those in them, and the program has a place of its own.
func TestDevices(t *testing.T) {
	t.Parallel()
	o := options(t, lxc, map[string]string{"SANDBOX_MOUNTS": "/usr,/etc:/opt:rw"})
	o.Rules = []string{"/etc/passwd"}
	list, err := o.devices(mount{"/tmp/link", "/run/pollux/x", writable}, []int{80})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, d := range list {
		paths = append(paths, d.place()+"="+d.keys["source"]+" "+d.keys["readonly"])
		if !strings.HasPrefix(d.name, "pollux-1000-") {
			t.Errorf("the name of a device: %s", d.name)
		}
	}
	for _, want := range []string{"/usr=/usr true", "/opt=/etc ", "/etc/passwd=/etc/passwd true", o.Dir + "=" + o.Dir + " ", "/run/pollux/x=/tmp/link ", o.programWithin() + "=/opt/pollux true", "port 80= "} {
		if !slices.Contains(paths, want) {
			t.Errorf("%q lacks %q", paths, want)
		}
	}
	if slices.Index(paths, o.Own+"="+o.Own+" ") < slices.Index(paths, "/usr=/usr true") {
		t.Errorf("a long path comes first: %q", paths)
	}
}

// TestSameDevice checks when a device that a container has stands for one of the session.
func TestSameDevice(t *testing.T) {
	t.Parallel()
	o := options(t, lxc, nil)
	disk, port := o.disk(mount{"/a", "/b", readable}), o.port(80)
	for _, c := range []struct {
		doc             string
		d               device
		has             keys
		isThere, isSame bool
	}{
		{"the same", disk, keys{"type": "disk", "source": "/a", "path": "/b", "readonly": "1", "shift": "true"}, true, true},
		{"one that can be changed", disk, keys{"type": "disk", "source": "/a", "path": "/b"}, true, false},
		{"another file", disk, keys{"type": "disk", "source": "/c", "path": "/b", "readonly": "true"}, true, false},
		{"another place", disk, keys{"type": "disk", "source": "/a", "path": "/c", "readonly": "true"}, false, false},
		{"a network", disk, keys{"type": "nic", "network": "lxdbr0"}, false, false},
		{"the same port", port, keys{"type": "proxy", "listen": "tcp:0.0.0.0:80", "connect": "tcp:127.0.0.1:80"}, true, true},
		{"a port that leads elsewhere", port, keys{"type": "proxy", "listen": "tcp:0.0.0.0:80", "connect": "tcp:127.0.0.1:81"}, true, false},
	} {
		if isThere, isSame := c.d.isAt(c.has); isThere != c.isThere || isSame != c.isSame {
			t.Errorf("%s: there %v, the same %v", c.doc, isThere, isSame)
		}
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
