package main

import (
	"math"
	"testing"
	"testing/fstest"
)

// The least limit counts, of whatever version the control groups are, and also where a
// container does not see the group by its name.
func TestGroupLimit(t *testing.T) {
	const second, first = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"none":         {nil, math.MaxInt64},
		"unlimited":    {map[string]string{"proc/self/cgroup": "0::/a\n", second + "a/memory.max": "max\n"}, math.MaxInt64},
		"own":          {map[string]string{"proc/self/cgroup": "0::/a/b\n", second + "a/b/memory.max": "1000\n"}, 1000},
		"around it":    {map[string]string{"proc/self/cgroup": "0::/a/b\n", second + "a/b/memory.max": "1000\n", second + "a/memory.max": "900\n"}, 900},
		"container":    {map[string]string{"proc/self/cgroup": "0::/\n", second + "memory.max": "1000\n"}, 1000},
		"version 1":    {map[string]string{"proc/self/cgroup": "5:cpu,memory:/a\n4:pids:/b\n0::/\n", first + "a/memory.limit_in_bytes": "1000\n"}, 1000},
		"other name":   {map[string]string{"proc/self/cgroup": "5:memory:/docker/a\n", first + "memory.limit_in_bytes": "1000\n"}, 1000},
		"above itself": {map[string]string{"proc/self/cgroup": "0::/../x\n", second + "memory.max": "1000\n"}, 1000},
		"nonsense":     {map[string]string{"proc/self/cgroup": "x\n0::/\n", second + "memory.max": "much\n"}, math.MaxInt64},
	} {
		root := fstest.MapFS{}
		for file, text := range c.files {
			root[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := groupLimit(root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
