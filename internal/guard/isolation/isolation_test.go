package isolation

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"pollux/internal/process"
	"pollux/internal/process/processtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const system = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// The report on the real kernel and the real programs is complete.
func TestProbe(t *testing.T) {
	t.Parallel()
	found := Probe(t.Context(), Options{Programs: process.Finder{Path: system}})
	if len(found) == 0 {
		t.Fatal("there are no probes for this platform")
	}
	for _, a := range found {
		t.Logf("%+v", a)
		switch {
		case a.Kind == "" || a.State == "":
			t.Errorf("%+v says nothing", a)
		case a.State != Works && a.Detail == "":
			t.Errorf("%+v does not say why", a)
		case strings.Contains(a.Detail, "\n"):
			t.Errorf("%+v is more than a line", a)
		}
	}
	if a := found.Of(Landlock); a.State == Works {
		if abi, err := strconv.Atoi(a.Version); err != nil || abi < 1 {
			t.Errorf("%+v", a)
		}
	}
}

// Fake programs replace real ones: Pollux knows only their output.
func TestPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"docker": "echo 28.2.2",
		"podman": "echo 'Cannot connect: is it running?' >&2; exit 125",
		"bwrap":  `case "$*" in *version) echo bubblewrap 9.9;; *unshare*) echo 'bwrap: no /proc for you' >&2; exit 1;; esac`,
		"runsc":  "touch " + filepath.Join(dir, "asked"),
		"true":   "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	found := Probe(t.Context(), Options{Programs: process.Finder{Path: dir}, Env: []string{"PATH=" + system}})
	want := map[Kind]Ability{
		Docker: {State: Works, Version: "28.2.2"},
		Podman: {State: Broken, Detail: "Cannot connect: is it running?"},
		Bubblewrap: {
			State: Broken, Version: "9.9",
			Detail: "works, but without process and device namespaces: bwrap: no /proc for you",
		},
		GVisor: {State: Works, Detail: "installed, not tested"},
		LXC:    {State: Missing, Detail: "not installed"},
	}
	for _, got := range found {
		if w, is := want[got.Kind]; is {
			w.Kind, w.Program, w.Next = got.Kind, got.Program, got.Next
			if diff := cmp.Diff(w, got); diff != "" {
				t.Error(diff)
			}
			if (got.State == Broken) != (got.Next != "") {
				t.Errorf("%+v: a broken part has no hint, or another part has one", got)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "asked")); err == nil {
		t.Error("a program that would set itself up was run")
	}
}

// Programs that never answer do not block the examination.
func TestHanging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	for _, name := range []string{"docker", "podman"} {
		text := "#!/bin/sh\necho >" + begun + "\nsleep 1000\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	processtest.WhenWritten(t, begun, func() { cancel(why) })
	found := Probe(ctx, Options{Programs: process.Finder{Path: dir}, Env: []string{"PATH=" + system}})
	if a := found.Of(Docker); a.State != Broken || a.Detail != why.Error() {
		t.Errorf("%+v", a)
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	of := func(kinds ...Kind) (a Abilities) {
		for _, kind := range kinds {
			a = append(a, Ability{Kind: kind, State: Works})
		}
		return a
	}
	for _, tt := range []struct {
		there Abilities
		want  []Kind
	}{
		{nil, nil},
		{of(Landlock, Seccomp, Bubblewrap, Docker), []Kind{Bubblewrap, Seccomp}},
		{of(Landlock, Seccomp, Docker), []Kind{Landlock, Seccomp}},
		{of(Bubblewrap, Podman), []Kind{Podman}},
		{of(Docker, Podman, Seatbelt), []Kind{Seatbelt}},
		{of(Docker, Podman), []Kind{Docker}},
		{Abilities{{Kind: Docker, State: Broken}}, nil},
	} {
		if diff := cmp.Diff(tt.want, tt.there.Best()); diff != "" {
			t.Errorf("%v: %s", tt.there, diff)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"bubblewrap 0.8.0": "0.8.0", "28.2.2": "28.2.2", "podman version 5.4.0\nmore 1": "5.4.0", "git version 2.47.1 (Apple Git-1)": "2.47.1",
		"": "", "no idea": "", "v, (1.2)": "1.2",
	} {
		if got := versionIn(said); got != want {
			t.Errorf("number(%q) = %q, want %q", said, got, want)
		}
	}
}
