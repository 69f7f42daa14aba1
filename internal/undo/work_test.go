package undo_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/undo"
	"pollux/internal/undo/content"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
)

// workIn is the variable with the directory of a test process that works until it is killed, workSeed the one with its seed, and
// workRounds the one with the number of rounds.
const (
	workIn     = "POLLUX_TEST_WORK_IN"
	workSeed   = "POLLUX_TEST_WORK_SEED"
	workRounds = "POLLUX_TEST_WORK_ROUNDS"
)

// worker is a place in whose log are few operations, so that the oldest leave all the time.
func worker(dir string) *place {
	return &place{dir: filepath.Join(dir, "project"), store: store.Open(filepath.Join(dir, "undo"), 4<<20)}
}

// work records runs, and takes some back.
func work(dir string) error {
	p := worker(dir)
	seed, err := strconv.ParseUint(os.Getenv(workSeed), 10, 64)
	if err != nil {
		return err
	}
	rounds, err := strconv.Atoi(os.Getenv(workRounds))
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	o := p.options()
	o.Walked = walked(random.IntN(2) == 0)
	r := undo.New(o)
	fmt.Println("ready")
	for range rounds {
		switch random.IntN(4) {
		case 0, 1:
			err = p.change(r, undo.Scope{Anywhere: true}, func() {
				for range 1 + random.IntN(4) {
					mutate(random, p.path(random), p.path(random))
				}
			})
		case 2:
			path := p.path(random)
			err = p.change(r, undo.Scope{Paths: []string{path}}, func() { mutate(random, path, path) })
		case 3:
			err = p.undoLast()
		}
		if err != nil {
			return err
		}
	}
	r.Close()
	return nil
}

func (p *place) path(random *rand.Rand) string {
	return filepath.Join(p.dir, names[random.IntN(len(names))])
}

// change records a run.
func (p *place) change(r *undo.Recorder, may undo.Scope, do func()) error {
	run, err := r.Begin(context.Background(), store.Header{Kind: store.Call, Title: "work"}, may)
	if err == nil {
		do()
		_, err = run.End(context.Background())
	}
	return err
}

// mutate changes one path, or moves it to another. It may fail.
func mutate(random *rand.Rand, path, other string) {
	text := strings.Repeat(string(rune('a'+random.IntN(26))), []int{0, 3, 3, 20_000, content.MaxSmall + 1000}[random.IntN(5)])
	switch random.IntN(8) {
	case 0, 1, 2:
		_ = os.WriteFile(path, []byte(text), 0o644)
	case 3:
		_ = os.MkdirAll(path, 0o755)
	case 4:
		_ = os.RemoveAll(path)
	case 5:
		_ = os.Rename(path, other)
	case 6:
		_ = os.Symlink("/proc/none", path) // through which nothing is written
	case 7:
		_ = os.Chmod(path, 0o700)
	}
}

// undoLast takes the last operation back, which may be an undo.
func (p *place) undoLast() error {
	numbers, err := p.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return err
	}
	_, err = p.undoAll(numbers[len(numbers)-1:])
	return err
}

// undoAll takes operations back, given from the oldest to the newest. The number is that of the undo, 0 for none.
func (p *place) undoAll(numbers []int) (number int, err error) {
	var list []*store.Operation
	for _, n := range slices.Backward(numbers) {
		o, err := p.store.Read(n)
		if err != nil {
			return 0, err
		}
		list = append(list, o)
	}
	plan, err := revert.Make(context.Background(), p.store, list)
	if err != nil {
		return 0, err
	}
	if problems := plan.Problems(); len(problems) > 0 {
		return 0, fmt.Errorf("%s: %s", problems[0].Path, problems[0].Problem)
	}
	if len(plan.Changes()) == 0 {
		return 0, nil
	}
	b, err := p.store.Open()
	if err != nil {
		return 0, err
	}
	defer b.Close()
	o, err := plan.Apply(context.Background(), b, store.Header{})
	if err != nil {
		return 0, err
	}
	return o.Number, nil
}
