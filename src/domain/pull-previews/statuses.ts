/** Sets the statuses of one look, and decides after a failure whether the others are still worth a request. */
import { HostError } from '../../hosts/index.js'
import type { PullPreviewDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Look } from './poll-context.js'
import { hasStatus, setStatus } from './set-status.js'

/** Requests of one look that may get no answer: each can take 20 s. */
const MAX_UNANSWERED = 3

export class Statuses {
  /** Why a status could not be set: the first reason. */
  problem: HostError | null = null
  #unanswered = 0
  /** The host takes no status from this credential. */
  #isOver = false

  constructor(private readonly look: Look) {}

  /**
   * Sets the status of a preview, if the host has not got it. One that the host refuses for its commit alone, or does not answer, does not keep other
   * pull requests from theirs. Throws `HostError` if the host's limit is reached.
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
