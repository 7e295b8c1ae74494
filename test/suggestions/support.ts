/** A site that takes suggestions, and its readers. */
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../commits/fixture.js'
import { type PublishedSite, publishSite } from '../site/published.js'
import type { Files } from '../support/bare-repository.js'
import { startService, type TestService } from '../support/service.js'
import { type Smtp, startSmtp } from '../support/smtp.js'

/** A block of a page, as the site offers it. */
export interface Block {
  id: string
  number: number
  source: string
}

export interface SuggestedSite {
  here: TestService
  smtp: Smtp
  desk: Desk
  site: PublishedSite
  close(): Promise<void>
}

/** Starts a service with a mail server, and publishes a site of these files. */
export async function openSuggestedSite(files: Files, mode: string): Promise<SuggestedSite> {
  const smtp = await startSmtp()
  const here = await startService({
    env: { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'docs@example.org', BINDERY_TRUST_PROXY: '1' },
  })
  const desk = await openDesk(here, files)
  const site = await publishSite(here, [desk.space])
  await setMode({ here, site }, mode)
  const close = async () => {
    await here.close()
    await smtp.close()
  }
  return { here, smtp, desk, site, close }
}

export const setMode = ({ here, site }: Pick<SuggestedSite, 'here' | 'site'>, suggestions: string) =>
  here.admin.call('patch', site.api, { suggestions }).expect(200)

let clients = 0
/** Sends a request to the form of a site, each time from another address. */
export const ask = (
  { here, site }: Pick<SuggestedSite, 'here' | 'site'>,
  query: Record<string, string>,
  { form, json = true, headers = {} }: { form?: Record<string, string>; json?: boolean; headers?: object } = {},
): Promise<Response> =>
  fetch(`${here.service.sites}${site.base}/~suggest?${new URLSearchParams(query)}`, {
    redirect: 'manual',
    headers: {
      ...(json ? { Accept: 'application/json' } : {}),
      ...(form ? { 'Sec-Fetch-Site': 'same-origin' } : {}),
      'X-Forwarded-For': `198.51.${Math.floor(++clients / 250)}.${clients % 250}`,
      ...headers,
    },
    ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
  })

/** Returns the blocks of a page that a reader may change. */
export async function blocksOf(on: Pick<SuggestedSite, 'here' | 'site'>, page: string): Promise<Block[]> {
  const response = await ask(on, { page })
  assert.is(response.status, 200)
  return ((await response.json()) as { blocks: Block[] }).blocks
}

/** Returns the block with this source. */
export async function blockOf(on: Pick<SuggestedSite, 'here' | 'site'>, page: string, source: string): Promise<Block> {
  const found = (await blocksOf(on, page)).find((one) => one.source === source)
  assert.ok(found, `The page does not offer ${source}`)
  return found
}

/** Sends a suggestion of a member. Returns the secret for the app. */
export async function draft(
  on: Pick<SuggestedSite, 'here' | 'site'>,
  page: string,
  { before, after }: { before: string; after: string },
): Promise<string> {
  const { id } = await blockOf(on, page, before)
  const response = await ask(on, {}, { form: { page, block: id, text: after, as: 'member' } })
  assert.is(response.status, 200)
  return new URL(((await response.json()) as { to: string }).to).hash.slice(1)
}
