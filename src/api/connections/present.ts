/** Turns connections into the JSON that clients get, without their credentials. */
import type { ConnectionAndSecret } from '../../domain/connections/create-connection.js'
import type { App } from '../../domain/context/app.js'
import { type Connection, type ConnectionDoc, syncRuns } from '../../model/index.js'
import { presentGitRun } from '../git-sync/present.js'
import { defined } from '../../kernel/defined.js'

export const connectionPath = ({ space, id }: Pick<ConnectionDoc, 'space' | 'id'>): string =>
  `/v1/spaces/${space}/git/connections/${id}`

/** Returns a connection. It contains the webhook secret only if the secret was just generated. */
export async function presentConnection(app: App, { doc, webhookSecret }: ConnectionAndSecret): Promise<Connection> {
  const { failure, credential, lastRun } = doc
  const run = lastRun === undefined ? null : await app.store.get(syncRuns, lastRun)
  const { kind, setAt, appId, installationId } = credential
  return {
    object: 'git-connection',
    id: doc.id,
    space: doc.space,
    organization: doc.organization,
    provider: doc.provider,
    url: doc.url,
    ref: doc.ref,
    repoProjectDirectory: doc.directory,
    direction: doc.direction,
    credential: {
      kind,
      ...(kind === 'none' ? {} : { setAt }),
      ...defined({ appId, installationId }),
    },
    exportMode: doc.exportMode,
    ...defined({ commitMessage: doc.commitMessage }),
    pullRequests: {
      ...doc.pullRequests,
      preview: doc.pullRequests.preview ?? false,
      ...(doc.previews === undefined ? {} : { lookedAt: doc.previews.lookedAt }),
      ...(doc.previews?.problem === undefined ? {} : { problem: doc.previews.problem }),
    },
    ...defined({ apiUrl: doc.apiUrl, webhookSecret }),
    paused: doc.paused,
    status: doc.paused ? 'paused' : failure ? 'error' : 'active',
    ...defined({ lastSeenHead: doc.lastSeenHead, lastSuccessAt: doc.lastSuccessAt }),
    ...(run === null ? {} : { lastRun: presentGitRun(run) }),
    ...(failure === undefined ? {} : { failure: presentFailure(failure) }),
    createdBy: doc.createdBy,
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
    urls: {
      location: app.settings.publicUrl + connectionPath(doc),
      webhook: `${app.settings.publicUrl}/v1/git/webhooks/${doc.id}`,
    },
  }
}

const presentFailure = ({ cause, message, since, changeRequest }: NonNullable<ConnectionDoc['failure']>) => ({
  cause,
  message,
  since,
  ...defined({ changeRequest }),
})
