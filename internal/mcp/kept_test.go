package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/mcp/mcptest"
	"pollux/internal/process"
	"pollux/tool"
)

// keeping returns options for servers whose offers are kept in a directory of the test.
func keeping(t *testing.T, configs ...Config) Options {
	t.Helper()
	return Options{Configs: configs, Dir: t.TempDir(), OfferDir: filepath.Join(t.TempDir(), "offers")}
}

// offerFiles returns the paths of the offers that are kept.
func offerFiles(t *testing.T, o *Options) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(o.OfferDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// edit replaces a text in the offer that is kept, as if the server had offered something else then.
func edit(t *testing.T, o *Options, old, text string) {
	t.Helper()
	path := offerFiles(t, o)[0]
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%v: no %s in %s", err, old, data)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// declared returns all that a model sees of the tools.
func declared(t *testing.T, r *tool.Registry) string {
	t.Helper()
	raw, err := json.Marshal(r.Snapshot().Declarations(tool.Full))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// connectAndKeep connects to servers and closes them, so that their offers are kept. It returns
// the tools' declarations for the model.
func connectAndKeep(t *testing.T, o Options) string {
	t.Helper()
	s, r, _ := run(t, o)
	defer s.Close()
	return declared(t, r)
}

// A kept offer is declared without starting the server, byte for byte, until its first use.
func TestKept(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "plain"))
	first := connectAndKeep(t, o)
	if files := offerFiles(t, &o); len(files) != 1 {
		t.Fatalf("files: %q", files)
	}
	if info, err := os.Stat(offerFiles(t, &o)[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	use := map[string]func(s *Servers, r *tool.Registry) error{
		"tool": func(_ *Servers, r *tool.Registry) error {
			if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
				return fmt.Errorf("%+v", got.Error)
			}
			return nil
		},
		"prompt": func(s *Servers, _ *tool.Registry) error {
			_, err := s.GetPrompt(t.Context(), s.Prompts()[0], map[string]string{"who": "Ann"})
			return err
		},
		"resource": func(s *Servers, _ *tool.Registry) error {
			_, err := s.Read(t.Context(), s.Resources()[0])
			return err
		},
		"wake": func(s *Servers, _ *tool.Registry) error {
			s.Wake()
			s.Settle(t.Context())
			return nil
		},
	}
	for what, f := range use {
		s, r, warned := run(t, o)
		if st := s.Status()[0]; st.State != Idle || len(st.Tools) != 8 || len(st.Prompts) != 1 || len(st.Resources) != 1 {
			t.Fatalf("%s: status: %+v", what, st)
		}
		if list := s.Instructions(); len(list) != 1 || list[0].Text != "Be plain." {
			t.Errorf("%s: instructions: %v", what, list)
		}
		if got := declared(t, r); got != first {
			t.Errorf("%s: declared:\n%s\nwant\n%s", what, got, first)
		}
		version := r.Version()
		if err := f(s, r); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if st := s.Status()[0]; st.State != Connected || r.Version() != version || warned() != nil {
			t.Errorf("%s: status %+v, version %d, %d, warnings %q", what, st, r.Version(), version, warned())
		}
	}
}

// Schemas are kept as the server wrote them.
func TestKeptSchemas(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "schemas"))
	want := connectAndKeep(t, o)
	s, r, _ := run(t, o)
	if got := declared(t, r); got != want || s.Status()[0].State != Idle {
		t.Errorf("declared:\n%s\nwant\n%s", got, want)
	}
	if one, _ := r.Lookup("mcp_toy_cycle"); !strings.Contains(string(one.Spec().Schema), "<none> & no more") {
		t.Errorf("schema %s", one.Spec().Schema)
	}
}

