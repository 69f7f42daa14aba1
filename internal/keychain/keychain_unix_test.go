//go:build linux || freebsd || netbsd || openbsd || dragonfly

package keychain

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// startBus starts a bus for the test, and returns its address.
func startBus(t *testing.T) string {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Skip("NOT TESTED: dbus-daemon is not installed")
	}
	dir, err := os.MkdirTemp("", "bus") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	config := filepath.Join(dir, "bus.conf") // no services: nothing of this machine is started
	if err := os.WriteFile(config, []byte(`<busconfig><type>session</type><listen>unix:path=`+dir+`/socket</listen>
<policy context="default"><allow send_destination="*"/><allow eavesdrop="false"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "--config-file="+config, "--nofork", "--print-address")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("NOT TESTED: dbus-daemon does not run here: ", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Skip("NOT TESTED: dbus-daemon does not run here: ", err)
	}
	return strings.TrimSpace(address)
}

// desk is a Secret Service with one collection, in the test's process.
type desk struct {
	bus *dbus.Conn

	mu       sync.Mutex
	items    map[dbus.ObjectPath]*item
	made     int
	locked   bool // until the user is asked
	dismiss  bool // the user refuses
	lossy    bool // stored values come back changed
	silent   chan struct{}
	prompted int
}

type item struct {
	attributes map[string]string
	label      string
	secret     []byte
}

const promptPath = dbus.ObjectPath("/org/freedesktop/secrets/prompt/1")

// startDesk offers the service on a bus; with silent, once that is closed.
func startDesk(t *testing.T, address string, silent chan struct{}) *desk {
	t.Helper()
	bus, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bus.Close() })
	d := &desk{bus: bus, silent: silent, items: map[dbus.ObjectPath]*item{}}
	for path, methods := range map[dbus.ObjectPath]map[string]any{
		service: {"OpenSession": d.openSession, "SearchItems": d.searchItems, "Unlock": d.unlock},
		"/org/freedesktop/secrets/aliases/default": {"CreateItem": d.createItem},
		promptPath: {"Prompt": d.prompt},
	} {
		iface := map[dbus.ObjectPath]string{service: "Service", promptPath: "Prompt"}[path]
		if iface == "" {
			iface = "Collection"
		}
		if err := bus.ExportMethodTable(methods, path, "org.freedesktop.Secret."+iface); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bus.RequestName("org.freedesktop.secrets", 0); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *desk) openSession(string, dbus.Variant) (dbus.Variant, dbus.ObjectPath, *dbus.Error) {
	if d.silent != nil {
		<-d.silent
	}
	return dbus.MakeVariant(""), "/org/freedesktop/secrets/session/1", nil
}

func (d *desk) searchItems(wanted map[string]string) (open, locked []dbus.ObjectPath, _ *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for path, i := range d.items {
		fits := true
		for name, value := range wanted {
			fits = fits && i.attributes[name] == value
		}
		switch {
		case fits && d.locked:
			locked = append(locked, path)
		case fits:
			open = append(open, path)
		}
	}
	return open, locked, nil
}

func (d *desk) unlock(paths []dbus.ObjectPath) ([]dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked {
		return nil, promptPath, nil
	}
	return paths, "/", nil
}

func (d *desk) prompt(string) *dbus.Error {
	d.mu.Lock()
	d.prompted++
	dismissed := d.dismiss
	d.locked = dismissed
	d.mu.Unlock()
	_ = d.bus.Emit(promptPath, "org.freedesktop.Secret.Prompt.Completed", dismissed, dbus.MakeVariant(""))
	return nil
}

func (d *desk) createItem(properties map[string]dbus.Variant, secret dbusSecret, replace bool) (dbus.ObjectPath, dbus.ObjectPath, *dbus.Error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := &item{secret: secret.Value}
	i.attributes, _ = properties["org.freedesktop.Secret.Item.Attributes"].Value().(map[string]string)
	i.label, _ = properties["org.freedesktop.Secret.Item.Label"].Value().(string)
	if d.lossy {
		i.secret = nil
	}
	for path, old := range d.items {
		if replace && maps.Equal(old.attributes, i.attributes) {
			*old = *i
			return path, "/", nil
		}
	}
	d.made++
	path := dbus.ObjectPath(fmt.Sprintf("/org/freedesktop/secrets/collection/login/%d", d.made))
	d.items[path] = i
	_ = d.bus.ExportMethodTable(map[string]any{
		"GetSecret": func(session dbus.ObjectPath) (dbusSecret, *dbus.Error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			return dbusSecret{session, []byte{}, i.secret, "text/plain"}, nil
		},
		"Delete": func() (dbus.ObjectPath, *dbus.Error) {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.items, path)
			return "/", nil
		},
	}, path, "org.freedesktop.Secret.Item")
	_ = d.bus.ExportMethodTable(map[string]any{
		"Get": func(string, string) (dbus.Variant, *dbus.Error) { return dbus.MakeVariant(i.attributes), nil },
	}, path, "org.freedesktop.DBus.Properties")
	return path, "/", nil
}

func TestSecretService(t *testing.T) {
	t.Parallel()
	ctx, address := t.Context(), startBus(t)
	d := startDesk(t, address, nil)
	path := filepath.Join(t.TempDir(), "gemini-credentials.json")
	store := func(o Options) *Store {
		o.File, o.Bus = path, address
		return Open(o)
	}
	s := store(Options{})

	// Stored in the file before there was a keychain, then in this.
	if _, err := store(Options{FileOnly: true}).Set(ctx, "svc", "acct", "of the file"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(ctx, "svc", "acct"); err != nil || !slices.Equal(got, []Secret{{"of the file", path}}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.Set(ctx, "svc", "acct", "of the system"); err != nil || got != (Stored{Where: System}) {
		t.Fatal(got, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file keeps an old secret")
	}
	if got, err := s.Get(ctx, "svc", "acct"); err != nil || !slices.Equal(got, []Secret{{"of the system", System}}) {
		t.Errorf("%v, %v", got, err)
	}
	// The names are those that Gemini CLI's library gives; the trial has left nothing.
	want := map[string]string{"xdg:schema": "org.freedesktop.Secret.Generic", "service": "svc", "account": "acct"}
	d.set(func() {
		if len(d.items) != 1 {
			t.Errorf("there are %d items", len(d.items))
		}
		for _, i := range d.items {
			if !maps.Equal(i.attributes, want) || i.label != "svc/acct" {
				t.Errorf("%q is %v", i.label, i.attributes)
			}
		}
	})
	if _, err := store(Options{FileOnly: true}).Set(ctx, "svc", "other", "x"); err != nil {
		t.Fatal(err)
	}
	if err := s.system.set(ctx, "svc", testPrefix+"x", "test"); err != nil { // a trial that was cut off
		t.Fatal(err)
	}
	if list, err := s.List(ctx, "svc"); err != nil || fmt.Sprint(list) != fmt.Sprint([]Entry{{"acct", System}, {"other", path}}) {
		t.Errorf("%v, %v", list, err)
	}
	for _, account := range []string{"acct", "other", testPrefix + "x"} {
		if err := s.Remove(ctx, "svc", account); err != nil {
			t.Error(err)
		}
	}
	if _, err := s.Get(ctx, "svc", "acct"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := s.Remove(ctx, "svc", "acct"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if list, err := s.List(ctx, "svc"); len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}

	// Locked: the user is asked only in a terminal.
	if _, err := s.Set(ctx, "svc", "acct", "1"); err != nil {
		t.Fatal(err)
	}
	d.set(func() { d.locked, d.dismiss = true, true })
	if _, err := store(Options{}).Get(ctx, "svc", "acct"); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "it is locked") || d.asked() != 0 {
		t.Error(err, d.asked())
	}
	if got, err := store(Options{Interactive: true}).Set(ctx, "svc", "acct", "2"); err != nil || got.Where != path || got.FallbackReason == nil || d.asked() != 1 {
		t.Error(got, err, d.asked())
	}
	d.set(func() { d.dismiss = false })
	if got, err := store(Options{Interactive: true}).Get(ctx, "svc", "acct"); err != nil || !slices.Equal(got, []Secret{{"1", System}, {"2", path}}) || d.asked() != 2 {
		t.Error(got, err, d.asked())
	}

	// Pollux does not use a keychain that loses values.
	d.set(func() { d.lossy = true })
	if got, err := store(Options{}).Set(ctx, "svc", "lost", "3"); err != nil || got.Where != path || got.FallbackReason == nil {
		t.Error(got, err)
	}
}

func (d *desk) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// asked returns how often the user was asked to unlock it.
func (d *desk) asked() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.prompted
}

// A service that does not answer is waited for once, and not for long.
func TestSilent(t *testing.T) {
	t.Parallel()
	address := startBus(t)
	silent := make(chan struct{})
	startDesk(t, address, silent)
	t.Cleanup(func() { close(silent) })
	mute, err := net.Listen("unix", filepath.Join(t.TempDir(), "s")) // nor does the bus
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = mute.Close() })
	for _, bus := range []string{address, "unix:path=" + mute.Addr().String()} {
		path := filepath.Join(t.TempDir(), "gemini-credentials.json")
		s := Open(Options{File: path, Bus: bus})
		s.timeout = 20 * time.Millisecond
		if _, err := s.Get(t.Context(), "svc", "acct"); err == nil || errors.Is(err, ErrNotFound) || !strings.Contains(err.Error(), "does not respond") {
			t.Error(err)
		}
		s.timeout = time.Hour
		if got, err := s.Set(t.Context(), "svc", "acct", "1"); err != nil || got.Where != path || got.FallbackReason == nil {
			t.Error(got, err)
		}
		if got, err := s.Get(t.Context(), "svc", "acct"); err != nil || !slices.Equal(got, []Secret{{"1", path}}) {
			t.Error(got, err)
		}
		if err := s.Remove(t.Context(), "svc", "acct"); err == nil {
			t.Error("it may be in the system's keychain still")
		}
	}
}

// A missing keychain causes no warning.
func TestNoKeychain(t *testing.T) {
	t.Parallel()
	for _, bus := range []string{"", "autolaunch:", "nonsense", "unix:path=/nowhere/bus", startBus(t)} {
		path := filepath.Join(t.TempDir(), "gemini-credentials.json")
		s := Open(Options{File: path, Bus: bus})
		if _, err := s.Get(t.Context(), "svc", "acct"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: %v", bus, err)
		}
		if got, err := s.Set(t.Context(), "svc", "acct", "1"); err != nil || got != (Stored{Where: path}) {
			t.Error(got, err)
		}
		if err := s.Remove(t.Context(), "svc", "acct"); err != nil {
			t.Error(err)
		}
	}
}
