//go:build linux

package revert

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/undo/store"
)

const (
	mergedTree   = `printf '1\n2\n3\n4\n5\n' >a; chmod 640 a`
	mergedChange = `printf '1\ncall\n3\n4\n5\n' >a`
	mergedSince  = `printf '1\ncall\n3\n4\nmine\n' >a`
	mergedCheck  = `test "$(cat a | tr '\n' ,)" = 1,2,3,4,mine, -a $(stat -c %a a) = 640`
)

// TestMerge undoes changes of files that a person has changed since, too.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, tree, change, since string
		problems                  []string // of the plan: path and reason
		check                     string   // a script that succeeds after the undo
	}{
		{"lines apart", mergedTree, mergedChange, mergedSince, nil, mergedCheck},
		{"the mode of the person", mergedTree, mergedChange, mergedSince + "; chmod 755 a", nil, "grep -q mine a; grep -q 2 a; test $(stat -c %a a) = 755"},
		{"the mode of the call", mergedTree, mergedChange + "; chmod 755 a", mergedSince, nil, mergedCheck},
		{"only the mode", mergedTree, mergedChange, "chmod 600 a", nil, "grep -q 2 a; ! grep -q call a; test $(stat -c %a a) = 600"},
		{
			"the same line", mergedTree + "; echo b >b", mergedChange + "; echo x >b", `printf '1\nmine\n3\n4\n5\n' >a`,
			[]string{"a: the same lines were changed since: 2"},
			"grep -q mine a; grep -q b b",
		},
		{
			"several places", "seq 9 >a", `seq 9 | sed 's/[158]/x/' >a`, `seq 9 | sed 's/[15]/y/; 8d' >a`,
			[]string{"a: the same lines were changed since: 1, 5, before 8"},
			"grep -q y a",
		},
		{
			"many places", "seq 29 >a", `seq 29 | sed 's/[159]/x/' >a`, `seq 29 | sed 's/[159]/y/' >a`,
			[]string{"a: the same lines were changed since: 1, 5, 9-19, 21, 25 and 1 more"},
			"grep -q y a",
		},
		{"UTF-16", utf16(`1\n2\n3\n4\n`), utf16(`1\ncall 🙂\n3\n4\n`), utf16(`1\ncall 🙂\n3\nmine é\n`), nil, `test "$(iconv -f UTF-16 a | tr '\n' ,)" = '1,2,3,mine é,'; test "$(head -c 2 a | od -An -tx1 | tr -d ' ')" = fffe`},
		{"UTF-16, the same line", utf16(`1\n2\n3\n`), utf16(`1\ncall\n3\n`), utf16(`1\nmine\n3\n`), []string{"a: the same lines were changed since: 2"}, `iconv -f UTF-16 a | grep -q mine`},
		{"GBK", gbk(`一二三\n2\n中文内容\n4\n`), gbk(`一二三\n调用\n中文内容\n4\n`), gbk(`一二三\n调用\n中文内容\n我的\n`), nil, `test "$(iconv -f GBK a | tr '\n' ,)" = '一二三,2,中文内容,我的,'`},
		{"undone by hand", mergedTree, mergedChange, `printf '1\n2\n3\n4\nmine\n' >a`, nil, mergedCheck},
		{"CRLF, no newline at the end", `printf '1\r\n2\r\n3' >a`, `printf 'x\r\n2\r\n3' >a`, `printf 'x\r\n2\r\n4' >a`, nil, `test "$(od -An -c a | tr -d ' \n')" = '1\r\n2\r\n4'`},
		{"nothing was there", ": >a", "echo call >a", "echo call >a; echo mine >>a", []string{"a: the same lines were changed since: 1-2"}, "grep -q mine a"},
		{"all goes", "seq 3 >a", "seq 9 >a", ": >a", []string{"a: the same lines were changed since: before 1"}, "test ! -s a"},
		{"binary", `printf '\0\n2\n3\n' >a`, `printf '\0\nx\n3\n' >a`, `printf '\0\nx\n3\nmine\n' >a`, []string{"a: it was changed since, and is no text: it cannot be merged"}, "grep -q mine a"},
		{"became binary", mergedTree, mergedChange, `printf '\0\n' >>a`, []string{"a: it was changed since, and is no text: it cannot be merged"}, "grep -q call a"},
		{"large", "seq 3 >a", "seq 4 >a", "truncate -s 17M a", []string{"a: it was changed since, and is larger than 16 MiB: it cannot be merged"}, "test $(stat -c %s a) = 17825792"},
		{"deleted", mergedTree, mergedChange, "rm a", []string{"a: it was deleted since: there is nothing to merge with"}, "test ! -e a"},
		{"a link", mergedTree, mergedChange, "mv a b; ln -s b a", []string{"a: it is no file any more: it cannot be merged"}, "test -L a; grep -q call b"},
		{"a directory", mergedTree, mergedChange, "rm a; mkdir a", []string{"a: it is no file any more: it cannot be merged"}, "test -d a"},
		{"was a link", "ln -s x a", "rm a; echo call >a", "echo mine >>a", []string{"a: it was changed since, and was not always a file: it cannot be merged"}, "grep -q mine a"},
		{"created", "true", mergedChange, mergedSince, []string{"a: it was changed since, and an undo deletes it: it cannot be merged"}, "grep -q mine a"},
		{"made again", mergedTree, "rm a", "echo mine >a", []string{"a: it was deleted, and made again since: it cannot be merged"}, "grep -q mine a"},
		{"git", "mkdir -p .git; seq 9 >.git/config", "seq 10 >.git/config", "echo mine >>.git/config", []string{".git/config: it was changed since, and belongs to a git repository: it cannot be merged"}, "grep -q mine .git/config"},
		{"kept by a second name", "mkdir dist; seq 9 >dist/a", "seq 10 >b; mv b dist/a", "sed -i 's/2/mine/' dist/a", nil, "grep -q mine dist/a; ! grep -q 10 dist/a"},
		{
			"written in place, without a copy", "mkdir dist; seq 9 >dist/a", "seq 10 >b; mv b dist/a", "echo mine >>dist/a",
			[]string{"dist/a: a program has written into the file, of which there was no room for a copy"},
			"grep -q mine dist/a",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
			p.sh(t, test.tree)
			o := p.record(t, func() { p.sh(t, test.change) })
			p.sh(t, test.since)
			plan := p.merge(t, o.Number)
			var problems []string
			for _, s := range plan.Problems() {
				problems = append(problems, strings.TrimPrefix(s.Path, p.dir+"/")+": "+s.Problem)
			}
			if strings.Join(problems, "\n") != strings.Join(test.problems, "\n") {
				t.Errorf("problems %q, want %q", problems, test.problems)
			}
			if len(plan.Changes()) > 0 {
				if _, err := p.apply(t, plan); err != nil {
					t.Error(err)
				}
			}
			p.sh(t, test.check)
			p.sh(t, "test -z \"$(find .. -name '.pollux-undo-*')\"")
		})
	}
}

