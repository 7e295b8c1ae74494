import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { hashToken } from '../../src/auth/index.js'
import {
  comments,
  documentCollections,
  grants,
  membershipId,
  memberships,
  organizations,
  type SpaceDoc,
  spaces,
  teamMembers,
  teams,
  tokens,
  users,
} from '../../src/model/index.js'
import { openStore, type Store, type Transaction } from '../../src/store/index.js'
import { interleaved, type Line, median, ms, ratiosOf, timed } from './measure.js'
import { call, newSpace, type Server, startService } from './processes.js'

const SPACES = 'spaces page, 2,000 spaces / 100 spaces'
const COMMENTS = 'comments page, 50,000 comments / 100 comments'
const THEIRS = 'comments of two authors on a page, 50,000 comments / 100 comments'
const START = 'start with these lists, seconds'
export const listLines = [SPACES, COMMENTS, THEIRS, START]

const MANY = { members: 10_000, spaces: 2_000, comments: 50_000 }
const FEW = { members: 100, spaces: 100, comments: 100 }
/** They take turns in writing comments. */
const AUTHORS = 20
const READER = 'bindery_bench_reader_token_0123456789'
const ROUNDS = 200
const START_SECONDS = 3

/** Pages of long lists and of short ones, asked by an ordinary member; then a start with all of it. */
export async function lists(dir: string): Promise<Line[]> {
  const home = join(dir, 'lists')
  const before = await startService(home)
  const space = await newSpace(before)
  const { pages } = (await call(before, 'GET', `/v1/spaces/${space}/content/pages`)).json
  const page = pages[0].id as string
  await before.stop()
  await fill(home, space, page)
  const started = performance.now()
  const service = await startService(home)
  const start = (performance.now() - started) / 1000
  const processor = (await service.cpu()) / 1e6
  try {
    return [
      await compare(service, SPACES, '/v1/orgs/many/spaces', '/v1/orgs/few/spaces'),
      await compare(service, COMMENTS, '/v1/spaces/many-0/comments', '/v1/spaces/few-0/comments'),
      await compare(
        service,
        THEIRS,
        `/v1/spaces/many-0/comments?targetPage=${page}&authors=many-1&authors=many-2`,
        `/v1/spaces/few-0/comments?targetPage=${page}&authors=few-1&authors=few-2`,
      ),
      { name: START, sense: 'most', target: START_SECONDS, ratios: [start], detail: `${processor.toFixed(2)} s of processor time` },
    ]
  } finally {
    await service.stop()
  }
}

/** The first page of both lists, in turns, and pages from the middle. */
async function compare(service: Server, name: string, long: string, short: string): Promise<Line> {
  const page = async (path: string): Promise<string> => (await call(service, 'GET', path, undefined, READER)).json.next?.page ?? ''
  const read = (path: string, cursor: string) => (round: number) =>
    timed(() => call(service, 'GET', round % 2 && cursor !== '' ? `${path}${path.includes('?') ? '&' : '?'}page=${cursor}` : path, undefined, READER))
  const sides = { long: read(long, await page(long)), short: read(short, await page(short)) }
  await interleaved(ROUNDS / 4, sides)
  const found = await interleaved(ROUNDS, sides)
  const batches = (values: number[]): number[] => Array.from({ length: 5 }, (_, i) => median(values.slice((i * ROUNDS) / 5, ((i + 1) * ROUNDS) / 5)))
  return {
    name,
    sense: 'most',
    target: 2,
    ratios: ratiosOf(batches(found.long), batches(found.short)),
    detail: `${ms(median(found.long))} to ${ms(median(found.short))}`,
  }
}

/** Two organizations, one with many spaces, whose repositories are copies of one; comments on a space of each; and somebody who may read. */
async function fill(home: string, model: string, page: string): Promise<void> {
  const store = await openStore({ dir: join(home, 'data', 'store'), collections: documentCollections })
  const now = new Date(0).toISOString()
  const [organization] = await store.all(organizations)
  const space = await store.get(spaces, model)
  if (!organization || !space) throw new Error('nothing to copy from')
  await store.insert(users, { id: 'reader', email: 'reader@example.org', displayName: 'Reader', createdAt: now })
  await store.insert(tokens, { id: 'reader', user: 'reader', label: 'bench', hash: hashToken(READER), readOnly: true, createdAt: now })
  for (const [id, counts] of Object.entries({ many: MANY, few: FEW })) {
    await store.insert(organizations, { ...organization, id, emailDomains: [] })
    await store.insert(memberships, {
      id: membershipId(id, 'reader'),
      organization: id,
      user: 'reader',
      role: 'read',
      joinedAt: now,
      disabled: false,
      sso: false,
    })
    await store.insert(teams, { id: `team-${id}`, organization: id, title: 'Team', createdAt: now })
    await store.insert(teamMembers, { id: `team-${id}:reader`, organization: id, team: `team-${id}`, user: 'reader', role: 'member' })
    await inBatches(store, counts.members - 1, async (tx, n) => {
      const user = `${id}-${n}`
      const joinedAt = new Date(n * 1000).toISOString()
      await tx.insert(users, { id: user, email: `${user}@example.org`, displayName: `Member ${n}`, createdAt: now })
      await tx.insert(memberships, {
        id: membershipId(id, user),
        organization: id,
        user,
        role: 'edit',
        joinedAt,
        lastSeenAt: joinedAt,
        disabled: false,
        sso: false,
      })
    })
    await inBatches(store, counts.spaces, async (tx, n) => {
      const made: SpaceDoc = { ...space, id: `${id}-${n}`, organization: id, title: `Space ${n}`, createdAt: new Date(n * 1000).toISOString() }
      await tx.insert(spaces, made)
      await tx.insert(grants, { id: `space:${made.id}:team:team-${id}`, target: `space:${made.id}`, principal: `team:team-${id}`, role: 'edit' })
    })
    await inBatches(store, counts.comments, async (tx, n) => {
      await tx.insert(comments, {
        ...{ id: `${id}-${n}`, space: `${id}-0`, postedBy: `${id}-${1 + (n % AUTHORS)}`, postedAt: new Date(n * 1000).toISOString() },
        ...{ markdown: `Comment ${n}`, status: n % 3 === 0 ? ('resolved' as const) : ('open' as const), replies: 0, revision: '' },
        page: { id: page, title: 'Page', path: 'page', content: '' },
      })
    })
    for (let n = 0; n < counts.spaces; n++) await cp(join(home, 'repos', `${model}.git`), join(home, 'repos', `${id}-${n}.git`), { recursive: true })
  }
  await store.close()
}

async function inBatches(store: Store, count: number, insert: (tx: Transaction, n: number) => Promise<void>): Promise<void> {
  for (let at = 0; at < count; at += 1000) {
    await store.transact(async (tx) => {
      for (let n = at; n < Math.min(count, at + 1000); n++) await insert(tx, n)
    })
  }
}
