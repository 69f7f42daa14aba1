//go:build !linux && !darwin

package state

import "io/fs"

func (s *State) addSystem(info fs.FileInfo) { s.Mode = uint16(info.Mode().Perm()) }
