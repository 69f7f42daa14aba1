package mcp

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/llm"
	"pollux/tool"
)

// The tools for resources are declared between those of servers and those of later owners, however long a server takes to
// offer them: the requests of a session whose servers start begin like those of one that knows their offers.
func TestResourceToolsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	r := tool.NewRegistry()
	s := New(Options{Registry: r, Configs: []Config{toy(t, "toy", "plain")}, Dir: t.TempDir()})
	t.Cleanup(s.Close)
	later, err := tool.Func("later", "Comes after servers.", func(context.Context, struct{}) (string, error) { return "", nil })
	if err != nil {
		t.Fatal(err)
	}
	r.Add("others", later)
	s.Start()
	wait(t, "the tools", func() bool { return strings.Contains(names(r), "list_mcp_resources read_mcp_resource") })
	if got := names(r); !strings.HasPrefix(got, "mcp_toy_") || !strings.HasSuffix(got, " list_mcp_resources read_mcp_resource later") {
		t.Error(got)
	}
}

// People and models read the resources of servers by their ids.
func TestResources(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	wait(t, "the tools", func() bool { return strings.HasSuffix(names(r), " list_mcp_resources read_mcp_resource") })
	got := callTool(t.Context(), t, r, "list_mcp_resources", `{}`, tool.Host{})
	if want := "Available MCP Resources:\n- toy:test://one | one | The first\n" +
		"Templates (read_mcp_resource reads the URIs that you make of them: put values in place of the braces):\n" +
		"- toy:test://day/{date}{?zone} | day | A day"; got.Content[0].Text != want {
		t.Errorf("list: %q, want %q", got.Content[0].Text, want)
	}
	if got := callTool(t.Context(), t, r, "list_mcp_resources", `{"serverName":"x"}`, tool.Host{}); got.Content[0].Text != "No resources found for server: x" {
		t.Errorf("list of another server: %q", got.Content[0].Text)
	}
	for uri, text := range map[string]string{
		"toy:test://one":        "number one\n[Binary Data (image/png)]",
		"test://one":            "number one\n[Binary Data (image/png)]",
		"toy:test://day/monday": "the day test://day/monday",
		"test://day/x?zone=y":   "the day test://day/x?zone=y",
	} {
		got := callTool(t.Context(), t, r, "read_mcp_resource", `{"uri":"`+uri+`"}`, tool.Host{})
		if want := "<untrusted_context>\n" + text + "\n</untrusted_context>"; got.Error != nil || got.Content[0].Text != want {
			t.Errorf("%s: %+v, want %q", uri, got, want)
		}
	}
	if got := callTool(t.Context(), t, r, "read_mcp_resource", `{"uri":"toy:test://day/never"}`, tool.Host{}); got.Error == nil || !strings.Contains(got.Error.Message, "test://day/never") {
		t.Errorf("unknown to the server: %+v", got.Error)
	}
	if got := callTool(t.Context(), t, r, "read_mcp_resource", `{"uri":"none"}`, tool.Host{}); got.Error == nil || got.Error.Type != tool.ErrResourceNotFound {
		t.Errorf("unknown: %+v", got.Error)
	}
	if one, ok := s.Resource("toy:test://one"); !ok || one.ID() != "toy:test://one" {
		t.Errorf("resource: %+v", one)
	}
}

// The model gets the beginning and the end of a long resource, and a file has all of it.
func TestLongResource(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	wait(t, "the tools", func() bool { return strings.HasSuffix(names(r), " read_mcp_resource") })
	spill := func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "") }
	uri := "test://day/" + strings.Repeat("x", 5000)
	got := callTool(t.Context(), t, r, "read_mcp_resource", `{"uri":"`+uri+`"}`, tool.Host{Limit: 1000, Spill: spill})
	if got.Error != nil || got.OutputFile == "" || tool.Units(got.Content[0].Text) > 1500 || !strings.Contains(got.Content[0].Text, got.OutputFile) {
		t.Fatalf("%+v", got)
	}
	if data, err := os.ReadFile(got.OutputFile); err != nil || string(data) != "the day "+uri {
		t.Errorf("%d bytes in the file, error %v", len(data), err)
	}
	one, _ := s.Resource("toy:" + uri)
	contents, err := s.Read(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	if text := Untrusted(contents, 1000, spill); tool.Units(text) > 1500 || !strings.HasPrefix(text, "<untrusted_context>\nOutput too large.") {
		t.Errorf("mentioned: %s", text)
	}
}

// TestManyResources lists as many resources as fit, and counts the others.
func TestManyResources(t *testing.T) {
	t.Parallel()
	one := newServer(New(Options{Registry: tool.NewRegistry()}), Config{Name: "toy"})
	for range 2000 {
		one.offer.Resources = append(one.offer.Resources, &sdk.Resource{URI: "test://one", Name: "n", Description: strings.Repeat("d", 5000)})
	}
	s := &Servers{list: []*server{one}}
	text, err := s.listResources(t.Context(), listArgs{})
	if err != nil || len(text) > 45_000 || !strings.HasSuffix(text, " more; with serverName, those of one server are listed") {
		t.Errorf("%d bytes, %q, error %v", len(text), text[max(0, len(text)-100):], err)
	}
}

