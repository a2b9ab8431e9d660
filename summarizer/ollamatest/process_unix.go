//go:build unix

package ollamatest

import (
	"os/exec"
	"syscall"
)

// ownGroup allows the server and the runners it starts to be ended together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Pause stops the server without closing its connections. Afterwards it can only be
// killed.
func (s *Server) Pause() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGSTOP) }
