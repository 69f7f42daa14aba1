// Package mcptest is an MCP server for tests, which can also misbehave.
package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve is a server on standard input and output. kind is how it behaves:
//
//	silent   never answers
//	gone     ends at once
//	flood    prints lines that are no messages
//	huge     sends a message without an end
//	chatty   greets before the first message
//	empty    offers nothing
//	many     offers 10,500 tools
//	usual    offers 12 tools with 700 bytes each
//	catalog  offers 200 tools, and answers calls with their name and arguments
//	args     answers calls with their arguments
//	prompts  offers prompts, which answer with their arguments
//	pages    lists two tools at a time
//	schemas  has schemas with cycles, references and alternatives, and some that are none
//	names    has names with any characters
//	escapes  has control characters in its texts
//	changes  changes a tool while it is called
//	grows    adds a tool when one is called, and lists its tools slowly from then on
//	structured answers calls with content that is not text
//	alien    answers requests that were never made, before the real one
//	bare     sends notifications without parameters
//	tells    sends notifications that the protocol does not define
//	dies     ends in the middle of an answer
//	floods   answers a call with 100 MB
//	forks    starts a program that keeps its output open
//	asking   has tools that ask a person and the model, too
//	news     notifies of changed resources, and logs
//
// Any other kind is a server that works.
func Serve(kind string, p Process) {
	switch kind {
	case "silent":
		time.Sleep(time.Hour)
	case "gone":
		fmt.Fprintln(p.Err, "cannot open the database")
		p.Exit(3)
	case "flood":
		for {
			if _, err := fmt.Fprintln(p.Out, strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	case "huge":
		fmt.Fprint(p.Out, `{"jsonrpc":"2.0","id":1,"result":"`)
		for {
			if _, err := fmt.Fprint(p.Out, strings.Repeat("x", 1<<20)); err != nil {
				return
			}
		}
	case "chatty":
		fmt.Fprintln(p.Out, "Welcome to the server!\n\n{}")
	}
	if serveRaw(kind, p) {
		return
	}
	_ = New(kind, p).Run(context.Background(), &sdk.IOTransport{Reader: p.In, Writer: p.Out}) // it ends with its input
}

// Process is the process that a server runs in.
type Process struct {
	In      io.ReadCloser
	Out     io.WriteCloser
	Err     io.Writer
	Environ []string
	// Fork starts a program that keeps Out open and does not end by itself, for the kind "forks".
	Fork func() (pid int, err error)
	Exit func(code int)
}

type echoArgs struct {
	Text string `json:"text"`
}

// New returns a server with tools that echo, wait, fail, report progress, end the program and add a tool.
func New(kind string, p Process) *sdk.Server {
	o := &sdk.ServerOptions{Instructions: "Be " + kind + "."}
	if kind == "news" {
		o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
		o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	}
	s := sdk.NewServer(&sdk.Implementation{Name: "toy", Version: "1"}, o)
	switch kind {
	case "news":
		addNews(s, p)
	case "empty":
		return s
	case "asking":
		addAsking(s)
	}
	addTools(s, p)
	addClientTools(s)
	addResources(s)
	addPrompt(s)
	return s
}

// add adds a tool without a type for its arguments.
func add(s *sdk.Server, name, schema string, f func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
	s.AddTool(&sdk.Tool{Name: name, Description: "Tool " + name, InputSchema: json.RawMessage(schema)}, f)
}

// addTools adds tools that echo, show the environment, end the program, wait and fail.
func addTools(s *sdk.Server, p Process) {
	add(s, "echo", `{"type":"object","properties":{"z":{"type":"string"},"text":{"type":"string"}},"required":["text"]}`,
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var a echoArgs
			_ = json.Unmarshal(r.Params.Arguments, &a)
			return text(a.Text), nil
		})
	add(s, "env", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Join(p.Environ, "\n")), nil
	})
	add(s, "die", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		p.Exit(1)
		return nil, nil
	})
	add(s, "wait", `{"type":"object"}`, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	add(s, "fail", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r := text("no such table")
		r.IsError = true
		return r, nil
	})
}

// addClientTools adds tools that ask the client, report progress, and add a tool.
func addClientTools(s *sdk.Server) {
	add(s, "roots", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		//lint:ignore SA1019 clients of today have roots
		list, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		var names []string
		for _, root := range list.Roots {
			names = append(names, root.URI)
		}
		return text(strings.Join(names, " ")), nil
	})
	add(s, "progress", `{"type":"object","properties":{"halts":{"type":"boolean"}}}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var a struct{ Halts bool }
		_ = json.Unmarshal(r.Params.Arguments, &a)
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half"})
		if a.Halts {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
		return text("done"), nil
	})
	add(s, "grow", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add(s, "grown", `{"type":"object"}`, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return text("new"), nil })
		return text("grown"), nil
	})
}

func addResources(s *sdk.Server) {
	s.AddResource(&sdk.Resource{URI: "test://one", Name: "one", Description: "The first"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
				{URI: r.Params.URI, Text: "number one"}, {URI: r.Params.URI, Blob: []byte("abc"), MIMEType: "image/png"},
			}}, nil
		})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://day/{date}{?zone}", Name: "day", Description: "A day"},
		func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			if strings.Contains(r.Params.URI, "never") {
				return nil, sdk.ResourceNotFoundError(r.Params.URI)
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "the day " + r.Params.URI}}}, nil
		})
}

func addPrompt(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{Name: "say hello", Description: "Greets someone", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}, {Name: "how"}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Say \"hello\" to " + r.Params.Arguments["who"] + r.Params.Arguments["how"]}},
				{Role: "user", Content: &sdk.TextContent{Text: "Twice."}},
			}}, nil
		})
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}
