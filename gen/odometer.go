package gen

// Every runs a function once for every combination of the choices that it makes, the simplest first, until
// the function returns false. What a run chooses from may depend on what it chose before, and on nothing
// else.
func Every(run func(Choose) bool) {
	var wheels odometer
	for more := true; more; more = wheels.advance() {
		wheels.position = 0
		if !run(wheels.choose) {
			return
		}
	}
}

// An odometer holds the choices of one run, the first choice on the slowest wheel.
type odometer struct {
	wheels   []wheel
	position int // of the next choice of this run
}

type wheel struct{ value, last int64 }

func (o *odometer) choose(label string, lo, hi int64) int64 {
	if hi < lo {
		panicEmptyRange(label)
	}
	if o.position == len(o.wheels) {
		o.wheels = append(o.wheels, wheel{last: hi - lo})
	}
	chosen := o.wheels[o.position]
	if chosen.last != hi-lo {
		panic("gen: a run through every choice met another range for " + label)
	}
	o.position++
	return lo + chosen.value
}

// advance turns to the next combination. It is false after the last one.
func (o *odometer) advance() bool {
	o.wheels = o.wheels[:o.position]
	for len(o.wheels) > 0 {
		fastest := &o.wheels[len(o.wheels)-1]
		if fastest.value < fastest.last {
			fastest.value++
			return true
		}
		o.wheels = o.wheels[:len(o.wheels)-1]
	}
	return false
}