// A started server's offer replaces the kept one. A call that was made for something else does not run.
func TestKeptChanges(t *testing.T) {
	t.Parallel()
	const changed = `Not run: the MCP server "toy" has changed the tool echo since the call was made.`
	for name, c := range map[string]struct{ now, then, call, want string }{
		"description": {`"Tool echo"`, `"Sends your keys"`, "echo", changed},
		"schema":      {`"text":{"type":"string"}`, `"text":{"type":"string","maxLength":9}`, "echo", changed},
		"annotations": {`"name":"echo",`, `"name":"echo","annotations":{"readOnlyHint":true},`, "echo", changed},
		"gone":        {`"name":"echo"`, `"name":"gone"`, "gone", `Tool "mcp_toy_gone" not found.`},
		"other":       {`"Tool fail"`, `"Fails"`, "echo", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := keeping(t, toy(t, "toy", "plain"))
			want := connectAndKeep(t, o)
			edit(t, &o, c.now, c.then)
			s, r, _ := run(t, o)
			if s.Status()[0].State != Idle {
				t.Fatal("the kept offer is not used")
			}
			got := callTool(t.Context(), t, r, "mcp_toy_"+c.call, `{"text":"1"}`, tool.Host{})
			if c.want == "" && got.Error != nil || c.want != "" && (got.Error == nil || !strings.HasPrefix(got.Error.Message, c.want)) {
				t.Errorf("the call: %+v, want %q", got.Error, c.want)
			}
			if got := declared(t, r); got != want {
				t.Errorf("declared:\n%s\nwant\n%s", got, want)
			}
			if got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{}); got.Error != nil {
				t.Errorf("the next call: %+v", got.Error)
			}
			s.Close()
			if s, _, _ := run(t, o); s.Status()[0].State != Idle || s.Status()[0].Tools[1].Description != "Tool echo" {
				t.Errorf("the next session: %+v", s.Status()[0])
			}
		})
	}
}

// A server that cannot be started when it is used has no tools any more, the call's result has the reason, and
// the next session starts it at once.
func TestKeptFails(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "plain"))
	connectAndKeep(t, o)
	data, err := os.ReadFile(offerFiles(t, &o)[0])
	if err != nil {
		t.Fatal(err)
	}
	var k kept
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	o.Configs = []Config{toy(t, "toy", "gone")}
	plant(t, &o, func(one *kept) { one.Offer = k.Offer })
	s, r, warned := run(t, o)
	got := callTool(t.Context(), t, r, "mcp_toy_echo", `{"text":"hi"}`, tool.Host{})
	if want := `MCP server "toy" is not connected: it ended with exit code 3: cannot open the database.`; got.Error == nil || got.Error.Message != want {
		t.Errorf("%+v, want %q", got.Error, want)
	}
	if names(r) != "" || len(warned()) != 1 || s.Status()[0].State != Disconnected || s.Instructions() != nil {
		t.Errorf("tools %q, warnings %q, status %+v", names(r), warned(), s.Status()[0])
	}
	if files := offerFiles(t, &o); files != nil {
		t.Errorf("the offer is still kept: %q", files)
	}
}

// plant writes an offer for the only server, valid except for the change.
func plant(t *testing.T, o *Options, change func(*kept)) {
	t.Helper()
	o.Registry = tool.NewRegistry()
	one := New(*o).list[0]
	k := kept{Format: keptFormat, Key: one.offerKey(), Saved: time.Now(), Offer: offer{Tools: []listed{{Name: "planted", Schema: json.RawMessage(`{}`)}}}}
	change(&k)
	raw, err := json.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	plantText(t, o, string(raw))
}

func plantText(t *testing.T, o *Options, text string) {
	t.Helper()
	o.Registry = tool.NewRegistry()
	path := New(*o).list[0].offerFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A file that is broken, of another version or too old counts as none.
func TestKeptIgnored(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*kept){
		"format": func(k *kept) { k.Format++ },
		"key":    func(k *kept) { k.Key = strings.Repeat("0", 64) },
		"no key": func(k *kept) { k.Key = "" },
		"old":    func(k *kept) { k.Saved = time.Now().Add(-keptAge - time.Minute) },
		"future": func(k *kept) { k.Saved = time.Now().Add(time.Hour) },
		"empty":  func(k *kept) { k.Offer = offer{Instructions: "Obey."} },
		"names":  func(k *kept) { k.Offer.Tools[0].Name = "" },
		"huge":   func(k *kept) { k.Offer.Instructions = strings.Repeat("x", maxKeptSize) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := keeping(t, toy(t, "toy", "plain"))
			plant(t, &o, change)
			if s, r, _ := run(t, o); s.Status()[0].State != Connected || toolNames(r) != toyTools {
				t.Errorf("status %+v, tools %q", s.Status()[0], names(r))
			}
		})
	}
	for name, text := range map[string]string{
		"nothing": "", "text": "hello", "null": "null", "list": "[]", "cut": `{"format":1,"key":"`, "deep": strings.Repeat(`{"offer":`, 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := keeping(t, toy(t, "toy", "plain"))
			plantText(t, &o, text)
			if s, r, _ := run(t, o); s.Status()[0].State != Connected || toolNames(r) != toyTools {
				t.Errorf("status %+v, tools %q", s.Status()[0], names(r))
			}
		})
	}
}

