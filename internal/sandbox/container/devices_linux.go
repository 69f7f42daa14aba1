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
	"time"

	"pollux/internal/durable"
	"pollux/internal/durable/flock"
	"pollux/internal/exit"
)

// keys are the settings of a device.
type keys map[string]string

// device is a device of a container of LXD: a disk, which is a file or directory of the machine, or a port of the machine.
type device struct {
	name string // the same for the same device of a user, so that sessions share it
	keys keys
}

// deviceStart begins the names of all devices of a user.
func (o *Options) deviceStart() string { return "pollux-" + strconv.Itoa(o.UID) + "-" }

func (o *Options) device(k keys) device { return device{o.deviceStart() + shortHash(k), k} }

// disk returns the device for a mount, at a place of the user's own.
func (o *Options) disk(m mount) device {
	k := keys{"type": "disk", "source": m.from}
	if !slices.Contains(strings.Split(m.options, ","), writable) {
		k["readonly"] = "true"
	}
	d := o.device(k)
	k["path"] = filepath.Join(shared, strconv.Itoa(o.UID), shortHash(k))
	k["required"] = "false" // the container can start without the source
	if m.to == program {
		k["path"] = filepath.Join(k["path"], "pollux")
	}
	return d
}

func (o *Options) port(number int) device {
	return o.device(keys{"type": "proxy", "listen": fmt.Sprintf("tcp:0.0.0.0:%d", number), "connect": fmt.Sprintf("tcp:127.0.0.1:%d", number)})
}

func shortHash(k keys) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(k))) // which sorts them
	return hex.EncodeToString(sum[:6])
}

// place returns where a disk is in the container.
func (d device) place() string { return d.keys["path"] }

// String returns the file or the port of the machine.
func (d device) String() string {
	if source := d.keys["source"]; source != "" {
		return source
	}
	return "port " + d.keys["listen"][strings.LastIndexByte(d.keys["listen"], ':')+1:]
}

// instance is a container of LXD with the devices of a session.
type instance struct {
	options *Options
	program string // lxc
	name    string
	own     string // see Options.lxdDir
	uses    []use
	// cannotShift means that LXD has no way to keep the numbers of users in disks those of the machine, where the container does not know them.
	cannotShift bool
}

// use is a device of Pollux in the container. Each session that uses it shares the lock of its file, so that the last one removes it, or, if none could,
// the next session.
type use struct {
	device string
	lock   *os.File
}

// locks is the directory of the locks of the devices.
func (i *instance) locks() string { return filepath.Join(i.own, i.name) }

// lock keeps other sessions of the user from changing the devices.
func (i *instance) lock(ctx context.Context) (unlock func(), err error) {
	return durable.LockContext(ctx, i.locks())
}

// attach gives the container those of these devices that it lacks.
func (i *instance) attach(ctx context.Context, list []device) error {
	unlock, err := i.lock(ctx)
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot prepare the container: %w.", err)
	}
	defer unlock()
	s, err := i.state(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(i.locks(), 0o700); err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot create %s: %w.", i.locks(), durable.Cause(err))
	}
	i.removeLeftOver(s)
	if err := i.check(s); err != nil {
		return err
	}
	for _, d := range list {
		if err := i.add(ctx, s, d); err != nil {
			return err
		}
	}
	if !i.cannotShift {
		return nil
	}
	return i.checkUser(s)
}

// removeLeftOver removes devices of sessions that could not do it at their end, and the directories of their links.
func (i *instance) removeLeftOver(s *state) {
	for _, name := range slices.Sorted(maps.Keys(s.Devices)) {
		if !strings.HasPrefix(name, i.options.deviceStart()) {
			continue
		}
		if f, err := i.open(name); err != nil || !i.removeUnused(s, use{name, f}) {
			continue
		}
		if source := s.Devices[name]["source"]; filepath.Dir(source) == i.own && strings.HasPrefix(filepath.Base(source), linkStart) {
			_ = os.RemoveAll(source)
		}
		delete(s.Devices, name)
	}
}

// add gives the container a device, unless it has that.
func (i *instance) add(ctx context.Context, s *state, d device) error {
	f, err := i.open(d.name)
	if err == nil {
		i.uses = append(i.uses, use{d.name, f})
		err = flock.Shared(f)
	}
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot prepare the container: %w.", durable.Cause(err))
	}
	if has, ok := s.Devices[d.name]; ok {
		i.cannotShift = i.cannotShift || d.keys["type"] == "disk" && has["shift"] != "true"
		return nil
	}
	s.Devices[d.name] = d.keys
	args := []string{"config", "device", "add", i.name, d.name, d.keys["type"]}
	for _, key := range slices.Sorted(maps.Keys(d.keys)) {
		if key != "type" {
			args = append(args, key+"="+d.keys[key])
		}
	}
	if d.keys["type"] == "disk" && !i.cannotShift {
		if _, err := i.ask(ctx, append(slices.Clone(args), "shift=true")...); err == nil || ctx.Err() != nil {
			return context.Cause(ctx)
		}
		i.cannotShift = true
	}
	if _, err := i.ask(ctx, args...); ctx.Err() != nil {
		return context.Cause(ctx)
	} else if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot give the container '%s' %s: %w.", i.name, d, err)
	}
	return nil
}

func (i *instance) open(device string) (*os.File, error) {
	return os.OpenFile(filepath.Join(i.locks(), device), os.O_RDWR|os.O_CREATE, 0o600)
}

// busyPause is the time between two attempts to remove a device: LXD is busy while the container stops.
const busyPause = 300 * time.Millisecond

// removeUnused removes a device that no session uses, and ends the use of it. It reports whether the device is gone.
func (i *instance) removeUnused(s *state, u use) bool {
	defer flock.Release(u.lock)
	if flock.Exclusive(u.lock) != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	for _, isThere := s.Devices[u.device]; isThere; {
		if _, err := i.ask(ctx, "config", "device", "remove", i.name, u.device); err == nil {
			break
		}
		select {
		case <-time.After(busyPause):
		case <-ctx.Done():
			return false
		}
	}
	_ = os.Remove(u.lock.Name())
	return true
}

// detach takes the devices of the session from the container.
func (i *instance) detach() {
	if len(i.uses) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	unlock, err := i.lock(ctx)
	if err == nil {
		defer unlock()
	}
	var s *state
	if err == nil {
		s, err = i.state(ctx)
	}
	for _, u := range i.uses {
		if err != nil {
			flock.Release(u.lock) // the next session removes the device
			continue
		}
		i.removeUnused(s, u)
	}
	if err == nil {
		_ = os.Remove(i.locks()) // unless other sessions have devices
	}
}
