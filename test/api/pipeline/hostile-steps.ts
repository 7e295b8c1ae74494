import { issueToken } from '../../../src/domain/accounts/accounts.js'
import { pick, pickWeighted, type Random } from '../../simulation/two-sided/random.js'
import { flat } from '../../commits/fixture.js'
import { git } from '../../support/hermetic-git.js'
import type { handClock } from '../../support/hand-clock.js'
import type { Caller, TestService } from '../../support/service.js'
import { anyEntry, commitByHand, type Entry } from './hostile-git.js'

// Changes to a space by two API users and one user of plain Git, one step at a time.

export interface Space {
  id: string
  repository: string
  /** Commits that main has pointed to. */
  heads: string[]
  /** IDs and paths that its pages have had. The reads continue after a page is deleted. */
  pages: Set<string>
  paths: Set<string>
  files: Set<string>
  reusable: Set<string>
  requests: number[]
  comments: string[]
}

export interface World {
  here: TestService
  next: Random
  clock: ReturnType<typeof handClock>
  collection: string
  /** A site that publishes the first space. */
  site: string
  /** Changes the content of the specification that pages show. */
  specification(title: string): Promise<unknown>
  spaces: readonly Space[]
  /** A member with their own role, and tokens that are created and revoked. */
  reader: Caller
  readerToken: { id: string; secret: string }
  /** Dates of the Git user's commits, in seconds since 1970. */
  began: number
  said: string[]
  /**
   * The paths that the Git user's commits touch, and the frequency of each kind of step. Some stories involve few
   * files, so that they change in more ways.
   */
  files: readonly string[]
  weights: readonly number[]
}

const any = <T>({ next }: World, from: readonly T[]): T => pick(next, from) as T

/** Sends a request that may be rejected but must not fail. */
async function ask(
  world: World,
  method: 'get' | 'post' | 'put' | 'patch' | 'delete',
  path: string,
  body?: unknown,
  by = world.here.admin,
): Promise<any> {
  const response = await by.call(method, path, body)
  world.said.push(`${method} ${path} ${JSON.stringify(body) ?? ''} → ${response.status}`)
  if (response.status >= 500) throw new Error(`${world.said.at(-1)}: ${JSON.stringify(response.body)}`)
  return response.status < 300 ? response.body : null
}

const dateOf = (world: World): number => world.began + any(world, [0, 0, 0, 1, 60, -3600, 86400])

const headOf = (space: Space): Promise<string> => git(space.repository, ['rev-parse', 'refs/heads/main'])

function someChanges(world: World): Map<string, Entry> {
  const count = any(world, [1, 1, 1, 2, 3])
  return new Map(
    Array.from({ length: count }, () => any(world, world.files)).map((path) => [path, anyEntry(world.next, path)]),
  )
}

/** Makes one commit on main with plain Git, of any kind. */
async function byHand(world: World, space: Space): Promise<void> {
  const head = await headOf(space)
  const old = any(world, space.heads)
  const before = (await git(space.repository, ['rev-list', '--parents', '-1', head])).split(' ').slice(1)
  const kinds: (readonly [number, () => { parents: string[]; tree: string; changes?: Map<string, Entry> }])[] = [
    [10, () => ({ parents: [head], tree: head, changes: someChanges(world) })],
    [2, () => ({ parents: [head], tree: head })],
    // Amended: the same tree or another one, as a sibling of the commit that it replaces.
    [3, () => ({ parents: before, tree: head })],
    [3, () => ({ parents: before, tree: head, changes: someChanges(world) })],
    [2, () => ({ parents: [head], tree: old })],
    [2, () => ({ parents: [old], tree: head })],
    [2, () => ({ parents: [head, old], tree: head })],
    [
      2,
      () => ({
        parents: [old, head],
        tree: any(world, [head, old]),
        ...(world.next(3) === 0 ? { changes: someChanges(world) } : {}),
      }),
    ],
    [1, () => ({ parents: [], tree: head })],
  ]
  const made = pickWeighted(world.next, kinds)()
  const commit = await commitByHand(space.repository, { ...made, authored: dateOf(world), committed: dateOf(world) })
  world.said.push(
    `by hand ${commit.slice(0, 8)} parents ${made.parents.map((one) => one.slice(0, 8))} tree of ${made.tree.slice(0, 8)} ${JSON.stringify([...(made.changes ?? [])])}`,
  )
}