// utf16 and gbk are scripts that write a text in an encoding.
func utf16(text string) string { return "printf '" + text + "' | iconv -t UTF-16 >a" }
func gbk(text string) string   { return "printf '" + text + "' | iconv -t GBK >a" }

// merge plans to take operations back, given from the newest to the oldest, and to keep later changes.
func (p *project) merge(t *testing.T, numbers ...int) *Plan {
	t.Helper()
	var operations []*store.Operation
	for _, n := range numbers {
		o, err := p.store.Read(n)
		if err != nil {
			t.Fatal(err)
		}
		operations = append(operations, o)
	}
	plan, err := Make(t.Context(), p.store, operations)
	if err == nil {
		err = plan.Merge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestMergeSeveral takes calls back between which a person has changed lines, one of several, and an undo that merged.
func TestMergeSeveral(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	do := func(line string) func() { return func() { p.sh(t, "sed -i 's/^"+line+"$/call/' a") } }
	p.sh(t, "seq 20 >a")
	first := p.record(t, do("2"))
	second := p.record(t, do("5"))
	p.sh(t, "sed -i 's/^8$/mine/' a")
	third := p.record(t, do("11"))
	p.sh(t, "sed -i 's/^14$/mine/' a; cp a ../all")
	plan := p.merge(t, third.Number, second.Number, first.Number)
	o, err := p.apply(t, plan)
	if err != nil || len(plan.Problems()) > 0 {
		t.Fatal(err, plan.Problems())
	}
	p.sh(t, "seq 20 | sed 's/^8$/mine/; s/^14$/mine/' | cmp - a")
	// Back again, with a line that was changed after the undo.
	p.sh(t, "sed -i 's/^17$/mine/' a")
	if _, err = p.apply(t, p.merge(t, o.Number)); err != nil {
		t.Fatal(err)
	}
	p.sh(t, "sed 's/^17$/mine/' ../all | cmp - a")
	if _, err = p.apply(t, p.merge(t, second.Number)); err != nil {
		t.Fatal(err)
	}
	p.sh(t, "seq 20 | sed 's/^2$/call/; s/^11$/call/; s/^8$/mine/; s/^1[47]$/mine/' | cmp - a")
}

// TestMergeRaced changes a file after the plan to merge it was made. It stays.
func TestMergeRaced(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, mergedTree+"; echo b >b")
	o := p.record(t, func() { p.sh(t, mergedChange+"; echo x >b") })
	p.sh(t, mergedSince)
	plan := p.merge(t, o.Number)
	p.sh(t, "echo later >>a")
	_, err := p.apply(t, plan)
	if !errors.Is(err, errChanged) {
		t.Errorf("error %v", err)
	}
	p.sh(t, "grep -q later a; grep -q call a; grep -q b b")
}

// TestMergeDamaged damages the contents that a merge needs. The file stays.
func TestMergeDamaged(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"echo x >>", "rm ", "echo y | dd conv=notrunc status=none of="} {
		p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
		const tail = "; seq 10000 20000 >>a" // contents in files of their own
		p.sh(t, mergedTree+tail)
		o := p.record(t, func() { p.sh(t, mergedChange+tail) })
		p.sh(t, mergedSince+tail)
		for _, v := range []store.Version{o.Changes[0].Before, o.Changes[0].After} {
			path := o.Place(v.Content).Path
			p.sh(t, "cp "+path+" ../saved; "+damage+path)
			problems := p.merge(t, o.Number).Problems()
			if len(problems) != 1 || problems[0].Merges {
				t.Errorf("%q: %+v", damage, problems)
			}
			p.sh(t, "cp ../saved "+path+"; grep -q call a")
		}
	}
}

