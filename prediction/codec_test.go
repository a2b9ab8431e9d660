package prediction_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"testing"

	"wake/prediction"
)

// A damaged state is refused with the remedy, and leaves the model as it was.
func TestDamagedState(t *testing.T) {
	m, rows := learned(t, story(1, 60, 20))
	good, _ := m.MarshalBinary()
	for name, bad := range map[string][]byte{
		"empty":           nil,
		"cut":             good[:len(good)/2],
		"one bit":         flip(good, len(good)/3),
		"another version": flip(good, 0),
		"too long":        append(append([]byte{}, good...), 0),
	} {
		if err := m.UnmarshalBinary(bad); !errors.Is(err, prediction.ErrState) {
			t.Errorf("%s: error %v", name, err)
		}
		if again, _ := m.MarshalBinary(); string(again) != string(good) {
			t.Errorf("%s: the model changed", name)
		}
		var it prediction.Item
		if err := it.UnmarshalBinary(bad); !errors.Is(err, prediction.ErrState) {
			t.Errorf("%s as a row: error %v", name, err)
		}
	}
	_ = rows
}

func flip(b []byte, at int) []byte {
	c := append([]byte{}, b...)
	c[at] ^= 4
	return c
}

// No bytes whatever make reading a state panic, and what can be read can be asked.
func FuzzUnmarshal(f *testing.F) {
	m, rows := learned(f, story(1, 40, 20))
	good, _ := m.MarshalBinary()
	row, _ := rows[1].MarshalBinary()
	f.Add(good[1 : len(good)-4])
	f.Add(row[1 : len(row)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed := append([]byte{good[0]}, body...)
		sealed = binary.LittleEndian.AppendUint32(sealed, crc32.ChecksumIEEE(sealed))
		var it prediction.Item
		if err := it.UnmarshalBinary(sealed); err == nil {
			it.History.Activation(1<<40, prediction.Decay)
		}
		fresh := prediction.NewModel()
		if err := fresh.UnmarshalBinary(sealed); err == nil {
			if _, err := fresh.Predict(prediction.Query{Now: noon}, rows); err != nil {
				t.Error(err)
			}
		}
	})
}
