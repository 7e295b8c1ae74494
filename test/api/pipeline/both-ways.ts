import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import * as assert from 'uvu/assert'

// Reads one resource in two ways: possibly from the cache, and with a header that is part of the cache key but has no
// other effect, so that the response is computed for this request.

/** A response as received over the wire. */
export interface WireResponse {
  status: number
  /** Alternating names and values. */
  headers: readonly string[]
  /** Base64. */
  body: string
}

export interface Read {
  url: string
  path: string
  token: string | null
  method?: 'GET' | 'HEAD'
  headers?: Record<string, string>
}

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
let unique = 0

export function read({ url, path, token, method = 'GET', headers = {} }: Read): Promise<WireResponse> {
  const all: OutgoingHttpHeaders = { ...headers, ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
  return new Promise((resolve, reject) => {
    const asked = request(url + path, { agent, method, headers: all }, (res) => {
      const parts: Buffer[] = []
      res.on('data', (part: Buffer) => parts.push(part))
      res.once('end', () =>
        resolve({
          status: res.statusCode as number,
          headers: res.rawHeaders,
          body: Buffer.concat(parts).toString('base64'),
        }),
      )
      res.once('error', reject)
    })
    asked.once('error', reject)
    asked.end()
  })
}

/** Sends the same request, but never uses a cached response. */
export const readAnew = (asked: Read): Promise<WireResponse> =>
  read({ ...asked, headers: { ...asked.headers, 'if-modified-since': `never kept ${++unique}` } })

/** Returns a header of a response, or undefined. */
export const header = ({ headers }: WireResponse, name: string): string | undefined => {
  const at = headers.findIndex((one, index) => index % 2 === 0 && one.toLowerCase() === name)
  return at < 0 ? undefined : headers[at + 1]
}

/** Headers that differ in each response, and the patterns that they must match. */
const own: Record<string, RegExp> = {
  'X-Request-Id': /^[\w-]{8,64}$/,
  Date: /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  RateLimit: /^"(token|address)";r=\d+;t=\d+$/,
}

/** Returns the response without the parts that differ between requests. */
export const comparable = ({ status, headers, body }: WireResponse) => ({
  status,
  headers: headers.map((value, index) => {
    const pattern = index % 2 === 1 ? own[headers[index - 1] as string] : undefined
    return pattern?.test(value) ? '(of its own)' : value
  }),
  body: status < 400 ? body : Buffer.from(body, 'base64').toString(),
})

/** Reads in both ways, the cacheable one first. The responses must be equal. */
export async function sameBothWays(asked: Read, what = ''): Promise<WireResponse> {
  const kept = await read(asked)
  const anew = await readAnew(asked)
  assert.equal(
    comparable(kept),
    comparable(anew),
    `${what} ${asked.method ?? 'GET'} ${asked.path} ${JSON.stringify(asked.headers ?? {})}`,
  )
  return kept
}

const counted = async (url: string, name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${url}/metrics`)).text())?.[1])

/** Returns the number of cached responses that the service has sent. */
export const sentAsKept = (url: string): Promise<number> => counted(url, 'bindery_http_kept_responses_total')

/** Returns the number of renewed responses among them. */
export const renewed = (url: string): Promise<number> => counted(url, 'bindery_http_renewed_responses_total')
