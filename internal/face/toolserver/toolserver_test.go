package toolserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"pollux/internal/config"
	"pollux/internal/face/kit"
	"pollux/internal/guard/trust"
	"pollux/internal/project"
	"pollux/internal/session"
	"pollux/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// client is a client that is connected to the tools of a session.
type client struct {
	*sdk.ClientSession
	dir  string
	done chan error // receives the error of Serve
	end  func()     // ends the input of the server
}

// connect serves the tools of a session in a new directory to a client.
func connect(t *testing.T, o session.Options, co *sdk.ClientOptions) *client {
	t.Helper()
	return connectWith(t, askedByRequest, o, co)
}

// Versions of the protocol: one in which the server asks with requests of its own, and one in which a
// question is the result of a call.
const (
	askedByRequest = "2025-06-18"
	askedByResult  = "2026-07-28"
)

// connectWith is connect for a client with this version of the protocol.
func connectWith(t *testing.T, version string, o session.Options, co *sdk.ClientOptions) *client {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o.Project.Dir, o.Project.Folder, o.Project.Interactive, o.Offline = dir, trust.Trusted, true, true
	o.Project.Env = config.NewEnv("HOME="+t.TempDir(), "PATH="+os.Getenv("PATH"))
	o.Project.Warn = func(text string) { t.Log(text) }
	s, err := session.Open(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	inServer, outClient := io.Pipe()
	inClient, outServer := io.Pipe()
	c := &client{dir: dir, done: make(chan error, 1), end: func() { _ = outClient.Close() }}
	go func() {
		err := Serve(context.WithoutCancel(t.Context()), s, Options{In: inServer, Out: outServer})
		_ = outServer.Close()
		c.done <- err
	}()
	one := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, co)
	//lint:ignore SA1019 clients of today have roots
	one.AddRoots(&sdk.Root{URI: "file:///"})
	c.ClientSession, err = one.Connect(t.Context(), &sdk.IOTransport{Reader: inClient, Writer: outClient}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.end()
		if err := <-c.done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		_ = c.Close()
		s.Close()
	})
	return c
}

func (c *client) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// use calls a tool, and returns the texts of the result, behind "error: " if it is one.
func (c *client) use(ctx context.Context, t *testing.T, name string, args map[string]any) string {
	t.Helper()
	r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return "failure: " + err.Error()
	}
	var texts []string
	for _, one := range r.Content {
		switch one := one.(type) {
		case *sdk.TextContent:
			texts = append(texts, one.Text)
		case *sdk.ImageContent:
			texts = append(texts, "image "+one.MIMEType)
		}
	}
	text := strings.Join(texts, "\n")
	if r.IsError {
		text = "error: " + text
	}
	return text
}

// Clients see the tools of files, searches and commands, and none that belong to a conversation.
func TestTools(t *testing.T) {
	t.Parallel()
	c := connect(t, session.Options{}, nil)
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range list.Tools {
		names = append(names, one.Name)
		if one.InputSchema.(map[string]any)["type"] != "object" || one.Description == "" {
			t.Errorf("%s: %+v", one.Name, one)
		}
		if isRead := one.Name == "read_file"; isRead && !one.Annotations.ReadOnlyHint {
			t.Errorf("%s: %+v", one.Name, one.Annotations)
		}
	}
	want := "glob grep_search list_background_processes list_directory read_background_output read_file replace run_shell_command stop_background_process write_file"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools: %s\nwant:  %s", got, want)
	}
	c.write(t, "a.txt", "hello\n")
	if got := c.use(t.Context(), t, "read_file", map[string]any{"file_path": "a.txt"}); got != "hello\n" {
		t.Errorf("text: %q", got)
	}
	pixel, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	c.write(t, "a.png", string(pixel))
	if got := c.use(t.Context(), t, "read_file", map[string]any{"file_path": "a.png"}); !strings.Contains(got, "image image/png") {
		t.Errorf("image: %q", got)
	}
	for name, args := range map[string]map[string]any{"read_file": {}, "ask_user": {}} {
		if got := c.use(t.Context(), t, name, args); !strings.HasPrefix(got, "error: ") && !strings.HasPrefix(got, "failure: ") {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := c.use(t.Context(), t, "read_file", map[string]any{"file_path": "/etc/passwd"}); !strings.HasPrefix(got, "error: ") {
		t.Errorf("a root of the client widens the workspace: %q", got)
	}
}

// A call that needs approval is denied where the client cannot ask, with the rule that would allow it.
func TestDeniesWithoutPerson(t *testing.T) {
	t.Parallel()
	c := connect(t, session.Options{}, nil)
	c.write(t, "a.txt", "hello\n")
	want := "error: Not run: this call needs the user's approval, and no user can be asked.\n" +
		"To allow it, the user adds this rule to a file in ~/.gemini/policies, or starts the server with --approval-mode:\n" +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm\"\ndecision = \"allow\"\npriority = 100"
	if got := c.use(t.Context(), t, "run_shell_command", map[string]any{"command": "rm a.txt"}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "a.txt")); err != nil {
		t.Error(err)
	}
	yolo := connect(t, session.Options{Project: project.Options{
		ApprovalMode: "yolo",
	}}, nil)
	if got := yolo.use(t.Context(), t, "write_file", map[string]any{"file_path": "b.txt", "content": "x"}); strings.HasPrefix(got, "error: ") {
		t.Errorf("yolo: %s", got)
	}
}

