/** Creates the app of a request whose response may be cached. It records the request's reads. */
import { recordedGit } from '../../git/index.js'
import { recordedClock } from '../../kernel/clock.js'
import type { Recording } from '../../kernel/recording.js'
import type { App } from './app.js'
import { recordedSignatures } from './signatures.js'

/**
 * Returns an app that records the documents, refs and times that are read through it. Values derived from objects
 * (`content`, `texts`) follow from their IDs, and settings do not change while the service runs.
 */
export const recordedApp = (app: App, recording: Recording): App => ({
  ...app,
  store: app.store.recorded(recording),
  git: recordedGit(app.git, recording),
  clock: recordedClock(app.clock, recording),
  signatures: recordedSignatures(app.signatures, recording),
})
