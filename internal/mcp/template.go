package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/tool"
)

// templateTimeout limits the time to list templates: servers may not expect the question.
const templateTimeout = 5 * time.Second

// listTemplates reads the templates of the server's resources. A server that cannot list them has none.
func (o *offer) listTemplates(ctx context.Context, s *sdk.ClientSession) error {
	soon, cancel := context.WithTimeout(ctx, templateTimeout)
	defer cancel()
	o.Templates, _ = pages(maxTemplates, func(cursor string) ([]*sdk.ResourceTemplate, string, error) {
		r, err := s.ListResourceTemplates(soon, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	})
	return ctx.Err()
}

// templates returns the templates of the connected servers, in the order of the servers' names. The URI of each
// is the template.
func (s *Servers) templates() (list []Resource) {
	for _, one := range s.list {
		one.mu.Lock()
		for _, t := range one.offer.Templates {
			if t != nil && t.URITemplate != "" {
				list = append(list, Resource{one.config.Name, t.URITemplate, t.Name, t.Description, t.MIMEType, t.URITemplate})
			}
		}
		one.mu.Unlock()
	}
	return list
}

// fits reports whether a URI is that of the resource, or may be made of its template.
func (r *Resource) fits(uri string) bool {
	return r.Template == "" && r.URI == uri || r.Template != "" && fits(r.Template, uri)
}

// fits reports whether a URI may be made of a template: an expression in braces stands for any text, because
// servers differ in the texts that they accept there.
func fits(template, uri string) bool {
	first, rest, hasMore := strings.Cut(template, "{")
	if !hasMore {
		return template == uri
	}
	uri, ok := strings.CutPrefix(uri, first)
	if !ok {
		return false
	}
	for hasMore {
		var text string
		if _, rest, ok = strings.Cut(rest, "}"); !ok {
			return false
		}
		if text, rest, hasMore = strings.Cut(rest, "{"); !hasMore {
			return strings.HasSuffix(uri, text)
		}
		if _, uri, ok = strings.Cut(uri, text); !ok {
			return false
		}
	}
	return true
}

// templateCall reads a resource whose URI the model has made of a template. The URI goes to the server, so the
// call needs the same approval as one of the server's tools.
type templateCall struct{ *readCall }

func (c *templateCall) Remote() tool.Tool { return c.remote() } // a tool, not a *remote

func (c *templateCall) remote() *remote {
	return newTool(c.servers.find(c.resource.Server), &listed{
		Name: readSpec.Name, Description: readSpec.Description, Schema: readSpec.Schema, Annotations: map[string]any{"readOnlyHint": true},
	})
}

func (c *templateCall) Confirmation(ctx context.Context) (tool.Confirmation, error) {
	return (&call{c.remote(), json.RawMessage(c.args)}).Confirmation(ctx)
}
