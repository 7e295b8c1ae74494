import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { issueToken } from '../../src/domain/accounts/accounts.js'
import { newMembership } from '../../src/domain/people/organizations.js'
import { memberships, membershipId, organizations, tokens } from '../../src/model/index.js'
import { handClock } from '../support/hand-clock.js'
import { git } from '../support/hermetic-git.js'
import { startService, type TestService } from '../support/service.js'

// A space, those who read it, and what may happen to it: by the API, in the documents, and by plain Git beside the service.

export interface Story {
  here: TestService
  /** Where things are read: here, or on another node of the same database. */
  there: TestService
  /** What can be read; some of it is not there, or not for everybody. */
  paths: string[]
  /** Tokens by their holder's name; what is revoked stays, and a new one replaces it. */
  tokens: Record<string, string>
  /** By name; each may have no effect, or be refused. */
  changes: Record<string, (pick: Pick) => Promise<unknown>>
  /** Puts the branch main at one of its commits without any Git process, in no time. */
  flip(pick: Pick): Promise<void>
}

export type Pick = <T>(from: readonly T[]) => T

const HOUR = 60 * 60 * 1000
const ROLES = ['read', 'comment', 'edit', 'review', 'admin'] as const
const LEVELS = [null, 'inherit', 'read', 'edit'] as const

/** @param env what makes two nodes of it; absent = one service on its own, in whose repositories plain Git works, too */
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
  const insert = (title: string) => ({ changes: [{ operation: 'insert_page', title, document: { markdown: `About ${title}.` } }], message: title })
  const commits: string[] = []
  for (const title of ['One', 'Two', 'Three']) commits.push((await post(`${base}/content`, insert(title))).revision)
  const request = (await post(`${base}/change-requests`, { subject: 'Draft' })).id as string
  await post(`${base}/change-requests/${request}/content`, insert('Drafted'))
  const site = (await post(`/v1/orgs/${organization}/sites`, { title: 'Site', type: 'ultimate', visibility: 'public', spaces: [space] })).id as string
  const { pages } = (await admin.call('get', `${base}/content/pages`)).body as { pages: { id: string }[] }
  const [reader, guest, mate] = [await here.caller('read'), await here.caller(null), await here.caller(null)]
  const team = (await admin.call('put', `/v1/orgs/${organization}/teams`, { title: 'Team', members: [mate.user] })).body.id as string
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

  const changes: Story['changes'] = {
    edit: async () => void commits.push((await post(`${base}/content`, insert(`More ${++edits}`))).revision ?? commits[0]),
    draft: () => post(`${base}/change-requests/${request}/content`, insert(`Draft ${++edits}`)),
    'update-ref': (pick) => git(repository, ['update-ref', 'refs/heads/main', pick(commits)]),
    'update-ref of a draft': (pick) => git(repository, ['update-ref', 'refs/heads/change-requests/1', pick(commits)]),
    'a deleted branch': () => git(repository, ['update-ref', '-d', 'refs/heads/change-requests/1']),
    'pack-refs': () => git(repository, ['pack-refs', '--all']),
    'a grant on the space': (pick) => admin.call('post', `${base}/permissions`, { users: [somebody(pick).user], role: pick(ROLES) }),
    'a grant to the team': (pick) => admin.call('post', `${base}/permissions`, { teams: [team], role: pick(ROLES) }),
    'a grant on the collection': (pick) => admin.call('post', `/v1/collections/${collection}/permissions`, { users: [somebody(pick).user], role: pick(ROLES) }),
    'no grant on the space': (pick) => admin.call('delete', `${base}/permissions/users/${somebody(pick).user}`),
    'no grant to the team': () => admin.call('delete', `${base}/permissions/teams/${team}`),
    'no grant on the collection': (pick) => admin.call('delete', `/v1/collections/${collection}/permissions/users/${somebody(pick).user}`),
    'level of the space': (pick) => admin.call('patch', base, { defaultLevel: pick(LEVELS) }),
    'level of the collection': (pick) => admin.call('patch', `/v1/collections/${collection}`, { defaultLevel: pick(LEVELS) }),
    visibility: (pick) => admin.call('patch', base, { visibility: pick(['private', 'in-collection', 'public']) }),
    'a place': (pick) => admin.call('post', `${base}/move`, { parent: pick([null, collection]) }),
    'the team': (pick) => admin.call('put', `/v1/orgs/${organization}/teams/${team}/members`, { [pick(['add', 'remove'])]: [mate.user] }),
    'a role': (pick) => change(somebody(pick).user, { role: pick([null, 'read', 'edit', 'admin']) }),
    'a disabled member': (pick) => change(somebody(pick).user, { disabled: pick([true, false]) }),
    'a member again': async (pick) => {
      const { user } = somebody(pick)
      const role = pick([null, 'read', 'edit'] as const)
      if (!(await store.get(memberships, membershipId(organization, user)))) await store.insert(memberships, newMembership(organization, user, role, ''))
    },
    'a member gone': (pick) => admin.call('delete', `/v1/orgs/${organization}/members/${somebody(pick).user}`),
    'single sign-on': async (pick) => {
      const stored = await store.get(organizations, organization)
      if (stored) await store.replace(organizations, { ...stored, sso: pick([true, false]) })
    },
    'a token revoked': async (pick) => {
      for (const { id } of (await store.find(tokens, 'user', reader.user)).slice(0, pick([1, 2]))) await store.remove(tokens, id)
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
    published: (pick) => admin.call('post', `/v1/orgs/${organization}/sites/${site}/${pick(['publish', 'unpublish'])}`, {}),
    'a site': (pick) => admin.call('patch', `/v1/orgs/${organization}/sites/${site}`, { visibility: pick(['public', 'unlisted']) }),
  }
  const contents = [`${base}/content`, `${base}/change-requests/${request}/content`, `${base}/change-requests/1/content`, `${base}/revisions/${commits[1]}`]
  if (env) for (const byHand of ['update-ref', 'update-ref of a draft', 'a deleted branch', 'pack-refs']) delete changes[byHand]
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
      '/v1/openapi.json',
      `${base}/content/pages?x=1`,
    ],
    flip: (pick) => writeFile(join(repository, 'refs/heads/main'), `${pick(commits)}\n`),
  }
}
