package mcp

import (
	"context"
	_ "embed"

	"wake/memory"
)

//go:embed record.md
var recordHelp string

func readRecordHelp(context.Context, memory.Caller, variables) (string, error) {
	return recordHelp, nil
}
