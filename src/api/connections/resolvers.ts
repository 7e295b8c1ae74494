/** Loads the connections of spaces, and their runs. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedSpace } from '../../domain/context/loaded.js'
import { findConnection } from '../../domain/connections/connections.js'
import { findRun } from '../../domain/connections/describe-run.js'
import type { ConnectionDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { resolversOf } from '../resolver.js'

const resolver = resolversOf<App, Actor>()

export const connectionResolvers = {
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
}
