package undotest

// Repository is a shell script that makes a typical project: commits, a branch that is not merged, a stash,
// changes that are not staged, untracked and ignored files, modes, links and empty directories.
const Repository = `
git init -q -b main; mkdir -p a/b empty; echo one >a/one; echo two >a/b/two; ln -s a/one link; printf 'x' >exec; chmod 755 exec
printf 'ignored/\n.env\n' >.gitignore; git add -A; git commit -qm first; echo three >a/three; git add -A; git commit -qm second
git branch spike $(git commit-tree -p HEAD -m spike 'HEAD^{tree}'); echo later >>a/three; git stash -q
mkdir ignored; echo SECRET=1 >.env; echo made >ignored/made; echo dirty >>a/one; touch -d '2001-02-03 04:05:06.7' a/b/two; echo new >untracked`

// Disaster is a way to lose files of Repository.
type Disaster struct {
	Name   string
	Script string
	// Row describes it in the comparison of agents; "" is not compared.
	Row string
	// File is the path that the edit tool of an agent writes in a comparison, with Text; "" is a shell command, the Script.
	File, Text string
}

// Disasters are the damage of public reports, and other changes that are hard to take back.
var Disasters = []Disaster{
	{Name: "remove a directory", Script: "rm -rf a", Row: "`rm -rf` of a directory"},
	{Name: "remove all files", Script: "find . -path ./.git -prune -o -type f -exec rm {} +", Row: "all files deleted with `find`"},
	{Name: "overwrite by move", Script: "mv untracked a/one; mv .env exec", Row: "`mv` over existing files"},
	{Name: "reset", Script: "git reset -q --hard HEAD~1", Row: "`git reset --hard` with uncommitted work"},
	{Name: "clean", Script: "git clean -qfdx", Row: "`git clean -fdx`, with an ignored `.env`"},
	{Name: "checkout", Script: "git checkout -q .", Row: "`git checkout .` with uncommitted work"},
	{Name: "truncated rewrite", Script: "echo on >a/one", File: "a/one", Text: "on\n", Row: "a truncated rewrite with the edit tool"},
	{Name: "move to a missing directory", Script: "for f in a/one a/three exec untracked; do mv $f archive; done", Row: "`mv` of four files to a directory that does not exist"},
	{Name: "replace in all files", Script: "find . -path ./.git -prune -o -type f -exec sed -i s/e/X/g {} +", Row: "`sed -i` over all files"},
	{Name: "drop stash and branch", Script: "git stash drop -q; git branch -q -D spike", Row: "`git stash drop` and `git branch -D`"},

	{Name: "remove all", Script: "rm -rf ./* .env .gitignore"},
	{Name: "remove repository", Script: "rm -rf .git a"},
	{Name: "remove everything", Script: "find . -mindepth 1 -delete"},
	{Name: "truncate", Script: ": >a/one; echo short >a/b/two"},
	{Name: "stash and drop", Script: "git stash -q; git stash drop -q"},
	{Name: "modes", Script: "chmod 600 exec; chmod 700 a; chmod 4755 a/three"},
	{Name: "kinds", Script: "rm link; mkdir link; touch link/x; rm -r a/b; echo file >a/b; rm exec; ln -s a exec"},
	{Name: "links", Script: "rm link; ln -s /etc/passwd link; mkdir d; ln -s .. d/up"},
	{Name: "move directory", Script: "mv a elsewhere; mkdir a; echo other >a/one"},
	{Name: "append and touch", Script: "echo more >>untracked; touch -d '1999-01-01' .env"},
	{Name: "names", Script: `printf x >"$(printf 'b\377d\nname')"; mkdir ' '; touch ' /-rf' '*'; rm untracked`},
	{Name: "commit", Script: "git add -A; git commit -qm third; git tag v1"},
	{Name: "rebase", Script: "git stash -q; git checkout -q -b side HEAD~1; echo s >side; git add side; git commit -qm side; git rebase -q main"},
	{Name: "repack", Script: "git gc -q --prune=now"},
	{Name: "read only", Script: "rm exec; chmod 555 a ignored"},
}
