package sandbox_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/sandbox"
	"pollux/internal/sandbox/network"
)

// TestAdviseNetwork checks that failures for want of a network, as programs word them, are explained where it is off.
func TestAdviseNetwork(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]bool{
		"curl: (6) Could not resolve host: example.org":                                          true,
		"fatal: unable to access 'https://example.org/': Couldn't resolve host 'example.org'":    true,
		"bash: connect: Network is unreachable":                                                  true,
		"npm error code ENOTFOUND":                                                               true,
		"npm error request failed, reason: getaddrinfo EAI_AGAIN example.org":                    true,
		"[Errno -3] Temporary failure in name resolution":                                        true,
		"dial tcp: lookup example.org on 192.0.2.53:53: dial udp: socket: permission denied":     true,
		"dial tcp: lookup example.org: no such host":                                             true,
		"ssh: Could not resolve hostname example.org: Temporary failure in name resolution":      true,
		"curl: (7) Failed to connect to localhost port 1 after 0 ms: Couldn't connect to server": false,
		"assertion failed": false,
	} {
		off := sandbox.Profile{Network: network.Policy{Off: true}}
		if got := strings.Contains(off.Denial(sandbox.Ending{Output: output}).Advice(), "no network"); got != want {
			t.Errorf("off: %q is explained: %v, want %v", output, got, want)
		}
		open := sandbox.Profile{}
		if got := open.Denial(sandbox.Ending{Output: output}).Advice(); got != "" {
			t.Errorf("open: %q is explained by %q", output, got)
		}
	}
}

// TestAdviseOutput checks that failures of programs which name no file are explained, as the programs word them.
func TestAdviseOutput(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]sandbox.DenialKind{
		"sudo: unable to open /etc/sudoers: Permission denied\nsudo: no valid sudoers sources found, quitting":                                                         sandbox.HasNoRights,
		"sudo: The \"no new privileges\" flag is set, which prevents sudo from running as root.":                                                                       sandbox.HasNoRights,
		"snap-confine is packaged without necessary permissions and cannot continue\nrequired permitted capability cap_dac_override not found in current capabilities": sandbox.HasNoRights,
		"bwrap: Creating new namespace failed: Operation not permitted":                                                                                                sandbox.HasNoNamespaces,
		"bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces. See <https://x.test>.":                sandbox.HasNoNamespaces,
		"bash: /usr/bin/sudo: Operation not permitted":                                                                                                                 sandbox.HasNoRights,
		"LSOpenURLsWithRole() failed with error -54 for the file /w/index.html.":                                                                                       sandbox.ReachesNoOthers,
		"0:30: execution error: Not authorized to send Apple events to Finder. (-1743)":                                                                                sandbox.ReachesNoOthers,
		"error: 'app': sandbox-exec: sandbox_apply: Operation not permitted":                                                                                           sandbox.NestsSeatbelt,
		"bash: /bin/launchctl: Operation not permitted":                                                                                                                sandbox.ReachesNoOthers,
		"/bin/bash: /usr/bin/crontab: Operation not permitted":                                                                                                         sandbox.ReachesNoOthers,
		"unshare: unshare failed: Operation not permitted":                                                                                                             sandbox.HasNoNamespaces,
		"cannot clone: Operation not permitted\nError: cannot re-exec process":                                                                                         sandbox.HasNoNamespaces,
		"[1:1:ERROR:content/browser/zygote_host/zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, please install":                          sandbox.NestsBrowser,
		"Failed to move to new namespace: PID namespaces supported, Network namespace supported, but failed: errno = Operation not permitted":                          sandbox.NestsBrowser,
		"The SUID sandbox helper binary was found, but is not configured correctly. Rather than run without sandboxing I'm aborting now.":                              sandbox.NestsBrowser,
		"fatal: could not read Username for 'https://example.org': No such device or address":                                                                          sandbox.HasNoCredentials,
		"fatal: could not read Password for 'https://u@example.org': terminal prompts disabled":                                                                        sandbox.HasNoCredentials,
		"fatal: Authentication failed for 'https://example.org/x.git/'":                                                                                                sandbox.HasNoCredentials,
		"error: gpg failed to sign the data:\n[GNUPG:] KEY_CONSIDERED A 2\nfatal: failed to write commit object":                                                       sandbox.HasNoSigningKeys,

		"/usr/bin/bash: line 2: kill: (-22899) - Operation not permitted":                                     sandbox.NotSignalled,
		"sh: 1: kill: Operation not permitted":                                                                sandbox.NotSignalled,
		"kill: sending signal to 22899 failed: Operation not permitted":                                       sandbox.NotSignalled,
		"pkill: killing pid 22899 failed: Operation not permitted":                                            sandbox.NotSignalled,
		"sleep(22899): Operation not permitted\nsleep: no process found":                                      sandbox.NotSignalled,
		"node:internal/process/per_thread:281\n    throw new ErrnoException(err, 'kill');\nError: kill EPERM": sandbox.NotSignalled,
		"skill: /tmp/skills: Operation not permitted":                                                         sandbox.KeepsFile,
		"gpg: signing failed: No secret key":                                                                  sandbox.HasNoSigningKeys,
		"fatal: not a git repository":                                                                         sandbox.NotDenied,
		"Error: Failed to launch the browser!":                                                                sandbox.NotDenied,
	} {
		if want == sandbox.NotSignalled && !sandbox.KeepsSignals() {
			continue // it is not the sandbox that has refused it
		}
		if got := (&sandbox.Profile{}).Denial(sandbox.Ending{Output: output}); got.Kind != want {
			t.Errorf("%q: %+v, want %v", output, got, want)
		}
	}
}