// The person at the client decides about the calls that the rules leave to a person.
func TestAsksPerson(t *testing.T) {
	t.Parallel()
	for _, version := range []string{askedByRequest, askedByResult} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			testAsksPerson(t, version)
		})
	}
}

func testAsksPerson(t *testing.T, version string) {
	var mu sync.Mutex
	var asked []string
	answers := []*sdk.ElicitResult{
		{Action: "decline"},
		{Action: "cancel"},
		{Action: "accept", Content: map[string]any{"decision": deny}},
		{Action: "accept", Content: map[string]any{"decision": labels[tool.ProceedOnce]}},
		{Action: "accept", Content: map[string]any{"decision": labels[tool.ProceedAlways]}},
	}
	c := connectWith(t, version, session.Options{}, &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		schema, _ := json.Marshal(r.Params.RequestedSchema)
		asked = append(asked, r.Params.Message+"\n"+string(schema))
		if len(asked) > len(answers) {
			t.Error("asked too often")
			return &sdk.ElicitResult{Action: "cancel"}, nil
		}
		return answers[len(asked)-1], nil
	}})
	call := map[string]any{"command": "touch made"}
	for range 3 {
		if got := c.use(t.Context(), t, "run_shell_command", call); got != "error: Not run: the user denied the call." {
			t.Errorf("denied: %q", got)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "made")); err == nil {
		t.Error("a denied call ran")
	}
	for range 4 { // the second answer is for all that follow
		if got := c.use(t.Context(), t, "run_shell_command", call); strings.HasPrefix(got, "error: ") {
			t.Errorf("allowed: %q", got)
		}
	}
	if len(asked) != 5 || !strings.Contains(asked[0], "Command: touch made\n") || !strings.Contains(asked[0], `"enum":["Allow once","Allow for this session","Deny"]`) {
		t.Errorf("asked: %q", asked)
	}
}

// A call that the client cancels ends, and so does a call that runs when the client goes.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, version := range []string{askedByRequest, askedByResult} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			testEnds(t, version)
		})
	}
}

func testEnds(t *testing.T, version string) {
	printed := make(chan string, 100)
	c := connectWith(t, version, session.Options{Project: project.Options{
		ApprovalMode: "yolo",
	}}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { printed <- r.Params.Message },
	})
	run := func(ctx context.Context, text string) error {
		p := &sdk.CallToolParams{Name: "run_shell_command", Arguments: map[string]any{"command": "echo " + text + "; sleep 600"}}
		p.SetProgressToken(text)
		_, err := c.CallTool(ctx, p)
		return err
	}
	await := func(text string) {
		for <-printed != text {
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { await("begun"); cancel() }()
	if err := run(ctx, "begun"); err == nil {
		t.Error("a cancelled call has a result")
	}
	go func() { _ = run(context.Background(), "again") }()
	await("again")
}

// The client learns that a call goes on.
func TestReportsProgress(t *testing.T) {
	t.Parallel()
	seen := make(chan string, 100)
	c := connect(t, session.Options{Project: project.Options{
		ApprovalMode: "yolo",
	}}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { seen <- r.Params.Message },
	})
	p := &sdk.CallToolParams{Name: "run_shell_command", Arguments: map[string]any{"command": "echo one; sleep 1; echo two; sleep 1; echo three"}}
	p.SetProgressToken("t")
	if _, err := c.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 || !strings.Contains("one two three", <-seen) {
		t.Error("no progress")
	}
}