async function moveRef(world: World, space: Space): Promise<void> {
  const to = any(world, space.heads.slice(-8))
  await git(space.repository, ['update-ref', 'refs/heads/main', to])
  if (world.next(4) === 0) await git(space.repository, ['pack-refs', '--all'])
  world.said.push(`update-ref ${to.slice(0, 8)}`)
}

/** The head of the other space, unchanged: the same files and page IDs under other URLs. */
async function fetchOther(world: World, space: Space): Promise<void> {
  const other = world.spaces.find((one) => one !== space) as Space
  await git(space.repository, ['fetch', '--quiet', other.repository, '+refs/heads/main:refs/heads/main'])
  world.said.push(`fetch ${other.id}`)
}

function anyChange(world: World, space: Space): object {
  const page = any(world, [...space.pages])
  const kinds: (readonly [number, () => object])[] = [
    [
      6,
      () => ({
        operation: 'update_page',
        page,
        document: { markdown: any(world, ['# One\n', '# One\n\nMore.\n', 'No title [A](/pages/a).\n']) },
      }),
    ],
    [2, () => ({ operation: 'update_page', page, title: any(world, ['One', 'Uno', 'A']) })],
    [1, () => ({ operation: 'update_page', page, slug: any(world, ['one', 'uno', 'two']) })],
    [
      3,
      () => ({
        operation: 'update_page',
        page,
        ...any(world, [
          { icon: 'star' },
          { icon: null },
          { hidden: true },
          { hidden: null },
          { description: 'd' },
          { description: null },
          { emoji: '🐢' },
        ]),
      }),
    ],
    [2, () => ({ operation: 'update_page', page, into: any(world, [null, ...space.pages]), at: world.next(3) })],
    [
      2,
      () => ({
        operation: 'insert_page',
        title: any(world, ['One', 'New']),
        document: { markdown: '# New\n' },
        ...any(world, [{}, { into: page }, { at: 0 }]),
      }),
    ],
    [1, () => ({ operation: 'delete_page', page })],
    [1, () => ({ operation: 'revert_page', page, revision: any(world, space.heads) })],
    [1, () => ({ operation: 'insert_group', title: any(world, ['Group', 'Other']) })],
    [1, () => ({ operation: 'update_group', page, title: any(world, ['Group', 'Renamed']) })],
    [
      1,
      () => ({
        operation: 'insert_link',
        title: 'Web',
        target: any(world, [
          { kind: 'page', page },
          { kind: 'url', url: 'https://example.org/c' },
        ]),
      }),
    ],
    [1, () => ({ operation: 'update_variables', variables: { x: any(world, ['1', '2']) } })],
  ]
  return pickWeighted(world.next, kinds)()
}

const edit = (world: World, space: Space) =>
  ask(world, 'post', `/v1/spaces/${space.id}/content`, { changes: [anyChange(world, space)] })

async function changeRequest(world: World, space: Space): Promise<void> {
  const base = `/v1/spaces/${space.id}/change-requests`
  const number = any(world, space.requests)
  if (number === null || (space.requests.length < 3 && world.next(4) === 0)) {
    const made = await ask(world, 'post', base, { subject: 'Some' })
    if (made) space.requests.push(made.number)
    return
  }
  const one = `${base}/${number}`
  const kinds: (readonly [number, () => Promise<unknown>])[] = [
    [4, () => ask(world, 'post', `${one}/content`, { changes: [anyChange(world, space)] })],
    [2, () => ask(world, 'post', `${one}/merge`)],
    [2, () => ask(world, 'post', `${one}/update`)],
    [
      1,
      () =>
        ask(world, 'patch', one, {
          status: any(world, ['open', 'draft', 'archived']),
          subject: any(world, ['Some', 'Other']),
        }),
    ],
    [
      1,
      () => ask(world, 'post', `${one}/revert`).then((made) => void (made?.number && space.requests.push(made.number))),
    ],
    [
      2,
      async () => {
        const ref = `refs/heads/change-requests/${number}`
        const head = await git(space.repository, ['rev-parse', ref]).catch(() => null)
        if (head === null) return
        await commitByHand(space.repository, {
          ref,
          parents: [head],
          tree: any(world, [head, head, await headOf(space)]),
          changes: someChanges(world),
          authored: dateOf(world),
          committed: dateOf(world),
        })
        world.said.push(`by hand on ${ref}`)
      },
    ],
  ]
  await pickWeighted(world.next, kinds)()
}

