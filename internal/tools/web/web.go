// Package web has the tools that reach the web: web_fetch, which reads pages,
// and google_web_search (spec/tools.md §3.11, §3.12).
//
// Both prefer that the model's vendor goes there. Where it cannot, pages are
// read from here, and then only from public addresses: a page, a redirect or a
// name server must not lead the tools into the user's own network. See [client].
//
// What comes back was written by strangers, and the model is told so.
package web

import (
	"context"
	"net/url"
	"strings"

	"pollux/llm"
	"pollux/tool"
)

// Options are what the tools need.
type Options struct {
	// Generator answers what the tools ask. Which says, for one of the names that
	// model settings have for these questions (web-search, web-fetch,
	// web-fetch-fallback), which model is asked and how; the configuration has
	// googleSearch or urlContext only where the vendor runs them.
	Generator llm.Generator
	Which     func(question string) (string, llm.Config, error)

	// Proxy is used for every page but those of the hosts that NoProxy lists, as
	// the variable of that name does. nil is none.
	Proxy   *url.URL
	NoProxy string
	// RootCAs are PEM files with authorities to trust besides the system's.
	RootCAs []string
	// UserAgent is what servers are told; "" is a browser-like name of Pollux.
	UserAgent string
	// Direct makes web_fetch give the model a page as it is, one at a time, rather
	// than what a model makes of it (experimental.directWebFetch).
	Direct bool
	// FellBack, where set, is told why pages are not read by the vendor:
	// [PrimaryFailed], or [Private] for each that is not read at all.
	FellBack func(reason string)
}

// What [Options.FellBack] is told, in Gemini CLI's words.
const (
	PrimaryFailed = "primary_failed"
	Private       = "private_ip_skipped"
)

func (o *Options) fellBack(reason string) {
	if o.FellBack != nil {
		o.FellBack(reason)
	}
}

// The types of failed calls.
const (
	errFallback   tool.ErrorType = "web_fetch_fallback_failed"
	errProcessing tool.ErrorType = "web_fetch_processing_error"
	errSearch     tool.ErrorType = "web_search_failed"
)

// message is an error whose text a model knows: capitals and stops belong to it.
type message string

func (m message) Error() string { return string(m) }

// ask puts one question to a model, without a system instruction: what the user
// has Pollux told is no business of a page.
func (o *Options) ask(ctx context.Context, model string, how llm.Config, prompt string) (*llm.Response, error) {
	return o.Generator.Generate(ctx, &llm.Request{
		Model: model, Contents: []*llm.Content{llm.User(llm.Text(prompt))}, Config: how, Use: llm.UseTool,
	})
}

// untrusted frames text of strangers, so that it cannot pass for anybody else's
// (spec/tools.md §1.7).
func untrusted(text string) string {
	const begin, end = "<untrusted_context>", "</untrusted_context>"
	return begin + "\n" + strings.ReplaceAll(text, end, "&lt;/untrusted_context&gt;") + "\n" + end
}

// cut returns the first limit characters (UTF-16 units) of text and the note
// that says so, or a text that is not longer as it is.
func cut(text string, limit int, note string) string {
	if len(text) <= limit || tool.Units(text) <= limit {
		return text
	}
	for i, r := range text {
		if limit--; r > 0xFFFF {
			limit--
		}
		if limit < 0 {
			return text[:i] + note
		}
	}
	return text
}