// A person learns if a question does not show all of a call.
func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ls\r\nls":                  "ls\nls",
		"ls\x1b[8m; rm x":           "ls; rm x\nWarning: the text has characters that cannot be shown.",
		strings.Repeat("x", 33<<10): strings.Repeat("x", 32<<10) + "…\nWarning: 1024 more bytes are not shown.",
	} {
		if got := shown(text); got != want {
			t.Errorf("%.40q: %.200q", text, got)
		}
	}
}

// A call that waits for the answer of its client runs only for that answer: not for a state that no call has,
// for one that was used, or with other arguments. It ends with the client.
func TestRounds(t *testing.T) {
	t.Parallel()
	c := connectWith(t, askedByResult, session.Options{}, &sdk.ClientOptions{
		MultiRoundTrip:     &sdk.MultiRoundTripOptions{Disabled: true},
		ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) { return nil, errors.New("unused") },
	})
	made := func() bool { _, err := os.Stat(filepath.Join(c.dir, "made")); return err == nil }
	call := func(command, state string, answer sdk.InputResponse) *sdk.CallToolResult {
		t.Helper()
		p := &sdk.CallToolParams{Name: "run_shell_command", Arguments: map[string]any{"command": command}, RequestState: state}
		if answer != nil {
			p.InputResponses = sdk.InputResponseMap{approvalID: answer}
		}
		r, err := c.CallTool(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	yes := &sdk.ElicitResult{Action: "accept", Content: map[string]any{"decision": labels[tool.ProceedOnce]}}
	first := call("touch made", "", nil)
	q, ok := first.InputRequests[approvalID].(*sdk.ElicitParams)
	if !ok || !strings.Contains(q.Message, "Command: touch made") || len(first.Content) > 0 {
		t.Fatalf("asked %+v", first)
	}
	for _, wrong := range []*sdk.CallToolResult{
		call("touch made", "nothing", yes), call("touch made; touch other", first.RequestState, yes),
	} {
		if !wrong.IsError || made() {
			t.Errorf("another call got the answer: %+v", wrong)
		}
	}
	if r := call("touch made", first.RequestState, yes); r.IsError || !made() {
		t.Errorf("allowed: %+v", r)
	}
	if r := call("touch made", first.RequestState, yes); !r.IsError {
		t.Errorf("the answer counts twice: %+v", r)
	}
	second := call("rm made", "", nil)
	if r := call("rm made", second.RequestState, nil); !r.IsError || !made() {
		t.Errorf("without an answer: %+v", r)
	}
	call("rm made", "", nil) // still waits when the client goes
}

// TestQuoted checks that a question says where the words of a call are from, and offers no lasting
// answer.
func TestQuoted(t *testing.T) {
	t.Parallel()
	approval := tool.Approval{Quoted: "README.md\x1b[8m", Offers: []tool.Offer{{Outcome: tool.ProceedAlways}}}
	for _, details := range []tool.Confirmation{
		&tool.ExecConfirmation{Command: "rm x", Approval: approval}, &tool.EditConfirmation{Approval: approval}, &tool.InfoConfirmation{Approval: approval},
	} {
		text, options := render(kit.NewQuestion(details, false, nil))
		if !strings.Contains(text, "Warning: these words stand in README.md") || strings.Contains(text, "\x1b") || len(options) != 2 {
			t.Errorf("%T: %s, %v", details, text, options)
		}
	}
}
