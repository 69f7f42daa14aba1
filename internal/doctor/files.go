package doctor

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

	"pollux/internal/auth"
	"pollux/internal/durable"
	"pollux/internal/secret"
	"pollux/internal/shellcmd"
	"pollux/internal/telemetry"
	"pollux/internal/undo/store"
	"pollux/internal/wording"
	"pollux/llm/provider"
)

// checkFiles checks the files that Pollux keeps on disk. It does not change them.
func (x *examination) checkFiles() sectionReport {
	s := sectionReport{ID: "files", Title: "Files"}
	dir := x.set.Paths.RuntimeDir()
	at := nearestExisting(dir)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		s.broken("directory", at+": "+durable.Cause(err).Error(), "check its permissions and those of its parent directories")
	case !info.IsDir():
		s.broken("directory", at+" is not a directory", "move it away. Pollux keeps settings, memory and sessions in "+dir)
	case !isWritable(at, info):
		s.broken("directory", at+" is not writable", "change its owner or permissions, or set GEMINI_CLI_HOME to another directory")
	case at != dir:
		s.ok("directory", dir+" does not exist yet and can be created")
	default:
		s.ok("directory", dir+" is writable")
	}
	if free, known := freeSpace(at); known && free < lowSpace {
		s.warn("space", fmt.Sprintf("%d MB free on the disk of %s", free>>20, dir), "free some space: Pollux keeps sessions, snapshots and long outputs there")
	} else if known {
		s.ok("space", fmt.Sprintf("%.1f GB free", float64(free)/(1<<30)))
	}
	if _, err := os.Lstat(filepath.Join(dir, "projects.json")); errors.Is(err, fs.ErrPermission) {
		return s // the other files in dir have the same problem
	}
	x.checkRegistry(&s, filepath.Join(dir, "projects.json"))
	x.checkSecrets(&s)
	x.checkUndo(&s)
	return s
}

// checkUndo shows how much the changes take that can be undone.
func (x *examination) checkUndo(s *sectionReport) {
	logs := x.set.Paths.UndoLogs()
	changes, bytes := 0, int64(0)
	for _, dir := range logs {
		n, size := store.Open(dir, store.DefaultLimit).Usage()
		changes += n
		bytes += size
	}
	if changes > 0 {
		s.ok("undo", fmt.Sprintf("%s of %s take %s", wording.Count(changes, "change"), wording.Count(len(logs), "project"), wording.Bytes(bytes)))
	}
}

// lowSpace is the free disk space, in bytes, below which checkFiles warns. A day's session may
// need more.
const lowSpace = 100 << 20

// nearestExisting returns path, or its nearest existing ancestor if path does not exist.
func nearestExisting(path string) string {
	for {
		if _, err := os.Lstat(path); err == nil || !durable.IsAbsent(err) {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}

// maxFileSize is the maximum size, in bytes, of files that the diagnosis reads.
const maxFileSize = 8 << 20

// checkRegistry checks the list of projects.
func (x *examination) checkRegistry(s *sectionReport, file string) {
	data, err := durable.ReadFile(file, maxFileSize)
	var registry struct {
		Projects map[string]string `json:"projects"`
	}
	switch {
	case durable.IsAbsent(err):
		s.ok("projects", "none yet")
	case errors.Is(err, fs.ErrPermission):
		s.broken("projects", file+": "+durable.Cause(err).Error(), "change its permissions")
	case err != nil:
		s.broken("projects", file+": "+durable.Cause(err).Error(), "move it away; Pollux creates a new one")
	case json.Unmarshal(data, &registry) != nil || registry.Projects == nil:
		s.warn("projects", file+" is not a list of projects, Pollux treats it as empty", "move it away; Pollux creates a new one")
	default:
		s.ok("projects", wording.Count(len(registry.Projects), "project")+" in "+file)
	}
}

// secretFiles are the files that contain secrets or trust decisions.
var secretFiles = [...]string{
	"gemini-credentials.json", "oauth_creds.json", "mcp-oauth-tokens.json", "a2a-oauth-tokens.json",
	"trustedFolders.json", "extension_integrity.json",
}

// checkSecrets reports files with secrets that other users can access, or that are not
// readable regular files.
func (x *examination) checkSecrets(s *sectionReport) {
	files := make([]string, 0, len(secretFiles)+1)
	for _, name := range secretFiles {
		files = append(files, filepath.Join(x.set.Paths.RuntimeDir(), name))
	}
	if f := x.envFile; f != nil {
		secrets := auth.SecretVariables(x.set.Settings(), x.set.Env())
		if slices.ContainsFunc(f.Set, func(name string) bool {
			return slices.Contains(secrets, name) || secret.InVariable(name, x.set.Env().Get(name))
		}) {
			files = append(files, f.Path)
		}
	}
	before := len(s.Checks)
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case durable.IsAbsent(err):
		case err != nil:
			s.broken("secrets", file+": "+durable.Cause(err).Error(), "check its permissions, or move it away")
		case info.IsDir():
			s.broken("secrets", file+" is a directory, not a file", "move it away")
		case !info.Mode().IsRegular():
			s.broken("secrets", file+" is not a regular file", "move it away")
		case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
			s.warn("secrets", fmt.Sprintf("other users can read or write %s (%03o)", file, info.Mode().Perm()), "chmod 600 "+shellcmd.Quote(file))
		}
	}
	if len(s.Checks) == before {
		s.ok("secrets", "only you can read your keys")
	}
}

