import type { Endpoint } from '../../src/api/declaration.js'
import { isBinary } from '../../src/api/pipeline/compiled-endpoint.js'

/** The result of a GET. The body is undefined if it is not JSON. */
export type Fetch = (url: string) => Promise<{ status: number; body: unknown }>

/** Reports whether an expectation was met. */
export type Expect = (what: string, holds: boolean, got: unknown) => void

interface List {
  items: unknown[]
  count: number
  next?: { page: string }
}

/** Maximum number of pages of one item that are read. */
const WALK = 12

/** Whether the endpoint returns the paged list envelope. */
export function isPagedList(endpoint: Endpoint): boolean {
  if (endpoint.method !== 'GET' || !endpoint.returns || isBinary(endpoint.returns)) return false
  const properties = (endpoint.returns as { properties?: object }).properties ?? {}
  return (
    'items' in properties &&
    'count' in properties &&
    endpoint.query !== undefined &&
    'page' in endpoint.query.properties
  )
}

const withQuery = (url: string, name: string, value: string): string =>
  `${url}${url.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`

/** Checks a paged list: `limit` 0 and 1000, an invalid cursor, and pages that add up to the full list. */
export async function probeList(url: string, get: Fetch, expect: Expect): Promise<void> {
  const all = await get(withQuery(url, 'limit', '1000'))
  expect('limit=1000', all.status === 200, all)
  const none = await get(withQuery(url, 'limit', '0'))
  const empty = none.body as List
  expect(
    'limit=0 has a count, no items, no next',
    none.status === 200 && empty.items.length === 0 && empty.next === undefined,
    none,
  )
  const bad = await get(withQuery(url, 'page', '%%%'))
  expect('a cursor that is none', bad.status === 400, bad)
  if (all.status !== 200) return
  const list = all.body as List
  expect('count is what a list without next holds', list.next !== undefined || list.count === list.items.length, all)
  expect('count does not depend on the limit', list.count === empty.count, none)
  const walked: unknown[] = []
  let page: string | undefined
  for (let step = 0; step < WALK; step++) {
    const one = await get(withQuery(page === undefined ? url : withQuery(url, 'page', page), 'limit', '1'))
    if (one.status !== 200) return expect('a page of one', false, one)
    const { items, next } = one.body as List
    walked.push(...items)
    page = next?.page
    if (page === undefined) break
  }
  const named = (items: unknown[]): string => JSON.stringify(items.map(nameOf))
  expect('page by page the same as at once', named(walked) === named(list.items.slice(0, walked.length)), {
    walked,
    all: list.items,
  })
  expect('the walk ends where the list does', page !== undefined || walked.length === list.items.length, {
    walked: walked.length,
    all: list.items.length,
  })
}

/** The part of an item that stays the same while other members change: its ID. */
const nameOf = (item: unknown): unknown => (item as { id?: unknown } | null)?.id ?? item

/** Every address with a name in `urls` of a response, at any depth. */
export function urlsIn(response: unknown, name: 'location' | 'app'): string[] {
  if (typeof response !== 'object' || response === null) return []
  const here = (response as { urls?: Record<string, unknown> }).urls?.[name]
  const below = Object.values(response).flatMap((value) => urlsIn(value, name))
  return typeof here === 'string' ? [here, ...below] : below
}

/** The origins of a service: that of its API, and that of its sites. */
export interface Origins {
  api: string
  sites?: string | undefined
}

/** Addresses that only their own kind of request opens: deliveries of a host, and the steps of single sign-on. */
const OTHER_REQUEST = /\/v1\/git\/webhooks\/|\/saml\//

/**
 * Every address of the service in a response, at any depth, except `urls.app`: the app shows a screen at it.
 */
export function addressesIn(response: unknown, { api, sites }: Origins): string[] {
  if (typeof response === 'string') {
    const isOwn = [api, sites].some((origin) => origin !== undefined && response.startsWith(`${origin}/`))
    return isOwn && !OTHER_REQUEST.test(response) ? [response] : []
  }
  if (typeof response !== 'object' || response === null) return []
  return Object.entries(response).flatMap(([name, value]) => (name === 'app' ? [] : addressesIn(value, { api, sites })))
}

/** A followed address. */
export interface Opened {
  status: number
  type: string
  bytes: Buffer
}

/** Maximum number of redirects of an address. */
const REDIRECTS = 5

/**
 * Opens an address like its intended clients: programs with their token, and readers without one, with the cookies
 * that they receive. A redirect to another service counts as success.
 */
export async function openAddress(address: string, { api }: Origins, token: string | null): Promise<Opened> {
  const { origin } = new URL(address)
  // A browser that loads a signed file has no token.
  const isProgram = token !== null && origin === api && !/[?&]signature=/.test(address)
  let cookie = ''
  let at = address
  for (let step = 0; ; step++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: {
        ...(isProgram ? { authorization: `Bearer ${token}` } : {}),
        ...(cookie === '' ? {} : { cookie }),
        // The app is for browsers.
        ...(at.startsWith(`${api}/v1/`) ? {} : { accept: 'text/html' }),
      },
    })
    const location = response.headers.get('location')
    const to = location === null || response.status < 300 || response.status > 399 ? null : new URL(location, at)
    const type = response.headers.get('content-type') ?? ''
    if (to === null || step === REDIRECTS || to.origin !== origin)
      return {
        status: to !== null && to.origin !== origin ? 200 : response.status,
        type,
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    await response.body?.cancel()
    cookie = response.headers
      .getSetCookie()
      .map((one) => one.replace(/;.*/s, ''))
      .join('; ')
    at = to.href
  }
}
