/** State of a running import: its limits, its counts, and the tools that all sources use. */
import type { SpaceDoc, ContentImportSource, ImportFailure } from '../../model/index.js'
import type { App } from '../context/app.js'
import { Fetcher } from './fetcher.js'
import { Interrupted } from './failure.js'
import type { LoadedSpace } from '../context/loaded.js'
import { withoutQuery } from './shown-url.js'

/** Maximum number of failures that are stored with their reason. Further ones are only counted. */
const MAX_FAILURES = 200
const MAX_TEXT = 500
const PROGRESS_MS = 1_000

/** The progress of an import. */
export interface Progress {
  stage: 'reading' | 'files' | 'writing'
  importedResources: number
  totalResources: number
}

/** A file that was sent with the request. */
interface GivenFile {
  name: string
  content: Uint8Array
}

interface Order {
  space: LoadedSpace
  url: string
  file: GivenFile | null
  source: ContentImportSource
}

export class Gathering {
  readonly failures: ImportFailure[] = []
  moreFailures = 0
  readonly fetcher: Fetcher
  readonly space: LoadedSpace
  readonly url: string
  /** The file that was sent instead of an address, or null. */
  readonly file: GivenFile | null
  readonly source: ContentImportSource
  /** Time when reading ends, on the clock of `performance.now`. */
  readonly deadline: number
  #reportedAt = 0

  constructor(
    readonly app: App,
    order: Order,
    readonly signal: AbortSignal,
    private readonly report: (progress: Progress) => Promise<void>,
  ) {
    this.space = order.space
    this.url = order.url
    this.file = order.file
    this.source = order.source
    const { imports, maxFileBytes } = app.settings
    this.deadline = performance.now() + imports.maxMs
    this.fetcher = new Fetcher(app.http, { ...imports, maxFileBytes, deadline: this.deadline, signal })
  }

  /** The name of the source in messages: its address, or the name of the file. */
  get shown(): string {
    return this.file?.name ?? this.url
  }

  get spaceId(): SpaceDoc['id'] {
    return this.space.doc.id
  }

  /** Records that a resource is not imported. */
  fail(resource: string, reason: string): void {
    if (this.failures.length >= MAX_FAILURES) this.moreFailures++
    else this.failures.push({ resource: this.#withoutSecrets(resource), reason: this.#withoutSecrets(reason) })
  }

  /** Removes the query of the URL, which may be a signature, from a text for clients. */
  #withoutSecrets(text: string): string {
    return withoutQuery(this.url, text).slice(0, MAX_TEXT)
  }

  get failed(): number {
    return this.failures.length + this.moreFailures
  }

  /** Whether the time limit for reading was reached. Throws `Interrupted` if the service stops. */
  get late(): boolean {
    if (this.signal.aborted) throw new Interrupted('The service is stopping.')
    return performance.now() >= this.deadline
  }

  /** Reports the progress to clients, at most once a second. */
  async progress(stage: Progress['stage'], importedResources: number, totalResources: number): Promise<void> {
    const now = performance.now()
    if (this.signal.aborted) throw new Interrupted('The service is stopping.')
    if (now - this.#reportedAt < PROGRESS_MS) return
    this.#reportedAt = now
    await this.report({ stage, importedResources, totalResources })
  }
}
