/** Sets the statuses of one poll, and decides after a failure whether to continue. */
import { HostError } from '../../hosts/index.js'
import type { PullPreviewDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { HostContact } from '../connections/host-contact.js'
import { hasStatus, setStatus } from './set-status.js'

/** Maximum number of requests without a response per poll. Each can take 20 s. */
const MAX_UNANSWERED = 3

export class Statuses {
  /** The first reason why a status could not be set. */
  problem: HostError | null = null
  #unanswered = 0
  /** Whether the host rejects all statuses with this credential. */
  #isOver = false

  constructor(private readonly look: HostContact) {}

  /**
   * Sets the status of a preview, unless the host has it. A rejection for one commit, or a missing response, does not
   * prevent the statuses of other pull requests. Throws `HostError` if the host's rate limit is reached.
   */
  async set(doc: Document<PullPreviewDoc>): Promise<void> {
    if (this.#isOver || hasStatus(this.look, doc)) return
    try {
      await setStatus(this.look, doc)
    } catch (error) {
      if (!(error instanceof HostError) || error.failure === 'rateLimited') throw error
      this.problem ??= error
      if (error.failure === 'unavailable') this.#unanswered++
      this.#isOver =
        error.failure === 'unauthorized' || error.failure === 'noRight' || this.#unanswered === MAX_UNANSWERED
    }
  }
}
