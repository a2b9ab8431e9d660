// Command bare decodes each line of the given files and keeps nothing.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"os"
)

func main() {
	for _, path := range os.Args[1:] {
		data, err := os.ReadFile(path)
		if err != nil {
			log.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var row map[string]any
			_ = json.Unmarshal(line, &row) // transcripts may contain broken lines
		}
	}
}
