//go:build unix

package disasters

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"pollux/internal/face/tui/tuitest"
	"pollux/internal/process/processtest"
)

var codex = agent{
	name: "Codex", pkg: "@openai/codex", undo: "it has none: `codex features list` has `undo` as removed",
	shell: func(command string) call { return call{name: "exec_command", args: object{"cmd": command}} },
	write: func(path, text string) []call {
		return []call{{name: "apply_patch", input: "*** Begin Patch\n*** Add File: " + path + "\n+" + text + "*** End Patch\n"}}
	},
	play: func(t *testing.T, p *project, url string, between func()) error {
		codex := binary(t, "@openai/codex", "bin/codex.js")
		err := put(filepath.Join(p.home, ".codex", "config.toml"), fmt.Sprintf(`model = "gpt-5.5"
model_provider = "local"
check_for_update_on_startup = false
[model_providers.local]
name = "local"
base_url = %q
env_key = "KEY"
wire_api = "responses"
[analytics]
enabled = false
`, url+"/v1"))
		if err != nil {
			return err
		}
		if _, err := p.run(t, []string{"node", codex, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt}, "KEY=key"); err != nil {
			return err
		}
		between()
		features, err := p.run(t, []string{"node", codex, "features", "list"})
		if err == nil && !regexp.MustCompile(`(?m)^undo +removed `).MatchString(features) {
			err = errors.New("it may have an undo: " + features)
		}
		return err
	},
}

var opencode = agent{
	name: "OpenCode", pkg: "opencode-linux-x64", undo: "`/undo`, which is `POST /session/ID/revert` of `opencode serve`",
	shell: func(command string) call {
		return call{name: "bash", args: object{"command": command, "description": "Clean up"}}
	},
	write: func(path, text string) []call { // it writes only files that it has read
		return []call{{name: "read", args: object{"filePath": path}}, {name: "write", args: object{"filePath": path, "content": text}}}
	},
	play: playOpenCode,
}

func playOpenCode(t *testing.T, p *project, url string, between func()) error {
	err := put(filepath.Join(p.home, ".config", "opencode", "opencode.json"), encode(object{
		"autoupdate": false, "share": "disabled", "permission": "allow", "model": "local/m", "small_model": "local/m",
		"provider": object{"local": object{
			"npm": "@ai-sdk/openai-compatible", "name": "local", "options": object{"baseURL": url + "/v1", "apiKey": "key"},
			"models": object{"m": object{"name": "m", "limit": object{"context": 1000000, "output": 60000}}},
		}},
	}))
	if err != nil {
		return err
	}
	c := exec.Command(binary(t, "opencode-linux-x64", "bin/opencode"), "serve", "--port", "0", "--hostname", "127.0.0.1")
	c.Dir, c.Env = p.dir, append(p.env, "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	printed := filepath.Join(p.tmp, "printed")
	out, err := os.Create(printed)
	if err != nil {
		return err
	}
	defer out.Close()
	c.Stdout, c.Stderr = out, out
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		_ = c.Wait()
	}()
	var server string
	processtest.WaitUntil(t, "the server of OpenCode", func() bool {
		data, _ := os.ReadFile(printed)
		server = regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(string(data))
		return server != ""
	})
	var session struct{ ID string }
	if err := post(server+"/session", object{}, &session); err != nil {
		return err
	}
	var reply struct{ Info struct{ ParentID string } }
	if err := post(server+"/session/"+session.ID+"/message", object{"parts": []any{object{"type": "text", "text": prompt}}}, &reply); err != nil {
		return err
	}
	between()
	return post(server+"/session/"+session.ID+"/revert", object{"messageID": reply.Info.ParentID}, &session)
}

func post(url string, body, reply any) error {
	response, err := (&http.Client{Timeout: patience}).Post(url, "application/json", strings.NewReader(encode(body)))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, bytes.TrimSpace(data))
	}
	if err == nil {
		err = json.Unmarshal(data, reply)
	}
	return err
}

var geminiCLI = agent{
	name: "Gemini CLI", pkg: "@google/gemini-cli", undo: "`/restore` of its last checkpoint, with `general.checkpointing.enabled`",
	shell: func(command string) call { return call{name: "run_shell_command", args: object{"command": command}} },
	write: func(path, text string) []call {
		return []call{{name: "write_file", args: object{"file_path": path, "content": text}}}
	},
	play: playGemini,
}

// playGemini talks with Gemini CLI at a terminal, where alone it has /restore. It is asked to allow the call: /restore proposes
// the call again, and would run it again without a question.
func playGemini(t *testing.T, p *project, url string, between func()) error {
	err := put(filepath.Join(p.home, ".gemini", "settings.json"), encode(object{
		"security": object{"auth": object{"selectedType": "gemini-api-key"}, "folderTrust": object{"enabled": false}},
		"privacy":  object{"usageStatisticsEnabled": false},
		"general":  object{"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "checkpointing": object{"enabled": true}},
	}))
	if err != nil {
		return err
	}
	command := append([]string{"env", "-i"}, p.env...)
	command = append(
		command, "GEMINI_API_KEY=key", "GOOGLE_GEMINI_BASE_URL="+url, "GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+filepath.Join(p.home, "none"),
		"sh", "-c", `cd "$0" && exec "$@"`, p.dir, "node", binary(t, "@google/gemini-cli", "bundle/gemini.js"), "-m", "gemini-2.5-flash", "-i", prompt,
	)
	program, err := tuitest.Start(command, 100, 50)
	if err != nil {
		return err
	}
	defer program.Close()
	program.SetPatience(patience)
	err = restoreLast(p, program, between)
	if *show || err != nil {
		t.Logf("%s", strings.Join(program.Whole(), "\n"))
	}
	return err
}

// restoreLast allows the call of the model, and restores the checkpoint before it, if there is one.
func restoreLast(p *project, program *tuitest.Program, between func()) error {
	see := func(text string) error { return program.Do("see "+text, os.Getenv) }
	enter := func(line string) error {
		err := errors.Join(program.Do("type "+line, os.Getenv), see(line))
		program.Settle() // Enter right behind a key is a line end of a paste to Gemini CLI
		return errors.Join(err, program.Send("\r"))
	}
	if err := errors.Join(see("Allow once"), program.Send("\r"), see(text)); err != nil {
		return err
	}
	between()
	if err := enter("/restore"); err != nil {
		return err
	}
	var name string
	err := program.Wait(func(rows []string) bool {
		all := strings.Join(rows, "\n")
		_, list, isList := strings.Cut(all, "Available tool calls to restore:")
		name = regexp.MustCompile(`\d{4}-\S+-write_file`).FindString(list)
		return isList && name != "" || strings.Contains(all, "No restorable tool calls found.")
	})
	if err != nil || name == "" {
		return err
	}
	return errors.Join(enter("/restore "+name), see("Restored project to the state before the tool call."))
}
