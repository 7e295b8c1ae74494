/**
 * The frame of the polls of hosts, for exports of change requests and previews of pull requests: one waiting job per
 * polled document, the record of a result, and the time of the next poll. A lost hint or a kill only delays work, because
 * each poll queues the next one in the transaction that records its result. The context of a poll is in host-contact.ts.
 */
import { HostError } from '../../hosts/index.js'
import { backOff } from '../../kernel/back-off.js'
import { defined } from '../../kernel/defined.js'
import { newId } from '../../kernel/ids.js'
import { type JobDoc, jobs } from '../../model/index.js'
import type { Document, Table, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { causeOf, explain } from '../git-sync/failure.js'

/** Maximum time until a failed poll is repeated, in milliseconds. An unexpected failure waits this long. */
const MAX_RETRY_MS = 60 * 60_000

/** A poll job: its kind, its lane (which serializes polls) and its payload. */
export type PollOrder = Pick<JobDoc, 'kind' | 'lane' | 'payload' | 'organization'>

/** A failure of a poll that users can act on. */
export interface PollTrouble {
  /** The cause as one word. */
  cause: string
  message: string
  /** The earliest time for the next request, if the host names it. */
  retryAt: Date | null
}

/** The result of a poll. */
export interface PollResult {
  trouble: PollTrouble | null
  /** Whether no work is left for another poll at once. */
  isDone: boolean
}

/** A kind of poll, with the table of the documents that record its results. */
export interface PollKind<Doc extends object> {
  table: Table<Doc, string>
  /** Time until the first retry of a failed poll, in milliseconds. It doubles with each further failure. */
  firstRetryMs: number
  /** The log line of a failure, and its members. */
  failed: string
  logged(doc: Doc): Record<string, string>
  /** Returns the job that polls for a document. */
  order(doc: Doc): PollOrder
  /** Returns the time of the next poll after a success (milliseconds since 1970). Null = never. */
  nextAt(app: App, doc: Doc, now: number): number | null
  /** Returns the recorded number of consecutive failures. */
  attempts(doc: Doc): number
  /** Returns a document with the record of an unexpected failure. */
  withUnexpected(doc: Document<Doc>, message: string, now: string): Document<Doc>
}

/** One poll of a document. */
interface PollWork<Doc extends object> {
  /** Returns null if the polled resource is gone. It may stop anywhere and run again. */
  run(): Promise<PollResult | null>
  /** Returns the document with the record of the result. */
  record(doc: Document<Doc>, result: PollResult, now: string): Document<Doc>
}

/** Writes the result of a poll, in the transaction that ends its job. */
export type WritePoll = (tx: Transaction) => Promise<void>

export const nothingToWrite: WritePoll = async () => {}

/** Runs a poll. The returned function records its result and queues the next poll. Throws unexpected errors only. */
export async function runPoll<Doc extends object>(
  app: App,
  kind: PollKind<Doc>,
  doc: Document<Doc>,
  { run, record }: PollWork<Doc>,
  signal: AbortSignal,
): Promise<WritePoll> {
  let result: PollResult | null
  try {
    result = await run()
  } catch (error) {
    if (signal.aborted) throw error
    const trouble = troubleOf(error)
    // The document was removed in the meantime, perhaps with its space. Its failures are not reported.
    if (trouble === null && (await app.store.get(kind.table, doc.id)) === null) return nothingToWrite
    if (trouble === null) throw error
    result = { trouble, isDone: true }
  }
  if (result === null) return nothingToWrite
  const { trouble, isDone } = result
  if (trouble) app.log.warn({ ...kind.logged(doc), cause: trouble.cause, reason: trouble.message }, kind.failed)
  return async (tx) => {
    const stored = await tx.get(kind.table, doc.id)
    if (!stored) return
    const now = app.clock.now()
    const next = await tx.replace(kind.table, record(stored, { trouble, isDone }, now.toISOString()))
    const at = isDone ? timeAfter(app, kind, next, trouble, now.getTime()) : now.getTime()
    if (at !== null) await queuePoll(app, tx, kind.order(next), at)
  }
}

function timeAfter<Doc extends object>(
  app: App,
  kind: PollKind<Doc>,
  doc: Doc,
  trouble: PollTrouble | null,
  now: number,
): number | null {
  if (trouble === null) return kind.nextAt(app, doc, now)
  if (trouble.retryAt !== null) return Math.max(now, trouble.retryAt.getTime())
  return now + backOff(kind.attempts(doc), { firstMs: kind.firstRetryMs, maxMs: MAX_RETRY_MS })
}

/** Returns the failure for an error that users can act on; null for an unexpected error. */
export function troubleOf(error: unknown): PollTrouble | null {
  if (error instanceof HostError) return { cause: error.failure, message: error.message, retryAt: error.retryAt }
  const message = explain(error, false)
  return message === null ? null : { cause: causeOf(error), message, retryAt: null }
}

/** Records an unexpected failure of a poll in its document, if that still exists, and polls again in an hour. */
export async function recordUnexpected<Doc extends object>(
  app: App,
  tx: Transaction,
  kind: PollKind<Doc>,
  { id, job, message }: { id: string; job: JobDoc; message: string },
): Promise<void> {
  const now = app.clock.now()
  const stored = await tx.get(kind.table, id)
  if (stored) await tx.replace(kind.table, kind.withUnexpected(stored, message, now.toISOString()))
  const { kind: name, lane, payload, organization } = job
  await queuePoll(app, tx, { kind: name, lane, payload, ...defined({ organization }) }, now.getTime() + MAX_RETRY_MS)
}

/**
 * Moves the next poll of a document to an earlier time, after a hint of the host or a change here.
 * @param at returns the time (milliseconds since 1970), or null if the document is not polled
 */
export async function hastenPoll<Doc extends object>(
  app: App,
  kind: PollKind<Doc>,
  id: string,
  at: (doc: Document<Doc>) => number | null,
): Promise<void> {
  await app.store.transact(async (tx) => {
    const doc = await tx.get(kind.table, id)
    const time = doc && at(doc)
    if (doc && time !== null) await queuePoll(app, tx, kind.order(doc), time)
  })
  app.wakes.jobs()
}

/** Queues the next poll, or moves the queued one to an earlier time. `at` is in milliseconds since 1970. */
export async function queuePoll(app: App, tx: Transaction, order: PollOrder, at: number): Promise<void> {
  const all = await tx.find(jobs, 'lane', order.lane)
  const queued = all.find((job) => job.state === 'queued')
  const notBefore = new Date(at).toISOString()
  if (queued) {
    if (queued.notBefore !== undefined && queued.notBefore > notBefore) await tx.replace(jobs, { ...queued, notBefore })
    return
  }
  await tx.insert(jobs, {
    id: newId(),
    ...order,
    state: 'queued',
    sequence: Math.max(0, ...all.map((job) => job.sequence)) + 1,
    attempts: 0,
    notBefore,
    createdAt: app.clock.now().toISOString(),
  } satisfies JobDoc)
}
