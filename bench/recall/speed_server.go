package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// buildWake builds the program as it ships.
func buildWake(ctx context.Context, path string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "wake/cmd/wake")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build wake: %w\n%s", err, out)
	}
	return nil
}

// server is wake as a client sees it: a child process, JSON lines in and out.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	ids int
}

func startServer(ctx context.Context, program string, args ...string) (*server, error) {
	s := &server{cmd: exec.CommandContext(ctx, program, args...)}
	s.cmd.Stderr = os.Stderr
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = s.call("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	if err != nil {
		s.stop()
		return nil, err
	}
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return s, err
}

func (s *server) stop() {
	_ = s.in.Close()
	_ = s.cmd.Wait()
}

// call returns the time from the first byte of the request to the last of the answer.
func (s *server) call(method, params string) (time.Duration, error) {
	s.ids++
	request := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.ids, method, params)
	start := time.Now()
	if _, err := io.WriteString(s.in, request); err != nil {
		return 0, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		took := time.Since(start)
		if err != nil {
			return 0, err
		}
		var answer struct {
			ID     int             `json:"id"`
			Error  json.RawMessage `json:"error"`
			Result struct {
				IsError bool `json:"isError"`
			} `json:"result"`
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return 0, err
		}
		if answer.ID != s.ids {
			continue // a notification
		}
		if answer.Error != nil || answer.Result.IsError {
			return 0, fmt.Errorf("%s: %.300s", method, line)
		}
		return took, nil
	}
}

func (s *server) tool(name string, args map[string]any) (time.Duration, error) {
	params, err := json.Marshal(map[string]any{"name": name, "arguments": args})
	if err != nil {
		return 0, err
	}
	return s.call("tools/call", string(params))
}

func (s *server) search(question string) (time.Duration, error) {
	return s.tool("search_context", map[string]any{"query": question})
}

func (s *server) save(content string) (time.Duration, error) {
	return s.tool("save_context", map[string]any{"content": content})
}

// memory returns the current and the peak memory of the process in MB, or 0 if unknown.
func (s *server) memory() (resident, peak int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, 0
	}
	field := func(name string) int {
		_, rest, _ := strings.Cut(string(status), name+":")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		kilobytes, _ := strconv.Atoi(number)
		return kilobytes >> 10
	}
	return field("VmRSS"), field("VmHWM")
}