/** Changes that leave the content alone: counters, settings, access, time, the address. */
async function around(world: World, space: Space): Promise<void> {
  const url = `/v1/spaces/${space.id}`
  const { reader, next, here, clock } = world
  const kinds: (readonly [number, () => Promise<unknown>])[] = [
    [
      3,
      () =>
        ask(world, 'post', `${url}/comments`, { body: { markdown: 'Hm' }, page: any(world, [...space.pages]) }).then(
          (made) => void (made && space.comments.push(made.id)),
        ),
    ],
    [2, () => ask(world, 'put', `${url}/comments/${pick(next, space.comments)}`, { resolved: next(2) === 0 })],
    [
      2,
      () =>
        ask(
          world,
          'patch',
          url,
          any(world, [
            { title: 'Docs' },
            { title: 'Other' },
            { emoji: '🐢' },
            { language: 'de' },
            { visibility: 'public' },
            { visibility: 'private' },
          ]),
        ),
    ],
    [
      1,
      () => ask(world, 'patch', url, { editMode: 'locked' }).then(() => ask(world, 'patch', url, { editMode: 'live' })),
    ],
    [1, () => ask(world, 'post', `${url}/move`, { parent: any(world, [null, world.collection]) })],
    [
      2,
      () =>
        ask(world, 'post', `${url}/permissions`, { users: [reader.user], role: any(world, ['read', 'edit', 'admin']) }),
    ],
    [1, () => ask(world, 'delete', `${url}/permissions/users/${reader.user}`)],
    [1, () => ask(world, 'patch', url, { defaultLevel: any(world, ['read', null, 'inherit']) })],
    [1, () => ask(world, 'patch', '/v1/user', { displayName: any(world, ['Admin', 'Boss']) })],
    [
      1,
      async () => {
        const { id, secret } = await issueToken(here.service.app, reader.user, { label: 'next' }).then((made) => ({
          id: made.token.id as string,
          secret: made.secret,
        }))
        await ask(world, 'delete', `/v1/user/tokens/${world.readerToken.id}`, undefined, {
          ...reader,
          call: (method, path) => here.admin.call(method, path).set('Authorization', `Bearer ${secret}`),
        })
        world.said.push('another token')
        world.readerToken = { id, secret }
      },
    ],
    [
      2,
      async () => {
        const ms = any(world, [1000, 3_600_000, 86_400_000, -3_600_000])
        clock.forward(ms)
        world.said.push(`clock ${ms}`)
      },
    ],
    [1, () => world.specification(any(world, ['Pets', 'Dogs']))],
    [
      1,
      () =>
        ask(world, 'post', `/v1/orgs/${here.organization}/sites/${world.site}/${any(world, ['publish', 'unpublish'])}`),
    ],
    // Data that is derived from commits may disappear at any time.
    [
      2,
      async () => {
        here.service.app.content.clear()
        world.said.push('clear')
      },
    ],
    [1, () => ask(world, 'delete', url).then(() => ask(world, 'post', `${url}/restore`))],
  ]
  await pickWeighted(next, kinds)()
}

/** Runs one step. Returns the space that it changed. */
export async function step(world: World): Promise<Space> {
  const space = world.next(4) === 0 ? (world.spaces[1] as Space) : (world.spaces[0] as Space)
  const kinds: (readonly [number, () => Promise<unknown>])[] = [
    [10, () => byHand(world, space)],
    [3, () => moveRef(world, space)],
    [1, () => fetchOther(world, space)],
    [6, () => edit(world, space)],
    [4, () => changeRequest(world, space)],
    [1, () => ask(world, 'post', `/v1/spaces/${space.id}/rollback`, { revision: any(world, space.heads) })],
    [4, () => around(world, space)],
  ]
  await pickWeighted(
    world.next,
    kinds.map(([weight, work], index) => [weight * (world.weights[index] as number), work] as const),
  )()
  return space
}

/** Records new pages and commits of a space. */
export async function look(world: World, space: Space): Promise<void> {
  const head = await headOf(space)
  if (!space.heads.includes(head)) space.heads.push(head)
  const { body } = await world.here.admin.call('get', `/v1/spaces/${space.id}/content`)
  for (const page of flat(body.pages ?? [])) {
    space.pages.add(page.id)
    space.paths.add(page.path)
  }
  for (const file of body.files ?? []) space.files.add(file.id)
  for (const one of body.reusableContents ?? []) space.reusable.add(one.id)
}
