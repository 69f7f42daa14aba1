package cli

import (
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/auth"
	"pollux/internal/durable"
	"pollux/internal/telemetry"
	"pollux/internal/tools/shell"
	"pollux/llm/provider"
)

// lookAtFiles looks at what Pollux keeps on disk. It changes nothing.
func (x *examination) lookAtFiles() sectionReport {
	s := sectionReport{ID: "files", Title: "Files"}
	dir := x.paths.Runtime()
	at := existing(dir)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		s.broken("directory", at+" cannot be looked at: "+durable.Cause(err).Error(), "check the permissions of it and of what is above it")
	case !info.IsDir():
		s.broken("directory", at+" is no directory", "move it away: settings, memory and sessions are kept in "+dir)
	case !mayWrite(at, info):
		s.broken("directory", at+" cannot be written: nothing can be kept there", "change its owner or permissions, or set GEMINI_CLI_HOME to another home")
	case at != dir:
		s.ok("directory", dir+" is not there yet, and can be made")
	default:
		s.ok("directory", dir+" can be written")
	}
	if free, known := freeSpace(at); known && free < fewBytes {
		s.warn("space", fmt.Sprintf("%d MB are left where %s is", free>>20, dir), "make room: sessions, snapshots and long outputs are kept there")
	} else if known {
		s.ok("space", fmt.Sprintf("%.1f GB are left", float64(free)/(1<<30)))
	}
	if _, err := os.Lstat(filepath.Join(dir, "projects.json")); errors.Is(err, fs.ErrPermission) {
		return s // the same holds for all that is in there
	}
	x.lookAtRegistry(&s, filepath.Join(dir, "projects.json"))
	x.lookAtSecrets(&s)
	return s
}

// fewBytes is less than a session of a day may take.
const fewBytes = 100 << 20

// existing returns the path, or what there is above it.
func existing(path string) string {
	for {
		if _, err := os.Lstat(path); err == nil || !isAbsent(err) {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}

// isAbsent reports whether there is no such file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// maxLooked bounds the files that are looked into, in bytes.
const maxLooked = 8 << 20

// lookAtRegistry reads the list of projects.
func (x *examination) lookAtRegistry(s *sectionReport, file string) {
	data, err := durable.ReadFile(file, maxLooked)
	var registry struct {
		Projects map[string]string `json:"projects"`
	}
	switch {
	case isAbsent(err):
		s.ok("projects", file+" is not there yet")
	case errors.Is(err, fs.ErrPermission):
		s.broken("projects", file+": "+durable.Cause(err).Error(), "change its permissions")
	case err != nil:
		s.broken("projects", file+": "+durable.Cause(err).Error(), "move it away: it is made anew")
	case json.Unmarshal(data, &registry) != nil || registry.Projects == nil:
		s.warn("projects", file+" is no list of projects: it counts as empty", "move it away: it is made anew")
	default:
		s.ok("projects", fmt.Sprintf("%s knows %s", file, count(len(registry.Projects), "project")))
	}
}

// keepers are the files that hold secrets, or decide about trust.
var keepers = [...]string{
	"gemini-credentials.json", "oauth_creds.json", "mcp-oauth-tokens.json", "a2a-oauth-tokens.json",
	"trustedFolders.json", "extension_integrity.json",
}

// lookAtSecrets says which files with secrets others can read, or which are none.
func (x *examination) lookAtSecrets(s *sectionReport) {
	files := make([]string, 0, len(keepers)+1)
	for _, name := range keepers {
		files = append(files, filepath.Join(x.paths.Runtime(), name))
	}
	if f := x.envFile; f != nil {
		secrets := auth.Secrets(auth.Inputs{Settings: x.settings, Env: x.env})
		if slices.ContainsFunc(f.Taken, func(name string) bool { return slices.Contains(secrets, name) || shell.Secret(name, x.env.Get(name)) }) {
			files = append(files, f.Path)
		}
	}
	before := len(s.Checks)
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case isAbsent(err):
		case err != nil:
			s.broken("secrets", file+": "+durable.Cause(err).Error(), "check its permissions, or move it away")
		case info.IsDir():
			s.broken("secrets", file+" is a directory: what belongs into it can be neither kept nor found", "move it away")
		case !info.Mode().IsRegular():
			s.broken("secrets", file+" is not a regular file", "move it away")
		case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
			s.warn("secrets", fmt.Sprintf("%s can be read or written by others on this machine (%03o)", file, info.Mode().Perm()), "chmod 600 "+quoted(file))
		}
	}
	if len(s.Checks) == before {
		s.ok("secrets", "no file with secrets is open to others")
	}
}

