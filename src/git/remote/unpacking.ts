/** Bounds the time that Git works on a pack that others made: a pack of 46 KB can hold deltas that make gigabytes. */
import { RemoteError } from '../errors.js'

const MIB = 1024 * 1024
/**
 * Processor time of one Git process, in seconds, and more for each MiB of the pack. Indexing 6.4 MiB of texts in 22,000 objects, which unfold to 153 MiB,
 * took 0.7 s.
 */
const MAX_CPU_SECONDS = 10
const MAX_CPU_SECONDS_PER_MIB = 2
/** By the clock, a process that waits for a processor may take longer. */
const MAX_UNPACK_MS = 60_000
const MAX_UNPACK_MS_PER_MIB = 4_000

/** Maximum processor time in seconds for each Git process that reads a pack of this size. */
export const maxCpuSeconds = (packBytes: number): number =>
  MAX_CPU_SECONDS + Math.ceil((packBytes / MIB) * MAX_CPU_SECONDS_PER_MIB)

/** Maximum time in milliseconds that Git may work on a pack of this size after it has arrived. */
export const maxUnpackMs = (packBytes: number): number =>
  MAX_UNPACK_MS + Math.ceil((packBytes / MIB) * MAX_UNPACK_MS_PER_MIB)

/** The error for a pack that takes longer. `time`: what Git needs more of, such as "11 s of processor time". */
export const tooCostly = (time: string, sent: string): RemoteError =>
  new RemoteError(
    'too-large',
    `Git needs more than ${time} to unpack ${sent}. Its deltas make far more bytes than the pack has. Run "git repack -adf", or send fewer commits at a time.`,
  )
