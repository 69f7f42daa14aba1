//go:build unix

package acceptance

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/scripttest"
)

// TestCI runs the jobs of docs/ci.md as their runners do, with and without the secret.
func TestCI(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"git", "go", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT TESTED: %v", err)
		}
	}
	const script = "key good-key\nturn\n  times always\n  text The sign is wrong.\n"
	web := startInternet(t, scripttest.Serve(t, script, scriptmodel.Options{Wires: everyWire()}).URL())
	for _, c := range []struct {
		name string
		run  func(*runner, string) (string, int)
		lost string // the output of the job without the secret
	}{
		{"GitHub", (*runner).gitHub, "::error::The secret GEMINI_API_KEY is not set."},
		{"GitLab", (*runner).gitLab, "The variable GEMINI_API_KEY is not set."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, web)
			if out, code := c.run(r, "good-key"); code != 0 || !strings.Contains(r.review, "The sign is wrong.") {
				t.Errorf("the job ends with %d, and the review is %q:\n%s", code, r.review, out)
			}
			r = newRunner(t, web)
			if out, code := c.run(r, ""); code != 41 || !strings.Contains(out, c.lost) || r.review != "" {
				t.Errorf("without a secret the job ends with %d, and the review is %q:\n%s", code, r.review, out)
			}
		})
	}
}

// runner is a machine of a CI service. It has a project, whose commits base and head are a pull
// request, and the source of Pollux, which is a small program that runs the one of this test.
type runner struct {
	*reader
	source     string // the repository of Pollux
	base, head string
	review     string // the result of a job
}

func newRunner(t *testing.T, web *internet) *runner {
	t.Helper()
	r := &runner{reader: newReader(t, web), source: "source"}
	pollux, err := exec.LookPath("pollux")
	if err != nil {
		t.Fatal(err)
	}
	goenv, err := exec.Command("go", "env", "GOCACHE", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dirs := strings.Fields(string(goenv))
	r.environ = append(r.environ, "GOCACHE="+dirs[0], "GOROOT="+dirs[1], "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw", "CI=true",
		"PATH="+filepath.Join(r.home, "stubs")+":"+os.Getenv("PATH"))
	r.write("stubs/apt-get", "#!/bin/sh\n")
	r.write("source/go.mod", "module pollux\n")
	r.write("source/cmd/pollux/main.go", fmt.Sprintf(
		"package main\n\nimport (\n\t\"os\"\n\t\"syscall\"\n)\n\nfunc main() { panic(syscall.Exec(%q, os.Args, os.Environ())) }\n", pollux))
	r.write("project/sum.go", "package sum\n\nfunc sum(a, b int) int { return a + b }\n")
	out, code := r.bash(`
		chmod +x ~/stubs/apt-get
		for dir in ~/source ~/project; do
			cd $dir
			git init -q -b main
			git config user.name Reader
			git config user.email reader@example.com
			git add .
			git commit -q -m base
		done
		git rev-parse HEAD
		sed -i 's/a + b/a - b/' sum.go
		git commit -q -a -m head
		git rev-parse HEAD
	`)
	if code != 0 {
		t.Fatal(out)
	}
	commits := strings.Fields(out)
	r.base, r.head = commits[0], commits[1]
	return r
}

// job decodes the yaml block number n, from 0, of docs/ci.md.
func (r *runner) job(n int, into any) {
	r.t.Helper()
	found := regexp.MustCompile("(?s)\n```yaml\n(.*?)\n```\n").FindAllStringSubmatch(pages(r.t)["../docs/ci.md"], -1)
	if len(found) <= n {
		r.t.Fatalf("docs/ci.md has %d yaml blocks", len(found))
	}
	if err := yaml.Unmarshal([]byte(found[n][1]), into); err != nil {
		r.t.Fatal(err)
	}
}

// gitHub runs the steps of the workflow, and returns the output and the exit status of the last
// step that was run.
func (r *runner) gitHub(secret string) (string, int) {
	r.t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Uses, Run  string
				WorkingDirectory string `yaml:"working-directory"`
				With, Env        map[string]string
			}
		}
	}
	r.job(0, &workflow)
	values := map[string]string{
		"github.event.pull_request.base.sha": r.base, "github.event.pull_request.head.sha": r.head,
		"secrets.GEMINI_API_KEY": secret,
	}
	expand := func(text string) string {
		return regexp.MustCompile(`\$\{\{ (\S+) \}\}`).ReplaceAllStringFunc(text, func(e string) string {
			value, ok := values[strings.Trim(e, "${} ")]
			if !ok {
				r.t.Errorf("unknown expression %s", e)
			}
			return value
		})
	}
	work, path, all := filepath.Join(r.home, "work"), os.Getenv("PATH"), ""
	for _, step := range workflow.Jobs["review"].Steps {
		script, dir := step.Run, filepath.Join(work, step.WorkingDirectory)
		vars := []string{
			"GITHUB_ACTIONS=true", "GITHUB_WORKSPACE=" + work, "RUNNER_TEMP=" + r.home + "/tmp", "PATH=" + path,
			"GITHUB_PATH=" + r.home + "/path", "GITHUB_STEP_SUMMARY=" + r.home + "/summary.md",
		}
		switch action, _, _ := strings.Cut(step.Uses, "@"); action {
		case "actions/checkout":
			from, ref := "project", expand(step.With["ref"])
			if step.With["repository"] != "" {
				from, ref = r.source, "main"
			}
			script = fmt.Sprintf("git clone -q ~/%s ~/work/%s && cd ~/work/%[2]s && git checkout -q %s", from, step.With["path"], ref)
			dir = r.home
		case "actions/setup-go":
			for _, name := range []string{"go-version-file", "cache-dependency-path"} {
				if _, err := os.Stat(filepath.Join("..", strings.TrimPrefix(step.With[name], "pollux/"))); err != nil {
					r.t.Error(err)
				}
			}
			continue
		case "":
			for name, value := range step.Env {
				vars = append(vars, name+"="+expand(value))
			}
		default:
			r.t.Errorf("unknown action %s", step.Uses)
		}
		out, code := r.bashIn(dir, script, vars...)
		if all += out; code != 0 {
			return all, code
		}
		if added, err := os.ReadFile(filepath.Join(r.home, "path")); err == nil {
			path = strings.TrimSpace(string(added)) + ":" + os.Getenv("PATH")
		}
	}
	r.review = r.read("summary.md")
	return all, 0
}

