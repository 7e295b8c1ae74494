/** One import that reads: its bounds, what it counts, and the tools that all sources use. */
import type { SpaceDoc, ContentImportSource, ImportFailure } from '../../model/index.js'
import type { App } from '../context/app.js'
import { Fetcher } from './fetcher.js'
import { Interrupted } from './failure.js'
import type { LoadedSpace } from '../context/loaded.js'
import { withoutQuery } from './shown-url.js'

/** Failures that are kept with their reason; of further ones only the number. */
const MAX_FAILURES = 200
const MAX_TEXT = 500
const PROGRESS_MS = 1_000

/** What an import tells about itself while it runs. */
export interface Progress {
  stage: 'reading' | 'files' | 'writing'
  importedResources: number
  totalResources: number
}

interface Order {
  space: LoadedSpace
  url: string
  source: ContentImportSource
}

export class Gathering {
  readonly failures: ImportFailure[] = []
  moreFailures = 0
  readonly fetcher: Fetcher
  readonly space: LoadedSpace
  readonly url: string
  readonly source: ContentImportSource
  /** When reading ends, in the time of `performance.now`. */
  readonly deadline: number
  #toldAt = 0

  constructor(
    readonly app: App,
    order: Order,
    readonly signal: AbortSignal,
    private readonly tell: (progress: Progress) => Promise<void>,
  ) {
    this.space = order.space
    this.url = order.url
    this.source = order.source
    const { imports, maxFileBytes } = app.settings
    this.deadline = performance.now() + imports.maxMs
    this.fetcher = new Fetcher(app.http, { ...imports, maxFileBytes, deadline: this.deadline, signal })
  }

  get spaceId(): SpaceDoc['id'] {
    return this.space.doc.id
  }

  /** Notes that something is not imported. */
  fail(resource: string, reason: string): void {
    if (this.failures.length >= MAX_FAILURES) this.moreFailures++
    else this.failures.push({ resource: this.#told(resource), reason: this.#told(reason) })
  }

  /** The query of the URL, which may be a signature, is in nothing that is told. */
  #told(text: string): string {
    return withoutQuery(this.url, text).slice(0, MAX_TEXT)
  }

  get failed(): number {
    return this.failures.length + this.moreFailures
  }

  /** Whether the time for reading is over. Throws `Interrupted` if the service stops. */
  get late(): boolean {
    if (this.signal.aborted) throw new Interrupted('The service is stopping.')
    return performance.now() >= this.deadline
  }

  /** Lets clients see how far it is, once a second at most. */
  async progress(stage: Progress['stage'], importedResources: number, totalResources: number): Promise<void> {
    const now = performance.now()
    if (this.signal.aborted) throw new Interrupted('The service is stopping.')
    if (now - this.#toldAt < PROGRESS_MS) return
    this.#toldAt = now
    await this.tell({ stage, importedResources, totalResources })
  }
}
