import { createHmac } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { TestService } from '../support/service.js'

/** A response body of the API; the service checks it against its schema. */
type Json = any

/** A response of a site, read completely. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The cookies that it sets, by name: value and attributes. */
  cookies: Map<string, { value: string; attributes: string }>
}

/** Reads an address of a site as a browser does, without following redirects. */
export async function read(address: string, init: RequestInit & { cookie?: string } = {}): Promise<Answer> {
  const { cookie, ...rest } = init
  const headers = { ...(cookie === undefined ? {} : { Cookie: cookie }), ...(init.headers as Record<string, string>) }
  const response = await fetch(address, { redirect: 'manual', ...rest, headers })
  const cookies = response.headers.getSetCookie().map((line) => {
    const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*);? ?(.*)$/.exec(line) ?? []
    return [name, { value, attributes }] as const
  })
  return { status: response.status, headers: response.headers, text: await response.text(), cookies: new Map(cookies) }
}

/** A published site with one space. */
export interface PublishedSite {
  id: string
  /** Its path in the API. */
  base: string
  space: string
  siteSpace: string
  /** Its address for readers. */
  address: string
}

/** Creates a site with one space that has these pages, by title, and publishes it. */
export async function publish(
  here: TestService,
  pages: Readonly<Record<string, string>>,
  settings: object = {},
): Promise<PublishedSite> {
  const { call } = here.admin
  const space = (await call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Guide' }).expect(201)).body.id
  const sites = `/v1/orgs/${here.organization}/sites`
  const { id } = (await call('post', sites, { title: 'Docs', spaces: [space] }).expect(201)).body
  const base = `${sites}/${id}`
  const changes = Object.entries(pages).map(([title, markdown]) => ({
    operation: 'insert_page',
    title,
    document: { markdown },
  }))
  await call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
  if (Object.keys(settings).length > 0) await call('patch', base, settings).expect(200)
  const { urls } = (await call('post', `${base}/publish`).expect(200)).body
  const [entry] = (await call('get', `${base}/site-spaces`).expect(200)).body.items
  return { id, base, space, siteSpace: entry.id, address: urls.published }
}

/** Changes the text of a page by its title. */
export async function edit(here: TestService, space: string, title: string, markdown: string): Promise<void> {
  const { pages } = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body
  const page = (pages as Json[]).find((one) => one.title === title)
  assert.ok(page, title)
  await here.admin
    .call('post', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'update_page', page: page.id, document: { markdown } }],
    })
    .expect(200)
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of a visitor, as the sign-in of a team creates it. */
export async function visitorToken(here: TestService, { base }: PublishedSite, claims: object = {}): Promise<string> {
  const { privateKey } = (await here.admin.call('get', `${base}/publishing/auth`).expect(200)).body
  const exp = Math.floor(Date.now() / 1000) + 600
  const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: 'visitor', exp, ...claims })}`
  return `${text}.${createHmac('sha256', privateKey).update(text).digest('base64url')}`
}
