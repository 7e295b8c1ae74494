/**
 * Fetches the objects that a space lacks: requests 100 at a time, downloads three at a time, and records each result.
 */
import { backOff } from '../../kernel/back-off.js'
import {
  requestBatch,
  type DownloadAction,
  downloadObject,
  LfsError,
  type LfsServer,
  MAX_BATCH,
} from '../../lfs/index.js'
import { lfsObjects, spaces, type LfsOrder } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { bytesLeft } from '../context/quotas.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { queueLfs } from './queue.js'
import { type FailedObject, recordFailed, recordPresent, recordProblem, REFUSED_MS } from './record.js'
import { type FoundPointer, missingObjects } from './scan.js'
import { type OpenedServer, serverOf } from './server.js'

const DOWNLOADS = 3
/** Maximum number of requests for a download address that expires. */
const ROUNDS = 3
/** After this number of consecutive failures, automatic retries stop for a day. */
const MAX_TRIES = 8
/** An ssh remote's access is renewed this long before it expires, in milliseconds. */
const EXPIRES_SOON_MS = 30_000
const RETRY = { firstMs: 60_000, maxMs: 60 * 60_000 }
/** After this time, a job is queued again so that others can run, in milliseconds. */
const JOB_MS = 10 * 60_000

const OVER_QUOTA = 'The organization would exceed its limit of bytes. Ask an operator of the server for a higher limit.'

type Write = (tx: Transaction) => Promise<void>

/**
 * Runs a job. The returned function must run in the transaction that ends it. The job can run again at any time;
 * available objects are not fetched twice.
 */
export async function fetchObjects(app: App, job: string, order: LfsOrder, signal: AbortSignal): Promise<Write> {
  const space = await app.store.get(spaces, order.space)
  if (!space || space.deletedAt !== undefined) return async () => {}
  const repo = await app.git.open(repositoryName(order.space))
  const main = repo.refs.head(MAIN)
  const revisions = [...order.revisions, ...(main === null ? [] : [main])]
  const missing = await missingObjects(app, order.space, repo, revisions, { asked: order.asked, deep: true })
  if (missing.length === 0) return (tx) => recordProblem(app, tx, order.space, null)
  const run = new Fetch(app, order, signal, space.organization)
  try {
    await run.all(() => serverOf(app, job, order, repo, signal), await run.withinLimits(missing))
  } catch (error) {
    if (!(error instanceof LfsError) || signal.aborted) throw error
    return finish(app, job, order, run, error)
  }
  return finish(app, job, order, run, null)
}

/** Derives the next step from the result of a job: a retry with an increasing delay, or none. */
function finish(app: App, job: string, order: LfsOrder, run: Fetch, problem: LfsError | null): Write {
  const tries = run.fetched > 0 ? 1 : order.tries + 1
  const passing = problem === null ? run.passing : problem.kind !== 'refused'
  const again = (passing && tries < MAX_TRIES) || run.unfinished
  const retryMs = Math.max(problem?.retryAfterMs ?? run.retryAfterMs, backOff(tries, RETRY))
  return async (tx) => {
    await recordProblem(app, tx, order.space, problem?.message ?? null, again ? retryMs : REFUSED_MS)
    if (!again) return
    const notBefore =
      run.unfinished && problem === null && !run.passing
        ? undefined
        : new Date(app.clock.now().getTime() + retryMs).toISOString()
    // Objects that were rejected in this run are not requested again in the next one.
    await queueLfs(app, tx, { ...order, asked: false, tries }, app.credentials.get(job), notBefore)
  }
}

/** One run of a job. */
class Fetch {
  fetched = 0
  /** Whether an object failed for a temporary reason. */
  passing = false
  retryAfterMs = 0
  /** Whether the time limit was reached before all objects were tried. */
  unfinished = false
  readonly #started: number

  constructor(
    private readonly app: App,
    private readonly order: LfsOrder,
    private readonly signal: AbortSignal,
    private readonly organization: string,
  ) {
    this.#started = app.clock.now().getTime()
  }

