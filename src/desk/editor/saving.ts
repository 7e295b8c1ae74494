/**
 * Decides when the text of a page is saved and what happens after each response, as a pure state machine: an event gives
 * the next state and the effects to run. A text counts as saved only when the server has confirmed it.
 */

/** The states. */
export type Phase =
  /** The server has everything. */
  | 'clean'
  /** A save follows after a pause in typing. */
  | 'waiting'
  | 'saving'
  /** No response, or a server error. A retry follows. */
  | 'retrying'
  /** 401: after the next sign-in, the text is saved. */
  | 'signed-out'
  /** 403, 409, 423: the writer may not change this text now. */
  | 'forbidden'
  /** 404, 410: the page was deleted. */
  | 'gone'
  /** 400, 413: the server rejects this text. The next edit is a retry. */
  | 'rejected'
  /** 412: the new text is being loaded and merged. */
  | 'merging'
  /** Blocks were changed on both sides. The writer decides. */
  | 'conflict'

/** The state. Versions count the edits. */
export interface Saving {
  phase: Phase
  version: number
  /** The version that the running request sends. */
  sent: number
  /** The last version that the server confirmed. */
  confirmed: number
  /** The number of consecutive failures. */
  tries: number
  /** The time at which the server last confirmed a text, in milliseconds; null = not in this session. */
  savedAt: number | null
  /** The times of automatic merges. */
  merges: readonly number[]
  /** The message of the server about the last failure. */
  reason: string
}

/**
 * The origin of the loaded text: sent last, sent earlier, or by another writer. The latter was merged with mine or
 * is in conflict.
 */
export type MergeResult = 'same' | 'own' | 'combined' | 'conflict'

/** An event of the editor. */
export type SavingEvent =
  | { type: 'edited' }
  /** The timer ran out, or the writer wants a save: blur, Ctrl+S, Try now. */
  | { type: 'due' | 'now' }
  | { type: 'saved'; at: number }
  | { type: 'failed'; status: number; reason: string }
  | { type: 'online' }
  | { type: 'signed-in' }
  /** The text of the server was loaded. */
  | { type: 'merged'; result: MergeResult; at: number }
  /** The writer decided about the blocks in conflict, or restored the page. */
  | { type: 'resolved' }

/** An effect of a transition. `wait` replaces the running timer. */
export type Effect = { type: 'save' } | { type: 'load' } | { type: 'wait'; ms: number } | { type: 'stop-waiting' }

const PAUSE_MS = 1_000
const MAX_RETRY_MS = 60_000
/** After two merges in this time, the next save waits for a longer pause in typing. */
const MERGE_WINDOW_MS = 10_000
const MERGE_PAUSE_MS = 4_000

/** The state of a page that was just opened. */
export const opened: Saving = {
  phase: 'clean',
  version: 0,
  sent: 0,
  confirmed: 0,
  tries: 0,
  savedAt: null,
  merges: [],
  reason: '',
}

/** Whether the server lacks a text. */
export const isUnsaved = ({ version, confirmed }: Saving): boolean => version > confirmed

interface Step {
  state: Saving
  effects: Effect[]
}

const step = (state: Saving, ...effects: Effect[]): Step => ({ state, effects })
const save = (state: Saving): Step =>
  step({ ...state, phase: 'saving', sent: state.version }, { type: 'stop-waiting' }, { type: 'save' })
const wait = (state: Saving, ms: number): Step => step({ ...state, phase: 'waiting' }, { type: 'wait', ms })

/** Returns the next state and the effects. */
export function next(state: Saving, event: SavingEvent): Step {
  switch (event.type) {
    case 'edited':
      return edited({ ...state, version: state.version + 1 })
    case 'due':
    case 'now':
      return isUnsaved(state) && ['waiting', 'retrying', 'rejected'].includes(state.phase) ? save(state) : step(state)
    case 'saved':
      return saved(state, event.at)
    case 'failed':
      return failed(state, event.status, event.reason)
    case 'online':
      return state.phase === 'retrying' ? (isUnsaved(state) ? save(state) : step(state)) : step(state)
    case 'signed-in':
      return state.phase === 'signed-out' ? save({ ...state, tries: 0 }) : step(state)
    case 'merged':
      return merged(state, event.result, event.at)
    case 'resolved':
      return ['conflict', 'gone', 'forbidden'].includes(state.phase)
        ? save({ ...state, version: state.version + 1 })
        : step(state)
  }
}

function edited(state: Saving): Step {
  const keepsWaiting = ['clean', 'waiting', 'rejected'].includes(state.phase)
  return keepsWaiting ? wait({ ...state, reason: '' }, pauseAfter(state.merges)) : step(state)
}

/** Two editors that save alternately would merge constantly. */
const pauseAfter = (merges: readonly number[]): number => {
  const [first, second] = merges.slice(-2)
  const isBusy = first !== undefined && second !== undefined && second - first < MERGE_WINDOW_MS
  return isBusy ? MERGE_PAUSE_MS : PAUSE_MS
}

function saved(state: Saving, at: number): Step {
  if (state.phase !== 'saving') return step(state)
  const now: Saving = { ...state, confirmed: state.sent, tries: 0, savedAt: at, reason: '' }
  return isUnsaved(now) ? wait(now, PAUSE_MS) : step({ ...now, phase: 'clean' })
}

function failed(state: Saving, status: number, reason: string): Step {
  if (state.phase !== 'saving' && state.phase !== 'merging') return step(state)
  const now = { ...state, reason }
  const as = (phase: Phase): Step => step({ ...now, phase, tries: 0 }, { type: 'stop-waiting' })
  if (status === 412) return step({ ...now, phase: 'merging' }, { type: 'load' })
  if (status === 401) return as('signed-out')
  if (status === 403 || status === 409 || status === 423) return as('forbidden')
  if (status === 404 || status === 410) return as('gone')
  if (status === 400 || status === 413 || status === 415) return as('rejected')
  const tries = state.tries + 1
  return step({ ...now, phase: 'retrying', tries }, { type: 'wait', ms: Math.min(MAX_RETRY_MS, 1_000 * 2 ** tries) })
}

function merged(state: Saving, result: MergeResult, at: number): Step {
  if (state.phase !== 'merging') return step(state)
  // The server already has the text: the response to an earlier attempt was lost.
  if (result === 'same') return saved({ ...state, phase: 'saving' }, at)
  if (result === 'own') return save(state)
  if (result === 'conflict') return step({ ...state, phase: 'conflict' })
  const merges = [...state.merges, at].slice(-2)
  const now = { ...state, merges, version: state.version + 1 }
  return pauseAfter(merges) > PAUSE_MS ? wait(now, MERGE_PAUSE_MS) : save(now)
}
