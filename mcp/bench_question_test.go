package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"wake/mcp"
	"wake/memory"
	"wake/memory/memorytest"
)

// BenchmarkQuestion asks over stdio, as a client does, among a thousand contexts of
// a thousand bytes. With -cpuprofile it tells where a question's time goes:
//
//	GOMAXPROCS=1 GOGC=400 go test ./mcp -run '^$' -bench Question -benchtime 2000x -cpuprofile cpu.prof
func BenchmarkQuestion(b *testing.B) {
	s, _ := memorytest.Open(b)
	random := rand.New(rand.NewPCG(7, 7))
	for range 1000 {
		if _, err := s.Save(b.Context(), memory.SaveRequest{Content: madeText(random, 150)}); err != nil {
			b.Fatal(err)
		}
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcp.ServeStdio(b.Context(), mcp.New(s, mcp.Options{}), in, out) }()
	answers := bufio.NewReaderSize(fromServer, 1<<20)
	ask := func(id int, method string, params any) {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		if err == nil {
			_, err = toServer.Write(append(line, '\n'))
		}
		for answer := ""; err == nil && !strings.Contains(answer, fmt.Sprintf(`"id":%d,`, id)); {
			answer, err = answers.ReadString('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	ask(1, "initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "bench", "version": "1"}})
	for id := 2; b.Loop(); id++ {
		ask(id, "tools/call", map[string]any{"name": "search_context", "arguments": map[string]any{"query": madeText(random, 7)}})
	}
	toServer.Close()
	if err := <-done; err != nil {
		b.Fatal(err)
	}
}

// madeText returns a text of invented words, some of them frequent.
func madeText(random *rand.Rand, words int) string {
	parts := strings.Fields("ka no ren shi tor vel mun sta pri dol ge far")
	var text strings.Builder
	for range words {
		for range 2 + random.IntN(2) {
			text.WriteString(parts[int(random.ExpFloat64()*4)%len(parts)])
		}
		text.WriteString(" ")
	}
	return text.String()
}