  /** Whether other jobs should run now. */
  get #isOver(): boolean {
    return this.app.clock.now().getTime() - this.#started > JOB_MS
  }

  /** Returns the objects within the limits. Objects beyond them are recorded as failed. */
  async withinLimits(missing: readonly FoundPointer[]): Promise<FoundPointer[]> {
    const { maxObjectBytes, maxSpaceBytes } = this.app.settings.lfs
    let bytes = 0
    // An object whose file was lost is recorded as present and is also among the missing ones.
    const lost = new Set(missing.map(({ oid }) => oid))
    for (const one of await this.app.store.find(lfsObjects, 'space', this.order.space))
      if (one.state === 'present' && !lost.has(one.oid)) bytes += one.size
    const allowed = bytes + (await bytesLeft(this.app, this.organization))
    const fit: FoundPointer[] = []
    const failed: FailedObject[] = []
    for (const pointer of missing) {
      const problem =
        tooLarge(pointer.size, bytes, maxObjectBytes, maxSpaceBytes) ??
        (bytes + pointer.size > allowed ? OVER_QUOTA : null)
      if (problem === null) {
        bytes += pointer.size
        fit.push(pointer)
      } else failed.push({ pointer, problem, retryMs: REFUSED_MS })
    }
    await recordFailed(this.app, this.order.space, failed)
    return fit
  }

  /** Fetches objects. Throws `LfsError` if the server rejects all requests. */
  async all(open: () => Promise<OpenedServer>, objects: readonly FoundPointer[]): Promise<void> {
    let left = objects
    let opened = await open()
    for (let round = 1; left.length > 0 && !this.unfinished; round++) {
      const again: FoundPointer[] = []
      for (let at = 0; at < left.length; at += MAX_BATCH) {
        if (this.#isOver) this.unfinished = true
        if (this.unfinished) break
        if (opened.expiresAt !== null && opened.expiresAt < this.app.clock.now().getTime() + EXPIRES_SOON_MS)
          opened = await open()
        again.push(...(await this.#batch(opened.server, left.slice(at, at + MAX_BATCH), round === ROUNDS)))
      }
      left = again
    }
  }

  /** Fetches the objects of one request. Returns those whose address must be requested again. */
  async #batch(server: LfsServer, objects: readonly FoundPointer[], last: boolean): Promise<FoundPointer[]> {
    const unique = [...new Map(objects.map((pointer) => [pointer.oid, pointer])).values()]
    const response = await requestBatch(server, unique, this.order.remote.ref)
    const pending: { pointer: FoundPointer; action: DownloadAction }[] = []
    const failed: FailedObject[] = []
    // A hash with two sizes needs separate requests, since one of the sizes is wrong.
    const again = last ? [] : objects.filter((pointer) => !unique.includes(pointer))
    for (const pointer of unique) {
      const found = response.get(pointer.oid)
      if (found instanceof LfsError) failed.push(this.#failure(pointer, found))
      else if (found) pending.push({ pointer, action: found })
    }
    const work = async (): Promise<void> => {
      for (let next = pending.shift(); next; next = pending.shift()) {
        this.#checkRunning()
        // A slow server must not block other jobs, since each download may take half an hour.
        if (this.#isOver) return void (this.unfinished = true)
        const error = await this.#download(server, next.pointer, next.action)
        if (error?.kind === 'renew' && !last) again.push(next.pointer)
        else if (error) failed.push(this.#failure(next.pointer, error))
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: DOWNLOADS }, work))
    await recordFailed(this.app, this.order.space, failed)
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return again
  }

  /** Downloads an object. Returns the error, or null if it is available. */
  async #download(server: LfsServer, pointer: FoundPointer, action: DownloadAction): Promise<LfsError | null> {
    if (action.expiresAt !== null && action.expiresAt <= this.app.clock.now().getTime())
      return new LfsError('renew', 'Its download address expired before it was used.')
    try {
      await downloadObject(server, this.app.lfsFiles, pointer, action)
    } catch (error) {
      this.#checkRunning()
      if (error instanceof LfsError) return error
      throw error
    }
    await recordPresent(this.app, this.order.space, pointer)
    this.fetched++
    return null
  }

  #failure(pointer: FoundPointer, error: LfsError): FailedObject {
    if (error.kind === 'passing') {
      this.passing = true
      this.retryAfterMs = Math.max(this.retryAfterMs, error.retryAfterMs ?? 0)
    }
    return { pointer, problem: error.message, retryMs: error.kind === 'passing' ? 0 : REFUSED_MS }
  }

  #checkRunning(): void {
    if (this.signal.aborted) throw new Error('The service is stopping.')
  }
}

function tooLarge(size: number, before: number, maxObject: number, maxSpace: number): string | null {
  if (maxObject === 0) return 'This server does not fetch Git LFS files (BINDERY_LFS_LIMIT_BYTES).'
  if (size > maxObject)
    return `It has ${size} bytes. The limit for a Git LFS file is ${maxObject} bytes (BINDERY_LFS_LIMIT_BYTES).`
  if (before + size > maxSpace)
    return `The Git LFS files of the space would exceed ${maxSpace} bytes (BINDERY_LFS_SPACE_BYTES).`
  return null
}
