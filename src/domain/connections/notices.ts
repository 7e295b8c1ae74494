/** Notices that a connection does not work: an event (and so webhooks) and mails, once for each cause, and again when it is well. */
import { type ConnectionDoc, connections } from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'

interface Trouble {
  cause: string
  message: string
  changeRequest?: string | undefined
}

/** Causes that often pass by themselves: people are told when they last. */
const PASSING: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'stale', 'internal'])
const ATTEMPTS_TO_NOTICE = 3

/** Records that a connection does not work, and tells of it once. */
export async function failed(app: App, tx: Transaction, connection: Document<ConnectionDoc>, { cause, message, changeRequest }: Trouble): Promise<void> {
  const before = connection.failure?.cause === cause ? connection.failure : undefined
  const attempts = (before?.attempts ?? 0) + 1
  const due = !PASSING.has(cause) || attempts >= ATTEMPTS_TO_NOTICE
  const told = before?.noticed ?? false
  const since = before?.since ?? app.clock.now().toISOString()
  // Who was told of another cause is also told when it is well again.
  const noticed = told || due || (connection.failure?.noticed ?? false)
  const failure = { cause, message, since, attempts, noticed, ...(changeRequest === undefined ? {} : { changeRequest }) }
  const stored = await tx.replace(connections, { ...connection, failure })
  if (due && !told) await tell(app, tx, stored, 'failed', { cause, message, since, ...(changeRequest === undefined ? {} : { changeRequest }) })
}

/** Records that a connection works, and tells those who were told that it did not. */
export async function recovered(app: App, tx: Transaction, connection: Document<ConnectionDoc>): Promise<void> {
  const { failure, ...rest } = connection
  const stored = await tx.replace(connections, rest as Document<ConnectionDoc>)
  if (failure?.noticed) await tell(app, tx, stored, 'recovered', { cause: failure.cause, since: failure.since })
}

async function tell(app: App, tx: Transaction, doc: ConnectionDoc, what: 'failed' | 'recovered', more: Record<string, string>): Promise<void> {
  const { id, organization, space, url, ref } = doc
  await emit(app, tx, { type: `git_connection.${what}`, organization, subject: { space, connection: id }, data: { url, ref, ...more } })
}
