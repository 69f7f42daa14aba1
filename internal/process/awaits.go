package process

// Awaiting says whether a process waits for input.
type Awaiting int

// The answers of [Process.Awaits].
const (
	AwaitsUnknown Awaiting = iota
	AwaitsInput            // a program reads from its terminal
	AwaitsNothing          // the programs compute, sleep, or wait for each other
)
