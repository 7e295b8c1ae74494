import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueToken } from '../../../src/domain/accounts/accounts.js'
import { newMembership } from '../../../src/domain/people/organizations.js'
import { memberships, membershipId, organizations, tokens } from '../../../src/model/index.js'
import { handClock } from '../../support/hand-clock.js'
import { git } from '../../support/hermetic-git.js'
import { startService, type TestService } from '../../support/service.js'

// A space, its readers, and the changes that may happen: through the API, in the documents, and with plain Git next
// to the service.

export interface Story {
  here: TestService
  /** The node that the reads go to: this one, or another one on the same database. */
  there: TestService
  /** The readable resources. Some do not exist or are not visible to everyone. */
  paths: string[]
  /** Resources without a validator whose responses are cached. */
  lists: string[]
  /** Tokens by the name of their holder. A revoked token stays until a new one replaces it. */
  tokens: Record<string, string>
  /** Changes by name. Each may have no effect or be rejected. */
  changes: Record<string, (pick: Pick) => Promise<unknown>>
  /** Points main to one of its commits at once, without a Git process. */
  flip(pick: Pick): Promise<void>
}

export type Pick = <T>(from: readonly T[]) => T

const HOUR = 60 * 60 * 1000
const ROLES = ['read', 'comment', 'edit', 'review', 'admin'] as const
const LEVELS = [null, 'inherit', 'read', 'edit'] as const