// TestResourceContents names each content of a resource.
func TestResourceContents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		contents []Content
		want     string
	}{
		{nil, "[The resource has no content]"},
		{[]Content{{Text: ""}}, ""},
		{[]Content{{Data: []byte("a: b\n"), MIMEType: "text/yaml; charset=utf-8"}, {Data: []byte{0}}}, "a: b\n\n[Binary resource content application/octet-stream, 1 bytes]"},
		{[]Content{{Data: []byte("PK"), MIMEType: "application/zip\n]x"}}, "[Binary resource content application/zip ]x, 2 bytes]"},
	} {
		if got := plainText(c.contents); got != c.want {
			t.Errorf("%+v: %q, want %q", c.contents, got, c.want)
		}
	}
}

// A prompt of a server is text for the model.
func TestPrompts(t *testing.T) {
	t.Parallel()
	s, _, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}})
	list := s.Prompts()
	if len(list) != 1 || list[0].Name != "say hello" || len(list[0].Args) != 2 {
		t.Fatalf("prompts: %+v", list)
	}
	parts, err := s.GetPrompt(t.Context(), list[0], map[string]string{"who": "Ann"})
	if want := "Say \"hello\" to Ann|Twice."; err != nil || llm.PartsText(parts[:1])+"|"+llm.PartsText(parts[1:]) != want {
		t.Errorf("%v, %v, want %q", parts, err, want)
	}
}

// Arguments are given by name, or in the order of those that are required.
func TestParseArgs(t *testing.T) {
	t.Parallel()
	none := Prompt{}
	one := Prompt{Args: []PromptArg{{Name: "a", Required: true}, {Name: "opt"}}}
	two := Prompt{Args: []PromptArg{{Name: "a", Required: true}, {Name: "b", Required: true}}}
	for _, c := range []struct {
		p          *Prompt
		text, want string
		err        string
	}{
		{&none, "", "", ""},
		{&none, "x", "", "there is no argument for \"x\": this prompt has no arguments"},
		{&one, "", "", "Missing required argument(s): --a"},
		{&one, "x", "a=x", ""},
		{&one, "x y  z", "a=x y z", ""},
		{&one, `--a="x y"`, "a=x y", ""},
		{&one, `--a=x --opt="\"q\""`, `a=x opt="q"`, ""},
		{&one, `--opt=1 x y`, "a=x y opt=1", ""},
		{&one, `"--opt=1"`, "a=--opt=1", ""},
		{&one, `--other=1`, "", "there is no argument --other. Arguments: --a, --opt"},
		{&one, `--a=1 x`, "", "there is no argument for \"x\". Arguments: --a, --opt"},
		{&two, "x", "", "Missing required argument(s): --b"},
		{&two, "x y", "a=x b=y", ""},
		{&two, `"x 1" y`, "a=x 1 b=y", ""},
		{&two, `--b=1 x y`, "a=x y b=1", ""},
		{&two, `x y z`, "", "there is no argument for \"z\". Arguments: --a, --b"},
		{&two, ``, "", "Missing required argument(s): --a, --b"},
	} {
		args, err := c.p.ParseArgs(c.text)
		var got []string
		for _, name := range slices.Sorted(maps.Keys(args)) {
			got = append(got, name+"="+args[name])
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if strings.Join(got, " ") != c.want || text != c.err {
			t.Errorf("%q: %q, %q; want %q, %q", c.text, got, text, c.want, c.err)
		}
	}
}

func FuzzParseArgs(f *testing.F) {
	f.Add(`--a="x y" z`)
	p := Prompt{Args: []PromptArg{{Name: "a", Required: true}, {Name: "b"}}}
	f.Fuzz(func(t *testing.T, text string) {
		if args, err := p.ParseArgs(text); err == nil && len(args) == 0 {
			t.Errorf("%q: nothing", text)
		}
	})
}

// Servers may ask for the directories of the workspace, and for those that join it later.
func TestRoots(t *testing.T) {
	t.Parallel()
	s, r, _ := run(t, Options{Configs: []Config{toy(t, "toy", "plain")}, Roots: func() []string { return []string{"/a b"} }})
	roots := func() string { return callTool(t.Context(), t, r, "mcp_toy_roots", `{}`, tool.Host{}).Content[0].Text }
	if got := roots(); got != "<untrusted_context>\nfile:///a%20b\n</untrusted_context>" {
		t.Errorf("roots: %q", got)
	}
	s.AddRoot("/c")
	wait(t, "the new root", func() bool { return strings.Contains(roots(), "file:///c") })
}
