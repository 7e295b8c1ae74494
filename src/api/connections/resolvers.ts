/** Loads the connections of spaces and their runs. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { findConnection } from '../../domain/connections/connections.js'
import { webhookAddress } from '../../domain/connections/receive-delivery.js'
import { findRun } from '../../domain/connections/describe-run.js'
import { findPreview } from '../../domain/pull-previews/list.js'
import type { ConnectionDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

export const connectionResolvers = {
  webhookConnectionId: resolver()({
    as: 'webhook',
    description: 'ID of a connection.',
    load: ({ app, id }) => webhookAddress(app, id),
  }),
  connectionId: resolver<{ space: LoadedSpace }>()({
    as: 'connection',
    needs: ['space'],
    description: 'ID of a connection.',
    load: ({ app, parents, id }) => findConnection(app, parents.space, id),
  }),
  runId: resolver<{ connection: Document<ConnectionDoc> }>()({
    as: 'run',
    needs: ['connection'],
    description: 'ID of a run.',
    load: ({ app, parents, id }) => findRun(app, parents.connection, id),
  }),
  pullRequestNumber: resolver<{ connection: Document<ConnectionDoc> }>()({
    as: 'pullRequest',
    needs: ['connection'],
    description: 'Number of a pull request on the host.',
    load: ({ app, parents, id }) => findPreview(app, parents.connection, id),
  }),
}
