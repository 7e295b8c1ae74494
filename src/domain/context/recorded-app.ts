/** The app of one request whose response may be kept: what it reads is recorded. */
import { recordedGit } from '../../git/index.js'
import { recordedClock } from '../../kernel/clock.js'
import type { Recording } from '../../kernel/recording.js'
import type { App } from './app.js'

/**
 * The same app; documents, refs and times that are read through it are noted. What is derived from objects (`content`, `texts`)
 * follows from their IDs, and settings do not change while the service runs.
 */
export const recordedApp = (app: App, recording: Recording): App => ({
  ...app,
  store: app.store.recorded(recording),
  git: recordedGit(app.git, recording),
  clock: recordedClock(app.clock, recording),
})
