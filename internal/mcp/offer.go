package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// offer has the tools, prompts and resources of a server.
type offer struct {
	Tools        []listed                `json:"tools,omitempty"`
	Prompts      []*sdk.Prompt           `json:"prompts,omitempty"`
	Resources    []*sdk.Resource         `json:"resources,omitempty"`
	Templates    []*sdk.ResourceTemplate `json:"templates,omitempty"`
	Instructions string                  `json:"instructions,omitempty"`
}

// listed is a tool as the server lists it, with a clean schema.
type listed struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"inputSchema"`
	Annotations map[string]any  `json:"annotations,omitempty"`
}

func (l *listed) equals(other *listed) bool {
	return l.Name == other.Name && l.Title == other.Title && l.Description == other.Description &&
		bytes.Equal(l.Schema, other.Schema) && reflect.DeepEqual(l.Annotations, other.Annotations)
}

// Limits of the offer of one server. More than that is left out.
const (
	maxTools     = 10_000
	maxResources = 10_000
	maxPrompts   = 10_000
	maxTemplates = 1_000
	maxPages     = 1_000
)

// listSet is a set of the lists of a server.
type listSet uint8

const (
	tools listSet = 1 << iota
	prompts
	resources
	everything = tools | prompts | resources
)

// list reads the lists of the server, and puts them into the offer in place of the old ones.
func (o *offer) list(ctx context.Context, s *sdk.ClientSession, lists listSet) error {
	init := s.InitializeResult()
	o.Instructions = init.Instructions
	has := init.Capabilities
	if has == nil {
		has = &sdk.ServerCapabilities{}
	}
	var err error
	if lists&prompts != 0 && has.Prompts != nil {
		o.Prompts, err = pages(maxPrompts, func(cursor string) ([]*sdk.Prompt, string, error) {
			r, err := s.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Prompts, r.NextCursor, nil
		})
	}
	if err == nil && lists&tools != 0 && has.Tools != nil {
		o.Tools, err = pages(maxTools, func(cursor string) ([]listed, string, error) { return listTools(ctx, s, cursor) })
	}
	if err == nil && lists&resources != 0 && has.Resources != nil {
		o.Resources, err = pages(maxResources, func(cursor string) ([]*sdk.Resource, string, error) {
			r, err := s.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Resources, r.NextCursor, nil
		})
	}
	if err == nil && lists&resources != 0 && has.Resources != nil {
		err = o.listTemplates(ctx, s)
	}
	return err
}

// pages reads the pages of a list until the last one. A server that does not know the list has none.
func pages[T any](limit int, page func(cursor string) ([]T, string, error)) (all []T, err error) {
	cursor := ""
	for range maxPages {
		items, next, err := page(cursor)
		if isUnknownMethod(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if next == "" || next == cursor || len(all) >= limit {
			break
		}
		cursor = next
	}
	return all[:min(len(all), limit)], nil
}

func isUnknownMethod(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound
}

// listTools reads a page of tools. It leaves out those that cannot be read, and those that run only as tasks of
// the protocol, which Pollux does not have.
func listTools(ctx context.Context, s *sdk.ClientSession, cursor string) (list []listed, next string, err error) {
	r, err := sdk.CallCustomMethod[*params, *listToolsResult](ctx, s, methodListTools, &params{Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	for _, raw := range r.Tools {
		var t struct {
			listed
			Execution struct {
				TaskSupport string `json:"taskSupport"`
			} `json:"execution"`
		}
		if json.Unmarshal(raw, &t) == nil && t.Name != "" && t.Execution.TaskSupport != "required" {
			t.Schema = cleanSchema(t.Schema)
			list = append(list, t.listed)
		}
	}
	return list, r.NextCursor, nil
}

//lint:ignore ST1005 scripts depend on the text
var errNothing = errors.New("No prompts, tools, or resources found on the server.")

// check returns an error if the server offers nothing.
func (o *offer) check() error {
	if len(o.Tools)+len(o.Prompts)+len(o.Resources)+len(o.Templates) == 0 {
		return errNothing
	}
	return nil
}

func (o *offer) equals(other *offer) bool {
	a, errA := json.Marshal(o)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}
