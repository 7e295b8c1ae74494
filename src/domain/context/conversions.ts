/**
 * Converts imported documents (web pages, archives, Word files) in separate threads with limits on time, memory and
 * size.
 */
import { CONVERSION_TASKS, type ContainerPart, unpackParts } from '../../conversion/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type Argument, createPool, type Pool, TaskFailure } from '../../threads/index.js'

/**
 * Limits of the threads. A long web page takes half a second; the deadline allows for slow machines and large archives.
 * Pages are parsed by other threads, so an import never delays a reader.
 */
const LIMITS = {
  threads: 1,
  spares: 1,
  slowMs: 2_000,
  heapMb: 512,
  deadline: { cpuMs: 15_000, wallMs: 60_000 },
  maxWaiting: { items: 100, bytes: 256 * 1024 * 1024 },
}
/** Extra bytes of a result for file names and facts. */
const FACTS_BYTES = 8 * 1024 * 1024

/**
 * The content of a document cannot be converted. The message is a sentence with the reason, with "It" for the document.
 */
export class ConversionRefused extends Error {
  override name = 'ConversionRefused'
}

/**
 * Copies a file that shares the memory of an archive. Otherwise the whole archive would be sent to the thread with it.
 */
const withOwnBuffer = (one: Argument): Argument =>
  typeof one !== 'string' && one.byteLength < one.buffer.byteLength ? Uint8Array.prototype.slice.call(one) : one

export class Conversions {
  constructor(private readonly pool: Pool) {}

  /** Runs a task of `conversion/tasks.ts` for a space. Throws `ConversionRefused`, and 503 if too many tasks wait. */
  async run<F>(space: string, task: string, args: readonly Argument[]): Promise<{ facts: F; parts: ContainerPart[] }> {
    try {
      return unpackParts<F>(await this.pool.run(space, task, args.map(withOwnBuffer)))
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      if (error.kind === 'busy' || error.kind === 'closed')
        throw new ServiceError(
          'unavailable',
          'The service is converting too many documents. Try again in a few seconds.',
          { cause: error },
        )
      if (error.kind === 'error' && error.thrown !== 'Unconvertible')
        throw new ConversionRefused('It is damaged, or its content does not match its format.', { cause: error })
      throw new ConversionRefused(error.message, { cause: error })
    }
  }
}

/** Creates the threads, which start on first use. `maxBytes` is the maximum size of an unpacked archive. */
export function openConversions(
  maxBytes: number,
  makePool = createPool,
): { conversions: Conversions; close: () => Promise<void> } {
  const pool = makePool({ ...LIMITS, tasks: CONVERSION_TASKS, maxResultBytes: maxBytes + FACTS_BYTES })
  return { conversions: new Conversions(pool), close: () => pool.close() }
}
