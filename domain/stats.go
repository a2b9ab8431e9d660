package domain

import "time"

// Place is where a folder is.
type Place struct {
	Machine string // its host name
	Path    string // absolute
}

// Project is a name contexts are grouped under, with the folder that claimed it last
// ("" when none did).
type Project struct {
	Name     string    `json:"name"`
	Path     string    `json:"path,omitempty"`
	Contexts int64     `json:"contexts"`
	Newest   time.Time `json:"newest,omitzero"`
}

// CausalityStats counts the past layer over a whole project.
type CausalityStats struct {
	ByAction     map[ActionType]int64 `json:"by_action"`
	WithCause    int64                `json:"with_causality"`
	Roots        int64                `json:"roots"`
	Links        map[LinkKind]int64   `json:"links"` // live ones
	AutoLinks    int64                `json:"auto_links"`
	LostParents  int64                `json:"lost_parents"` // links whose target the store does not hold
	AverageDepth float64              `json:"average_chain_length"`
	LongestDepth int64                `json:"longest_chain_length"`
}

// PredictionStats counts the future layer over a whole project.
type PredictionStats struct {
	Predicted    int64            `json:"predicted"`
	AverageScore float64          `json:"average_score"`
	Reasons      map[string]int64 `json:"reasons"`
	Pending      int64            `json:"pending"` // predictions whose horizon has not passed
	Settled      int64            `json:"settled"`
	Hits         int64            `json:"hits"`       // settled and used in time
	Brier        float64          `json:"brier"`      // mean squared error of the settled probabilities
	BrierBase    float64          `json:"brier_base"` // the same for always saying the base rate
	LastRefresh  time.Time        `json:"last_refresh,omitzero"`
}

// Counts says how much a project, or the whole store, holds.
type Counts struct {
	Contexts  int64     // live ones
	Forgotten int64     // can still be brought back
	WithCause int64     // live ones that say why they exist
	Newest    time.Time // of the live ones
}

// Stats is the state of a project, or of the whole store.
type Stats struct {
	Project    string           `json:"project,omitempty"`
	Contexts   int64            `json:"contexts"`
	Pinned     int64            `json:"pinned"`
	Superseded int64            `json:"superseded"`
	Forgotten  int64            `json:"forgotten"` // can still be brought back
	Tiers      map[Tier]int64   `json:"tiers"`
	Idle       int64            `json:"-"` // expired, and stored for as long: what was imported just now is not
	Accesses   map[How]int64    `json:"accesses"`
	Causality  CausalityStats   `json:"causality"`
	Prediction PredictionStats  `json:"prediction"`
	Summaries  map[string]int64 `json:"summaries"`        // contexts by who wrote the summary
	Queued     int64            `json:"summaries_queued"` // waiting for the model
	Bytes      map[string]int64 `json:"bytes"`            // by kind of data; "file" is the whole database
	Oldest     time.Time        `json:"oldest,omitzero"`
	Newest     time.Time        `json:"newest,omitzero"`
}
