package kernel

const (
	tileRows = 16 // of one AMX tile
	tileK    = 64 // bytes of one row of a tile
)

// tileConfigs says, by rows of the product, how tall the tiles of mulTiles are.
var tileConfigs = configureTiles()

func configureTiles() (configs [2*tileRows + 1][64]uint8) {
	for rows := range configs {
		first, second := rows, 0
		if rows > tileRows {
			first, second = (rows+1)/2, rows/2
		}
		c := &configs[rows]
		c[0] = 1 // the only palette there is
		for tile, height := range []int{first, first, second, second, first, second, tileRows, tileRows} {
			if height > 0 {
				c[16+2*tile], c[48+tile] = tileK, uint8(height)
			}
		}
	}
	return configs
}

// mulInTiles is MulI8Columns for weights whose K is a multiple of tileK. The
// caller has checked the bounds. A block of rows goes over all columns at once:
// setting the tiles up costs more than reading the weights again, from the
// cache.
func (s *Set) mulInTiles(dst Matrix, a *Quantised, w *Weights, from, to int) {
	for i := 0; i < a.Rows; {
		r := rowBlock(a.Rows-i, 2*tileRows)
		s.mulTiles[(r-1)/tileRows]((to-from)/32, w.K/tileK, &a.Data[i*a.K], a.K, &w.Data[from*w.K], &dst.Data[i*dst.Stride+from], dst.Stride*4,
			&tileConfigs[r], &w.Scale[from], &w.Sum[from], &w.Bias[from], &a.Scale[i], &a.Low[i], r)
		i += r
	}
}
