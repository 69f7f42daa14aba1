package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"pollux/internal/durable"
)

// TestFile is a table of decisions that rules should make.
type TestFile struct {
	// Policies are the paths of the policy files to test, nil for those in force.
	Policies []string
	Tests    []Test
}

// Test is one row of a [TestFile]: a call, and the decision about it.
type Test struct {
	Situation
	Name        string // of the tool
	Args        json.RawMessage
	Server      string
	Annotations map[string]any
	Subagent    string
	Expect      Decision
	Reason      string // a part of the message, "" for any
	Line        int    // in the file, 0 if it is not known
}

// testJSON is a test as it is written.
type testJSON struct {
	Tool        string
	Command     string
	Args        json.RawMessage
	Mode        string
	Interactive *bool
	Trusted     *bool
	MCPName     string         `json:"mcpName"`
	Annotations map[string]any `json:"toolAnnotations"`
	Subagent    string
	Expect      Decision
	Reason      string
}

// ReadTests reads a file with tests, in TOML or, if its name ends in .json, JSON.
func ReadTests(path string) (TestFile, error) {
	data, err := durable.ReadFile(path, maxFile)
	if err != nil {
		return TestFile{}, err
	}
	var lines []int
	if filepath.Ext(path) != ".json" {
		if data, lines, err = testsOfTOML(data); err != nil {
			return TestFile{}, err
		}
	}
	var content struct {
		Policy stringList
		Test   []testJSON
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&content); err != nil {
		return TestFile{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(content.Test) == 0 {
		return TestFile{}, errors.New("there are no tests: a test begins with [[test]]")
	}
	var f TestFile
	for _, p := range content.Policy {
		if !filepath.IsAbs(p) {
			p = filepath.Join(filepath.Dir(path), p)
		}
		f.Policies = append(f.Policies, p)
	}
	for i, row := range content.Test {
		t, err := row.test()
		if i < len(lines) {
			t.Line = lines[i]
		}
		if err != nil {
			at := ""
			if t.Line > 0 {
				at = fmt.Sprintf(", line %d", t.Line)
			}
			return TestFile{}, fmt.Errorf("test #%d%s: %w", i+1, at, err)
		}
		f.Tests = append(f.Tests, t)
	}
	return f, nil
}

// testsOfTOML converts tests to JSON, and returns their lines.
func testsOfTOML(data []byte) ([]byte, []int, error) {
	top, err := parseTOML(data)
	if err != nil {
		return nil, nil, err
	}
	var lines []int
	list, _ := top.members["test"].value.([]*section)
	for _, s := range list {
		lines = append(lines, s.line)
	}
	data, err = json.Marshal(jsonOf(top))
	return data, lines, err
}

// test checks a test as it is written.
func (j *testJSON) test() (Test, error) {
	t := Test{
		Situation: Situation{Mode: Default, Interactive: true, Trusted: true},
		Name:      j.Tool, Args: j.Args, Server: j.MCPName, Annotations: j.Annotations, Subagent: j.Subagent, Expect: j.Expect, Reason: j.Reason,
	}
	if j.Interactive != nil {
		t.Interactive = *j.Interactive
	}
	if j.Trusted != nil {
		t.Trusted = *j.Trusted
	}
	switch {
	case j.Command != "" && j.Args != nil:
		return t, errors.New("set command or args, not both")
	case j.Command != "":
		args, err := json.Marshal(map[string]string{"command": j.Command})
		if err != nil {
			return t, err
		}
		t.Args = args
		if t.Name == "" {
			t.Name = shellTool
		}
	case t.Name == "":
		return t, errors.New("set tool or command")
	}
	switch t.Expect {
	case Allow, Deny, Ask:
	default:
		return t, fmt.Errorf("expect must be allow, deny or ask_user, not %.40q", t.Expect)
	}
	if j.Mode == "" {
		return t, nil
	}
	var err error
	t.Mode, err = ParseMode(j.Mode)
	return t, err
}

// Call describes the call of a test on one line.
func (t *Test) Call() string {
	var args struct{ Command string }
	if err := json.Unmarshal(t.Args, &args); err == nil && args.Command != "" && t.Name == shellTool {
		return args.Command
	}
	return strings.TrimSpace(t.Name + " " + string(t.Args))
}

// Check returns the error in a decision, "" if it is the expected one. display returns the path
// of a policy file in the form that people read.
func (t *Test) Check(v Verdict, display func(string) string) string {
	by := "no rule matches"
	if v.Rule != nil {
		by = "by " + v.Rule.Place(display)
	}
	text := strings.TrimSpace(v.Message + " " + v.Reason)
	switch {
	case v.Decision != t.Expect:
		return fmt.Sprintf("got %s, want %s (%s)", v.Decision, t.Expect, by)
	case !strings.Contains(text, t.Reason):
		return fmt.Sprintf("the message %q does not contain %q (%s)", text, t.Reason, by)
	}
	return ""
}

// stringList is a string or a list of strings.
type stringList []string

func (l *stringList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*l = make(stringList, 1)
		return json.Unmarshal(data, &(*l)[0])
	}
	return json.Unmarshal(data, (*[]string)(l))
}
