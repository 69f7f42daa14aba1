package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
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
	maxList      = 16 << 20 // bytes; the longest there is has less than one million
	maxListed    = 20_000
	patienceList = 30 * time.Second
)

var errNoList = errors.New("it holds no list")

// Models lists what the service offers, in its own order, with what it says of
// each: OpenAI no more than the name, others windows, abilities and prices.
// Models that are for something else than conversations (embeddings, speech,
// images, moderation) are left out where their type or name says so. The errors
// are those of requests.
func (c *Client) Models(ctx context.Context) ([]catalog.Model, error) {
	header, err := c.headers(ctx, "")
	if err != nil {
		return nil, err
	}
	header.Del("Content-Type")
	res, err := c.http.Get(ctx, httpwire.Request{URL: c.endpoint.url("", "models"), Header: header, Patience: patienceList})
	if err != nil {
		return nil, err
	}
	defer res.Close()
	if res.Status != http.StatusOK {
		return nil, failed(res)
	}
	res.Body = io.LimitReader(res.Body, maxList+1)
	data, err := readJSON(res)
	switch {
	case len(data) > maxList:
		return nil, httpwire.Malformed("list of models", fmt.Errorf("it has more than %d MB", maxList>>20), nil)
	case err != nil:
		return nil, err
	}
	models, err := readModels(data)
	if err != nil {
		return nil, httpwire.Malformed("list of models", err, data)
	}
	return models, nil
}

// readModels reads {"data": [...]}, {"models": [...]} or the list alone, which is
// valid JSON.
func readModels(data []byte) ([]catalog.Model, error) {
	var lists [2][]listed // llama.cpp has both; the first is OpenAI's form
	read := func(to *[]listed) func(d *jx.Decoder) error {
		return func(d *jx.Decoder) error {
			if len(*to) >= maxListed {
				return fmt.Errorf("it has more than %d models", maxListed)
			}
			var m listed
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
			if d.Next() != jx.Array { // null, where there are none
				return d.Skip()
			}
			return d.Arr(read(&lists[i]))
		})
	}
	if err == nil && !found {
		err = errNoList
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
		if m := all[i].model(); usable(m.Name) && !seen[m.Name] && !all[i].other() {
			seen[m.Name] = true
			models = append(models, m)
		}
	}
	return models, nil
}

// listed is a model as services describe theirs.
type listed struct {
	catalog.Model
	fallback string // another name
	kind     string
	off      bool // it is not to be had, or not for conversations
	window   int  // where the model's own is not told

	input, output, read, write rate
}

func (m *listed) decode(d *jx.Decoder) error {
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "id":
			return httpwire.SetString(d, &m.Name)
		case "name", "model":
			return httpwire.SetString(d, &m.fallback)
		case "type":
			return httpwire.SetString(d, &m.kind)
		case "context_length", "context_window", "max_model_len", "max_context_length":
			return httpwire.SetCount(d, &m.Input)
		case "max_completion_tokens", "max_output_tokens":
			return httpwire.SetCount(d, &m.Output)
		case "top_provider": // OpenRouter
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
				switch string(key) {
				case "context_length":
					return httpwire.SetCount(d, &m.window)
				case "max_completion_tokens":
					return httpwire.SetCount(d, &m.Output)
				}
				return d.Skip()
			})
		case "meta": // llama.cpp
			return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
				switch string(key) {
				case "n_ctx":
					return httpwire.SetCount(d, &m.Input)
				case "n_ctx_train":
					return httpwire.SetCount(d, &m.window)
				}
				return d.Skip()
			})
		case "pricing":
			return httpwire.Members(d, m.pricing)
		case "supported_parameters": // OpenRouter
			return strs(d, func(has func(...string) bool) {
				m.Tools, m.Thinking = catalog.If(has("tools")), catalog.If(has("reasoning", "include_reasoning"))
			})
		case "architecture":
			return httpwire.Members(d, m.architecture)
		case "capabilities":
			return m.capabilities(d)
		case "active", "supports_chat": // Groq, Fireworks
			return m.unlessFalse(d)
		case "supports_tools":
			return ability(d, &m.Tools)
		case "supports_image_input", "supports_image_in": // Fireworks, Moonshot
			return ability(d, &m.Images)
		case "supports_video_in":
			return ability(d, &m.Video)
		case "supports_reasoning":
			return ability(d, &m.Thinking)
		}
		return d.Skip()
	})
}