// isNonEmpty reports whether path is a regular file or a directory, and not empty.
func isNonEmpty(path string) bool {
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

// checkNetwork checks the proxy and the certificate authorities.
func (x *examination) checkNetwork() sectionReport {
	s := sectionReport{ID: "network", Title: "Network"}
	n := x.accounts.Network
	switch name := auth.ProxyVariable(x.set.Env().User()); {
	case name == "":
		s.ok("proxy", "none")
	case n.Proxy == nil:
		s.broken("proxy", name+" is not a proxy address", "write it as http://host:port, or unset it")
	case n.NoProxy != "":
		s.ok("proxy", x.Proxy+" ("+x.set.Where(name)+"), except for "+n.NoProxy)
	default:
		s.ok("proxy", x.Proxy+" ("+x.set.Where(name)+")")
	}
	for _, file := range slices.Compact(n.RootCAs) {
		data, err := durable.ReadFile(file, maxFileSize)
		switch {
		case err != nil:
			s.broken("certificates", file+": "+durable.Cause(err).Error(), "fix or unset NODE_EXTRA_CA_CERTS or SSL_CERT_FILE")
		case !x509.NewCertPool().AppendCertsFromPEM(data):
			s.broken("certificates", file+" contains no PEM certificate", "fix or unset NODE_EXTRA_CA_CERTS or SSL_CERT_FILE")
		default:
			s.ok("certificates", "those of the system and of "+file)
		}
	}
	if len(n.RootCAs) == 0 {
		s.ok("certificates", "those of the system")
	}
	return s
}

// checkTelemetry reports whether Pollux sends or writes telemetry, and where to.
func (x *examination) checkTelemetry() sectionReport {
	s := sectionReport{ID: "telemetry", Title: "Telemetry"}
	set, err := telemetry.Resolve(x.set.Settings(), x.set.Env())
	switch {
	case err != nil:
		s.broken("telemetry", err.Error(), "fix or unset it. Pollux does not start until then")
		x.fail(err)
		return s
	case !set.Enabled:
		s.ok("telemetry", "off")
		return s
	}
	_, from := x.set.Settings().Effective("telemetry")
	by := "settings: " + strings.Join(from, ", ")
	if _, set := x.set.Env().Lookup("GEMINI_TELEMETRY_ENABLED"); set {
		by = x.set.Where("GEMINI_TELEMETRY_ENABLED")
	}
	switch why := set.DisabledReason(); {
	case why != "":
		s.warn("telemetry", "on ("+by+"), but nothing is recorded: "+why, "fix this, or turn telemetry off")
	case set.Outfile == "":
		s.ok("telemetry", "on ("+by+"), sent to "+provider.RedactAddress(set.Endpoint)+" ("+set.Protocol+")")
	default:
		x.checkOutfile(&s, x.set.Paths.Absolute(set.Outfile), by)
	}
	return s
}

// checkOutfile reports whether telemetry can be written to a file. It does not create the
// file.
func (x *examination) checkOutfile(s *sectionReport, file, by string) {
	text := "on (" + by + "), written to " + file
	at := nearestExisting(file)
	info, err := os.Stat(at)
	switch {
	case err != nil:
		text += ": " + durable.Cause(err).Error()
	case at == file && info.IsDir():
		text += ", which is a directory"
	case at != file && !info.IsDir():
		text += ", which cannot be created: " + at + " is not a directory"
	case !isWritable(at, info):
		text += ", which is not writable"
	default:
		s.ok("telemetry", text)
		return
	}
	s.warn("telemetry", text, "set telemetry.outfile to another file")
}
