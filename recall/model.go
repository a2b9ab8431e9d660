package recall

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
)

// Model is a linear model over features. Its weights depend on the kind of store that a
// question searches.
type Model struct {
	weights [numKinds]Features
}

//go:embed weights.json
var weightsFile []byte

// DefaultModel returns the model that ships with wake: weights.json, trained by
// bench/recall.
func DefaultModel() (*Model, error) { return ReadModel(weightsFile) }

// ReadModel parses {"weights": {kind: {feature: weight}}}. A missing feature has weight
// 0; an unknown one is an error.
func ReadModel(data []byte) (*Model, error) {
	var file struct {
		Weights map[string]map[string]float64 `json:"weights"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read weights: %w", err)
	}
	m := &Model{}
	for kind, weights := range file.Weights {
		k := slices.Index(kindNames[:], kind)
		if k < 0 {
			return nil, fmt.Errorf("read weights: no kind of store is called %q", kind)
		}
		m.weights[k] = make(Features, NumFeatures)
		for name, v := range weights {
			at := slices.Index(featureNames[:], name)
			if at < 0 {
				return nil, fmt.Errorf("read weights: no feature is called %q", name)
			}
			m.weights[k][at] = v
		}
	}
	return m, nil
}

// blend returns the weights for a store of mixed kind.
func (m *Model) blend(k Kind) Features {
	w := make(Features, NumFeatures)
	for i, share := range k {
		for j, v := range m.weights[i] {
			w[j] += share * v
		}
	}
	return w
}

// score returns the weighted sum of the features.
func (w Features) score(x Features) float64 {
	sum := 0.0
	for i, v := range w {
		sum += v * x[i]
	}
	return sum
}
