/** Fetches the objects that a space lacks: asks for 100 at a time, downloads three at a time, and writes down what became of each. */
import {
  requestBatch,
  type DownloadAction,
  downloadObject,
  LfsError,
  type LfsServer,
  MAX_BATCH,
} from '../../lfs/index.js'
import { lfsObjects, spaces } from '../../model/index.js'
import type { Transaction } from '../../store/index.js'
import type { App } from '../context/app.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { type LfsOrder, queueLfs } from './queue.js'
import { type Failed, recordFailed, recordPresent, recordProblem, REFUSED_MS } from './record.js'
import { type FoundPointer, missingObjects } from './scan.js'
import { type OpenedServer, serverOf } from './server.js'

const DOWNLOADS = 3
/** An address that has expired is asked for anew, so often. */
const ROUNDS = 3
/** After so many tries in a row it is left alone for a day, or until somebody asks. */
const MAX_TRIES = 8
/** What opens the server of an ssh remote is asked for anew this long before it expires. */
const EXPIRES_SOON_MS = 30_000
const FIRST_RETRY_MS = 60_000
const MAX_RETRY_MS = 60 * 60_000
/** After this time a job lets others go first, and is queued again. */
const JOB_MS = 10 * 60_000

type Write = (tx: Transaction) => Promise<void>

/** Runs a job. What is returned is to be written in the transaction that ends it. It can be run again at any time: what is here is not fetched twice. */
export async function fetchObjects(app: App, job: string, order: LfsOrder, signal: AbortSignal): Promise<Write> {
  const space = await app.store.get(spaces, order.space)
  if (!space || space.deletedAt !== undefined) return async () => {}
  const repo = await app.git.open(repositoryName(order.space))
  const main = repo.head(MAIN)
  const revisions = [...order.revisions, ...(main === null ? [] : [main])]
  const missing = await missingObjects(app, order.space, repo, revisions, { asked: order.asked, deep: true })
  if (missing.length === 0) return (tx) => recordProblem(app, tx, order.space, null)
  const run = new Fetch(app, order, signal)
  try {
    await run.all(() => serverOf(app, job, order, repo, signal), await run.withinLimits(missing))
  } catch (error) {
    if (!(error instanceof LfsError) || signal.aborted) throw error
    return ended(app, job, order, run, error)
  }
  return ended(app, job, order, run, null)
}

/** What follows from how a job went: another try, later and later. */
function ended(app: App, job: string, order: LfsOrder, run: Fetch, problem: LfsError | null): Write {
  const tries = run.fetched > 0 ? 1 : order.tries + 1
  const passing = problem === null ? run.passing : problem.kind !== 'refused'
  const again = (passing && tries < MAX_TRIES) || run.unfinished
  const retryMs = Math.max(problem?.retryAfterMs ?? run.retryAfterMs, retryDelay(tries))
  return async (tx) => {
    await recordProblem(app, tx, order.space, problem?.message ?? null, again ? retryMs : REFUSED_MS)
    if (!again) return
    const notBefore =
      run.unfinished && problem === null && !run.passing
        ? undefined
        : new Date(app.clock.now().getTime() + retryMs).toISOString()
    // What was refused in this run is not asked for again in the next one.
    await queueLfs(app, tx, { ...order, asked: false, tries }, app.credentials.get(job), notBefore)
  }
}

const retryDelay = (tries: number): number => Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (tries - 1))

/** One run of a job. */
class Fetch {
  fetched = 0
  /** An object failed for a reason that may pass. */
  passing = false
  retryAfterMs = 0
  /** The time was over before all were tried. */
  unfinished = false
  readonly #started: number

  constructor(
    private readonly app: App,
    private readonly order: LfsOrder,
    private readonly signal: AbortSignal,
  ) {
    this.#started = app.clock.now().getTime()
  }

  /** Whether it is the turn of others. */
  get #isOver(): boolean {
    return this.app.clock.now().getTime() - this.#started > JOB_MS
  }

  /** The objects that may be fetched; those that are too large are recorded as failed. */
  async withinLimits(missing: readonly FoundPointer[]): Promise<FoundPointer[]> {
    const { maxObjectBytes, maxSpaceBytes } = this.app.settings.lfs
    let bytes = 0
    // One whose file got lost is recorded as present, and is among those that are missing.
    const lost = new Set(missing.map(({ oid }) => oid))
    for (const one of await this.app.store.find(lfsObjects, 'space', this.order.space))
      if (one.state === 'present' && !lost.has(one.oid)) bytes += one.size
    const fit: FoundPointer[] = []
    const failed: Failed[] = []
    for (const pointer of missing) {
      const problem = tooLarge(pointer.size, bytes, maxObjectBytes, maxSpaceBytes)
      if (problem === null) {
        bytes += pointer.size
        fit.push(pointer)
      } else failed.push({ pointer, problem, retryMs: REFUSED_MS })
    }
    await recordFailed(this.app, this.order.space, failed)
    return fit
  }

  /** Fetches objects. Throws `LfsError` if the server cannot be asked at all. */
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

  /** Fetches the objects of one request. Returns those whose address has to be asked for again. */
  async #batch(server: LfsServer, objects: readonly FoundPointer[], last: boolean): Promise<FoundPointer[]> {
    const unique = [...new Map(objects.map((pointer) => [pointer.oid, pointer])).values()]
    const answer = await requestBatch(server, unique, this.order.remote.ref)
    const waiting: { pointer: FoundPointer; action: DownloadAction }[] = []
    const failed: Failed[] = []
    // The same hash with another size is asked for apart: one of the two is wrong.
    const again = last ? [] : objects.filter((pointer) => !unique.includes(pointer))
    for (const pointer of unique) {
      const found = answer.get(pointer.oid)
      if (found instanceof LfsError) failed.push(this.#failure(pointer, found))
      else if (found) waiting.push({ pointer, action: found })
    }
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        this.#checkRunning()
        // A slow server, whether it means to or not, does not keep the job from others: each download may take half an hour.
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

  /** Why an object could not be downloaded; null if it is here. */
  async #download(server: LfsServer, pointer: FoundPointer, action: DownloadAction): Promise<LfsError | null> {
    if (action.expiresAt !== null && action.expiresAt <= this.app.clock.now().getTime())
      return new LfsError('renew', 'The address of its download expires before it can be used.')
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

  #failure(pointer: FoundPointer, error: LfsError): Failed {
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
  if (maxObject === 0) return 'Files of Git LFS are not fetched by this server (BINDERY_LFS_LIMIT_BYTES).'
  if (size > maxObject)
    return `It has ${size} bytes, and a file of Git LFS may have ${maxObject} (BINDERY_LFS_LIMIT_BYTES).`
  if (before + size > maxSpace)
    return `The files of Git LFS of the space would have more than ${maxSpace} bytes (BINDERY_LFS_SPACE_BYTES).`
  return null
}
