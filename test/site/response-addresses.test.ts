import request from 'supertest'
import * as assert from 'uvu/assert'
import { type Json, newSite } from '../sites/http.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('site: addresses in responses', () => startService())

const post = async (path: string, body?: object): Promise<Json> => {
  const response = await here.admin.call('post', path, body)
  assert.ok(response.status < 300, `${path}: ${response.status} ${response.text}`)
  return response.body
}

/** Addresses that only their own kind of request opens: POST from a host, or the credentials of a reader. */
const OTHER_REQUEST = /\/v1\/git\/webhooks\/|\/~(?:share|auth)\//

/** All addresses of the service in a response. */
function addressesIn(value: unknown): string[] {
  if (typeof value === 'string')
    return [here.url, here.service.sites].some((origin) => value.startsWith(origin)) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(addressesIn) : []
}

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A service with a resource of most kinds. Returns the lists and resources to start at. */
async function fill(): Promise<string[]> {
  const organization = `/v1/orgs/${here.organization}`
  const site = await newSite(here, { title: 'Docs', spaces: 'sample' })
  await site.section('Guides')
  const api = await site.section('API')
  await site.siteSpace('Version 1', api.id)
  await site.group('More', [api.id])
  await post(`${site.base}/publish`)
  await post(`${site.base}/share-links`, { name: 'Reviewers' })
  const [{ space }] = (await here.admin.call('get', `${site.base}/site-spaces`).expect(200)).body.items
  const own = `/v1/spaces/${space.id}`
  await post(`${own}/content`, {
    changes: [
      { operation: 'insert_files', files: [{ name: 'dot.png', ref: 'dot', base64: PIXEL }] },
      { operation: 'insert_page', title: 'Pictures', document: { markdown: '# Pictures\n\n![A dot](/files/dot)\n' } },
    ],
  })
  const { number } = await post(`${own}/change-requests`, { subject: 'A change' })
  await post(`${own}/comments`, { body: { markdown: 'A remark' } })
  await here.admin.call('patch', organization, { inviteLinks: true }).expect(200)
  await post(`${organization}/link-invites`, { role: 'read' })
  await post(`${organization}/webhooks`, { url: 'https://example.org/hook', events: ['space.created'] })
  return [
    ...['', '/spaces', '/sites', '/members', '/events', '/link-invites', '/webhooks', '/templates'].map(
      (path) => organization + path,
    ),
    ...['', '/sections', '/site-spaces', '/section-groups', '/structure', '/share-links', '/customization'].map(
      (path) => site.base + path,
    ),
    `${site.base}/published`,
    ...['', '/content', '/content/pages', '/content/files', '/change-requests', '/comments', '/revisions'].map(
      (path) => own + path,
    ),
    `${own}/change-requests/${number}`,
    '/v1/user',
    '/v1/orgs',
    '/v1',
  ]
}

test('every address in the responses of a service leads somewhere', async () => {
  const waiting = (await fill()).map((path) => here.url + path)
  const seen = new Set(waiting)
  const kinds = { api: 0, sites: 0, files: 0 }
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    const { origin, pathname, search } = new URL(url)
    const get = request(origin).get(pathname + search)
    // A reader has no token, and neither has a browser that shows a picture.
    const isOpen = origin !== here.url || /[?&]signature=/.test(search)
    const response = await (isOpen ? get : get.set('Authorization', `Bearer ${here.admin.token}`))
    assert.is(response.status, 200, `${url}: ${response.status} ${response.text?.slice(0, 300)}`)
    kinds[origin !== here.url ? 'sites' : isOpen ? 'files' : 'api']++
    for (const found of addressesIn(response.body).filter((one) => !seen.has(one) && !OTHER_REQUEST.test(one))) {
      seen.add(found)
      waiting.push(found)
    }
  }
  assert.ok(kinds.api > 40 && kinds.sites >= 4 && kinds.files >= 1, JSON.stringify(kinds))
})

test.run()