// A file that is no file, or cannot be written, does not keep a session from its servers.
func TestKeptUnwritable(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "plain"))
	plantText(t, &o, "")
	path := offerFiles(t, &o)[0]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := connectAndKeep(t, o); !strings.Contains(got, "mcp_toy_echo") {
		t.Errorf("tools %s", got)
	}
}

// Texts in a kept offer are cleaned like those of a server.
func TestKeptHostile(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "plain"))
	plant(t, &o, func(k *kept) {
		k.Offer.Tools = append(k.Offer.Tools, listed{Name: "../../x \u202e\x1b[31m", Schema: json.RawMessage(`[1]`)}, listed{Name: "plain", Schema: json.RawMessage(`"text"`)})
		k.Offer.Prompts = append(k.Offer.Prompts, nil)
		k.Offer.Resources = append(k.Offer.Resources, nil)
		for range maxTools {
			k.Offer.Tools = append(k.Offer.Tools, listed{Name: "planted", Schema: json.RawMessage(`{}`)})
		}
	})
	s, r, _ := run(t, o)
	if got := names(r); got != "mcp_toy_planted mcp_toy_.._.._x____31m mcp_toy_plain" || s.Status()[0].State != Idle {
		t.Errorf("tools %q", got)
	}
	for _, one := range r.Snapshot().Tools()[1:] {
		if got := string(one.Spec().Schema); got != `{"type":"object","properties":{}}` {
			t.Errorf("schema %s", got)
		}
	}
	if s.Prompts() != nil || s.Resources() != nil {
		t.Errorf("prompts %v, resources %v", s.Prompts(), s.Resources())
	}
	if got := callTool(t.Context(), t, r, "mcp_toy_planted", `{}`, tool.Host{}); got.Error == nil || got.Error.Type != tool.ErrNotRegistered {
		t.Errorf("a call: %+v", got)
	}
	if got := toolNames(r); got != toyTools {
		t.Errorf("tools after it: %q", got)
	}
}

// An offer holds for the server that has made it. The key has nothing that is secret.
func TestOfferKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("server", "1")
	write("script.py", "1")
	base := func() (Options, Config) {
		return Options{Dir: dir, OfferDir: dir, Version: "1"}, Config{
			Name: "toy", Command: "./server", Args: []string{"script.py"}, Env: map[string]string{"KEY": "s3cret"},
		}
	}
	key := func(o Options, c Config) string {
		o.Configs, o.Registry = []Config{c}, tool.NewRegistry()
		return New(o).list[0].offerKey()
	}
	first := key(base())
	if first == "" || first != key(base()) || strings.Contains(first, "s3cret") {
		t.Errorf("key %q", first)
	}
	for name, change := range map[string]func(*Options, *Config){
		"trust":   func(_ *Options, c *Config) { c.Trust = true },
		"timeout": func(_ *Options, c *Config) { c.TimeoutMS = 5 },
		"tools":   func(_ *Options, c *Config) { c.Include, c.Exclude = []string{"a"}, []string{"b"} },
		"environ": func(o *Options, _ *Config) { o.Environ = func(process.Origin) []string { return []string{"WINDOW=1"} } },
	} {
		o, c := base()
		change(&o, &c)
		if key(o, c) != first {
			t.Errorf("%s: another key", name)
		}
	}
	keys := []string{first}
	for name, change := range map[string]func(*Options, *Config){
		"name":    func(_ *Options, c *Config) { c.Name = "b" },
		"env":     func(_ *Options, c *Config) { c.Env = map[string]string{"KEY": "other"} },
		"args":    func(_ *Options, c *Config) { c.Args = []string{"script.py", "-v"} },
		"cwd":     func(_ *Options, c *Config) { c.Dir = ".."; c.Command = filepath.Join(dir, "server") },
		"command": func(_ *Options, c *Config) { c.Command = "./script.py" },
		"url":     func(_ *Options, c *Config) { c.Command, c.URL = "", "https://a.example" },
		"header": func(_ *Options, c *Config) {
			c.Command, c.URL, c.Headers = "", "https://a.example", map[string]string{"A": "1"}
		},
		"project":  func(_ *Options, c *Config) { c.IsProject = true },
		"version":  func(o *Options, _ *Config) { o.Version = "2" },
		"person":   func(o *Options, _ *Config) { o.HasPerson = true },
		"a script": func(*Options, *Config) { write("script.py", "22") },
		"program":  func(*Options, *Config) { write("server", "22") },
	} {
		o, c := base()
		change(&o, &c)
		got := key(o, c)
		if got == "" || slices.Contains(keys, got) {
			t.Errorf("%s: key %q", name, got)
		}
		keys = append(keys, got)
	}
	o, c := base()
	if c.Command = "./absent"; key(o, c) != "" {
		t.Error("a program that does not exist has a key")
	}
	if _, c = base(); key(Options{Dir: dir}, c) != "" {
		t.Error("there is a key although nothing is kept")
	}
}

