// Package web has the tools that access the web: web_fetch, which reads pages, and
// google_web_search.
//
// Both let the model's vendor access the web if possible. Otherwise pages are fetched from
// this machine, and only from public addresses: a page, a redirect or a name server must not
// give access to the user's own network. See [client].
//
// The result is untrusted text, and is marked as such for the model.
package web

import (
	"context"
	"net/url"

	"pollux/llm"
	"pollux/tool"
)

// Options configure the tools.
type Options struct {
	// Generator runs the tools' own requests. ResolveModel returns the model and configuration for an
	// alias of the model settings (web-search, web-fetch, web-fetch-fallback); the
	// configuration has googleSearch or urlContext only if the vendor runs them.
	Generator    llm.Generator
	ResolveModel func(question string) (string, llm.Config, error)

	// Proxy is used for all hosts except those in NoProxy, which has the format of the
	// environment variable NO_PROXY. nil means no proxy.
	Proxy   *url.URL
	NoProxy string
	// RootCAs are PEM files with additional trusted authorities.
	RootCAs []string
	// Direct makes web_fetch return one page unprocessed instead of a model's response about
	// pages (experimental.directWebFetch).
	Direct bool
	// OnFallback, if set, is called with the reason why the vendor does not read pages:
	// [PrimaryFailed], or [Private] for each page that is not read at all.
	OnFallback func(reason string)
}

// The reasons for [Options.OnFallback], the same as in Gemini CLI.
const (
	PrimaryFailed = "primary_failed"
	Private       = "private_ip_skipped"
)

func (o *Options) fellBack(reason string) {
	if o.OnFallback != nil {
		o.OnFallback(reason)
	}
}

// The types of failed calls.
const (
	errFallback   tool.ErrorType = "web_fetch_fallback_failed"
	errProcessing tool.ErrorType = "web_fetch_processing_error"
	errSearch     tool.ErrorType = "web_search_failed"
)

// ask sends one request to a model, without a system instruction, which may contain private
// information.
func (o *Options) ask(ctx context.Context, model string, how llm.Config, prompt string) (*llm.Response, error) {
	return o.Generator.Generate(ctx, &llm.Request{
		Model: model, Contents: []*llm.Content{llm.User(llm.Text(prompt))}, Config: how, Use: llm.UseTool,
	})
}

// cut returns the first limit characters (UTF-16 units) of text followed by the note, or text
// if it is not longer.
func cut(text string, limit int, note string) string {
	if head := tool.First(text, limit); len(head) < len(text) {
		return head + note
	}
	return text
}
