/**
 * Notifies users about a failing connection, with an event and mails: once for each cause, and again after recovery.
 */
import { backOff } from '../../kernel/back-off.js'
import { atLeast } from '../../access/index.js'
import {
  changeRequests,
  type ConnectionDoc,
  type ConnectionFailure,
  connections,
  memberships,
  spaces,
} from '../../model/index.js'
import type { Document, Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { emit } from '../events/events.js'
import { notify } from '../notifications/notify.js'
import { queueMail } from '../notifications/queue-mail.js'
import { spaceRole } from '../roles/access.js'
import { defined } from '../../kernel/defined.js'

interface Trouble {
  cause: string
  message: string
  changeRequest?: string | undefined
  /** True if a poll failed, absent if a run failed. */
  byPoll?: boolean
  way?: 'import' | 'export'
}

/** Causes that are often temporary. Users are notified only after several attempts. */
const TEMPORARY: ReadonlySet<string> = new Set(['unreachable', 'timeout', 'failed', 'stale', 'internal'])
const ATTEMPTS_TO_NOTICE = 3
/** Delay of the first retry of a failed run. It doubles with each attempt. */
const RETRY = { firstMs: 60_000, maxMs: 60 * 60_000 }
const MAX_MAILS = 20

/** Records that a connection fails, and notifies users once for each cause. */
export async function recordConnectionFailure(
  app: App,
  tx: Transaction,
  connection: Document<ConnectionDoc>,
  trouble: Trouble,
): Promise<void> {
  const { cause, message, changeRequest, byPoll, way } = trouble
  // A poll must not overwrite the failure of a run, which ends with the next successful run.
  if (byPoll && connection.failure && !connection.failure.byPoll) return
  const before = connection.failure?.cause === cause ? connection.failure : undefined
  const attempts = (before?.attempts ?? 0) + 1
  const wasNotified = before?.told ?? false
  const notifies = !wasNotified && (!TEMPORARY.has(cause) || attempts >= ATTEMPTS_TO_NOTICE)
  const failure: ConnectionFailure = {
    cause,
    message,
    since: before?.since ?? app.clock.now().toISOString(),
    attempts,
    told: wasNotified || notifies,
    // Users who were notified of an earlier cause are also notified of the recovery.
    noticed: wasNotified || notifies || (connection.failure?.noticed ?? false),
    ...defined({ changeRequest, way }),
    ...(byPoll ? { byPoll } : cause === 'conflict' ? {} : { retryAt: retryAt(app, attempts) }),
  }
  const stored = await tx.replace(connections, { ...connection, failure })
  if (notifies) await notifyUsers(app, tx, stored, 'failed', failure)
}

const retryAt = (app: App, attempts: number): string =>
  new Date(app.clock.now().getTime() + backOff(attempts, RETRY)).toISOString()

/** Records that a connection works, and notifies the users who were notified of its failure. */
export async function recordConnectionRecovery(
  app: App,
  tx: Transaction,
  connection: Document<ConnectionDoc>,
): Promise<void> {
  const { failure, ...rest } = connection
  const stored = await tx.replace(connections, rest)
  if (failure?.noticed) await notifyUsers(app, tx, stored, 'recovered', failure)
}

/** Emits the event and queues the mails. */
async function notifyUsers(
  app: App,
  tx: Transaction,
  doc: ConnectionDoc,
  what: 'failed' | 'recovered',
  failure: ConnectionFailure,
): Promise<void> {
  const { id, organization, space, url, ref } = doc
  const { cause, message, since, changeRequest } = failure
  const why = what === 'failed' ? { message, ...defined({ changeRequest }) } : {}
  const subject = { space, connection: id, ...defined({ changeRequest }) }
  await emit(app, tx, {
    type: `git_connection.${what}`,
    organization,
    subject,
    data: { url, ref, cause, since, ...why },
  })
  const users = new Set([...(await recipients(tx, doc)), ...(await authorsIn(tx, changeRequest))])
  const type = cause === 'conflict' ? 'conflict' : 'sync_failed'
  if (what === 'failed')
    await notify(app, tx, { type, organization, space, message, ...defined({ changeRequest }) }, users, {
      isMailed: true,
    })
  if (!app.mail) return
  for (const user of users)
    await queueMail(app, tx, {
      mail: 'connection',
      connection: id,
      user,
      what,
      message: what === 'failed' ? message : '',
    })
}

/** Returns the authors whose dropped text a conflict change request holds. */
const authorsIn = async (tx: Transaction, changeRequest: string | undefined): Promise<string[]> =>
  ((changeRequest === undefined ? null : await tx.get(changeRequests, changeRequest))?.heldFor ?? []).slice(
    0,
    MAX_MAILS,
  )

/**
 * Returns the recipients of the mail: the creator of the connection while they are an admin of the space, otherwise the
 * admins of the organization.
 */
async function recipients(tx: Transaction, { space: id, organization, createdBy }: ConnectionDoc): Promise<string[]> {
  const space = await tx.get(spaces, id)
  if (!space) return []
  if (atLeast(await spaceRole(tx, createdBy, space), 'admin')) return [createdBy]
  const members = await tx.find(memberships, 'organization', organization)
  return members
    .filter(({ role, disabled }) => role === 'admin' && !disabled)
    .slice(0, MAX_MAILS)
    .map(({ user }) => user)
}
