package main

import "wake/memory"

// model is the Ollama model that polishes summaries; nil where it is off.
func model(set settings) (memory.Model, error) {
	return nil, nil
}
