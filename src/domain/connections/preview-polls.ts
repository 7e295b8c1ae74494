/** Queues the polls for pull requests to preview: one waiting job per connection with previews. */
import { type ConnectionDoc, jobOf } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { type PollOrder, queuePoll } from './host-polls.js'

export const PULL_PREVIEWS = 'pull-previews'

/** Returns the job that polls the pull requests of a connection. Its lane runs one poll at a time. */
export const previewPoll = ({ id, space, organization }: ConnectionDoc): PollOrder => ({
  ...jobOf(PULL_PREVIEWS, { connection: id, space }),
  lane: `${PULL_PREVIEWS}:${id}`,
  organization,
})

/** Polls the host after a change of the connection, since the change may add or remove previews. */
export async function pollAfterChange(
  app: App,
  tx: Transaction,
  before: ConnectionDoc | null,
  after: ConnectionDoc | null,
): Promise<void> {
  const doc = after ?? before
  if (doc && (before?.pullRequests.preview || after?.pullRequests.preview))
    await queuePoll(app, tx, previewPoll(doc), app.clock.now().getTime())
}
