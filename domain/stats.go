package domain

import "time"

// Place is a folder on a machine.
type Place struct {
	Machine string // host name
	Path    string // absolute
}

// Project is a name under which contexts and sessions are grouped. Path is the folder that
// last claimed it, "" if none did.
type Project struct {
	Name     string    `json:"name"`
	Path     string    `json:"path,omitempty"`
	Contexts int64     `json:"contexts"`
	Newest   time.Time `json:"newest,omitzero"`
}

// CausalityStats are statistics on the causality of a project's contexts.
type CausalityStats struct {
	ByAction     map[ActionType]int64 `json:"by_action"`
	WithCause    int64                `json:"with_causality"`
	Roots        int64                `json:"roots"`
	Links        map[LinkKind]int64   `json:"links"` // live ones
	AutoLinks    int64                `json:"auto_links"`
	LostParents  int64                `json:"lost_parents"` // causes that were forgotten, or are not in the store
	AverageDepth float64              `json:"average_chain_length"`
	LongestDepth int64                `json:"longest_chain_length"`
}

// PredictionStats are statistics on the predictions of a project.
type PredictionStats struct {
	Predicted    int64            `json:"predicted"`
	AverageScore float64          `json:"average_score"`
	Reasons      map[string]int64 `json:"reasons"`
	Pending      int64            `json:"pending"` // predictions whose horizon is not over
	Settled      int64            `json:"settled"`
	Hits         int64            `json:"hits"`       // settled predictions that came true
	Brier        float64          `json:"brier"`      // mean squared error of the settled probabilities
	BrierBase    float64          `json:"brier_base"` // the same if the base rate had always been predicted
	LastRefresh  time.Time        `json:"last_refresh,omitzero"`
}

// Counts is how much a project, or the whole store, has.
type Counts struct {
	Contexts  int64     // live ones
	Forgotten int64     // those that can still be brought back
	WithCause int64     // live ones with causality
	Newest    time.Time // of the live ones
}

// Stats are statistics on a project, or on the whole store.
type Stats struct {
	Project    string           `json:"project,omitempty"`
	Contexts   int64            `json:"contexts"`
	Pinned     int64            `json:"pinned"`
	Superseded int64            `json:"superseded"`
	Forgotten  int64            `json:"forgotten"` // those that can still be brought back
	Tiers      map[Tier]int64   `json:"tiers"`
	Idle       int64            `json:"-"` // expired ones that were also stored that long ago, not just imported
	Accesses   map[How]int64    `json:"accesses"`
	Causality  CausalityStats   `json:"causality"`
	Prediction PredictionStats  `json:"prediction"`
	Summaries  map[string]int64 `json:"summaries"`        // contexts by who wrote the summary
	Queued     int64            `json:"summaries_queued"` // waiting for the model
	Bytes      map[string]int64 `json:"bytes"`            // by kind of data; "file" is the whole database
	Oldest     time.Time        `json:"oldest,omitzero"`
	Newest     time.Time        `json:"newest,omitzero"`
}
