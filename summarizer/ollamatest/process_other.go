//go:build !unix

package ollamatest

import "os/exec"

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// Pause is not supported on this system.
func (s *Server) Pause() {}
