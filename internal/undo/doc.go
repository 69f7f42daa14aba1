// Package undo records what runs change in the user's files, so that it can be taken back.
//
//	r := undo.New(undo.Options{Store: s, Roots: dirs})
//	defer r.Close()
//	run, err := r.Begin(ctx, header, undo.Scope{Anywhere: true}) // before a call
//	o, err := run.End(ctx) // after it: what it changed
//
// What stands in the directories is read once, beside the first request to a model, and the contents are kept in the
// way that costs least: see package content. After that a watch says what changes, so that a call in a tree of any size
// costs what it changes. A call with known paths is recorded by these paths alone.
//
// These always hold:
//
//   - A call does not begin before what it may change is kept. If that is impossible, it does not run.
//   - An operation has exactly the paths that differ before and after its run. What the person, or another session,
//     changes between two runs is in none.
//   - The log has an operation whole or not at all.
package undo
