import { Fault } from './fault.js'

export interface ApiResponse {
  status: number
  body: any
  text: string
}

/** The server stopped during a request, so its outcome is unknown. */
export class Gone extends Error {}

/** Calls the API as the admin. A status of 500 or above is a fault. */
export class Api {
  /**
   * @param door returns the address for the next request
   * @param mayRefuse whether 503 with Retry-After is allowed and repeated, because a node was just killed
   */
  constructor(
    readonly door: () => string,
    readonly token: string,
    readonly mayRefuse: () => boolean = () => false,
  ) {}

  async call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    for (;;) {
      const { status, text, later } = await this.#send(method, path, body)
      if (status === 503 && later && this.mayRefuse()) {
        await new Promise((done) => setTimeout(done, 100))
        continue
      }
      if (status >= 500)
        throw new Fault('response', `${method} ${path} ${JSON.stringify(body) ?? ''}: ${status} ${text}`)
      return { status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
    }
  }

  async #send(method: string, path: string, body: unknown): Promise<{ status: number; text: string; later: boolean }> {
    try {
      const response = await fetch(this.door() + path, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, text: await response.text(), later: response.headers.has('retry-after') }
    } catch (error) {
      throw new Gone(`${method} ${path}: ${(error as Error).cause ?? error}`)
    }
  }

  /** The body of a response with one of the expected statuses. */
  async ask(method: string, path: string, body?: unknown, wanted: readonly number[] = [200, 201, 204]): Promise<any> {
    const response = await this.call(method, path, body)
    if (!wanted.includes(response.status))
      throw new Fault(
        'response',
        `${method} ${path} ${JSON.stringify(body) ?? ''}: ${response.status} ${response.text}`,
      )
    return response.body
  }
}
