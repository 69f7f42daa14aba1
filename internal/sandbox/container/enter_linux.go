package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// Enter begins a session in a container with these arguments and this environment, whose [Variable] says how: it becomes the user, and goes on as
// Pollux. It returns only an error of that. In a process that it starts, it leads to ports, and returns when the session has ended.
func Enter(args, env []string) error {
	from := process.Getenv(env, Variable)
	if from == forPorts {
		return leadToPorts(args)
	}
	var e entry
	data, err := os.ReadFile(from)
	if err == nil {
		err = json.Unmarshal(data, &e)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", from, durable.Cause(err))
	}
	_ = os.Remove(from) // the machine removes it at the end, too
	path, err := os.Executable()
	if err != nil {
		return err
	}
	uid, gid, err := e.user()
	if err != nil {
		return err
	}
	e.Leads.Dir, e.Leads.Session = filepath.Dir(from), os.Getpid()
	relayed := &syscall.SysProcAttr{}
	if len(e.Binds) > 0 && uid != 0 { // not beside those of other users
		relayed.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	if err := e.Leads.start(path, relayed); err != nil {
		return fmt.Errorf("lead to ports: %w", durable.Cause(err))
	}
	if len(e.Binds) > 0 {
		if err := e.place(uid, gid, filepath.Dir(from)); err != nil {
			return err
		}
	}
	if err := e.become(uid, gid); err != nil {
		return err
	}
	if e.Dir != "" {
		if err := os.Chdir(e.Dir); err != nil {
			return err
		}
	}
	return e.goOn(path, args, env)
}

// user returns the numbers of the user in the container.
func (e *entry) user() (uid, gid int, err error) {
	if e.Become != becomeOwner {
		return e.UID, e.GID, nil
	}
	var st syscall.Stat_t
	if err := syscall.Stat(e.Owner, &st); err != nil {
		return 0, 0, fmt.Errorf("look at %s: %w", e.Owner, durable.Cause(err))
	}
	return int(st.Uid), int(st.Gid), nil
}

// become makes this process one of a user, if it is one of root.
func (e *entry) become(uid, gid int) error {
	if os.Getuid() != 0 || e.Become == becomeImage {
		return nil
	}
	if err := os.MkdirAll(e.Home, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", e.Home, durable.Cause(err))
	}
	if len(e.Binds) == 0 { // else it may be one of others
		if err := os.Chown(e.Home, uid, gid); err != nil {
			return fmt.Errorf("change the owner of %s: %w", e.Home, durable.Cause(err))
		}
	}
	if uid == 0 {
		return nil
	}
	if uid != e.UID {
		e.User = "pollux" // another user than the one who has the name
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
	isOwn := len(e.Binds) == 0 // else others would see a new file
	addLine("/etc/passwd", number, strings.Join([]string{name, "x", number, group, "", e.Home, "/bin/sh"}, ":"), isOwn)
	addLine("/etc/group", group, strings.Join([]string{name, "x", group, ""}, ":"), isOwn)
}

// addLine replaces the line of a file that has the number as its third field, or adds one. An image may have no such file: then it can create one.
func addLine(file, number, line string, creates bool) {
	text, err := os.ReadFile(file)
	if err != nil && !creates {
		return
	}
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

// readyFD is the descriptor on which the process that leads to ports says that it is ready, or why not.
const readyFD = 3

// ready is its word for that.
const ready = "ready"

// start starts the process that leads to ports, if there are any. It ends with the container.
func (l *leads) start(path string, sys *syscall.SysProcAttr) error {
	if len(l.In)+len(l.Out) == 0 {
		return nil
	}
	how, err := json.Marshal(l)
	if err != nil {
		return err
	}
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ours.Close()
	_, err = process.NewLauncher().Start(context.Background(), &process.Command{
		For: process.Purpose{Kind: process.KindContainer, Origin: process.OriginPollux}, Path: path, Args: []string{string(how)},
		Env: []string{Variable + "=" + forPorts}, Files: map[int]*os.File{readyFD: theirs}, Detach: true, Sys: sys,
	})
	_ = theirs.Close()
	if err != nil {
		return err
	}
	if said, err := io.ReadAll(ours); string(said) != ready {
		return cmp.Or(err, errors.New(cmp.Or(string(said), "the process has ended")))
	}
	return nil
}

// leadToPorts leads to the ports in its argument, as long as the session runs.
func leadToPorts(args []string) error {
	to := os.NewFile(readyFD, ready)
	var l leads
	err := json.Unmarshal([]byte(strings.Join(args, " ")), &l)
	if err == nil {
		err = l.listen()
	}
	if err != nil {
		_, _ = to.WriteString(err.Error())
		return err
	}
	_, _ = to.WriteString(ready)
	_ = to.Close()
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
	l.await()
	return nil
}

// await returns when the session has ended.
func (l *leads) await() {
	fd, err := unix.PidfdOpen(l.Session, 0)
	for os.Getppid() == l.Session {
		if err != nil {
			time.Sleep(time.Second)
			continue
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
	}
}

func (l *leads) listen() error {
	for _, port := range l.In {
		listeners, err := listenOutside(port)
		if err != nil {
			return err
		}
		for _, l := range listeners {
			go serve(l, func() (net.Conn, error) { return net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) })
		}
	}
	for _, port := range l.Out {
		for _, host := range [...]string{"127.0.0.1", "::1"} {
			listener, err := together.Listen(context.Background(), "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
			if err != nil && host == "127.0.0.1" {
				return err
			} else if err == nil { // many containers have no IPv6
				go serve(listener, func() (net.Conn, error) { return l.dialMachine(port) })
			}
		}
	}
	return nil
}

// together listens at ports beside other sessions in the same container, whose ports lead to the same server.
var together = net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
	return cmp.Or(c.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) }), err)
}}

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