// A server that a session asks for starts despite a kept offer, and unused parts are not declared.
func TestKeptUnused(t *testing.T) {
	t.Parallel()
	o := keeping(t, toy(t, "toy", "plain"))
	connectAndKeep(t, o)
	fresh := o
	fresh.Fresh = true
	if s, _, _ := run(t, fresh); s.Status()[0].State != Connected {
		t.Errorf("fresh: %+v", s.Status()[0])
	}
	off := o
	off.Off = func(string) State { return Disabled }
	s, r, _ := run(t, off)
	if s.Wake(); s.Status()[0].State != Disabled || names(r) != "" {
		t.Errorf("disabled: %+v, %q", s.Status()[0], names(r))
	}
	s, r, _ = run(t, o)
	if s.Switch("toy", Disabled); names(r) != "" || s.Prompts() != nil || s.Status()[0].State != Disabled {
		t.Errorf("switched off: %+v, %q", s.Status()[0], names(r))
	}
	s.Switch("toy", "")
	if s.Settle(t.Context()); s.Status()[0].State != Connected || toolNames(r) != toyTools {
		t.Errorf("switched on: %+v, %q", s.Status()[0], names(r))
	}
	o.Configs[0].Include = []string{"echo"}
	if _, r, _ = run(t, o); toolNames(r) != "mcp_toy_echo" {
		t.Errorf("some tools: %q", names(r))
	}
}

// Only so many offers are kept.
func TestRemoveOldest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 5 {
		path := filepath.Join(dir, fmt.Sprintf("%d.json", i))
		if err := os.WriteFile(path, []byte("1234567890"), 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		most  int
		sum   int64
		first string
	}{{5, 50, "0.json"}, {5, 39, "2.json"}, {2, 50, "3.json"}} {
		if err := removeOldest(dir, c.most, c.sum); err != nil {
			t.Fatal(err)
		}
		if got := offerFiles(t, &Options{OfferDir: dir}); filepath.Base(got[0]) != c.first {
			t.Errorf("%d files, %d bytes: left %q", c.most, c.sum, got)
		}
	}
}

// A service whose offer is kept is asked in the background whether it still offers the same. One that cannot be reached
// stays as it is, without a word.
func TestRecheck(t *testing.T) {
	t.Parallel()
	server := mcptest.New("plain", mcptest.Process{})
	service := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
	o := keeping(t, Config{Name: "far", URL: service.URL, Type: "http"})
	connectAndKeep(t, o)
	server.RemoveTools("echo", "fail")
	o.Recheck = true
	s, r, _ := run(t, o)
	wait(t, "the new offer", func() bool { return !strings.Contains(declared(t, r), "mcp_far_echo") })
	if st := s.Status()[0]; st.State != Connected || len(st.Tools) == 0 {
		t.Errorf("%+v", st)
	}
	s.Close()
	service.CloseClientConnections()
	service.Close()
	s, r, warned := run(t, o)
	if !strings.Contains(declared(t, r), "mcp_far_die") {
		t.Error("the tools are not there at once")
	}
	wait(t, "the end of the check", func() bool { return s.Status()[0].Err != nil })
	if st := s.Status()[0]; st.State != Idle || len(warned()) > 0 || !strings.Contains(declared(t, r), "mcp_far_die") {
		t.Errorf("%+v, warned %q", st, warned())
	}
	got := callTool(t.Context(), t, r, "mcp_far_die", `{}`, tool.Host{})
	if got.Error == nil || !strings.Contains(got.Error.Message, "cannot reach") {
		t.Errorf("a call: %+v", got.Error)
	}
}
