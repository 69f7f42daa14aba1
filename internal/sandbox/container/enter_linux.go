package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// Enter begins a session in a container with these arguments and this environment, whose [Variable] says how: it becomes the user, and goes on as
// Pollux. It returns only if that fails. In a process that it starts, it leads to ports, and does not return before the container ends.
func Enter(args, env []string) error {
	var e entry
	if err := json.Unmarshal([]byte(process.Getenv(env, Variable)), &e); err != nil {
		return fmt.Errorf("read %s: %w", Variable, err)
	}
	if e.Become == "" {
		return e.leadToPorts()
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	if len(e.Ports)+len(e.Relays) > 0 {
		if err := e.startPorts(path); err != nil {
			return fmt.Errorf("lead to ports: %w", durable.Cause(err))
		}
	}
	if err := e.become(); err != nil {
		return err
	}
	return e.goOn(path, args, env)
}

// become makes this process one of the user, if it is one of root.
func (e *entry) become() error {
	uid, gid := e.UID, e.GID
	if e.Become == becomeOwner {
		var st syscall.Stat_t
		if err := syscall.Stat(e.Owner, &st); err != nil {
			return fmt.Errorf("look at %s: %w", e.Owner, durable.Cause(err))
		}
		uid, gid = int(st.Uid), int(st.Gid)
	}
	if os.Getuid() != 0 || e.Become == becomeImage {
		return nil
	}
	if err := os.MkdirAll(e.Home, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", e.Home, durable.Cause(err))
	}
	if err := os.Chown(e.Home, uid, gid); err != nil {
		return fmt.Errorf("change the owner of %s: %w", e.Home, durable.Cause(err))
	}
	if uid == 0 {
		return nil
	}
	e.addUser(uid, gid)
	return cmp.Or(syscall.Setgroups([]int{gid}), syscall.Setgid(gid), syscall.Setuid(uid))
}

// addUser tells programs the name of the user. Where that fails, they have only the number.
func (e *entry) addUser(uid, gid int) {
	number, group := strconv.Itoa(uid), strconv.Itoa(gid)
	name := strings.Map(func(r rune) rune {
		if r == ':' || r == '\n' {
			return '_'
		}
		return r
	}, e.User)
	addLine("/etc/passwd", number, strings.Join([]string{name, "x", number, group, "", e.Home, "/bin/sh"}, ":"))
	addLine("/etc/group", group, strings.Join([]string{name, "x", group, ""}, ":"))
}

// addLine replaces the line of a file that has the number as its third field, or adds one.
func addLine(file, number, line string) {
	text, _ := os.ReadFile(file) // an image may have none
	lines := []string{line}
	for old := range strings.Lines(string(text)) {
		old = strings.TrimRight(old, "\n")
		if fields := strings.Split(old, ":"); len(fields) > 2 && fields[2] != number {
			lines = append(lines, old)
		}
	}
	_ = os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
	_ = os.Chmod(file, 0o644) // Podman makes one that only root can read
}

// readyFD is the descriptor on which the process that leads to ports says that it listens.
const readyFD = 3

// startPorts starts the process that leads to ports. It ends with the container.
func (e *entry) startPorts(path string) error {
	how, err := json.Marshal(entry{Ports: e.Ports, Relays: e.Relays})
	if err != nil {
		return err
	}
	ready, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	_, err = process.NewLauncher().Start(context.Background(), &process.Command{
		For: process.Purpose{Kind: process.KindContainer, Origin: process.OriginPollux}, Path: path, Env: []string{Variable + "=" + string(how)}, Files: map[int]*os.File{readyFD: theirs}, Detach: true,
	})
	_ = theirs.Close()
	if err != nil {
		return err
	}
	if n, _ := ready.Read(make([]byte, 1)); n == 0 { // it ends without a word where it cannot listen
		return errors.New("a port is in use")
	}
	return nil
}

// leadToPorts leads to ports, as long as the container runs.
func (e *entry) leadToPorts() error {
	for _, port := range e.Ports {
		listeners, err := listenOutside(port)
		if err != nil {
			return err
		}
		for _, l := range listeners {
			go serve(l, func() (net.Conn, error) { return net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) })
		}
	}
	for _, port := range e.Relays {
		for _, host := range [...]string{"127.0.0.1", "::1"} {
			l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
			if err != nil && host == "127.0.0.1" {
				return err
			} else if err == nil { // many containers have no IPv6
				go serve(l, func() (net.Conn, error) { return dialMachine(port) })
			}
		}
	}
	ready := os.NewFile(readyFD, "ready")
	_, _ = ready.Write([]byte{'\n'})
	_ = ready.Close()
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	select {}
}

// listenOutside listens at the addresses of the container that others reach. Their program listens at loopback.
func listenOutside(port int) (list []net.Listener, err error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || !ip.IP.IsGlobalUnicast() {
			continue
		}
		l, err := net.Listen("tcp", net.JoinHostPort(ip.IP.String(), strconv.Itoa(port)))
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// dialMachine connects to a port of the machine's loopback interface.
func dialMachine(port int) (net.Conn, error) {
	text := strconv.Itoa(port)
	if _, err := os.Stat(sockets); err == nil {
		return net.Dial("unix", filepath.Join(sockets, text))
	}
	return net.Dial("tcp", net.JoinHostPort("host.docker.internal", text))
}

// goOn replaces this process with Pollux.
func (e *entry) goOn(path string, args, env []string) error {
	inside := []string{Variable + "=" + Inside, "HOME=" + e.Home, "USER=" + e.User, "LOGNAME=" + e.User}
	for _, l := range [...]struct {
		name string
		dirs []string
	}{{"PATH", e.Paths}, {"PYTHONPATH", e.PythonPaths}} {
		if len(l.dirs) > 0 {
			inside = append(inside, l.name+"="+strings.TrimPrefix(process.Getenv(env, l.name)+":"+strings.Join(l.dirs, ":"), ":"))
		}
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return process.Getenv(inside, name) != ""
	})
	argv := []string{"pollux"}
	if e.Script != "" {
		find := process.Finder{Path: process.Getenv(env, "PATH"), Outside: []string{filepath.Dir(filepath.Dir(e.Script))}}
		bash := find.Find("bash")
		if bash == "" {
			return fmt.Errorf("the image has no bash, which runs %s", e.Script)
		}
		argv = []string{"bash", "-c", `. "$1" && shift && exec "$@"`, "pollux", e.Script, path}
		path = bash
	}
	return process.Replace(path, slices.Concat(argv, args), slices.Concat(env, inside))
}
