package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v4"

	"pollux/internal/shellcmd"
)

// inProcess is a [Checker] that needs no program.
type inProcess func(path, text string) Report

// Check implements [Checker].
func (parse inProcess) Check(_ context.Context, path, text string) (r Report, ok bool) {
	defer func() {
		if recover() != nil { // a mistake of a library
			r, ok = Report{}, false
		}
	}()
	return parse(path, text), true
}

// parseGo reads no further than syntax: types, and whether names exist, are the compiler's.
func parseGo(_, text string) Report {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	var list scanner.ErrorList
	errors.As(err, &list)
	var r Report
	for _, e := range list {
		if e.Msg == "method must have no type parameters" { // newer versions of Go allow them
			return Report{}
		}
		r.Problems = append(r.Problems, Problem{e.Pos.Line, e.Pos.Column, e.Msg})
	}
	return r
}

// first returns the report of a parser that ends at the first error.
func first(line, column int, text string) Report {
	return Report{Problems: []Problem{{line, column, text}}, IsPartial: true}
}

// parseJSON accepts comments and commas at the end in files of programs that do.
func parseJSON(path, text string) Report {
	const deepest = 10_000 // as encoding/json has
	if depth(text) > deepest || isTemplate(text) {
		return Report{}
	}
	if allowsComments(path) {
		_, err := hujson.Parse([]byte(text + "\n"))
		if err == nil {
			return Report{}
		}
		var line, column int
		message := strings.TrimPrefix(err.Error(), "hujson: ")
		if n, _ := fmt.Sscanf(message, "line %d, column %d:", &line, &column); n == 2 {
			_, message, _ = strings.Cut(message, ": ")
		}
		return first(line, column, message)
	}
	var whole json.RawMessage
	var wrong *json.SyntaxError
	if err := json.Unmarshal([]byte(text), &whole); !errors.As(err, &wrong) {
		return Report{}
	}
	before := text[:max(min(int(wrong.Offset)-1, len(text)), 0)]
	return first(strings.Count(before, "\n")+1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1, wrong.Error())
}

// depth returns how deep the brackets of a text are nested, at most.
func depth(text string) (deepest int) {
	open := 0
	for _, c := range []byte(text) {
		switch c {
		case '[', '{':
			open++
			deepest = max(deepest, open)
		case ']', '}':
			open--
		}
	}
	return deepest
}

// allowsComments reports whether a JSON file may have comments, as those of editors and of many tools for JavaScript.
func allowsComments(path string) bool {
	name, dir := strings.ToLower(filepath.Base(path)), filepath.Base(filepath.Dir(path))
	switch {
	case !strings.HasSuffix(name, ".json"), dir == ".vscode", dir == ".devcontainer", dir == ".zed", strings.HasPrefix(name, "."):
		return true
	case strings.HasPrefix(name, "tsconfig"), strings.HasPrefix(name, "jsconfig"):
		return true
	}
	return slices.Contains([]string{
		"api-extractor.json", "babel.config.json", "biome.json", "deno.json", "devcontainer.json", "keybindings.json", "language-configuration.json",
		"nx.json", "project.json", "renovate.json", "rush.json", "settings.json", "tslint.json", "turbo.json", "typedoc.json", "wrangler.json",
	}, name)
}

func parseYAML(_, text string) Report {
	if isTemplate(text) || strings.HasPrefix(text, "%") { // the library knows no directives of YAML 1.2
		return Report{}
	}
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var document yaml.Node
		err := d.Decode(&document)
		var wrong *yaml.LoadError
		switch {
		case errors.Is(err, io.EOF), err == nil && document.IsZero():
			return Report{}
		case errors.As(err, &wrong):
			text := wrong.Message
			if from := wrong.ContextMark.Line; from > 0 && from != wrong.Mark.Line {
				text += fmt.Sprintf(" (%s that begins in line %d)", wrong.ContextMsg, from)
			}
			return first(wrong.Mark.Line, wrong.Mark.Column, text)
		case err != nil:
			return first(0, 0, err.Error())
		}
	}
}

func parseTOML(_, text string) Report {
	if isTemplate(text) || hasLongLine(text) {
		return Report{}
	}
	var wrong *toml.DecodeError
	if err := toml.NewDecoder(bytes.NewReader([]byte(text))).Decode(new(map[string]any)); !errors.As(err, &wrong) {
		return Report{}
	}
	line, column := wrong.Position()
	return first(line, column, strings.TrimPrefix(wrong.Error(), "toml: "))
}

// hasLongLine reports whether a line may be a key of so many parts that a parser needs too much memory for it.
func hasLongLine(text string) bool {
	const most = 32 << 10
	for line := range strings.Lines(text) {
		if len(line) > most {
			return true
		}
	}
	return false
}

func parseShell(_, text string) Report {
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "#!") && !strings.HasSuffix(line, "/sh") && !strings.Contains(line, "bash") {
		return Report{} // a script for another shell
	}
	if wrong := shellcmd.CheckScript(text); wrong != nil && !isTemplate(text) {
		return first(wrong.Line, wrong.Column, wrong.Text)
	}
	return Report{}
}

// isTemplate reports whether a text may be a template, from which another program makes the file. An expression of
// GitHub's workflows, ${{ x }}, is valid YAML.
func isTemplate(text string) bool {
	return strings.Contains(text, "{%") || strings.Contains(text, "<%") || strings.Contains(strings.ReplaceAll(text, "${{", ""), "{{")
}
