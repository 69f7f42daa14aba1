package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-faster/jx"

	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

const (
	maxListBytes    = 16 << 20 // bytes; the longest known list is below one million
	maxListedModels = 20_000
	listTimeout     = 30 * time.Second
)

var errNoModelList = errors.New("it holds no list")

// Models returns the chat models that the service offers, in the order of the
// service. Each has the details that the service lists: OpenAI lists only
// names, others add windows, abilities and prices. Models for other purposes
// (embeddings, speech, images, moderation) are omitted if their type or name
// shows it. Errors are as for [Client.Generate].
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	header, err := c.headers(ctx, "")
	if err != nil {
		return nil, err
	}
	header.Del("Content-Type")
	res, err := c.http.Get(ctx, httpwire.Request{URL: c.endpoint.url("", "models"), Header: header, HeaderTimeout: listTimeout})
	if res, err = httpwire.CheckStatus(res, err, statusError); err != nil {
		return nil, err
	}
	defer res.Close()
	res.Body = io.LimitReader(res.Body, maxListBytes+1)
	data, err := readJSON(res)
	switch {
	case len(data) > maxListBytes:
		return nil, httpwire.Malformed("list of models", fmt.Errorf("it has more than %d MB", maxListBytes>>20), nil)
	case err != nil:
		return nil, err
	}
	models, err := parseModels(data)
	if err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	return models, nil
}

// parseModels parses {"data": [...]}, {"models": [...]} or a bare array. data
// must be valid JSON.
func parseModels(data []byte) ([]catalog.Model, error) {
	var lists [2][]listedModel // llama.cpp sends both; the first is OpenAI's form
	read := func(to *[]listedModel) func(d *jx.Decoder) error {
		return func(d *jx.Decoder) error {
			if len(*to) >= maxListedModels {
				return fmt.Errorf("it has more than %d models", maxListedModels)
			}
			var m listedModel
			err := m.decode(d)
			*to = append(*to, m)
			return err
		}
	}
	d := jx.DecodeBytes(data)
	found := d.Next() == jx.Array
	var err error
	switch d.Next() {
	case jx.Array:
		err = d.Arr(read(&lists[0]))
	case jx.Object:
		err = d.ObjBytes(func(d *jx.Decoder, key []byte) error {
			i := slices.Index([]string{"data", "models"}, string(key))
			if i < 0 {
				return d.Skip()
			}
			found = true
			if d.Next() != jx.Array { // null if there are no models
				return d.Skip()
			}
			return d.Arr(read(&lists[i]))
		})
	}
	if err == nil && !found {
		err = errNoModelList
	}
	if err != nil {
		return nil, err
	}
	all := lists[0]
	if len(all) == 0 {
		all = lists[1]
	}
	models := make([]catalog.Model, 0, len(all))
	seen := make(map[string]bool, len(all))
	for i := range all {
		if m := all[i].catalogModel(); isUsableName(m.Name) && !seen[m.Name] && !all[i].isExcluded() {
			seen[m.Name] = true
			models = append(models, m)
		}
	}
	return models, nil
}

// listedModel is a model in a service's list.
type listedModel struct {
	catalog.Model
	fallbackName  string // used if there is no id
	kind          string
	isUnavailable bool // not available, or not a chat model
	fallbackInput int  // used if the model's own window is not given

	inputPrice, outputPrice, cacheReadPrice, cacheWritePrice tokenPrice
}

func (m *listedModel) decode(d *jx.Decoder) error {
	return httpwire.Table{
		{"id", &m.Name},
		{"name", &m.fallbackName},
		{"model", &m.fallbackName},
		{"type", &m.kind},
		{"context_length", &m.Input},
		{"context_window", &m.Input},
		{"max_model_len", &m.Input},
		{"max_context_length", &m.Input},
		{"max_completion_tokens", &m.Output},
		{"max_output_tokens", &m.Output},
		{"top_provider", httpwire.Table{{"context_length", &m.fallbackInput}, {"max_completion_tokens", &m.Output}}}, // OpenRouter
		{"meta", httpwire.Table{{"n_ctx", &m.Input}, {"n_ctx_train", &m.fallbackInput}}},                             // llama.cpp
		{"pricing", httpwire.Table{
			{"prompt", m.inputPrice.perToken}, // OpenRouter
			{"completion", m.outputPrice.perToken},
			{"input_cache_read", m.cacheReadPrice.perToken},
			{"input_cache_write", m.cacheWritePrice.perToken},
			{"input", m.inputPrice.perMillion}, // Together
			{"output", m.outputPrice.perMillion},
		}},
		{"supported_parameters", words(func(has func(...string) bool) { // OpenRouter
			m.Tools, m.Thinking = catalog.FromBool(has("tools")), catalog.FromBool(has("reasoning", "include_reasoning"))
		})},
		{"architecture", httpwire.Table{
			{"input_modalities", words(func(has func(...string) bool) {
				m.Images, m.PDF = catalog.FromBool(has("image")), catalog.FromBool(has("file"))
				m.Audio, m.Video = catalog.FromBool(has("audio")), catalog.FromBool(has("video"))
			})},
			{"output_modalities", words(func(has func(...string) bool) { m.isUnavailable = m.isUnavailable || !has("text") })},
		}},
		{"capabilities", m.decodeCapabilities},
		{"active", m.decodeAvailable}, // Groq
		{"supports_chat", m.decodeAvailable},
		{"supports_tools", ability(&m.Tools)},
		{"supports_image_input", ability(&m.Images)}, // Fireworks
		{"supports_image_in", ability(&m.Images)},    // Moonshot
		{"supports_video_in", ability(&m.Video)},
		{"supports_reasoning", ability(&m.Thinking)},
	}.Decode(d)
}

