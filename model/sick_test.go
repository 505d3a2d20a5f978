package model

import (
	"cmp"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sickFloat32 is what the float32 original reaches on SICK in ONNX Runtime
// (tools/encoder/reference.py sick).
const sickFloat32 = 0.7869

// TestSICK measures relatedness on SICK, which is not part of the repository:
// DAYBOOK_SICK names SICK.txt.
func TestSICK(t *testing.T) {
	path := os.Getenv("DAYBOOK_SICK")
	if path == "" {
		t.Skip("NOT MEASURED: set DAYBOOK_SICK=path/to/SICK.txt to check the encoder's relatedness")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	var want []float64
	for _, line := range strings.Split(string(data), "\n")[1:] {
		cell := strings.Split(line, "\t")
		if len(cell) < 5 {
			continue
		}
		score, err := strconv.ParseFloat(cell[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		texts, want = append(texts, cell[1], cell[2]), append(want, score)
	}
	v := encode(t, embedded(t), texts...)
	got := make([]float64, len(want))
	for i := range got {
		got[i] = cosine(v.Row(2*i), v.Row(2*i+1))
	}
	rho := correlation(ranks(got), ranks(want))
	t.Logf("SICK: Spearman %.4f over %d pairs, float32 %.4f", rho, len(want), sickFloat32)
	if rho < 0.76 || math.Abs(rho-sickFloat32) > 0.005 {
		t.Errorf("SICK: Spearman %.4f, want 0.76 and within 0.005 of %.4f", rho, sickFloat32)
	}
}

// ranks gives tied values their mean rank.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	out := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			out[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return out
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma, mb = ma+a[i]/float64(len(a)), mb+b[i]/float64(len(b))
	}
	for i := range a {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