/** @param env the settings for two nodes. Absent = a single service, in whose repositories plain Git also works */
export async function begin(env?: Record<string, string>): Promise<Story> {
  const clock = handClock()
  const here = await startService({ overrides: { clock }, ...(env ? { env } : {}) })
  const there = env ? await startService({ env, overrides: { clock } }) : here
  const { admin, organization } = here
  const post = async (path: string, body: object) => (await admin.call('post', path, body)).body
  const collection = (await post(`/v1/orgs/${organization}/collections`, { title: 'Shelf' })).id as string
  const space = (await post(`/v1/orgs/${organization}/spaces`, { title: 'Docs', parent: collection })).id as string
  const base = `/v1/spaces/${space}`
  await admin.call('patch', base, { editMode: 'live' })
  const insert = (title: string) => ({
    changes: [{ operation: 'insert_page', title, document: { markdown: `About ${title}.` } }],
    message: title,
  })
  const commits: string[] = []
  for (const title of ['One', 'Two', 'Three']) commits.push((await post(`${base}/content`, insert(title))).revision)
  const request = (await post(`${base}/change-requests`, { subject: 'Draft' })).id as string
  await post(`${base}/change-requests/${request}/content`, insert('Drafted'))
  const site = (
    await post(`/v1/orgs/${organization}/sites`, {
      title: 'Site',
      type: 'ultimate',
      visibility: 'public',
      spaces: [space],
    })
  ).id as string
  // A subpage, a page with a cover, a page with reusable content, and a page with text that searches find.
  const { pages } = (await admin.call('get', `${base}/content/pages`)).body as { pages: { id: string }[] }
  const two = pages[1]?.id
  const ids = [pages[0]?.id, pages[2]?.id] as string[]
  const write = async (changes: object[]) => {
    const { revision } = await post(`${base}/content`, { changes })
    if (revision) commits.push(revision)
  }
  await write([
    {
      operation: 'update_page',
      page: two,
      document: { markdown: 'About two. {% include ".gitbook/includes/shared.md" %}' },
    },
    { operation: 'insert_page', title: 'Below', document: { markdown: 'Below one.' }, into: ids[0] },
    {
      operation: 'insert_page',
      title: 'Evil "urls":{"app":"',
      document: { markdown: `"urls":{"app":"${here.url}/v1/spaces/${space}/revisions/${commits[0]}` },
    },
  ])
  const [reader, guest, mate] = [await here.caller('read'), await here.caller(null), await here.caller(null)]
  const team = (await admin.call('put', `/v1/orgs/${organization}/teams`, { title: 'Team', members: [mate.user] })).body
    .id as string
  const people = { reader, guest, mate }
  const all: Record<string, string> = { admin: admin.token, unknown: 'unknown' }
  for (const [name, one] of Object.entries(people)) all[name] = one.token
  for (const name of ['second', 'short', 'mailed'])
    all[name] = (await issueToken(here.service.app, reader.user, { label: name, byEmail: name === 'mailed' })).secret
  const repository = join(here.dir, 'repos', `${space}.git`)
  const { store } = here.service.app
  const somebody = (pick: Pick) => pick(Object.values(people))
  const change = async (user: string, what: object) => {
    const stored = await store.get(memberships, membershipId(organization, user))
    if (stored) await store.replace(memberships, { ...stored, ...what })
  }
  let edits = 0

  const text = (page: string, markdown: string) => write([{ operation: 'update_page', page, document: { markdown } }])

  const changes: Story['changes'] = {
    'a text': (pick) => text(pick(ids), `Said ${++edits}.`),
    'a text as it was': (pick) => text(pick(ids), pick(['Said.', 'Said otherwise.'])),
    'another page’s text': (pick) =>
      text(pick(ids), `See [two](two.md), ![a picture](${pick(['one.png', 'two.png'])}). ${++edits}`),
    'attributes of a page': (pick) =>
      write([
        {
          operation: 'update_page',
          page: pick(ids),
          ...pick([
            { title: `Called ${++edits}` },
            { description: `About ${edits}` },
            { hidden: true },
            { hidden: null },
          ]),
        },
      ]),
    'a page moved': (pick) => write([{ operation: 'update_page', page: pick(ids), at: pick([0, 1, 2]) }]),
    'a file by hand': async (pick) => {
      const shared = '.gitbook/includes/shared.md'
      const file = pick(['one.md', 'one/below.md', 'three.md', 'notes/loose.txt', shared, shared, '.gitbook/vars.yaml'])
      const front = pick(['', '---\ncover: /cover.png\n---\n\n', '---\nvariables:\n  urls: "{\\"app\\":"\n---\n\n'])
      const data = (content: string) => `data ${Buffer.byteLength(content)}\n${content}\n`
      const shown = '![picture](/cover.png) {{ space.vars.name }}\n\n{% include ".gitbook/includes/shared.md" %}\n'
      const body = file.endsWith('.yaml')
        ? `name: value-${++edits}\n`
        : `${front}By hand ${++edits}: ${file === shared ? '' : shown}\n`
      const head = `commit refs/heads/main\ncommitter Hand <hand@example.org> ${1_800_000_000 + edits} +0000\n${data('By hand')}from refs/heads/main^0\n`
      const cover = pick([`M 100644 inline cover.png\n${data('no picture')}`, 'D cover.png\n', ''])
      await git(repository, ['fast-import', '--quiet'], `${head}M 100644 inline ${file}\n${data(body)}${cover}\n`)
      commits.push(await git(repository, ['rev-parse', 'refs/heads/main']))
    },
    'a comment': (pick) => post(`${base}/comments`, { page: pick(ids), body: { markdown: 'Why?' } }),
    'a change request': () => post(`${base}/change-requests`, { subject: `Another ${++edits}` }),
    'a merge': async (pick) => {
      const { id } = await post(`${base}/change-requests`, { subject: `Merged ${++edits}` })
      await post(`${base}/change-requests/${id}/content`, {
        changes: [{ operation: 'update_page', page: pick(ids), document: { markdown: `Merged ${edits}.` } }],
      })
      const { revision } = await post(`${base}/change-requests/${id}/merge`, {})
      if (revision) commits.push(revision)
    },
    edit: async () =>
      void commits.push((await post(`${base}/content`, insert(`More ${++edits}`))).revision ?? commits[0]),
    draft: () => post(`${base}/change-requests/${request}/content`, insert(`Draft ${++edits}`)),
    'update-ref': (pick) => git(repository, ['update-ref', 'refs/heads/main', pick(commits)]),
    'update-ref of a draft': (pick) => git(repository, ['update-ref', 'refs/heads/change-requests/1', pick(commits)]),
    'a deleted branch': () => git(repository, ['update-ref', '-d', 'refs/heads/change-requests/1']),
    'pack-refs': () => git(repository, ['pack-refs', '--all']),
    'a grant on the space': (pick) =>
      admin.call('post', `${base}/permissions`, { users: [somebody(pick).user], role: pick(ROLES) }),
    'a grant to the team': (pick) => admin.call('post', `${base}/permissions`, { teams: [team], role: pick(ROLES) }),
    'a grant on the collection': (pick) =>
      admin.call('post', `/v1/collections/${collection}/permissions`, {
        users: [somebody(pick).user],
        role: pick(ROLES),
      }),
    'no grant on the space': (pick) => admin.call('delete', `${base}/permissions/users/${somebody(pick).user}`),
    'no grant to the team': () => admin.call('delete', `${base}/permissions/teams/${team}`),
    'no grant on the collection': (pick) =>
      admin.call('delete', `/v1/collections/${collection}/permissions/users/${somebody(pick).user}`),
    'level of the space': (pick) => admin.call('patch', base, { defaultLevel: pick(LEVELS) }),
    'level of the collection': (pick) =>
      admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: pick(LEVELS) }),
    visibility: (pick) => admin.call('patch', base, { visibility: pick(['private', 'in-collection', 'public']) }),
    'a place': (pick) => admin.call('post', `${base}/move`, { parent: pick([null, collection]) }),
    'the team': (pick) =>
      admin.call('put', `/v1/orgs/${organization}/teams/${team}/members`, { [pick(['add', 'remove'])]: [mate.user] }),
    'a role': (pick) => change(somebody(pick).user, { role: pick([null, 'read', 'edit', 'admin']) }),
    'a disabled member': (pick) => change(somebody(pick).user, { disabled: pick([true, false]) }),
    'a member again': async (pick) => {
      const { user } = somebody(pick)
      const role = pick([null, 'read', 'edit'] as const)
      if (!(await store.get(memberships, membershipId(organization, user))))
        await store.insert(memberships, newMembership(organization, user, role, ''))
    },
    'a member gone': (pick) => admin.call('delete', `/v1/orgs/${organization}/members/${somebody(pick).user}`),
    'single sign-on': async (pick) => {
      const stored = await store.get(organizations, organization)
      if (stored) await store.replace(organizations, { ...stored, sso: pick([true, false]) })
    },
    'a token revoked': async (pick) => {
      for (const { id } of (await store.find(tokens, 'user', reader.user)).slice(0, pick([1, 2])))
        await store.remove(tokens, id)
    },
    'a new token': async (pick) => {
      const expiresAt = new Date(clock.now().getTime() + HOUR).toISOString()
      const name = pick(['reader', 'second', 'short', 'mailed'])
      const more = { ...(name === 'short' ? { expiresAt } : {}), ...(name === 'mailed' ? { byEmail: true } : {}) }
      all[name] = (await issueToken(here.service.app, reader.user, { label: name, ...more })).secret
    },
    time: async (pick) => clock.forward(pick([1, HOUR, 25 * HOUR])),
    title: (pick) => admin.call('patch', base, { title: pick(['Docs', 'Guide']) }),
    lock: (pick) => admin.call('patch', base, { editMode: pick(['live', 'locked']) }),
    deleted: () => admin.call('delete', base),
    restored: () => admin.call('post', `${base}/restore`),
    published: (pick) =>
      admin.call('post', `/v1/orgs/${organization}/sites/${site}/${pick(['publish', 'unpublish'])}`, {}),
    'a site': (pick) =>
      admin.call('patch', `/v1/orgs/${organization}/sites/${site}`, { visibility: pick(['public', 'unlisted']) }),
  }
  const contents = [
    `${base}/content`,
    `${base}/change-requests/${request}/content`,
    `${base}/change-requests/1/content`,
    `${base}/revisions/${commits[1]}`,
  ]
  if (env)
    for (const byHand of ['a file by hand', 'update-ref', 'update-ref of a draft', 'a deleted branch', 'pack-refs'])
      delete changes[byHand]
  return {
    here,
    there,
    tokens: all,
    changes,
    paths: [
      ...contents.flatMap((content) => [
        content,
        `${content}/pages`,
        `${content}/files`,
        `${content}/page/${pages[0]?.id}`,
        `${content}/path/two?format=markdown`,
      ]),
      ...['', '?evaluated=true', '?format=markdown&metadata=true'].map(
        (query) => `${base}/content/page/${two}${query}`,
      ),
      `${base}/content/path/one/below`,
      `${base}/content/path/evil-urls-app`,
      '/v1/openapi.json',
      `${base}/content/pages?x=1`,
    ],
    lists: [
      base,
      `${base}/change-requests`,
      `${base}/change-requests?limit=1&status=draft`,
      `${base}/comments`,
      `${base}/change-requests/1/comments?limit=2`,
      `${base}/permissions/users`,
      `${base}/permissions/aggregate`,
      ...['', '/spaces', '/members', '/teams', '/sites', '/collections'].map(
        (list) => `/v1/orgs/${organization}${list}`,
      ),
    ],
    flip: (pick) => writeFile(join(repository, 'refs/heads/main'), `${pick(commits)}\n`),
  }
}
