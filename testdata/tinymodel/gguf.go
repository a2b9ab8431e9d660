package tinymodel

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// The numbers of the GGUF format that are used here.
const (
	ggufVersion = 3
	ggufAlign   = 32
	tensorF32   = 0

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9
)

// pair is one entry of a file's metadata.
type pair struct {
	key   string
	value any
}

// tensor is a named array of weights. The first of its dimensions runs fastest.
type tensor struct {
	name string
	dims []int
	data []float32
}

// file writes a model file. It panics on a mistake in this package: sizes that do not fit.
func file(meta []pair, tensors []tensor) []byte {
	var w writer
	w.WriteString("GGUF")
	w.number(uint32(ggufVersion))
	w.number(uint64(len(tensors)))
	w.number(uint64(len(meta)))
	for _, p := range meta {
		w.text(p.key)
		w.value(p.value)
	}
	offset := 0
	for _, t := range tensors {
		w.header(t, offset)
		offset += (4*len(t.data) + ggufAlign - 1) / ggufAlign * ggufAlign
	}
	w.pad()
	for _, t := range tensors {
		w.number(t.data)
		w.pad()
	}
	return w.Bytes()
}

type writer struct{ bytes.Buffer }

// number writes a number, or a slice of them, in little endian.
func (w *writer) number(v any) {
	if err := binary.Write(w, binary.LittleEndian, v); err != nil {
		panic(err)
	}
}

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.WriteString(s)
}

func (w *writer) pad() {
	for w.Len()%ggufAlign != 0 {
		w.WriteByte(0)
	}
}

func (w *writer) header(t tensor, offset int) {
	size := 1
	w.text(t.name)
	w.number(uint32(len(t.dims)))
	for _, d := range t.dims {
		size *= d
		w.number(uint64(d))
	}
	if size != len(t.data) {
		panic(fmt.Sprintf("tinymodel: %s has %d weights for %v", t.name, len(t.data), t.dims))
	}
	w.number(uint32(tensorF32))
	w.number(uint64(offset))
}

// value writes a value behind the number of its type.
func (w *writer) value(v any) {
	switch v := v.(type) {
	case uint32:
		w.number([]uint32{typeUint32, v})
	case float32:
		w.number(uint32(typeFloat32))
		w.number(v)
	case bool:
		w.number(uint32(typeBool))
		w.number(v)
	case string:
		w.number(uint32(typeString))
		w.text(v)
	case []string:
		w.array(typeString, len(v))
		for _, s := range v {
			w.text(s)
		}
	case []int32:
		w.array(typeInt32, len(v))
		w.number(v)
	case []float32:
		w.array(typeFloat32, len(v))
		w.number(v)
	default:
		panic(fmt.Sprintf("tinymodel: no GGUF type for %T", v))
	}
}

func (w *writer) array(element uint32, length int) {
	w.number([]uint32{typeArray, element})
	w.number(uint64(length))
}
