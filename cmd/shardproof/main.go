// Command shardproof judges planners of sharded tensor transfers: it fuzzes them with random layouts, checks
// them on saved cases, and shrinks, shows and replays what it finds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/shardproof/shardproof/plan/external"
	"github.com/shardproof/shardproof/props/report"
)

// A command is one subcommand: a row of the table that the dispatch, the overview and the tests follow.
type command struct {
	name    string
	summary string // one line
	usage   string // what follows the name
	example string // a command line that works in an empty folder
	run     func(ctx context.Context, c *call) (status int, err error)
}

// commands lists the subcommands in the order in which a newcomer meets them.
func commands() []command {
	return []command{
		fuzzCommand, checkCommand, auditCommand, showCommand, reduceCommand, planCommand, layoutCommand, mutantsCommand,
		tableCommand, gpuCommand, plannerCommand, doctorCommand, schemaCommand,
	}
}

// A call is one run of a subcommand: its arguments, its flags and its streams.
type call struct {
	flags          *flag.FlagSet
	arguments      []string
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
	planner        *plannerFlags // of a command that takes a planner
}

// parse reads the flags, which may stand before, between and after the other arguments, and returns those.
func (c *call) parse() ([]string, error) {
	var others []string
	for rest := c.arguments; ; rest = c.flags.Args()[1:] {
		if err := c.flags.Parse(rest); err != nil {
			return nil, err
		}
		if c.flags.NArg() == 0 {
			if c.planner != nil && c.planner.command == parentPlanner {
				c.stdout = c.stderr
			}
			return others, nil
		}
		others = append(others, c.flags.Arg(0))
	}
}

// parseNone is parse where no arguments may follow the flags.
func (c *call) parseNone() error {
	rest, err := c.parse()
	if err == nil && len(rest) > 0 {
		return fmt.Errorf("unexpected argument %q", rest[0])
	}
	return err
}

func main() {
	// A case of real weights takes half a gigabyte for a moment. Past the limit it is collected as often as it must be,
	// before the next one comes.
	debug.SetMemoryLimit(1 << 30)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main with everything that it touches given to it; it returns the exit status.
func run(ctx context.Context, arguments []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(arguments) == 0 {
		overview(stderr)
		return report.StatusUsage
	}
	name := arguments[0]
	if name == "-h" || name == "--help" || name == "help" {
		overview(stdout)
		return report.StatusPassed
	}
	for _, command := range commands() {
		if command.name == name {
			return runCommand(ctx, command, &call{arguments: arguments[1:], stdin: stdin, stdout: stdout, stderr: stderr})
		}
	}
	fmt.Fprintf(stderr, "shardproof: no command %q; shardproof -h lists them\n", name)
	return report.StatusUsage
}

func runCommand(ctx context.Context, command command, c *call) int {
	c.flags = flag.NewFlagSet(command.name, flag.ContinueOnError)
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.json, "json", false, "print records, one JSON object a line")
	status, err := command.run(ctx, c)
	var unable *cannotRun
	var start *external.StartError
	switch {
	case errors.Is(err, flag.ErrHelp):
		help(c.stdout, command, c.flags)
		return report.StatusPassed
	case errors.As(err, &unable), errors.As(err, &start):
		fmt.Fprintf(c.stderr, "shardproof %s: %v\n", command.name, err)
		return report.StatusCannotRun
	case err != nil && ctx.Err() != nil:
		fmt.Fprintf(c.stderr, "shardproof %s: interrupted\n", command.name)
		return report.StatusInterrupted
	case err != nil:
		fmt.Fprintf(c.stderr, "shardproof %s: %s\n", command.name, oneLine(err.Error()))
		return report.StatusUsage
	}
	return status
}

// A cannotRun is a planner that failed in a way that is no finding: it could not be run.
type cannotRun struct{ error }

// writer writes verdicts in the form that the flags ask for.
func (c *call) writer() report.Writer {
	name := "text"
	if c.json {
		name = "json"
	}
	format, _ := report.FormatOf(name)
	return format.New(c.stdout)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func overview(w io.Writer) {
	fmt.Fprint(w, "shardproof judges planners that move sharded tensors between layouts.\n\n")
	for _, command := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", command.name, command.summary)
	}
	fmt.Fprint(w, "\nshardproof COMMAND -h tells more of a command.\n\n"+
		"Exit status: 0 nothing broken, 1 something broken, 2 bad usage or unreadable input, 3 the planner or\n"+
		"the device could not be run, 4 nothing can be concluded, 130 interrupted.\n")
}

func help(w io.Writer, command command, flags *flag.FlagSet) {
	fmt.Fprintf(w, "usage: shardproof %s %s\n\n%s.\n\n", command.name, command.usage, command.summary)
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		fmt.Fprintf(w, "  --%s\n        %s", strings.TrimSpace(f.Name+" "+value), usage)
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
			fmt.Fprintf(w, " (default %s)", f.DefValue)
		}
		fmt.Fprintln(w)
	})
	fmt.Fprintf(w, "\nexample:\n  %s\n", command.example)
}
