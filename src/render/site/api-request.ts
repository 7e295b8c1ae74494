/** Requests to APIs, for pages and their script. */
import type { BlockWords } from './words.js'

export interface ApiRequest {
  method: string
  url: string
  headers: [string, string][]
  body: string | null
}

/** The words of the editor. */
export const TRY_WORDS = [
  ...(['tryIt', 'tryNote', 'server', 'addHeader', 'name', 'value', 'send', 'sending', 'noAnswer', 'cutBody'] as const),
  ...(['notText', 'path', 'query', 'header', 'body', 'required', 'request', 'response', 'copy'] as const),
] as const

/** The data of an operation for the editor in the browser. */
export interface TryOrder {
  method: string
  path: string
  /** Addresses without a slash at the end. */
  servers: string[]
  parameters: { name: string; in: 'path' | 'query'; required: boolean; value: string }[]
  /** Headers without a value are not sent. */
  headers: [string, string][]
  body: { type: string; text: string } | null
  words: Pick<BlockWords, (typeof TRY_WORDS)[number]>
}

const quoted = (value: string): string => `'${value.replace(/'/g, "'\\''")}'`

/** Returns the command that sends a request. */
export function curl({ method, url, headers, body }: ApiRequest): string {
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    quoted(url),
    ...headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}
