/**
 * Verifies responses of identity providers, which anyone can send, in a separate thread with limits on time and memory.
 */
import { type SamlClaims, SAML_TASKS, type VerifyOrder } from '../../auth/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { createPool, type Pool, TaskFailure } from '../../threads/index.js'

/** Limits of the thread. A typical response takes about 20 ms, the largest accepted one 1 s. */
const LIMITS = {
  threads: 1,
  spares: 1,
  slowMs: 1_000,
  heapMb: 128,
  deadline: { cpuMs: 2_000, wallMs: 20_000 },
  maxWaiting: { items: 200, bytes: 64 * 1024 * 1024 },
  maxResultBytes: 64 * 1024,
}

/** The message if the thread exceeded a limit or a library failed. */
const REFUSED = 'The response of the identity provider cannot be read. Sign in again.'

export class Assertions {
  constructor(private readonly pool: Pool) {}

  /**
   * Verifies a posted response. Throws 403 with the check that failed, and 503 if too many responses wait.
   * @param provider ID of the provider; providers take turns
   */
  async verify(provider: string, encoded: string, order: VerifyOrder): Promise<SamlClaims> {
    try {
      const bytes = await this.pool.run(provider, 'verify', [encoded, JSON.stringify(order)])
      return JSON.parse(Buffer.from(bytes).toString())
    } catch (error) {
      if (!(error instanceof TaskFailure)) throw error
      if (error.kind === 'busy' || error.kind === 'closed')
        throw new ServiceError('unavailable', 'Too many people are signing in. Try again in a few seconds.', {
          cause: error,
          headers: { 'Retry-After': '5' },
        })
      throw new ServiceError('forbidden', error.thrown === 'SamlRefused' ? error.message : REFUSED, { cause: error })
    }
  }
}

/** Creates the thread. It starts on first use. */
export function openAssertions(): { assertions: Assertions; close: () => Promise<void> } {
  const pool = createPool({ ...LIMITS, tasks: SAML_TASKS })
  return { assertions: new Assertions(pool), close: () => pool.close() }
}
