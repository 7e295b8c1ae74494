/**
 * Limits the time that Git spends on an untrusted pack: a pack of 46 KB can contain deltas that expand to gigabytes.
 */
import { RemoteError } from '../errors.js'

const MIB = 1024 * 1024
/**
 * Maximum processor time of one Git process in seconds: a constant and an additional amount per MiB of the pack.
 * Indexing 6.4 MiB of text in 22,000 objects, which expand to 153 MiB, took 0.7 s.
 */
const MAX_CPU_SECONDS = 10
const MAX_CPU_SECONDS_PER_MIB = 2
/** Maximum elapsed time in milliseconds. It is higher, because a process may have to wait for a processor. */
const MAX_UNPACK_MS = 60_000
const MAX_UNPACK_MS_PER_MIB = 4_000

/** Returns the maximum processor time in seconds for each Git process that reads a pack of this size. */
export const maxCpuSeconds = (packBytes: number): number =>
  MAX_CPU_SECONDS + Math.ceil((packBytes / MIB) * MAX_CPU_SECONDS_PER_MIB)

/** Returns the maximum time in milliseconds for Git to process a pack of this size after it has arrived. */
export const maxUnpackMs = (packBytes: number): number =>
  MAX_UNPACK_MS + Math.ceil((packBytes / MIB) * MAX_UNPACK_MS_PER_MIB)

/** Returns the error for a pack that takes longer. `time` is the exceeded limit, such as "11 s of processor time". */
export const tooCostly = (time: string, sent: string): RemoteError =>
  new RemoteError(
    'too-large',
    `Git needs more than ${time} to unpack ${sent}. Its deltas expand to far more bytes than the pack has. Run "git repack -adf", or send fewer commits at a time.`,
  )
