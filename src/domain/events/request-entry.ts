/**
 * Writes requests that may change something to the audit log. The first transaction of a request that changes a document
 * also stores the entry, unfinished. So no stored change lacks its entry, even after a full disk or a kill.
 */
import { defined } from '../../kernel/defined.js'
import { isRecord, ownMember } from '../../kernel/guards.js'
import { newId, newTimedId } from '../../kernel/ids.js'
import {
  type Audited,
  type AuditedRequest,
  type AuditedResult,
  auditLog,
  failedEntries,
  memberships,
  type UnfinishedEntryDoc,
  unfinishedEntries,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { OpenEntry } from '../context/guarded-app.js'

const MAX_ID_LENGTH = 256
const MAX_USER_AGENT_LENGTH = 200
const MAX_MEMBERS = 50
const UNFINISHED = 'An entry of the audit log cannot be written now. It is added later.'

interface Resource {
  id?: unknown
  organization?: unknown
}
/** Returns the document of a resource, which may be wrapped as `doc`. */
const documentOf = (value: unknown): Resource => {
  const document = ownMember(value, 'doc') ?? value
  return isRecord(document) ? document : {}
}

/** Returns the ID of a resource. For a member, this is the user ID. */
const idOf = (value: unknown): unknown =>
  typeof value === 'string' ? value : (ownMember(ownMember(value, 'user'), 'id') ?? documentOf(value).id)

function idsOf(resources: Readonly<Record<string, unknown>>): Record<string, string> {
  const ids = Object.entries(resources).flatMap(([name, value]) => {
    const id = idOf(value)
    return typeof id === 'string' ? [[name, id.slice(0, MAX_ID_LENGTH)] as const] : []
  })
  return Object.fromEntries(ids)
}

/**
 * Returns the organizations whose logs record the request: the one that it created, otherwise the one of a resource in
 * the path. A request without an organization (creating a token, signing in) is recorded for every organization of its
 * user.
 */
async function organizationsOf(
  reader: Reader,
  { resources, audited, actor }: AuditedRequest<Actor>,
  user: string,
): Promise<string[]> {
  if (audited.organization !== undefined) return [audited.organization]
  const own = documentOf(resources.organization).id
  if (typeof own === 'string') return [own]
  for (const value of Object.values(resources)) {
    const { organization } = documentOf(value)
    if (typeof organization === 'string') return [organization]
  }
  const limit = actor?.token.organization
  const ownMemberships = await reader.find(memberships, 'user', user)
  return ownMemberships
    .map(({ organization }) => organization)
    .filter((organization) => limit === undefined || organization === limit)
}

type Entry = UnfinishedEntryDoc['entry']

/** The entry of one request: unfinished from its first change, and finished at its end. */
export class RequestEntry implements OpenEntry {
  readonly #app: App
  readonly #request: AuditedRequest<Actor>
  readonly #id = newId()
  /** IDs of the unfinished entries in the store. */
  // bound: transactions of one request
  readonly #unfinished: string[] = []
  #isFinished = false

  constructor(app: App, request: AuditedRequest<Actor>) {
    this.#app = app
    this.#request = request
  }

  identify(ids: Audited): void {
    Object.assign(this.#request.audited, ids)
  }

  overruled(rule: string): void {
    this.#request.overruled.push(rule)
  }

  async join(tx: Transaction): Promise<() => void> {
    const isStored = this.#unfinished.length > 0
    const found = isStored || this.#isFinished ? null : await this.#entry(tx, { status: this.#request.success })
    if (!found) return () => {}
    const { id } = await tx.insert(unfinishedEntries, {
      id: newTimedId(this.#app.clock.now()),
      request: this.#id,
      ...found,
    })
    return () => void this.#unfinished.push(id)
  }

  /**
   * Writes the entry to the log. It is durable when the promise resolves. If the entry cannot be written although the
   * request has changed something, the unfinished entry stays, and the request keeps its result.
   */
  async finish(result: AuditedResult): Promise<void> {
    this.#isFinished = true
    try {
      const found = await this.#entry(this.#app.store, result)
      if (!found) return
      await this.#app.store.transact(async (tx) => {
        if (await removeAll(tx, this.#unfinished)) await append(tx, found.organizations, found.entry)
      })
    } catch (error) {
      if (this.#unfinished.length === 0) throw error
      const { operation, requestId } = this.#request
      this.#app.log.warn({ error, operation, requestId }, UNFINISHED)
    }
  }

  /** Returns the entry and its organizations; null if no log records the request. */
  async #entry(
    reader: Reader,
    { status, created }: AuditedResult,
  ): Promise<{ organizations: string[]; entry: Entry } | null> {
    const request = this.#request
    const { actor, audited } = request
    const user = actor?.user.id ?? audited.user
    if (user === undefined) return null
    const organizations = await organizationsOf(reader, request, user)
    if (organizations.length === 0) return null
    const entry = {
      at: this.#app.clock.now().toISOString(),
      user,
      ...defined({ token: actor?.token.id ?? audited.token }),
      operation: request.operation,
      method: request.method,
      resources: idsOf(request.resources),
      ...defined({ created }),
      members: request.members.slice(0, MAX_MEMBERS).map((name) => name.slice(0, MAX_ID_LENGTH)),
      ...(request.overruled.length === 0 ? {} : { overruled: [...request.overruled] }),
      status,
      address: request.address,
      ...defined({ userAgent: request.userAgent?.slice(0, MAX_USER_AGENT_LENGTH) }),
      requestId: request.requestId,
    }
    return { organizations, entry }
  }
}

/** Removes unfinished entries of one request. Returns false if another process has already finished them. */
async function removeAll(tx: Transaction, ids: readonly string[]): Promise<boolean> {
  let removed = 0
  for (const id of ids) if (await tx.remove(unfinishedEntries, id)) removed++
  return removed > 0 || ids.length === 0
}

async function append(tx: Transaction, organizations: readonly string[], entry: Entry): Promise<void> {
  const now = new Date(entry.at)
  for (const organization of organizations) {
    const group = entry.status < 400 ? organization : failedEntries(organization)
    await tx.append(auditLog, group, () => ({ id: newTimedId(now), organization, ...entry }))
  }
}

/**
 * Adds the entries of requests that ended without one to the log: the process was killed, or the disk was full. They have
 * the status of a success, and not the created resource. An entry that cannot be written now stays unfinished. Reads
 * the whole table: requests in progress, and those that could not write their entry.
 * @param before only entries that started before this time; null = all
 */
export async function finishEntries(app: App, before: Date | null): Promise<void> {
  // bound: requests in progress, and those that could not write their entry
  const byRequest = new Map<string, Document<UnfinishedEntryDoc>[]>()
  for (const one of await app.store.intact(unfinishedEntries))
    if (before === null || one.entry.at < before.toISOString())
      byRequest.set(one.request, [...(byRequest.get(one.request) ?? []), one])
  for (const [first, ...rest] of byRequest.values()) {
    if (!first) continue
    const ids = [first, ...rest].map(({ id }) => id)
    const finish = async (tx: Transaction): Promise<void> => {
      if (await removeAll(tx, ids)) await append(tx, first.organizations, first.entry)
    }
    const { operation, requestId } = first.entry
    await app.store
      .transact(finish)
      .catch((error: unknown) => app.log.warn({ error, operation, requestId }, UNFINISHED))
  }
}
