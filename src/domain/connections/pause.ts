/** Pausing a connection: it starts nothing by itself until it is resumed. */
import type { ConnectionDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import { changeConnection } from './update.js'

/** Pauses or resumes a connection. Automatic runs that wait end when their turn comes; when it is resumed, it catches up. */
export const setPaused = (app: App, actor: Actor, connection: ConnectionDoc, paused: boolean): Promise<Document<ConnectionDoc>> =>
  changeConnection(app, actor, connection, async (_tx, stored) => ({ ...stored, paused }))