// dialMachine connects to a port of the machine's loopback interface, or to the proxy at that port. Without a link it needs a network, which a container
// with a proxy does not have.
func (l *leads) dialMachine(port int) (net.Conn, error) {
	text := strconv.Itoa(port)
	if c, err := net.Dial("unix", filepath.Join(l.Dir, text)); err == nil {
		return c, nil
	}
	if filepath.Dir(filepath.Dir(l.Dir)) == shared { // its session ends, and the connection may be for another one of the user
		others, _ := filepath.Glob(filepath.Join(filepath.Dir(l.Dir), "*", text))
		for _, other := range others {
			if c, err := net.Dial("unix", other); err == nil {
				return c, nil
			}
		}
	}
	return net.Dial("tcp", net.JoinHostPort("host.docker.internal", text))
}

// goOn replaces this process with Pollux.
func (e *entry) goOn(path string, args, env []string) error {
	env = with(env, e.Env)
	inside := []string{Variable + "=" + Inside, "HOME=" + e.Home, "USER=" + e.User, "LOGNAME=" + e.User}
	for _, l := range [...]struct {
		name string
		dirs []string
	}{{"PATH", e.Paths}, {"PYTHONPATH", e.PythonPaths}} {
		if len(l.dirs) > 0 {
			inside = append(inside, l.name+"="+strings.TrimPrefix(process.Getenv(env, l.name)+":"+strings.Join(l.dirs, ":"), ":"))
		}
	}
	env = with(env, inside)
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
	return process.Replace(path, slices.Concat(argv, args), env)
}

// with returns an environment with other variables in addition, or in place of those with their names. Of several with a name, the last one counts.
func with(env, others []string) []string {
	last := map[string]int{}
	for i, pair := range others {
		name, _, _ := strings.Cut(pair, "=")
		last[name] = i
	}
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		_, isNew := last[name]
		return isNew
	})
	for i, pair := range others {
		if name, _, _ := strings.Cut(pair, "="); last[name] == i {
			env = append(env, pair)
		}
	}
	return env
}
