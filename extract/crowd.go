package extract

// crowdSize is how many of the cohort tell how crowded a statement's surroundings
// are.
const crowdSize = 12

// Crowd is the mean likeness of a variable to the nearest of the cohort, which are
// things that people say and that state nothing: how alike it is to anything.
func Crowd(variable []float32) float64 {
	var top [crowdSize]float64
	for i := range top {
		top[i] = -1
	}
	j := fitted()
	for i := range j.Cohort {
		s := Likeness(variable, j.Cohort[i][:])
		for k := 0; k < crowdSize && s > top[crowdSize-1]; k++ {
			if s > top[k] {
				copy(top[k+1:], top[k:crowdSize-1])
				top[k] = s
				break
			}
		}
	}
	sum := 0.0
	for _, s := range top {
		sum += s
	}
	return sum / crowdSize
}
