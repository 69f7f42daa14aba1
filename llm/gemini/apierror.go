package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// apiError is the error object of Google's services. Every member may be
// missing, and the message may be the JSON of another one.
type apiError struct {
	Code    int
	Status  string
	Message string
	Details []detail
}

// maxNested is how many errors within each other's messages are looked into.
const maxNested = 10

// parseError finds the error that a body reports: {"error": {...}}, a list of
// such, with text around it, with doubled commas. The innermost error holds;
// what it does not say is taken from the one around it.
func parseError(body []byte) (apiError, bool) {
	e, ok := oneError(body)
	if !ok {
		return e, false
	}
	for range maxNested {
		inner, ok := oneError([]byte(e.Message))
		if !ok {
			break
		}
		if inner.Code == 0 {
			inner.Code = e.Code
		}
		if inner.Status == "" {
			inner.Status = e.Status
		}
		if len(inner.Details) == 0 {
			inner.Details = e.Details
		}
		e = inner
	}
	return e, true
}

// oneError parses the first JSON object in data, which is to hold an error.
func oneError(data []byte) (apiError, bool) {
	from := bytes.IndexByte(data, '{')
	if from < 0 {
		return apiError{}, false
	}
	data = data[from:]
	var body struct{ Error json.RawMessage }
	if err := unmarshalLoosely(data, &body); err != nil || len(body.Error) == 0 || string(body.Error) == "null" {
		return apiError{}, false
	}
	var text string
	if json.Unmarshal(body.Error, &text) == nil { // {"error": "no such user"}
		return apiError{Message: text}, true
	}
	var raw struct {
		Code    any
		Status  any
		Message any
		Details []json.RawMessage
	}
	if unmarshalLoosely(body.Error, &raw) != nil {
		// The details are not a list, or the error no object: keep what is there.
		raw.Details = nil
		if raw.Message == nil {
			raw.Message = string(body.Error)
		}
	}
	e := apiError{Code: toInt(raw.Code), Status: toString(raw.Status), Message: toString(raw.Message)}
	if e.Status == "" { // other vendors, through a gateway, put a word there
		if _, err := strconv.Atoi(toString(raw.Code)); err != nil {
			e.Status = toString(raw.Code)
		}
	}
	for _, d := range raw.Details {
		e.Details = append(e.Details, newDetail(d))
	}
	return e, true
}

// unmarshalLoosely parses the first value in data even if commas are doubled or
// dangling, as they are in some errors of this vendor.
func unmarshalLoosely(data []byte, to any) error {
	err := json.NewDecoder(bytes.NewReader(data)).Decode(to)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return json.NewDecoder(bytes.NewReader(dropCommas(data))).Decode(to)
	}
	return err
}

func dropCommas(data []byte) []byte {
	out := make([]byte, 0, len(data))
	inString := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inString && c == '\\' && i+1 < len(data):
			out = append(out, c)
			i++
			c = data[i]
		case c == '"':
			inString = !inString
		case !inString && c == ',':
			if before := bytes.TrimRight(out, " \t\r\n"); len(before) > 0 && strings.IndexByte("[{", before[len(before)-1]) >= 0 {
				continue
			}
			if next := bytes.TrimLeft(data[i+1:], " \t\r\n"); len(next) > 0 && strings.IndexByte(",]}", next[0]) >= 0 {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

func toString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func toInt(v any) int {
	n, err := strconv.Atoi(toString(v))
	if err != nil {
		return 0
	}
	return n
}

// detail is one of the typed objects that explain an error.
type detail struct {
	Type       string
	Reason     string
	Domain     string
	Metadata   map[string]any
	RetryDelay string
	Violations []struct{ QuotaID string }
	Links      []struct{ Description, URL string }
}

// newDetail parses one detail. Its "@type" key may have blanks around it; a
// member of the wrong type is as good as none.
func newDetail(data []byte) detail {
	var d detail
	var members map[string]json.RawMessage
	if unmarshalLoosely(data, &members) != nil {
		return d
	}
	for key, value := range members {
		var to any
		switch strings.TrimSpace(key) {
		case "@type":
			to = &d.Type
		case "reason":
			to = &d.Reason
		case "domain":
			to = &d.Domain
		case "metadata":
			to = &d.Metadata
		case "retryDelay":
			to = &d.RetryDelay
		case "violations":
			to = &d.Violations
		case "links":
			to = &d.Links
		default:
			continue
		}
		_ = unmarshalLoosely(value, to) // see above
	}
	return d
}

func (d detail) metadata(key string) string { return toString(d.Metadata[key]) }

func (d detail) is(name string) bool {
	return strings.HasSuffix(strings.TrimSpace(d.Type), "google.rpc."+name)
}

func (e *apiError) detail(name string) detail {
	for i := range e.Details {
		if e.Details[i].is(name) {
			return e.Details[i]
		}
	}
	return detail{}
}

// info returns the error's ErrorInfo.
func (e *apiError) info() detail { return e.detail("ErrorInfo") }

// retryDelay returns the delay in the error's RetryInfo, as it is written there.
func (e *apiError) retryDelay() string { return e.detail("RetryInfo").RetryDelay }

// quotas returns the ids of the quotas that are used up.
func (e *apiError) quotas() string {
	var ids []string
	for _, v := range e.detail("QuotaFailure").Violations {
		ids = append(ids, v.QuotaID)
	}
	return strings.Join(ids, " ")
}

// link returns the page where the user can do something about the error.
func (e *apiError) link() string {
	for _, l := range e.detail("Help").Links {
		if l.URL != "" {
			return l.URL
		}
	}
	return e.info().metadata("validation_link")
}