// gitLab runs the commands of the job, and returns their output and the exit status.
func (r *runner) gitLab(secret string) (string, int) {
	r.t.Helper()
	var jobs map[string]struct {
		Variables    map[string]string
		BeforeScript []string `yaml:"before_script"`
		Script       []string
		Artifacts    struct{ Paths []string }
	}
	r.job(1, &jobs)
	job := jobs["review"]
	if !slices.Contains(job.Artifacts.Paths, "review.md") {
		r.t.Errorf("review.md is not an artifact: %v", job.Artifacts.Paths)
	}
	for _, m := range regexp.MustCompile(`\$\{(\w+)\}`).FindAllStringSubmatch(job.Variables["POLLUX_SOURCE"], -1) {
		if m[1] != "CI_JOB_TOKEN" && m[1] != "CI_SERVER_FQDN" {
			r.t.Errorf("%s is not a variable of GitLab", m[1])
		}
	}
	variables := maps.Clone(job.Variables)
	maps.Copy(variables, map[string]string{
		"POLLUX_SOURCE": "file://" + r.home + "/" + r.source, "GITLAB_CI": "true", "GEMINI_API_KEY": secret,
		"CI_MERGE_REQUEST_DIFF_BASE_SHA": r.base, "CI_COMMIT_SHA": r.head,
	})
	var vars []string
	for name, value := range variables {
		vars = append(vars, name+"="+value)
	}
	out, code := r.bash(strings.Join(append(job.BeforeScript, job.Script...), "\n"), vars...)
	r.review = r.read("project/review.md")
	return out, code
}

// read returns the text of a file in the home directory, "" if there is none.
func (r *runner) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.home, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Error(err)
	}
	return string(text)
}

// bashIn runs commands in a directory, which need not exist yet.
func (r *runner) bashIn(dir, script string, vars ...string) (string, int) {
	r.t.Helper()
	return r.bash("mkdir -p "+strconv.Quote(dir)+"\ncd "+strconv.Quote(dir)+"\n"+script, vars...)
}
