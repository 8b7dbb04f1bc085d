package kernel

// An equivalent is a reason why mutants of the PTX do what the PTX does, as long as the kernels are launched by their
// contract, and those mutants.
type equivalent struct {
	reason  string
	mutants []string // rule: instruction
}

// equivalents was found by running all mutants (-ptx-mutants 0) and reading the PTX around each that lived.
var equivalents = []equivalent{
	{"a grid has fewer than 2^31 threads", []string{
		`narrow product: mul.wide.u32 %rd141, %r16, %r17`,
		`32-bit add: add.s64 %rd143, %rd141, %rd142`,
		`narrow product: mul.wide.u32 %rd292, %r67, %r66`,
		`narrow product: mul.wide.u32 %rd83, %r7, %r8`,
		`32-bit add: add.s64 %rd85, %rd83, %rd84`,
		`narrow product: mul.wide.u32 %rd130, %r20, %r8`,
	}},
	{"a loop's condition is asked again inside it, or cannot be otherwise below 2^63", []string{
		`more for at least: setp.ge.u64 %p2, %rd324, %rd139`,
		`branch not taken: @%p2 bra $L__BB0_71`,
		`more for at least: setp.ge.u64 %p3, %rd324, %rd139`,
		`at least for more: setp.gt.u64 %p4, %rd324, -97`,
		`and for or: or.pred %p5, %p3, %p4`,
		`branch not taken: @%p5 bra $L__BB0_70`,
		`at most for less: setp.lt.u64 %p57, %rd324, %rd139`,
	}},
	{"the first value is never read", []string{
		`constant one more: mov.u16 %rs17, 0`,
		`constant one more: mov.u32 %r76, 0`,
		`constant one more: mov.u64 %rd355, 0`,
		`constant one more: mov.u64 %rd354, 1`,
	}},
	{"short and long division give the same quotient", []string{
		`or for and: and.b64 %rd166, %rd165, -4294967296`,
		`branch not taken: @%p9 bra $L__BB0_9`,
		`or for and: and.b64 %rd173, %rd172, -4294967296`,
		`branch not taken: @%p11 bra $L__BB0_13`,
		`or for and: and.b64 %rd251, %rd100, -4294967296`,
		`branch not taken: @%p46 bra $L__BB0_56`,
		`or for and: and.b64 %rd228, %rd86, -4294967296`,
		`branch not taken: @%p36 bra $L__BB0_37`,
		`or for and: and.b64 %rd289, %rd114, -4294967296`,
		`branch not taken: @%p53 bra $L__BB0_65`,
	}},
	{"at most 8 axes, 4 steps of a tile", []string{
		`narrow product: mul.wide.u32 %rd170, %r28, 8`,
		`narrow product: mul.wide.u32 %rd185, %r34, 8`,
		`narrow product: mul.wide.u32 %rd284, %r75, 512`,
	}},
	{"counters whose address is a multiple of 2^32 look like none", []string{
		`32-bit equality: setp.eq.s64 %p15, %rd192, 0`,
		`32-bit equality: setp.eq.s64 %p45, %rd382, 0`,
		`32-bit equality: setp.eq.s64 %p35, %rd382, 0`,
		`32-bit equality: setp.eq.s64 %p44, %rd382, 0`,
		`32-bit equality: setp.eq.s64 %p52, %rd382, 0`,
		`32-bit equality: setp.eq.s64 %p20, %rd23, 0`,
	}},
	{"the lowest 4 bits of addresses", []string{
		`32-bit equality: setp.eq.s64 %p16, %rd196, %rd195`,
		`32-bit equality: setp.ne.s64 %p18, %rd195, 0`,
	}},
	{"a run of 2^32 bytes or more is copied as well element by element", []string{
		`32-bit add: add.s64 %rd198, %rd195, %rd381`,
	}},
	{"a table has fewer than 2^32 entries", []string{
		`32-bit comparison: setp.ge.u64 %p7, %rd110, %rd74`,
	}},
	{"both are of one tile", []string{
		`32-bit equality: setp.eq.s64 %p22, %rd336, %rd324`,
	}},
	{"a width is 1, 2, 4, 8 or 16", []string{
		`at least for more: setp.gt.s32 %p29, %r76, 3`,
		`at least for more: setp.gt.s32 %p39, %r76, 3`,
		`32-bit field: ld.global.u64 %rd24, [%rd151+40]`,
		`at least for more: setp.gt.s32 %p8, %r6, 3`,
		`at least for more: setp.gt.u32 %p18, %r6, 7`,
	}},
	{"an element of 16 bytes is always a whole window", []string{
		`branch not taken: @%p31 bra $L__BB0_32`,
		`add for sub: sub.s64 %rd220, %rd368, %rd383`,
		`32-bit add: add.s64 %rd221, %rd220, %rd384`,
		`sub for add: add.s64 %rd221, %rd220, %rd384`,
		`store left out: st.v4.u32 [%rd368], {%r36, %r37, %r38, %r39}`,
	}},
	{"only asks whether a window ends at 2^64", []string{
		`add for sub: sub.s64 %rd306, %rd336, %rd388`,
		`shifted by one more: shl.b64 %rd304, %rd306, 4`,
		`32-bit add: add.s64 %rd303, %rd304, %rd305`,
		`sub for add: add.s64 %rd303, %rd304, %rd305`,
		`branch not taken: @%p47 bra $L__BB0_60`,
		`branch not taken: @%p54 bra $L__BB0_69`,
	}},
	{"only asks whether there is a shard yet: its address is never a multiple of 2^32 here", []string{
		`32-bit equality: setp.eq.s64 %p3, %rd152, 0`,
		`32-bit equality: setp.eq.s64 %p33, %rd152, 0`,
		`32-bit add: add.s64 %rd152, %rd73, %rd109`,
		`sub for add: add.s64 %rd152, %rd73, %rd109`,
	}},
	{"a thread tallies fewer than 2^32 elements", []string{
		`32-bit equality: setp.eq.s64 %p4, %rd149, %rd95`,
		`32-bit add: add.s64 %rd149, %rd149, %rd128`,
		`32-bit add: add.s64 %rd148, %rd148, %rd129`,
		`32-bit add: add.s64 %rd147, %rd147, 1`,
		`32-bit equality: setp.eq.s64 %p34, %rd149, %rd133`,
	}},
	{"a thread's first wrong item is the least: items rise", []string{
		`32-bit comparison: setp.gt.u64 %p30, %rd150, %rd139`,
		`at least for more: setp.gt.u64 %p30, %rd150, %rd139`,
	}},
	{"zeros are added", []string{
		`branch not taken: @%p4 bra $L__BB1_6`,
	}},
}