// pricing takes in prices: of a token as OpenRouter has them, of a million as
// Together does.
func (m *listed) pricing(d *jx.Decoder, key []byte) error {
	switch string(key) {
	case "prompt":
		return m.input.decode(d, "e6")
	case "completion":
		return m.output.decode(d, "e6")
	case "input_cache_read":
		return m.read.decode(d, "e6")
	case "input_cache_write":
		return m.write.decode(d, "e6")
	case "input":
		return m.input.decode(d, "")
	case "output":
		return m.output.decode(d, "")
	}
	return d.Skip()
}

func (m *listed) architecture(d *jx.Decoder, key []byte) error {
	switch string(key) {
	case "input_modalities":
		return strs(d, func(has func(...string) bool) {
			m.Images, m.PDF = catalog.If(has("image")), catalog.If(has("file"))
			m.Audio, m.Video = catalog.If(has("audio")), catalog.If(has("video"))
		})
	case "output_modalities":
		return strs(d, func(has func(...string) bool) { m.off = m.off || !has("text") })
	}
	return d.Skip()
}

// capabilities takes in what Mistral says a model can do, or a list of words.
func (m *listed) capabilities(d *jx.Decoder) error {
	if d.Next() == jx.Array {
		return strs(d, func(has func(...string) bool) {
			m.Tools, m.Images = catalog.If(has("tools", "tool_use")), catalog.If(has("vision"))
			if has("thinking", "reasoning") {
				m.Thinking = catalog.Yes
			}
		})
	}
	return httpwire.Members(d, func(d *jx.Decoder, key []byte) error {
		switch string(key) {
		case "completion_chat":
			return m.unlessFalse(d)
		case "function_calling":
			return ability(d, &m.Tools)
		case "vision":
			return ability(d, &m.Images)
		case "reasoning":
			return ability(d, &m.Thinking)
		case "audio":
			return ability(d, &m.Audio)
		}
		return d.Skip()
	})
}

func (m *listed) unlessFalse(d *jx.Decoder) error {
	var is catalog.Ability
	err := ability(d, &is)
	m.off = m.off || is == catalog.No
	return err
}

// ability decodes true or false; anything else is passed over.
func ability(d *jx.Decoder, to *catalog.Ability) error {
	if d.Next() != jx.Bool {
		return d.Skip()
	}
	b, err := d.Bool()
	*to = catalog.If(b)
	return err
}

// strs decodes a list of strings and hands over what tells whether one of some
// is in it. Anything but a list that holds something is passed over.
func strs(d *jx.Decoder, then func(has func(...string) bool)) error {
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
		then(func(any ...string) bool {
			return slices.ContainsFunc(any, func(s string) bool { return slices.Contains(list, s) })
		})
	}
	return err
}

// rate is what a million tokens cost, where that is known.
type rate struct {
	usd   float64
	known bool
}

// decode decodes a number or the text of one; exponent makes it one of a million
// tokens. What costs less than nothing or absurdly much is not known; and where a
// million costs nothing, that is Together's way to say that it has no price.
func (r *rate) decode(d *jx.Decoder, exponent string) error {
	if k := d.Next(); k != jx.Number && k != jx.String {
		return d.Skip()
	}
	raw, err := d.Raw()
	if err != nil {
		return err
	}
	text := strings.Trim(string(raw), `"`)
	if strings.ContainsAny(text, "eE") { // it has an exponent of its own
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil
		}
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	// The exponent in the text spares 0.0000003 the rounding of a multiplication.
	usd, err := strconv.ParseFloat(text+exponent, 64)
	if err == nil && usd >= 0 && usd < 1e6 && (usd > 0 || exponent != "") {
		*r = rate{math.Abs(usd), true} // -0 is 0
	}
	return nil
}

// model returns what is known of m.
func (m *listed) model() catalog.Model {
	out := m.Model
	if out.Name == "" {
		out.Name = m.fallback
	}
	if out.Input == 0 {
		out.Input = m.window
	}
	const most = 1 << 30 // beyond that it is a mistake
	if out.Input > most {
		out.Input = 0
	}
	if out.Output > most {
		out.Output = 0
	}
	if m.input.known && m.output.known {
		p := &catalog.Price{Input: m.input.usd, Output: m.output.usd}
		if m.read.known {
			p.CacheRead = &m.read.usd
		}
		if m.write.known {
			p.CacheWrite = &m.write.usd
		}
		out.Price = p
	}
	return out
}

// usable reports whether a name can be a model's.
func usable(name string) bool {
	return name != "" && len(name) <= 256 && !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r) })
}

// other reports whether m is for something else than conversations.
func (m *listed) other() bool {
	kind := strings.ToLower(m.kind)
	if m.off || kind == "image" || kind == "video" || kind == "audio" ||
		httpwire.ContainsAny(kind, "embed", "moderat", "rerank", "transcri", "to-image", "speech", "tts") {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(m.model().Name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
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
