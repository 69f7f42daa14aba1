package gemini

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// apiError is the error object of Google's services. Each member may be missing, and
// Message may contain another error object as JSON.
type apiError struct {
	Code    int
	Status  string
	Message string
	Details []detail
}

// maxNested is the maximum depth of errors inside the messages of other errors.
const maxNested = 10

// parseError returns the error in body, which may be {"error": {...}}, a list of
// these, surrounded by other text, or contain doubled commas. If errors are nested,
// parseError returns the innermost one and fills in its missing members from the
// outer ones.
func parseError(body []byte) (apiError, bool) {
	e, ok := parseOneError(body)
	if !ok {
		return e, false
	}
	for range maxNested {
		inner, ok := parseOneError([]byte(e.Message))
		if !ok {
			break
		}
		inner.Code, inner.Status = cmp.Or(inner.Code, e.Code), cmp.Or(inner.Status, e.Status)
		if len(inner.Details) == 0 {
			inner.Details = e.Details
		}
		e = inner
	}
	return e, true
}

// parseOneError returns the error in the first JSON object in data.
func parseOneError(data []byte) (apiError, bool) {
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
		// Details is not a list, or the error is not an object: keep the rest.
		raw.Details = nil
	}
	e := apiError{Code: toInt(raw.Code), Status: toString(raw.Status), Message: toString(raw.Message)}
	if e.Status == "" { // gateways to other vendors use a word as code
		if _, err := strconv.Atoi(toString(raw.Code)); err != nil {
			e.Status = toString(raw.Code)
		}
	}
	for _, d := range raw.Details {
		e.Details = append(e.Details, newDetail(d))
	}
	return e, true
}

// unmarshalLoosely decodes the first JSON value in data into to. It accepts the
// doubled and trailing commas that some of Google's errors contain.
func unmarshalLoosely(data []byte, to any) error {
	err := json.NewDecoder(bytes.NewReader(data)).Decode(to)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return json.NewDecoder(bytes.NewReader(dropExtraCommas(data))).Decode(to)
	}
	return err
}

// dropExtraCommas returns data without commas that begin or end a list or object, or
// follow another comma.
func dropExtraCommas(data []byte) []byte {
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

// toString returns a JSON string or number as a string, "" for other values.
func toString(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

// toInt returns a JSON number, or a string with one, as an int, 0 for other values.
func toInt(v any) int {
	n, err := strconv.Atoi(toString(v))
	if err != nil {
		return 0
	}
	return n
}

// detail is one of the typed objects in an error's details.
type detail struct {
	Type       string
	Reason     string
	Domain     string
	Metadata   map[string]any
	RetryDelay string
	Violations []struct{ QuotaID string }
	Links      []struct{ Description, URL string }
}

// newDetail decodes one detail. The key "@type" may have spaces around it; a member
// of the wrong type is ignored.
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
		_ = unmarshalLoosely(value, to) // ignores members of the wrong type
	}
	return d
}

func (d detail) metadata(key string) string { return toString(d.Metadata[key]) }

// hasType reports whether the type of d is google.rpc.name.
func (d detail) hasType(name string) bool {
	return strings.HasSuffix(strings.TrimSpace(d.Type), "google.rpc."+name)
}

// detail returns the first detail of type google.rpc.name, empty if there is none.
func (e *apiError) detail(name string) detail {
	if i := slices.IndexFunc(e.Details, func(d detail) bool { return d.hasType(name) }); i >= 0 {
		return e.Details[i]
	}
	return detail{}
}

// info returns the ErrorInfo of e, empty if there is none.
func (e *apiError) info() detail { return e.detail("ErrorInfo") }

// retryDelay returns the delay in the RetryInfo of e, such as "34.07s", or "".
func (e *apiError) retryDelay() string { return e.detail("RetryInfo").RetryDelay }

// quotas returns the ids of the exhausted quotas, separated by spaces.
func (e *apiError) quotas() string {
	var ids []string
	for _, v := range e.detail("QuotaFailure").Violations {
		ids = append(ids, v.QuotaID)
	}
	return strings.Join(ids, " ")
}

// link returns the URL of a page on which the user can fix the cause of e, or "".
func (e *apiError) link() string {
	for _, l := range e.detail("Help").Links {
		if l.URL != "" {
			return l.URL
		}
	}
	return e.info().metadata("validation_link")
}
