package shellcmd

import "testing"

func TestEvaluates(t *testing.T) {
	t.Parallel()
	// In bash 5.2, each of them runs "touch x" from the text in quotes, or could from a value.
	for _, command := range []string{
		`[ -v 'a[$(touch x)]' ]`,
		`test ! -v 'a[$(touch x)]'`,
		`[ '(' -v 'a[$(touch x)]' ')' ]`,
		`test -z '' -o -v 'a[$(touch x)]'`,
		`o=-v; [ $o 'a[$(touch x)]' ]`,
		`o=-v; [ "$o" 'a[$(touch x)]' ]`,
		`o="-v a[0]"; [ -f $o ]`,
		`[[ 'a[$(touch x)]' -eq 1 ]]`,
		`[[ 1 -lt $x ]]`,
		`[[ -f y && ( -v 'a[$(touch x)]' ) ]]`,
		`[[ -R 'a[$(touch x)]' ]]`,
		`printf -v 'a[$(touch x)]' y`,
		`printf -v'a[$(touch x)]' y`,
		`printf $x`,
		`printf '%n' PATH && ls`,
		`printf -- '%n' PATH`,
		`printf "x%-5hn" LD_PRELOAD`,
		`printf $'%.*\x6e' 3 PATH`,
		`printf '%s%%n' a PATH`,
		`printf '%n' 'a[$(touch x)]'`,
		`x=%n; printf "a$x" PATH`,
		`f=%n; printf "$f" "$x"`,
		`printf -- "$x" PATH`,
		`x=-vPATH; printf "$x" .`,
		`command printf '%n' PATH`,
		`read 'a[$(touch x)]' <<< y`,
		`read "$x" <<< y`,
		`read PATH <<< /evil; ls`,
		`mapfile -C 'touch x;' -c 1 y <<< z`,
		`readarray -C 'touch x;' -c 1 y <<< z`,
		`mapfile -tC 'touch x;' -c 1 y <<< z`,
		`mapfile -tC'touch x;' -c1 y <<< z`,
		`read -raPATH <<< /evil; ls`,
		`wait -npPATH`,
		`unset 'a[$(touch x)]'`,
		`declare 'a[$(touch x)]=1'`,
		`declare a[x]=1`,
		`typeset "$x"`,
		`local 'a[$(touch x)]=1'`,
		`declare -i x`,
		`export -n x`,
		`declare -gn r='a[$(touch x)]'`,
		`declare -a 'a=($(touch x))'`,
		`readonly PS4='$(touch x)'`,
		`let 'a[$(touch x)]=1'`,
		`let x=1`,
		`x='a[$(touch x)]'; echo ${!x}`,
		`echo ${!a[x]}`,
		`echo ${b[x]}`,
		`echo ${b[$x]}`,
		`echo ${b['$(touch x)']:-y}`,
		`echo ${#b[x]}`,
		`echo ${y:x}`,
		`echo ${y:0:x}`,
		`echo ${@:$1}`,
		`echo ${PATH:=/evil}`,
		`echo "${PS4=\$(touch x)}"`,
		`echo "${x:-'$(touch x)'}"`,
		"cat <<E\n${x='`touch x`'}\nE",
		`echo "${y/'$(touch x)'/z}" "${y/z/'<(touch x)'}"`,
		`b[x]=1`,
		`b=([x]=1)`,
		`((x)); ls`,
		`echo $((x))`,
		`echo $((a[0]))`,
		`echo $[x]`,
		`echo $((1 + (-x)))`,
		`for ((i=0;i<1;i++)); do ls; done`,
		`for ((;x;)); do ls; done`,
		`for ((;;x)); do ls; done`,
		`for RANDOM in 'a[$(touch x)]'; do ls; done`,
		`select PATH in /evil; do ls; done`,
		`PATH=/evil; ls`,
		`PS4='$(touch x)'`,
		`http_proxy=evil; ls`,
		`OPTIND='a[$(touch x)]'`,
		`RANDOM+='a[$(touch x)]' ls`,
		`export RANDOM='a[$(touch x)]'`,
		`export A=1 OPTIND+='a[$(touch x)]'`,
		`readonly HISTCMD='a[$(touch x)]'`,
		`BASH_CMDS[git]=/usr/bin/touch; git x`,
		`exec {a['$(touch x)']}>/dev/null`,
		`{PATH}>/dev/null ls`,
		`coproc PATH { ls; }`,
		`wait -n -p 'a[$(touch x)]'`,
		`getopts a PATH`,
		`compgen -W '$(touch x)'`,
		`complete -C 'touch x' y`,
		`trap 'touch x' EXIT`,
		`eval 'touch x'`,
		`"eval" 'touch x'`,
		`\eval 'touch x'`,
		`source y`,
		`. y`,
		`builtin eval 'touch x'`,
		`command -p eval 'touch x'`,
		`command -- . y`,
		`alias q='touch x'`,
		`shopt -s expand_aliases`,
		`history -s 'touch x'; fc -s`,
		`hash -p /usr/bin/touch git; git x`,
		`jobs -x touch x`,
		`enable -f y z`,
		`bind -x '"a":touch x'`,
		`set -k; ls`,
		`set -eak; ls`,
		`set -o allexport; ls`,
		`set "$x"; ls`,
		`if true; then { (eval 'touch x'); }; fi`,
		`f() { eval "$1"; }; f 'touch x'`,
	} {
		s, err := Parse(command)
		if err == nil && s.Evaluates == "" {
			// A lone assignment runs nothing, so it has no script.
			t.Errorf("Parse(%q): not found to evaluate", command)
		}
	}
}

