package prediction

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"reflect"
)

// stateVersion is raised whenever the meaning of the stored state changes. An older state is then refused,
// and the model is rebuilt from the log.
const stateVersion = 9

// ErrState is returned for a state that cannot be read: damaged, truncated, or written by another version.
// The remedy is always the same: start with [NewModel] and process the log from its beginning.
var ErrState = errors.New("stored prediction state cannot be read; recalculate predictions")

// MarshalBinary returns the exact state of the model: a version, the fields in order, a checksum.
func (m *Model) MarshalBinary() ([]byte, error) { return seal(m.fields()...), nil }

// UnmarshalBinary reads what [Model.MarshalBinary] wrote. Errors wrap [ErrState] and leave the model
// unchanged.
func (m *Model) UnmarshalBinary(data []byte) error {
	fresh := NewModel()
	if err := unseal(data, fresh.fields()...); err != nil {
		return err
	}
	*m = *fresh
	return nil
}

func (m *Model) fields() []any {
	return []any{&m.Watermark, &m.Now, &m.Steps, &m.Alive, &m.Sessions, &m.recency, &m.ensemble, &m.foresight, &m.Record}
}

// MarshalBinary returns the row of the item, well under two kilobytes.
func (it *Item) MarshalBinary() ([]byte, error) { return seal(it), nil }

// UnmarshalBinary reads what [Item.MarshalBinary] wrote; errors wrap [ErrState].
func (it *Item) UnmarshalBinary(data []byte) error {
	var fresh Item
	if err := unseal(data, &fresh); err != nil {
		return err
	}
	if fresh.History.Count < 0 {
		return fmt.Errorf("%w: an item with %d accesses", ErrState, fresh.History.Count)
	}
	*it = fresh
	return nil
}

// seal writes a version, the values behind the pointers, and a checksum.
func seal(pointers ...any) []byte {
	b := []byte{stateVersion}
	for _, p := range pointers {
		b = appendValue(b, reflect.ValueOf(p).Elem())
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func unseal(data []byte, pointers ...any) error {
	if len(data) < 5 || data[0] != stateVersion {
		return fmt.Errorf("%w: not of version %d", ErrState, stateVersion)
	}
	body, sum := data[:len(data)-4], binary.LittleEndian.Uint32(data[len(data)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return fmt.Errorf("%w: checksum differs", ErrState)
	}
	r := reader{rest: body[1:]}
	for _, p := range pointers {
		r.value(reflect.ValueOf(p).Elem())
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail("%d bytes too many", len(r.rest))
	}
	return r.err
}

// appendValue encodes structs and arrays element by element, lists after their length, integers as varints,
// and floats as their bits.
func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		return appendValue(b, v.Elem())
	case reflect.Struct:
		for k := range v.NumField() {
			b = appendValue(b, v.Field(k))
		}
		return b
	case reflect.Slice:
		b = binary.AppendUvarint(b, uint64(v.Len()))
		fallthrough
	case reflect.Array:
		for k := range v.Len() {
			b = appendValue(b, v.Index(k))
		}
		return b
	case reflect.Bool:
		return append(b, byte(flag(v.Bool())))
	case reflect.Int, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float32:
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	}
	panic("prediction: state of kind " + v.Kind().String()) // a field type that the codec does not support, which every test would find
}

// reader reads values from bytes. After the first error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: "+format, append([]any{ErrState}, args...)...)
	}
	r.rest = nil
}

func (r *reader) value(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		r.value(v.Elem())
	case reflect.Struct:
		for k := range v.NumField() {
			r.value(v.Field(k))
		}
	case reflect.Slice:
		r.list(v)
	case reflect.Array:
		for k := range v.Len() {
			r.value(v.Index(k))
		}
	case reflect.Bool:
		v.SetBool(r.take(1)[0] != 0)
	case reflect.Int, reflect.Int64:
		n, size := binary.Varint(r.rest)
		r.skip(size)
		v.SetInt(n)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(r.uvarint())
	case reflect.Float32:
		r.float(v, float64(math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))))
	case reflect.Float64:
		r.float(v, math.Float64frombits(binary.LittleEndian.Uint64(r.take(8))))
	}
}

// list reads a list. Each element takes at least one byte, so a damaged length cannot allocate more than
// there is.
func (r *reader) list(v reflect.Value) {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.fail("a list of %d elements in %d bytes", n, len(r.rest))
		return
	}
	if n == 0 {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
	for k := range int(n) {
		r.value(v.Index(k))
	}
}

func (r *reader) float(v reflect.Value, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		r.fail("a number that is none")
		return
	}
	v.SetFloat(f)
}

func (r *reader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	r.skip(size)
	return n
}

func (r *reader) skip(size int) {
	if size <= 0 {
		r.fail("cut in a number")
		return
	}
	r.rest = r.rest[size:]
}

// take returns the next n bytes, or zeros if they are missing.
func (r *reader) take(n int) []byte {
	if len(r.rest) < n {
		r.fail("cut")
		return make([]byte, n)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}
