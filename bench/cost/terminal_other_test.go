//go:build !linux

package cost

import "testing"

// terminalSession is not called: [TestCosts] needs Linux.
func terminalSession(*testing.T, string) counts { return nil }
