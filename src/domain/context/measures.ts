/**
 * Measures the content of organizations: bytes of repositories and Git LFS files, and files of main. The repositories
 * are the only source. A measured value is used again, so that a write does not read all spaces.
 */
import { isRepositoryFault } from '../../git/index.js'
import { lfsObjects, spaces } from '../../model/index.js'
import type { App } from './app.js'
import { countMainFiles } from './file-count.js'
import { repositoryName } from './refs.js'

/** A quantity that the repositories determine. */
export type Quantity = 'bytes' | 'files'

/** After this time, an organization's spaces are listed again, and those that were written to are measured again. */
const MEASURED_MS = 30_000
/** After this time, a space is measured again even if this process has not written to it. */
const UNWRITTEN_MS = 5 * 60_000

/** The measured spaces of an organization. */
class Measure {
  readonly #values = new Map<string, { at: number; value: number }>()
  readonly #written = new Set<string>()
  #listedAt = Number.NEGATIVE_INFINITY
  #running: Promise<void> | null = null
  total = 0

  constructor(
    readonly organization: string,
    readonly quantity: Quantity,
  ) {}

  of(space: string): number {
    return this.#values.get(space)?.value ?? 0
  }

  /** Measures this space again soon. */
  written(space: string): void {
    this.#written.add(space)
  }

  /** Lists the spaces again at the next use, because one was added or removed. */
  listAgain(): void {
    this.#listedAt = Number.NEGATIVE_INFINITY
  }

  /** Brings the values up to date. Concurrent callers share one run. */
  refresh(app: App): Promise<void> {
    this.#running ??= this.#refresh(app).finally(() => {
      this.#running = null
    })
    return this.#running
  }

  async #refresh(app: App): Promise<void> {
    const now = performance.now()
    if (now - this.#listedAt > MEASURED_MS) {
      await this.#list(app, now)
      return
    }
    // Counting is cheap, since only changed folders are read. Sizes wait for the next list.
    if (this.quantity === 'files')
      await this.#measure(
        app,
        [...this.#written].filter((id) => this.#values.has(id)),
      )
  }

  async #list(app: App, now: number): Promise<void> {
    const all = await app.store.find(spaces, 'organization', this.organization)
    const ids = new Set(
      all.filter((one) => this.quantity === 'bytes' || one.deletedAt === undefined).map(({ id }) => id),
    )
    for (const id of this.#values.keys()) if (!ids.has(id)) this.#values.delete(id)
    await this.#measure(
      app,
      [...ids].filter((id) => {
        const known = this.#values.get(id)
        return known === undefined || this.#written.has(id) || now - known.at > UNWRITTEN_MS
      }),
    )
    this.#sum()
    this.#listedAt = now
  }

  async #measure(app: App, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    for (const id of ids) this.#written.delete(id)
    const at = performance.now()
    const found = await (this.quantity === 'bytes' ? bytesOf(app, ids) : filesOf(app, ids))
    for (const [id, value] of found) this.#values.set(id, { at, value })
    this.#sum()
  }

  #sum(): void {
    this.total = 0
    for (const { value } of this.#values.values()) this.total += value
  }
}

async function bytesOf(app: App, ids: readonly string[]): Promise<Map<string, number>> {
  const sizes = await app.git.sizes(ids.map(repositoryName))
  const found = new Map<string, number>()
  for (const id of ids) {
    let bytes = sizes.get(repositoryName(id)) ?? 0
    for (const { size, state } of await app.store.find(lfsObjects, 'space', id)) if (state === 'present') bytes += size
    found.set(id, bytes)
  }
  return found
}

async function filesOf(app: App, ids: readonly string[]): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const id of ids) {
    try {
      found.set(id, await countMainFiles(await app.git.open(repositoryName(id))))
    } catch (error) {
      // A space that is out of service keeps its last count, and does not stop writes to the others.
      if (!isRepositoryFault(error)) throw error
    }
  }
  return found
}

/** The measures by node, organization and quantity. */
// bound: two per organization that has a quota, or whose usage was read
const measures = new Map<string, Measure>()

const keyOf = (app: App, organization: string, quantity: Quantity) => `${app.node} ${organization} ${quantity}`

/**
 * Returns the use of an organization, and the part of one space. Sizes of spaces that this process writes to are at most
 * 30 seconds old, and files of main are current. Changes by other processes are seen within 5 minutes.
 */
export async function measured(
  app: App,
  organization: string,
  quantity: Quantity,
): Promise<{ total: number; of(space: string): number }> {
  const key = keyOf(app, organization, quantity)
  const measure = measures.get(key) ?? new Measure(organization, quantity)
  measures.set(key, measure)
  await measure.refresh(app)
  return measure
}

const known = (app: App, organization: string): Measure[] =>
  (['bytes', 'files'] as const).flatMap((quantity) => measures.get(keyOf(app, organization, quantity)) ?? [])

/** Records that a branch of a space moved. */
export function noteWritten(app: App, organization: string, space: string): void {
  for (const measure of known(app, organization)) measure.written(space)
}

/** Records that an organization has received or lost a space. */
export function noteSpaces(app: App, organization: string): void {
  for (const measure of known(app, organization)) measure.listAgain()
}
