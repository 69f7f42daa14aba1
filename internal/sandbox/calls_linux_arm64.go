package sandbox

// Calls that only older architectures have.
var oldOpen, oldCalls []uint32

var oldChanges map[uint32]change