// FuzzDenial checks that the output of no program makes the sandbox name a path that is not in it.
func FuzzDenial(f *testing.F) {
	for _, s := range []string{
		"cat: /home/u/.ssh/id_rsa: Permission denied", "EACCES: permission denied, open '/x'", "/a/b: /c: Operation not permitted", "eperm (/tmp/../x)", "//: eacces", "Permission denied (publickey)",
	} {
		f.Add(s)
	}
	p := sandbox.Profile{Write: []string{"/tmp"}, Hide: []string{"/home/u/.ssh/id_*"}, Network: network.Policy{Off: true}}
	f.Fuzz(func(t *testing.T, output string) {
		d := p.Denial(sandbox.Ending{Output: output})
		if d.Path != "" && (!filepath.IsAbs(d.Path) || filepath.Clean(d.Path) != d.Path || !strings.Contains(output, "/")) {
			t.Errorf("%q: %+v", output, d)
		}
		if (d.Advice() == "") != (d.Kind == sandbox.NotDenied) {
			t.Errorf("%q: %+v has the advice %q", output, d, d.Advice())
		}
	})
}

// TestAdviseLimits checks that a program which has reached a limit is explained, and not where there is none.
func TestAdviseLimits(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]sandbox.DenialKind{
		"Out of memory in perl:util:safesysrealloc":       sandbox.HasNoMemory,
		"bash: xrealloc: cannot allocate 268435456 bytes": sandbox.HasNoMemory,
		"MemoryError": sandbox.HasNoMemory,
		"FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory":        sandbox.HasNoMemory,
		"RangeError: Array buffer allocation failed":                                               sandbox.HasNoMemory,
		"fatal error: runtime: cannot allocate memory":                                             sandbox.HasNoMemory,
		"terminate called after throwing an instance of 'std::bad_alloc'":                          sandbox.HasNoMemory,
		"memory allocation of 1073741824 bytes failed":                                             sandbox.HasNoMemory,
		"Error occurred during initialization of VM\nCould not reserve enough space for 2097152KB": sandbox.HasNoMemory,
		"cc1plus: out of memory allocating 65536 bytes after a total of 1048576 bytes":             sandbox.HasNoMemory,
		"bash: fork: retry: Resource temporarily unavailable":                                      sandbox.HasNoProcesses,
		"RuntimeError: can't start new thread":                                                     sandbox.HasNoProcesses,
		"runtime: failed to create new OS thread (have 2 already; errno=11)":                       sandbox.HasNoProcesses,
		"java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory":       sandbox.HasNoProcesses,
		"Error: spawn node EAGAIN":                                                                 sandbox.HasNoProcesses,
		"    self.pid = _fork_exec(\nBlockingIOError: [Errno 11] Resource temporarily unavailable": sandbox.HasNoProcesses,
		"BlockingIOError: [Errno 11] write could not complete without blocking":                    sandbox.NotDenied,
		"FAIL: TestMemory: want 1, got 2":                                                          sandbox.NotDenied,
	} {
		p := sandbox.Profile{Memory: 1 << 20, Processes: 10}
		if got := p.Denial(sandbox.Ending{Output: output}); got.Kind != want {
			t.Errorf("%q: %+v, want %v", output, got, want)
		}
		p = sandbox.Profile{}
		if got := p.Denial(sandbox.Ending{Output: output}); got.Kind != sandbox.NotDenied {
			t.Errorf("%q: %+v without limits", output, got)
		}
	}
}

// TestKinds checks that each kind of denial has advice for a model and words for a person.
func TestKinds(t *testing.T) {
	t.Parallel()
	for kind := sandbox.NotDenied; kind < sandbox.EndOfKinds; kind++ {
		d := sandbox.Denial{Kind: kind, Path: "/a", Exists: "/a", Hosts: []string{"a.example"}}
		advice, wish := d.Advice(), d.Wish(func(path string) string { return path })
		if isNone := kind == sandbox.NotDenied; isNone != (advice == "") || isNone != (wish == sandbox.Wish{}) {
			t.Errorf("kind %d: advice %q, wish %q", kind, advice, wish)
		}
	}
}

// TestWays checks which setting can allow a refusal of each kind, and that a list has each setting once.
func TestWays(t *testing.T) {
	t.Parallel()
	const paths, hosts, network = "tools.sandboxAllowedPaths", "pollux.sandboxHosts", "tools.sandboxNetworkAccess"
	want := map[sandbox.DenialKind]string{
		sandbox.HidesFile: paths, sandbox.KeepsFile: paths, sandbox.KeepsDirectory: paths, sandbox.NotLocalSocket: paths,
		sandbox.HasNoKeys: paths, sandbox.HasNoCredentials: paths, sandbox.NotListed: hosts, sandbox.HasNoNetwork: network,
	}
	ways := "[{tools.sandboxAllowedPaths paths that exist} {tools.sandboxNetworkAccess the network} {pollux.sandboxHosts hosts}]"
	if sandbox.KnowsHosts() {
		want[sandbox.HasNoCredentials] = "pollux.sandboxCredentials"
		ways = strings.TrimSuffix(ways, "]") + " {pollux.sandboxCredentials credentials}]"
	}
	var all []sandbox.Wish
	for kind := sandbox.NotDenied; kind < sandbox.EndOfKinds; kind++ {
		d := sandbox.Denial{Kind: kind, Path: "/the network", Exists: "/", Hosts: []string{"a.example", "SSH keys"}}
		wish := d.Wish(func(path string) string { return path })
		all = append(all, wish)
		if wish.Way.Setting != want[kind] {
			t.Errorf("%+v, want %q", wish, want[kind])
		}
	}
	if got := fmt.Sprint(sandbox.Ways(append(all, all...))); got != ways {
		t.Error(got)
	}
}
