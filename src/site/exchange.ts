/** The requests and responses of published sites, independent of the HTTP server. */
import type { Readable } from 'node:stream'

/** A request of a reader. */
export interface SiteRequest {
  method: string
  /** In lowercase, without the port. */
  hostname: string
  /** The path as sent, encoded. */
  path: string
  query: URLSearchParams
  /** Returns a header; '' if it is absent. */
  header(name: string): string
  /** The IP address of the client. */
  ip: string
  /** Reads the fields of a form. Null if it is too long. */
  form(): Promise<URLSearchParams | null>
}

/** Who may keep a response: anyone (`public`), only the reader (`private`), anyone and forever (`immutable`). */
export type Audience = 'public' | 'private' | 'immutable'

/** A response to a reader. */
export interface SiteResponse {
  status: number
  type: string
  body: string | Buffer | Readable
  audience: Audience
  headers?: Readonly<Record<string, string>>
}

export const HTML = 'text/html; charset=utf-8'

/** A redirect. A permanent one is 301. */
export const redirectTo = (location: string, audience: Audience, status: 301 | 302 | 303 = 301): SiteResponse => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: '',
  audience,
  headers: { Location: location },
})
