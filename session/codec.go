package session

import (
	"bytes"
	"encoding/json"
	"fmt"

	"wake/domain"
)

// ReducerVersion is the version of the rules of [Fold]. A snapshot made with another
// version is not used; the log is folded again instead (I10).
const ReducerVersion = 1

// Snapshot encodes a state for storage. Equal states give equal bytes, because struct
// fields are encoded in a fixed order.
func Snapshot(sessionID string, s *State) (domain.StateSnapshot, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return domain.StateSnapshot{}, err
	}
	snap := domain.StateSnapshot{SessionID: sessionID, Seq: s.LastSeq, Version: ReducerVersion, State: data}
	snap.Checksum = checksum(snap)
	return snap, nil
}

// Open decodes a stored state. It returns an Invalid error if the snapshot is damaged
// or was made with another version of the rules.
func Open(snap domain.StateSnapshot) (State, error) {
	if snap.Version != ReducerVersion {
		return State{}, domain.Invalid("the snapshot at %d was made by version %d of the rules; this is version %d",
			snap.Seq, snap.Version, ReducerVersion)
	}
	if snap.Checksum != checksum(snap) {
		return State{}, domain.Invalid("the snapshot at %d does not match its checksum", snap.Seq)
	}
	return decodeState(snap.State, snap.Seq)
}

// decodeState decodes a state and checks that it is at seq.
func decodeState(data []byte, seq int64) (State, error) {
	var s State
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return State{}, domain.Invalid("the state at %d cannot be read: %v", seq, err)
	}
	if s.LastSeq != seq || len(s.Timeline) == 0 || s.Epoch < 1 {
		return State{}, domain.Invalid("the state says it stands at %d, not at %d", s.LastSeq, seq)
	}
	return s, nil
}

func checksum(snap domain.StateSnapshot) string {
	head := fmt.Sprintf("%s %d %d\n", snap.SessionID, snap.Seq, snap.Version)
	return domain.HashBytes(append([]byte(head), snap.State...))
}
