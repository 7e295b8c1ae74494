/** The background job that polls the pull requests of a connection. */
import { PULL_PREVIEWS } from '../domain/connections/preview-polls.js'
import { lookAtPullRequests, retryLook } from '../domain/pull-previews/poll.js'
import type { JobDoc } from '../model/index.js'
import { JobInterrupted, type JobKind } from './job-kind.js'
import { queues } from './queues.js'

const placeOf = ({ payload }: JobDoc) => ({ connection: String(payload.connection), space: String(payload.space) })

export const pullPreviews: JobKind = {
  kind: PULL_PREVIEWS,
  queue: queues.pullPreview,
  async run(app, job, signal) {
    try {
      return { write: await lookAtPullRequests(app, placeOf(job), signal) }
    } catch (error) {
      if (signal.aborted) throw new JobInterrupted()
      throw error
    }
  },
  failed: (app, job, error) => ({ error, write: (tx) => retryLook(app, tx, placeOf(job), error) }),
}
