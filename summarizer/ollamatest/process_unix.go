//go:build unix

package ollamatest

import (
	"os/exec"
	"syscall"
)

// ownGroup lets the server and the runners that it starts be ended together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// Pause stops the server's work without closing its connections; only Kill helps it after that.
func (s *Server) Pause() { _ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGSTOP) }
