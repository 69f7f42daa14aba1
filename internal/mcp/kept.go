package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pollux/internal/durable"
	"pollux/internal/process"
)

// The offers of servers are kept from one session to the next, so that a session declares their tools before
// it starts them. Each is in a file of its own, in the directory [Options].OfferDir. Pollux trusts such a
// file as little as a server.
const (
	keptFormat  = 2
	keptAge     = 7 * 24 * time.Hour // older offers do not count
	maxKept     = 256                // files; the oldest ones are removed
	maxKeptSize = 8 << 20            // bytes of a file; larger offers are not kept
	maxKeptSum  = 64 << 20           // bytes of all files
)

// kept is the content of a file.
type kept struct {
	Format int       `json:"format"`
	Key    string    `json:"key"` // see server.offerKey
	Saved  time.Time `json:"saved"`
	Offer  offer     `json:"offer"`
}

// offerKey returns a digest of all inputs of the server's offer that are known before it is started: its
// entry, its program, the files among its arguments, the directory of the workspace, the requests it may
// send to Pollux, and the version of Pollux. It is "" if offers are not kept, or not of this server. The
// values of variables and headers cannot be derived from it.
func (s *server) offerKey() string {
	o, c := &s.all.o, s.config
	if o.OfferDir == "" {
		return ""
	}
	// These decide which part of an offer is used, and how.
	c.TimeoutMS, c.Trust, c.Description, c.Include, c.Exclude = 0, false, "", nil, nil
	var files []string
	if c.Kind() == Stdio {
		name, dir := c.place(o.Dir)
		path, err := process.LookPath(c.path(o), name)
		if err != nil {
			return ""
		}
		files = append(files, path, fileMark(path))
		for _, arg := range c.Args {
			if !filepath.IsAbs(arg) {
				arg = filepath.Join(dir, arg)
			}
			files = append(files, fileMark(arg))
		}
	}
	raw, err := json.Marshal([]any{keptFormat, o.Version, o.Dir, s.capabilities(), c.Name, c.Extension, c.IsProject, c, files})
	if err != nil {
		return ""
	}
	return digest(raw)
}

// fileMark returns a text that changes when a file changes, "" if there is none at this path.
func fileMark(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	raw, _ := json.Marshal([]any{info.ModTime().UnixNano(), info.Size()})
	return string(raw)
}

func digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// offerFile returns the path of the file for the server's offer. There is one for each server of a workspace,
// and another one for sessions with a person, whom servers can ask.
func (s *server) offerFile() string {
	o := &s.all.o
	raw, _ := json.Marshal([]any{o.Dir, s.config.Name, o.HasPerson})
	return filepath.Join(o.OfferDir, digest(raw)[:32]+".json")
}

// recall returns the offer that is kept of the server, nil if there is none or if it is not to be used.
func (s *server) recall() *offer {
	if s.isOff() || s.all.o.Fresh {
		return nil
	}
	key := s.offerKey()
	if key == "" {
		return nil
	}
	data, err := durable.ReadFile(s.offerFile(), maxKeptSize)
	if err != nil {
		return nil
	}
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		s.all.o.Log.Debug("the offer that was kept of an MCP server is not valid", "server", s.config.Name, "error", err)
		return nil
	}
	age := time.Since(k.Saved)
	if k.Format != keptFormat || k.Key != key || age < 0 || age > keptAge {
		return nil
	}
	k.Offer.clean()
	if k.Offer.check() != nil {
		return nil
	}
	return &k.Offer
}

// clean makes an offer that comes from a file one as servers make them.
func (o *offer) clean() {
	o.Tools = slices.DeleteFunc(o.Tools, func(t listed) bool { return t.Name == "" })
	o.Tools = o.Tools[:min(len(o.Tools), maxTools)]
	for i := range o.Tools {
		if t := &o.Tools[i]; !bytes.HasPrefix(t.Schema, []byte("{")) {
			t.Schema = cleanSchema(t.Schema)
		}
	}
	o.Prompts = o.Prompts[:min(len(o.Prompts), maxPrompts)]
	o.Resources = o.Resources[:min(len(o.Resources), maxResources)]
	o.Templates = o.Templates[:min(len(o.Templates), maxTemplates)]
}

// keep writes an offer to the server's file. key is the [server.offerKey] of the server's start.
func (s *server) keep(o *offer, key string) {
	if key == "" {
		return
	}
	if err := s.writeOffer(&kept{keptFormat, key, time.Now().UTC(), *o}); err != nil {
		s.all.o.Log.Debug("the offer of an MCP server is not kept", "server", s.config.Name, "error", err)
	}
}

func (s *server) writeOffer(k *kept) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // schemas stay as they are
	if err := e.Encode(k); err != nil {
		return err
	}
	if text.Len() > maxKeptSize {
		return s.forget()
	}
	dir := s.all.o.OfferDir
	if err := durable.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := durable.WriteFile(s.offerFile(), text.Bytes(), 0o600); err != nil {
		return err
	}
	return removeOldest(dir, maxKept, maxKeptSum)
}

// forget removes the server's file, because its offer does not hold any more.
func (s *server) forget() error {
	if s.all.o.OfferDir == "" {
		return nil
	}
	return os.Remove(s.offerFile())
}

// removeOldest removes the oldest offers of a directory, so that there are no more than most, and no more than
// sum bytes.
func removeOldest(dir string, most int, sum int64) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(info.Name(), ".json") {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for i, file := range files {
		if sum -= file.Size(); i < most && sum >= 0 {
			continue
		}
		if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
			return err
		}
	}
	return nil
}