func TestEvaluatesNothing(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`ls -la "$HOME" ${x} ${x:-y} ${x#y} ${x/y/z} ${#x} ${x^^}`,
		`echo ${a[0]} ${a[@]} "${a[*]}" ${!a[@]} ${!pre*} ${#a[@]} ${x:1:2}`,
		`for f in *.go; do gofmt -l "$f"; done`,
		`for F in *.go; do gofmt -l "$F"; done`,
		`x=1; y=(a b); y[0]=c; ls $x`,
		`FOO=1 BAR=2 make`,
		`[ -f x ] && [ "$a" = "$b" ] && test -n "$x"`,
		`[[ $a == b* && -f $x && $y =~ ^a ]]`,
		`[[ 1 -lt 2 ]]; ((1 + 2)); echo $((3 * (4 - 1)))`,
		`printf '%s\n' "$x"`,
		`printf "$x"`,
		`printf '%d%%\n' 5; printf 'a%sn' PATH; printf "PATH is $x\n"`,
		`printf '%s%n\n' abc n`,
		`read -rp 'Go on? ' -t5 -n1 answer; read -ra words`,
		`read -r line; mapfile -t lines < x; unset x; wait`,
		`local x=1; declare -r y=2; export PATH=/x; readonly z`,
		`set -euo pipefail; ls`,
		`command -v git; exec 2>&1; command git status`,
		`case "$1" in a) ls;; esac`,
		`f() { ls "$@"; }; f x`,
		`exec {fd}>/dev/null`,
		`coproc ls`,
		`: "${x:=y}"`,
	} {
		s, err := Parse(command)
		switch {
		case err != nil:
			t.Errorf("Parse(%q): %v", command, err)
		case s.Evaluates != "":
			t.Errorf("Parse(%q): evaluates %q", command, s.Evaluates)
		}
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"$a": "a", `"$a"`: "a", "${a}": "a", `x"y$a"'z'`: "a",
		"${a:-b}": "", "${#a}": "", "${!a}": "", "${a[0]}": "", "$a*": "", "${a:1}": "", "${a/b/c}": "", "$a$(ls)": "",
		"{$a,b}": "", "~$a": "", `$"$a"`: "", "x": "", "'$a'": "",
	}
	for word, want := range tests {
		s, err := Parse("echo " + word)
		if err != nil {
			t.Errorf("Parse(echo %s): %v", word, err)
			continue
		}
		got := ""
		for _, name := range s.Commands[0].Words[1].Variables {
			got += name
		}
		if got != want {
			t.Errorf("variables of %s = %q, want %q", word, got, want)
		}
	}
}
