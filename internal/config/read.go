package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"pollux/internal/durable"

	"github.com/tailscale/hujson"
)

const (
	// maxSettings is the maximum size in bytes of a settings file.
	maxSettings = 16 << 20
	// maxInserted is the maximum number of bytes that variables add to a settings file, or to one of its
	// servers.
	maxInserted = 1 << 20
	// maxDepth is the maximum nesting depth of objects and lists.
	maxDepth = 1000
)

var errAbsent = errors.New("there is no such file")

var (
	errTooDeep = errors.New("objects and lists nest more than 1000 deep")
	errEmpty   = errors.New("line 1, column 1: the file is empty; {} is a file without settings")
)

//lint:ignore ST1005 the text is contract
var errNotObject = errors.New("Settings file is not a valid JSON object.")

// readFile reads a regular file of at most limit bytes, and never blocks. Errors do not
// contain the path; a missing file is errAbsent.
func readFile(path string, limit int64) ([]byte, error) {
	data, err := durable.ReadFile(path, limit)
	return data, plain(err)
}

// plain removes the operation and path from a file error.
func plain(err error) error {
	if durable.IsAbsent(err) {
		return errAbsent
	}
	return durable.Cause(err)
}

// ParseObject parses a JSON object as settings files have it: with comments, trailing commas and a
// byte order mark. Most files have none of them and are parsed once.
func ParseObject(data []byte) (map[string]any, error) {
	tree, _, err := parseObject(data)
	return tree, err
}

// parseObject is [ParseObject], and returns the object as plain JSON, too.
func parseObject(data []byte) (tree map[string]any, plain []byte, err error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	plain = data
	var top any
	if err := json.Unmarshal(data, &top); err != nil {
		if depth(data) > maxDepth {
			return nil, nil, errTooDeep
		}
		if len(bytes.TrimSpace(data)) == 0 {
			return nil, nil, errEmpty
		}
		if top, plain, err = parseLenient(data); err != nil {
			return nil, nil, err
		}
	}
	tree, ok := top.(map[string]any)
	if !ok {
		return nil, nil, errNotObject
	}
	return tree, plain, nil
}

// parseLenient parses JSON with comments or trailing commas. If there are only comments, this
// costs a quarter, which matters because every start pays for it.
func parseLenient(data []byte) (top any, plain []byte, err error) {
	if plain = withoutComments(data); plain != nil && json.Unmarshal(plain, &top) == nil {
		return top, plain, nil
	}
	value, err := parseCommented(data)
	if err != nil {
		return nil, nil, err
	}
	value.Standardize() // the length does not change, so offsets stay valid
	plain = value.Pack()
	if err := json.Unmarshal(plain, &top); err != nil {
		return nil, nil, typeError(data, err)
	}
	return top, plain, nil
}

// withoutComments returns JSON with comments replaced by spaces, nil if a comment is not
// closed or the text is not UTF-8.
func withoutComments(data []byte) []byte {
	if !utf8.Valid(data) {
		return nil
	}
	plain := bytes.Clone(data)
	for i := 0; i < len(plain); i++ {
		switch plain[i] {
		case '"':
			i = stringEnd(plain, i)
		case '/':
			end := comment(plain[i:])
			if end > 0 && plain[i+1] == '*' && !bytes.HasSuffix(plain[i+2:i+end], []byte("*/")) {
				return nil
			}
			for j := range plain[i : i+end] {
				plain[i+j] = ' '
			}
			i += max(end-1, 0)
		}
	}
	return plain
}

// parseCommented parses JSON with comments. Errors begin with the line and column.
func parseCommented(data []byte) (hujson.Value, error) {
	// A comment on the last line may end with the file.
	value, err := hujson.Parse(append(data[:len(data):len(data)], '\n'))
	if err != nil {
		return value, errors.New(Printable(strings.TrimPrefix(err.Error(), "hujson: ")))
	}
	return value, nil
}

// typeError converts an error about a valid JSON value that Go cannot represent to one with
// line and column.
func typeError(data []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Offset > int64(len(data)) {
		return err
	}
	before := data[:wrong.Offset] // with the number
	before = before[:max(bytes.LastIndex(before, []byte(strings.TrimPrefix(wrong.Value, "number "))), 0)]
	return fmt.Errorf("line %d, column %d: the %s is too large",
		1+bytes.Count(before, []byte("\n")), len(before)-bytes.LastIndexByte(before, '\n'), Printable(wrong.Value))
}

// depth returns the maximum nesting depth of brackets outside of strings and comments. The
// parser for comments is recursive and has no limit.
func depth(data []byte) int {
	level, deepest := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		case '"':
			i = stringEnd(data, i)
		case '/':
			if end := comment(data[i:]); end > 0 {
				i += end - 1
			}
		}
	}
	return deepest
}

// stringEnd returns the end of the string that begins at i: the index of its closing quote, or
// an index beyond data.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data) && data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i
}

// comment returns the length of the comment that data starts with, 0 if there is none.
func comment(data []byte) int {
	var end []byte
	switch {
	case bytes.HasPrefix(data, []byte("//")):
		end = []byte("\n")
	case bytes.HasPrefix(data, []byte("/*")):
		end = []byte("*/")
	default:
		return 0
	}
	if i := bytes.Index(data[2:], end); i >= 0 {
		return 2 + i + len(end)
	}
	return len(data)
}
