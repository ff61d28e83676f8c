"""The rows of the torture suite: a promise, how it is tried, how often. Each entry is a row."""
import dataclasses
from typing import Callable

import code_cache
import device_faults
import disks
import errors
import hygiene
import kills
import locks
import made_files
import names
import old_outputs
import programs
import ranks
import restarts
import stops
import streams
import sweeps
import threads
from harness import Counts, Torture, Trial
from problems import BY_ERROR, COMPRESSED, EXACT, IMPLICIT, MASKED, ONE_FIELD, REACHING, SOLVED, THREE_AXES, TWO_FIELDS, Problem


@dataclasses.dataclass
class Row:
    name: str
    promise: str
    tried: str
    quick: int  # trials in the tests: about one for each kind of trial; more if they are forks
    full: int | None  # None: all
    trials: Callable[[Torture, int | None], list[Trial] | Counts]  # Counts: another program made the trials
    problem: Problem = ONE_FIELD


ROWS = [
    Row("kill-calls", "kill -9 loses at most one checkpoint interval, and the run goes on to the same bits",
        "SIGKILL before, in the middle of and after every call that writes", 60, None, kills.at_every_call),
    Row("kill-random", "the same at any time", "SIGKILL at random times, up to four in a chain", 4, 500,
        kills.at_random_times),
    Row("power-cuts", "a power cut: the same, and what the screen says is stored is there", "the power fails before every "
        "call that writes: what files got since their last fsync is gone, and also the names in folders", 50, None,
        kills.power_cuts),
    Row("errors", "a failing disk: path, reason and step are named, older files stay, the run goes on and tries again, "
        "nothing incomplete passes for complete, no second fsync of a file is believed",
        "ENOSPC, EDQUOT, EFBIG, EIO and EROFS at every call that writes, once and from then on", 100, None,
        errors.at_every_call),
    Row("short-writes", "a write that takes a part is no error", "half of the bytes at every write", 20, None,
        errors.short_writes),
    Row("made-files", "what other commands write and print, on a failing disk: exit code 4 with path and reason, or the "
        "whole file; an incomplete one never gets its name", "the same errors at every call that writes, and files of up "
        "to some bytes, in new, export, filter, plot, report and inspect", 40, None, made_files.at_every_call),
    Row("full-disk", "a full disk: the same, and with more room the run goes on to its end",
        "a tmpfs of 4 to 400 KiB, and one of 2 to 21 inodes, enlarged afterwards", 6, None, disks.full_disk),
    Row("file-size-limit", "a limit on the size of files: the same", "`ulimit -f` of 0 bytes to 40 KiB", 4, None,
        disks.file_size_limit),
    Row("signals", "SIGTERM, SIGINT, SIGUSR1, SIGHUP and SIGXCPU: a checkpoint, exit code 75, the same bits in the end",
        "signals at random times, up to four in a chain", 4, 200, stops.at_random_times),
    Row("signals-writing", "the same while writing; a second signal ends the run at once",
        "one and two signals during every call that writes, made slow", 6, None, stops.while_writing),
    Row("wall-limit", "`limits.wall_time`: the same", "limits of 0.05 s and more, in a loop", 1, 20, stops.wall_limit),
    Row("splits", "a restart is bit-identical", "chains of three at random steps, each part with other threads and "
        "another engine of every backend, in both precisions", 4, 200, restarts.splits),
    Row("device", "a device that fails ends a run with exit code 5; nothing of it reaches a file, and a restart works",
        "every call of the CUDA runtime and of cuFFT that a run makes, with each engine: once, and the run goes on on the "
        "device; from then on, and it goes on on the CPU where there is a checkpoint", 16, None,
        device_faults.at_every_call),
    Row("state", "a value that is not finite, an unstable step and, with `limits.verify_every`, a flipped bit end the run; "
        "nothing of them is stored, and the run goes on to the same bits",
        "NaN, infinities, flipped bits and a coefficient of 2, planted at random steps and cells of random runs of one "
        "field and of two", 16, 2000, programs.state_faults),
    Row("corruption", "a damaged checkpoint or output is never used: it is named, and an older checkpoint is",
        "bits flipped in every region, every length, blocks of 0 and 0xFF, swapped or repeated, with the seal and sealed "
        "again", 500, 100_000, programs.corruption),
    Row("headers", "a file that lies, rightly sealed, is refused or does no harm: what is accepted agrees with itself, "
        "with its config and with its name; an older checkpoint is used",
        "each dataset and attribute of checkpoints, step files and the index: other values, extents and types, none at "
        "all; digest and seal made to fit", 80, 10_000, programs.lies("headers")),
    Row("kernels", "weights from a file give results of the grid's shape, or are refused",
        "kernels of random shape and rank in every mode, on random grids", 150, 20_000, programs.lies("kernels")),
    Row("sizes", "sizes are compared before memory is taken",
        "pictures and datasets that declare up to 60,000 x 60,000 cells for a grid of 8 x 8, with 256 MiB", 60, 5000,
        programs.lies("sizes")),
    Row("allocations", "memory that runs out: exit code 5, whole files, and the run goes on to the same bits",
        "the Nth allocation fails, once and from then on, for N spread evenly, in seven commands", 2, 1000,
        programs.allocations()),
    Row("threads-allocations", "memory that runs out while three threads start and step: an end or a result, and no "
        "thread waits for ever", "the Nth allocation fails, as above, in run and resume", 2, 300,
        programs.allocations("--threads", "3", "--command", "run", "--command", "resume")),
    Row("threads", "a limit on processes: the run goes on with fewer threads, or ends before anything is created",
        "each thread of a run and of its restart cannot be started, once and from then on, with each engine", 5, None,
        threads.at_every_start),
    Row("streams", "standard streams that are closed, full or read by nobody: nothing is lost, nothing is written elsewhere",
        "every subset closed, /dev/full, pipes without a reader, in ten commands", 8, None, streams.at_every_stream),
    Row("names", "names of any bytes: a run, or a refusal before anything is touched",
        "random bytes, control characters, quotes, dashes and long names as config, run folder and setting", 5, 1000,
        names.at_random),
    Row("one-writer", "a run folder has one writer; a stale lock is no obstacle",
        "a second process while the first is in a random call that writes", 3, 50, restarts.one_writer),
    Row("delayed-lock", "what a run finds in its folder it finds under the lock: nothing is mixed, and nothing that "
        "another one has made meanwhile is removed unasked", "run, resume and auto-resume that wait for each of their "
        "locks, in front of no run, half of one and a complete one, while another run, resume or auto-resume works "
        "there", 6, None, locks.delayed_lock),
    Row("without-locks", "file systems without flock are usable, with fcntl's locks or a warning",
        "ENOLCK, ENOSYS and EOPNOTSUPP from flock, and from every lock", 4, None, locks.without_locks),
    Row("old-outputs", "an old output that is damaged or gone costs no later one, and never passes for stored: it is made "
        "again, or the exit code is 4 with its step and the command that makes it",
        "flipped bits, cut, annotated, emptied and removed files, and those of other runs and steps", 6, None,
        old_outputs.damaged),
    Row("outside", "nothing outside of the run folder is written",
        "every file that is opened for writing, renamed, removed or made", 4, None, hygiene.nothing_outside),
    Row("links", "links planted in the run folder are not followed", "files and folders replaced by links", 8, None,
        hygiene.links),
    Row("pipes", "what is no regular file is refused at once",
        "pipes, sockets and devices in the place of every file that a command reads", 15, None, hygiene.pipes),
    Row("core", "no core dump is left", "the limit of a run at work", 1, None, hygiene.no_core_dump),
    # The same with two fields: each has a formula, which is compiled during the run, and a boundary condition that depends on
    # time; also a derived output, an integral and probes.
    Row("two-fields-kill-calls", "two fields, kill -9: as of one", "SIGKILL at every call that writes", 24, None,
        kills.at_every_call, TWO_FIELDS),
    Row("two-fields-kill-random", "the same at any time, and nothing of the compiler's stays behind",
        "SIGKILL at random times, up to four in a chain", 2, 200, kills.at_random_times, TWO_FIELDS),
    Row("two-fields-errors", "two fields, a failing disk: as of one",
        "ENOSPC, EDQUOT, EFBIG, EIO and EROFS at every call that writes, once and from then on", 30, None,
        errors.at_every_call, TWO_FIELDS),
    Row("two-fields-short-writes", "two fields, a write that takes a part", "half of the bytes at every write", 6, None,
        errors.short_writes, TWO_FIELDS),
    Row("two-fields-full-disk", "two fields, a full disk", "a tmpfs of 4 to 400 KiB, and one of 2 to 21 inodes", 2, None,
        disks.full_disk, TWO_FIELDS),
    Row("two-fields-file-size-limit", "two fields, a limit on the size of files", "`ulimit -f` of 0 bytes to 40 KiB", 2,
        None, disks.file_size_limit, TWO_FIELDS),
    Row("two-fields-signals", "two fields, signals", "signals at random times, up to four in a chain", 2, 100,
        stops.at_random_times, TWO_FIELDS),
    Row("two-fields-signals-writing", "two fields, signals while writing",
        "one and two signals during every call that writes, made slow", 4, None, stops.while_writing, TWO_FIELDS),
    Row("two-fields-wall-limit", "two fields, `limits.wall_time`", "limits of 0.05 s and more, in a loop", 1, 10,
        stops.wall_limit, TWO_FIELDS),
    Row("two-fields-splits", "two fields: a restart is bit-identical, probes too", "chains of three at random steps, "
        "each part with other threads and another engine, in both precisions", 2, 100, restarts.splits, TWO_FIELDS),
    Row("two-fields-old-outputs", "two fields, an old output that is damaged or gone",
        "flipped bits, cut, annotated, emptied and removed files, and those of other runs and steps", 4, None,
        old_outputs.damaged, TWO_FIELDS),
    Row("two-fields-headers", "two fields, a file that lies, rightly sealed", "each dataset and attribute of checkpoints, "
        "step files and the index, as above", 40, 5000, programs.lies("two-fields-headers"), TWO_FIELDS),
    Row("two-fields-allocations", "two fields, memory that runs out", "the Nth allocation fails, as above", 2, 300,
        programs.allocations("--two-fields"), TWO_FIELDS),
    Row("config-allocations", "memory that runs out while a config is read or its schema written", "every allocation of "
        "`validate` and `schema` fails, once and from then on", 2, None,
        programs.allocations("--two-fields", "--command", "validate", "--command", "schema"), TWO_FIELDS),
    Row("two-fields-outside", "two fields: nothing is written outside of the run folder but what the compiler needs, which "
        "is gone in the end", "every file that is opened for writing, renamed, removed or made", 2, None,
        hygiene.nothing_outside, TWO_FIELDS),
    Row("code-cache", "a cache of compiled code that is torn, foreign, planted or full: a run ends as without it, with the "
        "same bits, and what a planted link leads to stays as it is", "files cut, flipped, overwritten, another user's, "
        "writable by all, links, pipes and folders; the same of the folder; a tmpfs of 4 to 40 KiB; SIGKILL, ENOSPC, EIO "
        "and EROFS at every call that writes there", 12, None, code_cache.damaged, TWO_FIELDS),
    # Compressed and rounded outputs.
    Row("compressed-kill-calls", "compressed outputs, kill -9: as of plain ones", "SIGKILL at every call that writes", 12,
        None, kills.at_every_call, COMPRESSED),
    Row("compressed-power-cuts", "compressed outputs, a power cut", "the power fails before every call that writes", 12,
        None, kills.power_cuts, COMPRESSED),
    Row("compressed-errors", "compressed outputs, a failing disk",
        "ENOSPC, EDQUOT, EFBIG, EIO and EROFS at every call that writes, once and from then on", 20, None,
        errors.at_every_call, COMPRESSED),
    Row("compressed-short-writes", "compressed outputs, a write that takes a part", "half of the bytes at every write", 6,
        None, errors.short_writes, COMPRESSED),
    Row("compressed-full-disk", "compressed outputs, a full disk", "a tmpfs of 4 to 400 KiB, and one of 2 to 21 inodes", 2,
        None, disks.full_disk, COMPRESSED),
    Row("compressed-old-outputs", "compressed outputs, an old one that is damaged or gone",
        "flipped bits, cut, annotated, emptied and removed files, and those of other runs and steps", 4, None,
        old_outputs.damaged, COMPRESSED),
    # Two fields with steps that choose their size by their error, and outputs by time.
    Row("by-error-kill-calls", "steps by error, kill -9: the same steps, and so the same bits",
        "SIGKILL at every call that writes", 8, None, kills.at_every_call, BY_ERROR),
    Row("by-error-kill-random", "the same at any time", "SIGKILL at random times, up to four in a chain", 1, 200,
        kills.at_random_times, BY_ERROR),
    Row("by-error-errors", "steps by error, a failing disk: as of steps of one size",
        "ENOSPC, EDQUOT, EFBIG, EIO and EROFS at every call that writes, once and from then on", 8, None,
        errors.at_every_call, BY_ERROR),
    Row("by-error-full-disk", "steps by error, a full disk", "a tmpfs of 4 to 400 KiB, and one of 2 to 21 inodes", 1, None,
        disks.full_disk, BY_ERROR),
    Row("by-error-signals", "steps by error, signals", "signals at random times, up to four in a chain", 1, 100,
        stops.at_random_times, BY_ERROR),
    Row("by-error-splits", "steps by error: a restart takes the same steps to the bit, probes too", "chains of three at "
        "random steps, each part with other threads and another engine, in both precisions", 1, 100, restarts.splits,
        BY_ERROR),
    Row("by-error-headers", "steps by error, a file that lies, rightly sealed",
        "each dataset and attribute, as above; the state of the steps, too", 40, 5000,
        programs.lies("by-error-headers"), BY_ERROR),
    Row("by-error-old-outputs", "steps by error, an old output that is damaged or gone",
        "flipped bits, cut, annotated, emptied and removed files, and those of other runs and steps", 2, None,
        old_outputs.damaged, BY_ERROR),
    # Two fields on a grid with a mask, one of them with noise.
    Row("mask-kill-calls", "a mask and noise, kill -9: as of two fields", "SIGKILL at every call that writes", 8, None,
        kills.at_every_call, MASKED),
    Row("mask-kill-random", "the same at any time", "SIGKILL at random times, up to four in a chain", 1, 200,
        kills.at_random_times, MASKED),
    Row("mask-splits", "a mask and noise: a restart is bit-identical", "chains of three at random steps, each part with other "
        "threads and another engine, in both precisions", 1, 100, restarts.splits, MASKED),
    Row("mask-headers", "a mask, a file that lies, rightly sealed", "each dataset and attribute, as above", 40, 5000,
        programs.lies("mask-headers"), MASKED),
    # The same with steps that are exact in the linear part, of engine spectral.
    Row("exact-kill-calls", "etdrk2 by error, kill -9: the same steps, and so the same bits",
        "SIGKILL at every call that writes", 8, None, kills.at_every_call, EXACT),
    Row("exact-splits", "etdrk2 by error: a restart takes the same steps to the bit, probes too", "chains of three at "
        "random steps, each part with other threads, in both precisions", 1, 100, restarts.splits, EXACT),
    Row("implicit-kill-calls", "imex by error, kill -9: the same steps, and so the same bits",
        "SIGKILL at every call that writes", 8, None, kills.at_every_call, IMPLICIT),
    Row("implicit-splits", "imex by error: a restart takes the same steps to the bit, probes too", "chains of three at "
        "random steps, each part with other threads and another engine, in both precisions", 1, 100, restarts.splits,
        IMPLICIT),
    Row("solve-kill-calls", "sdirk2 by error, kill -9: the same steps, and so the same bits",
        "SIGKILL at every call that writes", 8, None, kills.at_every_call, SOLVED),
    Row("solve-splits", "sdirk2 by error: a restart takes the same steps to the bit, probes too", "chains of three at "
        "random steps, each part with other threads and another engine, in both precisions", 1, 20, restarts.splits, SOLVED),
    Row("reaching-kill-calls", "windows, fluxes and values replaced after a step, kill -9: as of two fields",
        "SIGKILL at every call that writes", 8, None, kills.at_every_call, REACHING),
    Row("reaching-splits", "windows, fluxes and values replaced after a step: a restart is bit-identical", "chains of three "
        "at random steps, each part with other threads and another engine, in both precisions", 1, 20, restarts.splits,
        REACHING),
    # On two to four ranks, each a process.
    Row("ranks-kill", "a rank that is killed or aborts, mpirun or its starter that is: the run ends everywhere, "
        "whole files, and on any number of ranks it goes on to the same bits",
        "SIGKILL and SIGABRT at random times, up to three in a chain, each on other ranks", 2, 200, ranks.killed),
    Row("ranks-signals", "a signal to one rank, to all or to what started them: a checkpoint, exit code 75, everywhere",
        "signals at random times, up to three in a chain, each on other ranks", 2, 200, ranks.stopped),
    Row("ranks-wall-limit", "ranks, `limits.wall_time`", "limits of 0.05 s and more", 1, 20, ranks.wall_limit),
    Row("ranks-full-disk", "ranks, a full disk", "a tmpfs of 4 to 400 KiB, and one of 2 to 21 inodes", 2, None,
        ranks.full_disk),
    Row("ranks-small-files", "ranks meet, and run, where MPI's files do not fit",
        "TMPDIR of 8 to 4096 KiB, and limits on the size of files", 2, None, ranks.small_files),
    Row("ranks-threads", "a rank that cannot start a thread, MPI's own too: the run ends everywhere, or goes on with fewer",
        "each thread of a rank, once and from then on", 4, None, ranks.one_rank_threads),
    Row("ranks-errors", "a disk that fails one rank alone: the step is named, nothing incomplete is left, the run goes on",
        "ENOSPC, EIO and EDQUOT at every call that writes of the second and the third rank", 4, None,
        ranks.one_rank_errors),
    # Four members with the two fields, in a process each.
    Row("sweeps-kill", "a sweep, a member, a compiler or all of them are killed or abort: the others go on or end as "
        "documented, whole files, and with `--auto-resume` the same bits and the same table",
        "SIGKILL, SIGABRT and SIGSEGV at random times, up to three in a chain, each with other `--jobs`", 2, 200,
        sweeps.killed, TWO_FIELDS),
    Row("sweeps-signals", "a signal to a sweep, to a member or to all: checkpoints, exit code 75, the same in the end",
        "signals at random times, up to three in a chain, each with other `--jobs`", 2, 200, sweeps.stopped, TWO_FIELDS),
    # The problem of two fields on three axes.
    Row("three-axes-kill-calls", "three axes, kill -9: as of two", "SIGKILL at every call that writes", 8, None,
        kills.at_every_call, THREE_AXES),
    Row("three-axes-errors", "three axes, a failing disk: as of two",
        "ENOSPC, EDQUOT, EFBIG, EIO and EROFS at every call that writes, once and from then on", 12, None,
        errors.at_every_call, THREE_AXES),
    Row("three-axes-splits", "three axes: a restart is bit-identical, probes too", "chains of three at random steps, "
        "each part with other threads and another engine, in both precisions", 2, 100, restarts.splits, THREE_AXES),
    Row("three-axes-old-outputs", "three axes, an old output that is damaged or gone",
        "flipped bits, cut, annotated, emptied and removed files, and those of other runs and steps", 2, None,
        old_outputs.damaged, THREE_AXES),
]