// TestKilledMerge kills an undo that merges after each of its changes. It is completed by the next.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	k := newKilled(t, mergedTree+"; echo b >b; chmod 400 b", mergedChange+"; chmod 600 b; echo x >b; chmod 400 b")
	k.sh(t, "cd project.saved; "+mergedSince+"; chmod 600 b; echo mine >>b; chmod 600 b")
	s := store.Open(filepath.Join(k.dir, "undo"), store.DefaultLimit)
	merged, steps := 0, 0
	for n := 1; ; n++ {
		k.reset(t)
		if !k.run(t, "merge", n) {
			break
		}
		steps = n
		k.run(t, "finish", 1+n%3) // killed, or not
		k.run(t, "finish", 1<<20)
		_, err := os.Lstat(s.File(2, "record"))
		if err == nil {
			merged++
			k.sh(t, "cd project; "+mergedCheck)
		} else {
			k.sh(t, "cd project; cmp a ../project.saved/a")
		}
		k.sh(t, "cd project; cmp b ../project.saved/b; test $(stat -c %a b) = 600; test -z \"$(find .. -name '.pollux-undo-*')\"")
		if _, err := os.Lstat(s.File(2, applying)); !os.IsNotExist(err) {
			t.Errorf("killed after %d changes: the undo is not complete: %v", n, err)
		}
	}
	if steps < 4 || merged < 3 {
		t.Errorf("%d steps, %d of them in the log", steps, merged)
	}
}
