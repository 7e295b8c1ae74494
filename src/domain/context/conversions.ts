/** Converts what imports bring (web pages, archives, Word documents), on threads of their own with bounds on time, memory and size. */
import { CONVERSION_TASKS, type ContainerPart, unpackParts } from '../../conversion/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { type Argument, createPool, type Pool, TaskFailure } from '../../threads/index.js'

/**
 * Limits of the threads. A long web page takes half a second; the deadline allows for slow machines and large archives. The threads are
 * others than those of pages, so that an import never makes a reader wait.
 */
const LIMITS = {
  threads: 1,
  spares: 1,
  slowMs: 2_000,
  heapMb: 512,
  deadline: { cpuMs: 15_000, wallMs: 60_000 },
  maxWaiting: { items: 100, bytes: 256 * 1024 * 1024 },
}
/** Room for the names of files and the facts beside their bytes. */
const FACTS_BYTES = 8 * 1024 * 1024

/** A document cannot be converted because of what is in it. The message is a sentence that says why, with "It" for the document. */
export class ConversionRefused extends Error {
  override name = 'ConversionRefused'
}

/** A file with memory of its own: one that shares that of a whole archive would be sent to the thread together with it. */
const alone = (one: Argument): Argument =>
  typeof one !== 'string' && one.byteLength < one.buffer.byteLength ? Uint8Array.prototype.slice.call(one) : one

export class Conversions {
  constructor(private readonly pool: Pool) {}

  /** Runs a task of `conversion/tasks.ts` for a space. Throws `ConversionRefused`, and 503 if too many wait. */
  async run<F>(space: string, task: string, args: readonly Argument[]): Promise<{ facts: F; parts: ContainerPart[] }> {
    try {
      return unpackParts<F>(await this.pool.run(space, task, args.map(alone)))
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      if (error.kind === 'busy' || error.kind === 'closed')
        throw new ServiceError(
          'unavailable',
          'The service has too many documents to convert at the moment. Try again in a few seconds.',
          { cause: error },
        )
      if (error.kind === 'error' && error.thrown !== 'Unconvertible')
        throw new ConversionRefused('It is damaged, or not in the format that it claims.', { cause: error })
      throw new ConversionRefused(error.message, { cause: error })
    }
  }
}

/** Makes the threads; they start when they are first needed. `maxBytes`: most bytes of an unpacked archive. */
export function openConversions(
  maxBytes: number,
  makePool = createPool,
): { conversions: Conversions; close: () => Promise<void> } {
  const pool = makePool({ ...LIMITS, tasks: CONVERSION_TASKS, maxResultBytes: maxBytes + FACTS_BYTES })
  return { conversions: new Conversions(pool), close: () => pool.close() }
}
