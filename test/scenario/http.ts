import * as assert from 'uvu/assert'
import { urlsIn } from '../support/probe-responses.js'

/** A response as the caller received it. */
export interface ApiResponse {
  status: number
  body: any
  location: string | null
}

/** A user who sends plain HTTP with a token and remembers every address in the responses. */
export class Person {
  readonly shown = new Set<string>()
  constructor(
    readonly url: string,
    readonly token: string | null,
  ) {}

  /** Sends a request and requires the status. */
  async ask(method: string, path: string, status: number, body?: unknown): Promise<ApiResponse> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.is(response.status, status, `${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    const parsed = text === '' ? undefined : JSON.parse(text)
    for (const location of urlsIn(parsed, 'location')) this.shown.add(location)
    return { status: response.status, body: parsed, location: response.headers.get('location') }
  }

  get = async (path: string, status = 200) => (await this.ask('GET', path, status)).body
  post = async (path: string, body?: unknown, status = 201) => (await this.ask('POST', path, status, body)).body
  put = async (path: string, body: unknown, status = 200) => (await this.ask('PUT', path, status, body)).body
  patch = async (path: string, body: unknown, status = 200) => (await this.ask('PATCH', path, status, body)).body
  delete = async (path: string) => void (await this.ask('DELETE', path, 204))

  /** Every item of a list, in pages of three. */
  async all(path: string): Promise<{ items: ApiResponse['body'][]; count: number }> {
    const items: ApiResponse['body'][] = []
    let page: string | undefined
    let count = 0
    do {
      const query = `${path.includes('?') ? '&' : '?'}limit=3${page === undefined ? '' : `&page=${page}`}`
      const list = await this.get(path + query)
      items.push(...list.items)
      count = list.count
      page = list.next?.page
    } while (page !== undefined)
    assert.is(items.length, count, `count of ${path}`)
    return { items, count }
  }
}