// quoted returns a path as a shell takes it.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("/._-+", r)
	}) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// holdsSomething reports whether a path is a file that is not empty, or a directory
// with something in it.
func holdsSomething(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err == nil && info.Mode().IsRegular() && info.Size() > 0
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}

// lookAtNetwork is about proxies and authorities.
func (x *examination) lookAtNetwork() sectionReport {
	s := sectionReport{ID: "network", Title: "Network"}
	n := x.accounts.Network
	switch name := x.proxyVariable(); {
	case name == "":
		s.ok("proxy", "none")
	case n.Proxy == nil:
		s.broken("proxy", name+" is not the address of one", "write it as http://host:port, or unset it")
	case n.NoProxy != "":
		s.ok("proxy", x.Proxy+", by "+x.where(name)+", but not for "+n.NoProxy)
	default:
		s.ok("proxy", x.Proxy+", by "+x.where(name))
	}
	for _, file := range slices.Compact(n.RootCAs) {
		data, err := durable.ReadFile(file, maxLooked)
		switch {
		case err != nil:
			s.broken("authorities", file+": "+durable.Cause(err).Error(), "correct NODE_EXTRA_CA_CERTS or SSL_CERT_FILE, or unset it")
		case !x509.NewCertPool().AppendCertsFromPEM(data):
			s.broken("authorities", file+" holds no certificate in PEM", "correct NODE_EXTRA_CA_CERTS or SSL_CERT_FILE, or unset it")
		default:
			s.ok("authorities", "the system's, and those of "+file)
		}
	}
	if len(n.RootCAs) == 0 {
		s.ok("authorities", "the system's")
	}
	return s
}

// proxyVariable is the variable that names a proxy, "" if none does.
func (x *examination) proxyVariable() string {
	for _, name := range [...]string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if strings.TrimSpace(x.env.Get(name)) != "" {
			return name
		}
	}
	return ""
}

// proxyShown returns the address of the proxy as it may be shown.
func (x *examination) proxyShown() string {
	if p := x.accounts.Network.Proxy; p != nil {
		return provider.Shown(p.String())
	}
	return ""
}

// lookAtTelemetry says whether what is done here is told to anybody.
func (x *examination) lookAtTelemetry() sectionReport {
	s := sectionReport{ID: "telemetry", Title: "Telemetry"}
	set, err := telemetry.Resolve(x.settings, x.env)
	switch {
	case err != nil:
		s.broken("telemetry", err.Error(), "correct it, or unset it: no run starts, also where telemetry is off")
		x.fail(err)
		return s
	case !set.Enabled:
		s.ok("telemetry", "off")
		return s
	}
	_, from := x.settings.Effective("telemetry")
	by := "the settings (" + strings.Join(from, ", ") + ")"
	if _, set := x.env.Lookup("GEMINI_TELEMETRY_ENABLED"); set {
		by = x.where("GEMINI_TELEMETRY_ENABLED")
	}
	switch why := set.Nowhere(); {
	case why != "":
		s.warn("telemetry", "on, by "+by+", and nothing is told: "+why, "correct that, or turn telemetry off")
	case set.Outfile == "":
		s.ok("telemetry", "on, by "+by+", and sent to "+provider.Shown(set.Endpoint)+" by "+set.Protocol)
	default:
		x.lookAtOutfile(&s, x.paths.Absolute(set.Outfile), by)
	}
	return s
}

// lookAtOutfile says whether records can be written to a file, which is not made.
func (x *examination) lookAtOutfile(s *sectionReport, file, by string) {
	text := "on, by " + by + ", and written to " + file
	at := existing(file)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		text += ", which cannot be looked at: " + durable.Cause(err).Error()
	case at == file && info.IsDir():
		text += ", which is a directory"
	case at != file && !info.IsDir():
		text += ", which cannot be made: " + at + " is no directory"
	case !mayWrite(at, info):
		text += ", which cannot be written"
	default:
		s.ok("telemetry", text)
		return
	}
	s.warn("telemetry", text, "name another file in telemetry.outfile")
}
