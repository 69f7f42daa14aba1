package shell

import (
	"strings"
	"syscall"
	"testing"
)

// TestAdviseAnywhere checks advice that does not depend on a terminal.
func TestAdviseAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		signal  syscall.Signal
		want    string // the beginning
	}{
		{"pkill -f server.js; ./server.js", syscall.SIGTERM, "pkill -f has found the shell"},
		{"kill $(pgrep -af server)", syscall.SIGTERM, "pgrep -f has found the shell"},
		{"/usr/bin/pkill -9 --full server", syscall.SIGKILL, "pkill -f has found the shell"},
		{"pkill -f server.js", 0, ""},
		{"pkill server", syscall.SIGTERM, ""},
		{"pkill -f '[s]erver.js'; node server.js", syscall.SIGTERM, "pkill -f has found the shell"},
		{"pkill -u me -f '[s]erver'; ./crash", syscall.SIGSEGV, ""},
		{"x=1; kill $$", syscall.SIGTERM, ""},
		{"", syscall.SIGTERM, ""},
	} {
		if got := adviseOnOwnEnd(c.command, c.signal); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.command, got)
		}
	}
	const unknown = "Author identity unknown\n\n*** Please tell me who you are.\n\nRun\n"
	if got := adviseOnAuthor(unknown, true); !strings.HasPrefix(got, "The user has told git no name and address.") {
		t.Errorf("no author: %q", got)
	}
	if got := adviseOnAuthor(unknown, false) + adviseOnAuthor("fatal: bad revision", true); got != "" {
		t.Errorf("another output: %q", got)
	}
}

func TestAdvise(t *testing.T) {
	t.Parallel()
	const none = ""
	for _, c := range []struct {
		command, output string
		hasFailed       bool
		want            string // the beginning
	}{
		{"vim f", "Vim: Warning: Output is not to a terminal", true, "No editor can run here."},
		{"cd x && /usr/bin/nano f", "Too many errors from stdin", true, "No editor can run here."},
		{"vim -es -c wq f", "", false, none},
		{"sudo apt install x", "sudo: a terminal is required to read the password; either use ...\nsudo: a password is required", true, "No password can be typed here."},
		{"sudo make test", "make: *** [test] Error 2", true, none},
		{"ssh host ls", "Permission denied, please try again.\nu@host: Permission denied (publickey,password).", true, "ssh can ask nothing here."},
		{"git push", "git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.", true, "ssh can ask nothing here."},
		{"docker run -it x", "the input device is not a TTY", true, "There is no terminal here. Leave -t out"},
		{"npm init", "This utility will walk you through creating a package.json file.\npackage name: (x) ", true, "Nothing can be answered here. Use npm init -y."},
		{"top", "top: failed tty get", true, "There is no terminal here. Use top -b"},
		{"git commit -m \"rename `a` to `b`\"", "bash: line 1: a: command not found\nbash: line 1: b: command not found\n[main 1] rename  to", false, "bash ran `a` as a command"},
		{"git commit -m \"rename $(date)\"", "[main 1] a: command not found", false, none},
		{"git add -p", "@@ -1 +1 @@\n-a\n+b\n(1/1) Stage this hunk [y,n,q,a,d,e,?]? ", false, "The last question got no answer"},
		{"git add -p", "(1/1) Stage this hunk [y,n,q,a,d,e,?]? \nmore", false, none},
		{"rm -i README.md", "rm: remove regular file 'README.md'?", false, "The last question got no answer"},
		{"cd x; /bin/mv -vi a b 2>&1", "mv: overwrite 'b'?", true, "The last question got no answer"},
		{"rm -ri d; ls", "rm: descend into directory 'd'? a\nb", false, "The last question got no answer"},
		{"cp --interactive a b", "cp: overwrite 'b'? ", true, "The last question got no answer"},
		{"find . -name x -ok rm {} +", "< rm ... ./x > ? ", false, "The last question got no answer"},
		{"echo a | xargs -p rm", "rm a?...", false, "The last question got no answer"},
		{"rm -i a", "overwrite a?", false, "The last question got no answer"},
		{"yes | rm -i a", "rm: remove regular file 'a'?", false, none},
		{"rm -i a <answers", "rm: remove regular file 'a'?", false, none},
		{"rm -i a", "rm: cannot remove 'a': No such file or directory", true, none},
		{"rm a; cat -i faq", "rm: why?", false, none},
		{"echo rm: what?", "rm: what?", false, none},
		{"python3", "", false, "python3 gets no input, so it ran nothing."},
		{"psql", "", false, "psql gets no input"},
		{"python3 x.py", "", false, none},
		{"echo 1 | python3", "", false, none},
		{"python3 <x", "", false, none},
		{"python3 <<'E'\nprint()\nE", "", false, none},
		{"read -p 'Go on? ' x; echo $x", "", false, "read gets no input here."},
		{"cat f | while read x; do echo $x; done", "a", false, none},
		{"while read x; do echo $x; done <f", "", false, none},
		{"apt install x", "Do you want to continue? [Y/n] ", true, "Commands get no input: answer with a flag"},
		{"./deploy", "Password:", true, "Commands get no input"},
		{"./tui", "Error: stdin is not a terminal", true, "Commands have no terminal."},
		{"go test ./...", "FAIL x 0.1s", true, none},
		{"grep -r password .", "a.go: password := read()\nexit", true, none},
		{"if then", "syntax error", true, none},
		{"", "", true, none},
	} {
		got := advise(c.command, c.output, c.hasFailed)
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.command, got, c.want)
		}
	}
}

// TestCheckEditor: an editor that would wait does not begin.
func TestCheckEditor(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"vim a.go": true, "git add . && nano a": true, "emacs": true, "vim a 2>/dev/null": true, "vi 'a b'": true,
		"vim -es -c wq a": false, "vim +q a": false, "echo :q | vim a": false, "vim a <keys": false, "vim --version": false, "git commit -m vim": false, "./view a": false, "if": false,
		"[[ vim ]]": false, "declare": false, "export vim": false,
	} {
		if err := checkEditor(command); (err != nil) != want {
			t.Errorf("%s: %v", command, err)
		}
	}
}
