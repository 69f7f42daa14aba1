// Package undo records the changes that runs make in the user's files, so that they can be taken back.
//
//	r := undo.New(undo.Options{Store: s, Roots: dirs})
//	defer r.Close()
//	run, err := r.Begin(ctx, header, undo.Scope{Anywhere: true}) // before a call
//	o, err := run.End(ctx) // after it: its changes
//
// The directories are read once, before a call needs that, and the contents are kept in the way that costs least: see
// package content. After that a watch names changed entries, so that the cost of a call depends on its changes, not on
// the size of the tree. A call with known paths is recorded by these paths alone.
//
// These always hold:
//
//   - A call does not begin before the files that it may change are kept. If that is impossible, it does not run.
//   - An operation has exactly the paths that differ before and after its run. Changes that the person, or another
//     session, makes between two runs are in none.
//   - The log has an operation whole or not at all.
package undo
