//go:build !unix

package terminal

func newWaiter(int) waiter { return nil }
