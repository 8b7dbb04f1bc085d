//go:build !cuda

package gpucheck

func openCUDA() (*Machine, error) {
	return nil, &NoDevice{"this binary is built without cuda, see make gpu"}
}