// decodeCapabilities decodes Mistral's object of capabilities, or an array of
// words.
func (m *listedModel) decodeCapabilities(d *jx.Decoder) error {
	if d.Next() == jx.Array {
		return words(func(has func(...string) bool) {
			m.Tools, m.Images = catalog.FromBool(has("tools", "tool_use")), catalog.FromBool(has("vision"))
			if has("thinking", "reasoning") {
				m.Thinking = catalog.Yes
			}
		})(d)
	}
	return httpwire.Table{
		{"completion_chat", m.decodeAvailable},
		{"function_calling", ability(&m.Tools)},
		{"vision", ability(&m.Images)},
		{"reasoning", ability(&m.Thinking)},
		{"audio", ability(&m.Audio)},
	}.Decode(d)
}

func (m *listedModel) decodeAvailable(d *jx.Decoder) error {
	var is catalog.Ability
	err := ability(&is)(d)
	m.isUnavailable = m.isUnavailable || is == catalog.No
	return err
}

// ability returns a function that decodes true or false and ignores other values.
func ability(to *catalog.Ability) func(*jx.Decoder) error {
	return func(d *jx.Decoder) error {
		if d.Next() != jx.Bool {
			return d.Skip()
		}
		b, err := d.Bool()
		*to = catalog.FromBool(b)
		return err
	}
}

// words returns a function that decodes an array of strings and calls use with a
// function that reports whether the array contains any of its arguments. It ignores
// empty arrays and other values.
func words(use func(has func(...string) bool)) func(*jx.Decoder) error {
	return func(d *jx.Decoder) error {
		if d.Next() != jx.Array {
			return d.Skip()
		}
		var list []string
		err := d.Arr(func(d *jx.Decoder) error {
			s, err := httpwire.String(d)
			list = append(list, s)
			return err
		})
		if len(list) > 0 {
			use(func(words ...string) bool {
				return slices.ContainsFunc(words, func(s string) bool { return slices.Contains(list, s) })
			})
		}
		return err
	}
}

// tokenPrice is the price of a million tokens in US dollars, if known.
type tokenPrice struct {
	usd     float64
	isKnown bool
}

func (r *tokenPrice) perToken(d *jx.Decoder) error { return r.decode(d, "e6") }

func (r *tokenPrice) perMillion(d *jx.Decoder) error { return r.decode(d, "") }

// decode decodes a number, or a string that holds one. exponent ("e6" or "")
// scales it to a million tokens. Negative and absurdly high prices are ignored,
// and so is a price of 0 per million, which Together lists for models without a
// price.
func (r *tokenPrice) decode(d *jx.Decoder, exponent string) error {
	if k := d.Next(); k != jx.Number && k != jx.String {
		return d.Skip()
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	text := strings.Trim(string(raw), `"`)
	if strings.ContainsAny(text, "eE") { // it has its own exponent
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	// Appending the exponent to the text avoids the rounding error of a
	// multiplication.
	usd, err := strconv.ParseFloat(text+exponent, 64)
	if err == nil && usd >= 0 && usd < 1e6 && (usd > 0 || exponent != "") {
		*r = tokenPrice{math.Abs(usd), true} // turns -0 into 0
	}
	return nil
}

func (m *listedModel) catalogModel() catalog.Model {
	out := m.Model
	out.Name, out.Input = cmp.Or(out.Name, m.fallbackName), cmp.Or(out.Input, m.fallbackInput)
	const maxTokens = 1 << 30 // a higher value is an error of the service
	if out.Input > maxTokens {
		out.Input = 0
	}
	if out.Output > maxTokens {
		out.Output = 0
	}
	if m.inputPrice.isKnown && m.outputPrice.isKnown {
		p := &catalog.Price{Input: m.inputPrice.usd, Output: m.outputPrice.usd}
		if m.cacheReadPrice.isKnown {
			p.CacheRead = &m.cacheReadPrice.usd
		}
		if m.cacheWritePrice.isKnown {
			p.CacheWrite = &m.cacheWritePrice.usd
		}
		out.Price = p
	}
	return out
}

// isUsableName reports whether name is printable and at most 256 bytes long.
func isUsableName(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r) })
}

// isExcluded reports whether m is unavailable or not a chat model.
func (m *listedModel) isExcluded() bool {
	kind := strings.ToLower(m.kind)
	if m.isUnavailable || kind == "image" || kind == "video" || kind == "audio" ||
		httpwire.ContainsAny(kind, "embed", "moderat", "rerank", "transcri", "to-image", "speech", "tts") {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(m.catalogModel().Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		for _, beginning := range []string{"embed", "moderation", "rerank", "transcri"} {
			if strings.HasPrefix(w, beginning) {
				return true
			}
		}
		switch w {
		case "whisper", "tts", "speech", "asr", "realtime", "image", "imagen", "dall", "sora", "ocr", "guard", "safeguard", "bge", "davinci", "babbage":
			return true
		}
		return false
	})
}
