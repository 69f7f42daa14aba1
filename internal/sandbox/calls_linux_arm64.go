package sandbox

// Calls that only older architectures have.
var oldOpen, oldCalls []uint32

func oldChanges() map[uint32]change { return nil }
