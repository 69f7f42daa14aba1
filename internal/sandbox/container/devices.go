package container

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/internal/exit"
)

// keys are the settings of a device.
type keys map[string]string

// device is a device of a container of LXD: a disk, which is a file or directory of the machine, or a port of the machine.
type device struct {
	name string // the same for the same device, so that sessions share it
	keys keys
}

// deviceStart begins the names of all devices of a user.
func (o *Options) deviceStart() string { return "pollux-" + strconv.Itoa(o.UID) + "-" }

func (o *Options) device(k keys) device {
	return device{o.deviceStart() + shortHash(fmt.Sprint(k)), k} // fmt sorts keys
}

func (o *Options) disk(m mount) device {
	k := keys{"type": "disk", "source": m.from, "path": m.to}
	if !slices.Contains(strings.Split(m.options, ","), writable) {
		k["readonly"] = "true"
	}
	return o.device(k)
}

func (o *Options) port(number int) device {
	return o.device(keys{"type": "proxy", "listen": fmt.Sprintf("tcp:0.0.0.0:%d", number), "connect": fmt.Sprintf("tcp:127.0.0.1:%d", number)})
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// isAt reports whether a device that the container has is at the place of another one, and whether it is the same.
func (d device) isAt(has keys) (isThere, isSame bool) {
	if d.keys["type"] != has["type"] || d.keys["path"] != has["path"] || d.keys["listen"] != has["listen"] {
		return false, false
	}
	return true, d.keys["source"] == has["source"] && d.keys["connect"] == has["connect"] && isTrue(d.keys["readonly"]) == isTrue(has["readonly"])
}

// isTrue reports whether a value is a true one for LXD.
func isTrue(value string) bool {
	return slices.Contains([]string{"true", "1", "yes", "on"}, strings.ToLower(value))
}

// instance is a container of LXD with the devices of a session.
type instance struct {
	options *Options
	program string // lxc
	name    string
	uses    []use
	// shifts reports whether numbers of users in disks are those of the machine, whatever the container knows.
	shifts bool
}

// use is a device of Pollux in the container. Each session that uses it shares the lock of its file, so that the last one removes it, or, if none could,
// the next session.
type use struct {
	device string
	lock   *os.File
}

// locks is the directory of the locks of a user's devices.
func (i *instance) locks() string { return filepath.Join(i.options.Own, "lxc", i.name) }

// attach gives the container those of these devices that it lacks.
func (i *instance) attach(ctx context.Context, list []device) error {
	if err := os.MkdirAll(i.locks(), 0o700); err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot create %s: %w.", i.locks(), durable.Cause(err))
	}
	unlock, err := durable.LockContext(ctx, filepath.Join(i.locks(), "devices"))
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot prepare the container: %w.", err)
	}
	defer unlock()
	s, err := i.state(ctx)
	if err != nil {
		return err
	}
	i.removeLeftOver(s)
	for _, d := range list {
		if err := i.add(ctx, s, d); err != nil {
			return err
		}
	}
	if uid := i.options.UID; !i.shifts && !s.knows(uid) {
		return exit.Errorf(exit.Sandbox, "The container '%s' does not know you (user %d), so that it cannot use your files. Let it, and start it again: lxc config set %s raw.idmap 'both %d %d'", i.name, uid, i.name, uid, uid)
	}
	return nil
}

// removeLeftOver removes devices of sessions that could not do it at their end.
func (i *instance) removeLeftOver(s *state) {
	for _, name := range slices.Sorted(maps.Keys(s.Devices)) {
		if !strings.HasPrefix(name, i.options.deviceStart()) {
			continue
		}
		if f, err := i.open(name); err == nil && i.removeUnused(use{name, f}) {
			delete(s.Devices, name)
		}
	}
}

// add gives the container a device, unless it has that.
func (i *instance) add(ctx context.Context, s *state, d device) error {
	for _, name := range slices.Sorted(maps.Keys(s.Devices)) {
		has := s.Devices[name]
		isThere, isSame := d.isAt(has)
		if isSame {
			i.shifts = i.shifts || isTrue(has["shift"])
		}
		switch {
		case isSame && name == d.name:
			return i.share(d.name)
		case isSame:
			return nil // the user's own
		case isThere:
			return exit.Errorf(exit.Sandbox, "The container '%s' has another device at %s. Remove it: lxc config device remove %s %s", i.name, d.place(), i.name, name)
		}
	}
	if err := i.share(d.name); err != nil {
		return err
	}
	s.Devices[d.name] = d.keys
	args := []string{"config", "device", "add", i.name, d.name, d.keys["type"]}
	for _, key := range slices.Sorted(maps.Keys(d.keys)) {
		if key != "type" {
			args = append(args, key+"="+d.keys[key])
		}
	}
	// The numbers of users inside are to be those of the machine. Not every kernel and file system can do that.
	if d.keys["type"] == "disk" {
		if _, err := i.ask(ctx, append(slices.Clone(args), "shift=true")...); err == nil || ctx.Err() != nil {
			i.shifts = true
			return context.Cause(ctx)
		}
	}
	if _, err := i.ask(ctx, args...); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot give the container '%s' %s: %w.", i.name, d.place(), err)
	}
	return nil
}

// place returns where the device is, for people.
func (d device) place() string {
	if path := d.keys["path"]; path != "" {
		return path
	}
	return "port " + d.keys["listen"][strings.LastIndexByte(d.keys["listen"], ':')+1:]
}

func (i *instance) open(device string) (*os.File, error) {
	return os.OpenFile(filepath.Join(i.locks(), device), os.O_RDWR|os.O_CREATE, 0o600)
}

// share keeps a device of Pollux for this session.
func (i *instance) share(device string) error {
	f, err := i.open(device)
	if err == nil {
		i.uses = append(i.uses, use{device, f})
		err = flock.Shared(f)
	}
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot prepare the container: %w.", durable.Cause(err))
	}
	return nil
}

// removeUnused removes a device that no session uses, and ends the use of it. It reports whether the device is gone.
func (i *instance) removeUnused(u use) bool {
	defer flock.Release(u.lock)
	if flock.Exclusive(u.lock) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if _, err := i.ask(ctx, "config", "device", "remove", i.name, u.device); err != nil {
		return false
	}
	_ = os.Remove(u.lock.Name())
	return true
}

// detach takes the devices of the session from the container, those that are over others first.
func (i *instance) detach() {
	if len(i.uses) == 0 {
		return
	}
	unlock, err := durable.Lock(filepath.Join(i.locks(), "devices"))
	if err == nil {
		defer unlock()
	}
	for _, u := range slices.Backward(i.uses) {
		if err != nil {
			flock.Release(u.lock) // the next session removes the device
			continue
		}
		i.removeUnused(u)
	}
}
