package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"wake/prediction"
)

// readTrace reads a trace as the steps of a log. Items are numbered from 1.
func readTrace(file string) ([]prediction.Step, error) {
	rows, err := readCSV(file)
	if err != nil {
		return nil, err
	}
	labels, err := readLabels(strings.TrimSuffix(file, ".csv") + ".items.csv")
	if err != nil {
		return nil, err
	}
	var steps []prediction.Step
	for n, row := range rows {
		if len(row) < 7 || row[5] == "" {
			return nil, fmt.Errorf("%s, row %d: want ts,session,step,actor,item,op,parent", file, n+2)
		}
		if n == 0 || row[2] != rows[n-1][2] || row[1] != rows[n-1][1] || strings.HasPrefix(row[2], "-") {
			ts, err := strconv.ParseInt(row[0], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%s, row %d: %w", file, n+2, err)
			}
			steps = append(steps, prediction.Step{Position: int64(n + 1), At: time.Unix(ts, 0), Session: row[1], Actor: row[3]})
		}
		s := &steps[len(steps)-1]
		s.Position = int64(n + 1)
		s.Uses = append(s.Uses, prediction.Use{Item: itemID(row[4]), Kind: kindOf(row[5]), Cause: itemID(row[6]), Label: labels[row[4]]})
	}
	return steps, nil
}

func readCSV(file string) ([][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows", file)
	}
	return rows[1:], nil
}

// readLabels reads the labels of a trace, if it has any.
func readLabels(file string) (map[string]string, error) {
	if _, err := os.Stat(file); os.IsNotExist(err) {
		return nil, nil
	}
	rows, err := readCSV(file)
	labels := make(map[string]string, len(rows))
	for _, row := range rows {
		if len(row) > 1 {
			labels[row[0]] = row[1]
		}
	}
	return labels, err
}

// itemID parses an item number from 1; anything else is 0.
func itemID(s string) prediction.ID {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0
	}
	return prediction.ID(n + 1)
}

func kindOf(op string) prediction.Kind {
	switch op {
	case "a":
		return prediction.Created
	case "m":
		return prediction.Changed
	case "d":
		return prediction.Forgotten
	case "s":
		return prediction.Known
	}
	return prediction.Read
}
