package recall

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"unsafe"

	"wake/domain"
)

// documentFormat is the first byte of an encoded document. It includes the version of
// the analysis, because another analysis makes another document.
const documentFormat = 0x20 + AnalysisVersion

// ErrIndex says that a document or another part of the index is damaged, or was made by
// another version of the analysis.
var ErrIndex = domain.Unavailable("the search index cannot be read: a part of it is damaged, or was made by another version of wake; " +
	"run wake doctor --repair, which rebuilds it from what is saved")

// Encode returns the document as bytes. They do not contain its number, which may be
// unknown until the row that holds them is written.
func (d *Document) Encode() []byte {
	d = d.standalone()
	b := make([]byte, 0, 64+8*len(d.In.terms)+len(d.Seq))
	b = append(b, documentFormat, byte(d.Role)<<1|bit(d.Asks))
	b = binary.AppendUvarint(b, uint64(d.Prev))
	b = binary.LittleEndian.AppendUint64(b, d.Stream)
	b = binary.AppendVarint(b, d.Time)
	b = appendString(b, d.Project)
	b = appendStrings(b, d.Speaker)
	b = appendStrings(b, d.In.terms)
	b = appendNumbers(b, d.Seq)
	b = appendNumbers(b, d.Wholes)
	b = binary.AppendUvarint(b, uint64(len(d.Passages)))
	from := uint32(0)
	for _, p := range d.Passages {
		b = binary.AppendUvarint(b, uint64(p.End-from))
		b = append(b, byte(p.Marks))
		from = p.End
	}
	return b
}

// DecodeDocument decodes what [Document.Encode] wrote for document n.
func DecodeDocument(n int64, data []byte) (*Document, error) {
	d, terms, err := decode(n, string(data), nil)
	if err != nil {
		return nil, err
	}
	d.In = &Vocabulary{terms: terms}
	return d, nil
}

// decodeScratch holds the words of a document while it is being decoded.
type decodeScratch struct {
	terms []string
	ids   []uint32
}

var decodeScratches = sync.Pool{New: func() any { return new(decodeScratch) }}

// Decode is [DecodeDocument] for a document that shares the vocabulary. It keeps no
// reference to data.
func (v *Vocabulary) Decode(n int64, data []byte) (*Document, error) {
	room := decodeScratches.Get().(*decodeScratch)
	defer decodeScratches.Put(room)
	d, terms, err := decode(n, unsafe.String(unsafe.SliceData(data), len(data)), room.terms[:0])
	if err != nil {
		return nil, err
	}
	ids := slices.Grow(room.ids[:0], len(terms))[:len(terms)]
	clear(ids)
	v.numbers(terms, ids)
	room.terms, room.ids = terms, ids
	for i, at := range d.Seq {
		d.Seq[i] = ids[at]
	}
	for i, at := range d.Wholes {
		d.Wholes[i] = ids[at]
	}
	d.In, d.Project = v, v.intern(d.Project)
	for i, s := range d.Speaker {
		d.Speaker[i] = v.intern(s)
	}
	return d, nil
}

// decode decodes a document except its vocabulary; its terms are put into room.
func decode(n int64, data string, room []string) (d *Document, terms []string, err error) {
	if len(data) < 2 || data[0] != documentFormat {
		return nil, nil, ErrIndex
	}
	r := reader{all: data, at: 2}
	d = &Document{N: n, Role: Role(data[1] >> 1), Asks: data[1]&1 == 1}
	d.Prev = int64(r.number())
	d.Stream = r.fixed()
	d.Time = unzigzag(r.number())
	d.Project = r.string()
	d.Speaker = r.strings(nil)
	terms = r.strings(room)
	d.Seq = r.places(len(terms))
	d.Wholes = r.places(len(terms))
	d.Passages = r.passages(len(d.Seq))
	if r.bad || r.at != len(data) {
		return nil, nil, ErrIndex
	}
	return d, terms, nil
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendNumbers(b []byte, list []uint32) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, v := range list {
		b = binary.AppendUvarint(b, uint64(v))
	}
	return b
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// reader reads values from a string; what it returns shares the string's memory. After
// the first error it returns zeros and bad stays set.
type reader struct {
	all string
	at  int
	bad bool
}

func (r *reader) number() uint64 {
	var v uint64
	for shift := 0; r.at < len(r.all) && shift < 64; shift += 7 {
		c := r.all[r.at]
		r.at++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.bad = true
	return 0
}

// count reads a length, which cannot exceed the number of bytes left.
func (r *reader) count() int {
	n := r.number()
	if n > uint64(len(r.all)-r.at) {
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *reader) fixed() uint64 {
	if len(r.all)-r.at < 8 {
		r.bad = true
		return 0
	}
	v := binary.LittleEndian.Uint64([]byte(r.all[r.at : r.at+8]))
	r.at += 8
	return v
}

func (r *reader) string() string {
	n := r.count()
	s := r.all[r.at : r.at+n]
	r.at += n
	return s
}

func (r *reader) strings(room []string) []string {
	n := r.count()
	if cap(room) < n || room == nil {
		room = make([]string, n)
	}
	out := room[:n]
	for i := range out {
		out[i] = r.string()
	}
	return out
}

func (r *reader) places(limit int) []uint32 {
	out := make([]uint32, r.count())
	for i := range out {
		v := r.number()
		if v >= uint64(limit) || v > math.MaxUint32 {
			r.bad = true
			return nil
		}
		out[i] = uint32(v)
	}
	return out
}

func (r *reader) passages(limit int) []Passage {
	out := make([]Passage, r.count())
	end := uint64(0)
	for i := range out {
		n := r.number()
		if n > uint64(limit)-end || r.at >= len(r.all) {
			r.bad = true
			return nil
		}
		end += n
		out[i] = Passage{uint32(end), Marks(r.all[r.at])}
		r.at++
	}
	return out
}
