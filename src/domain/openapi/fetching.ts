/** Fetches the files of a specification, within limits on their number, size and time. */
import { TurnQueue } from '../../kernel/turns.js'
import type { FileValidator, SpecErrorCode } from '../../model/index.js'
import { type HttpResponse, OutboundError } from '../../outbound/index.js'
import type { FetchedFile } from '../../openapi/index.js'
import type { App } from '../context/app.js'

const MAX_FILES = 1_000
const AT_ONCE = 6
/** Maximum number of files whose validators are stored for conditional requests. With more, all files are fetched. */
const MAX_VALIDATORS = 20
const ACCEPT = 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5'

/** A file cannot be fetched. The message is a sentence for the author. */
export class FetchFailure extends Error {
  override name = 'FetchFailure'
  constructor(
    readonly code: SpecErrorCode,
    message: string,
  ) {
    super(message)
  }
}

/** The fetches of one specification. */
export class SpecFetch {
  readonly #turns = new TurnQueue({ atOnce: AT_ONCE, waiting: MAX_FILES })
  readonly #until: number
  // bound: MAX_FILES
  readonly #validators: FileValidator[] = []
  #files = 0
  #bytes = 0

  constructor(
    private readonly app: Pick<App, 'http' | 'settings'>,
    private readonly signal: AbortSignal,
  ) {
    this.#until = performance.now() + app.settings.specFetchMs
  }

  /** Fetches a file. Throws `FetchFailure`. */
  async file(url: string): Promise<FetchedFile> {
    if (++this.#files > MAX_FILES)
      throw new FetchFailure(
        'FETCH_ERROR',
        `The specification refers to more than ${MAX_FILES} files. Bundle it into fewer.`,
      )
    return this.#turns.run(async () => {
      const { status, headers, body, url: from } = await this.#send(url, {})
      if (status !== 200)
        throw new FetchFailure(
          'FETCH_ERROR',
          `${url} returned status ${status}. Check the URL, and that no sign-in is needed to read it.`,
        )
      this.#bytes += body.length
      this.#checkBytes()
      const { etag, 'last-modified': lastModified } = headers
      this.#validators.push({ url, ...(etag ? { etag } : {}), ...(lastModified ? { lastModified } : {}) })
      return { url: from, body, contentType: headers['content-type'] ?? '' }
    })
  }

  /** Whether the servers report that no file has changed. */
  async isUnchanged(validators: readonly FileValidator[]): Promise<boolean> {
    const answers = await Promise.all(
      validators.map(({ url, etag, lastModified }) =>
        this.#turns.run(() =>
          this.#send(url, {
            ...(etag ? { 'if-none-match': etag } : {}),
            ...(lastModified ? { 'if-modified-since': lastModified } : {}),
          }),
        ),
      ),
    )
    return answers.every(({ status }) => status === 304)
  }

  /** Returns the validators of all fetched files. Undefined if a server provided none, or there are too many. */
  validators(): FileValidator[] | undefined {
    const all = this.#validators
    return all.length > 0 && all.length <= MAX_VALIDATORS && all.every((one) => one.etag ?? one.lastModified)
      ? all
      : undefined
  }

  async #send(url: string, headers: Record<string, string>): Promise<HttpResponse> {
    this.#checkBytes()
    const left = this.#until - performance.now()
    if (left <= 0) throw this.#tooSlow()
    try {
      return await this.app.http.send({
        url,
        headers: { accept: ACCEPT, ...headers },
        timeoutMs: Math.ceil(left),
        maxBytes: this.app.settings.maxSpecBytes - this.#bytes,
        signal: this.signal,
      })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      if (error.failure === 'timeout') throw this.#tooSlow(url)
      if (error.failure === 'too-large') throw this.#tooLarge()
      throw new FetchFailure(
        'FETCH_ERROR',
        error.failure === 'refused' ? `${url.slice(0, 300)} is not fetched: ${error.message}` : error.message,
      )
    }
  }

  #checkBytes(): void {
    if (this.#bytes >= this.app.settings.maxSpecBytes) throw this.#tooLarge()
  }

  #tooLarge(): FetchFailure {
    const most = this.app.settings.maxSpecBytes
    return new FetchFailure(
      'FETCH_ERROR',
      `The specification, with the files that it refers to, has more than ${most} bytes. Split it into several, or ask an administrator for a higher limit.`,
    )
  }

  #tooSlow(url = 'The files of the specification'): FetchFailure {
    const seconds = this.app.settings.specFetchMs / 1000
    return new FetchFailure(
      'FETCH_TIMEOUT',
      `${url} did not arrive within ${seconds} seconds. Try again later, or send the specification as text.`,
    )
  }
}
