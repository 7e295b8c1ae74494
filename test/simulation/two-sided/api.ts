import { Fault } from './fault.js'

export interface ApiResponse {
  status: number
  body: any
  text: string
}

/** The server went away while it was asked: whether it did what it was asked to is unknown. */
export class Gone extends Error {}

/** Calls the API as the administrator. A status of 500 and above is a fault. */
export class Api {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  async call(method: string, path: string, body?: unknown): Promise<ApiResponse> {
    let received: { status: number; text: string }
    try {
      const response = await fetch(this.url + path, {
        method,
        headers: { authorization: `Bearer ${this.token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      received = { status: response.status, text: await response.text() }
    } catch (error) {
      throw new Gone(`${method} ${path}: ${(error as Error).cause ?? error}`)
    }
    const { status, text } = received
    if (status >= 500) throw new Fault('response', `${method} ${path} ${JSON.stringify(body) ?? ''}: ${status} ${text}`)
    return { status, text, body: text.startsWith('{') ? JSON.parse(text) : null }
  }

  /** The body of a response with one of the wanted statuses. */
  async ask(method: string, path: string, body?: unknown, wanted: readonly number[] = [200, 201, 204]): Promise<any> {
    const response = await this.call(method, path, body)
    if (!wanted.includes(response.status)) throw new Fault('response', `${method} ${path} ${JSON.stringify(body) ?? ''}: ${response.status} ${response.text}`)
    return response.body
  }
}
