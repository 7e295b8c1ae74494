import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { hashToken } from '../../src/auth/index.js'
import {
  commenterId,
  commenters,
  comments,
  discussionKey,
  documentTables,
  grants,
  membershipId,
  memberships,
  organizations,
  type Role,
  spaces,
  teamMembers,
  teams,
  tokens,
  users,
} from '../../src/model/index.js'
import { migrations } from '../../src/domain/upkeep/migrations.js'
import { openStore, type Store, type Transaction } from '../../src/store/index.js'

/** The list lengths by organization. The comments are on its first space, `<organization>-0`. */
export const LISTS = {
  many: { members: 10_000, spaces: 2_000, comments: 50_000 },
  few: { members: 100, spaces: 100, comments: 100 },
}

/** The page of the comments. */
export const PAGE = 'page'
/** The number of authors, who take turns in writing comments. */
const AUTHORS = 20

/** The token of a member of both organizations, who sees their spaces through a team. */
export const READER = 'bindery_bench_reader_token_0123456789'

const START = '2026-01-01T00:00:00.000Z'
const secondsLater = (n: number): string => new Date(Date.parse(START) + n * 1000).toISOString()

/**
 * Writes the lists into a store that no server has open. The spaces' repositories are copies of the repository of
 * `model`.
 */
export async function fillLists(home: string, model: string): Promise<void> {
  const store = await openStore({ dir: join(home, 'data', 'store'), tables: documentTables, migrations })
  const organization = (await store.all(organizations))[0]
  const space = await store.get(spaces, model)
  if (!organization || !space) throw new Error('nothing to copy from')
  await store.insert(users, {
    id: 'reader',
    email: 'reader@example.org',
    displayName: 'Reader',
    createdAt: START,
    proof: 'operator',
  })
  await store.insert(tokens, {
    id: 'reader',
    user: 'reader',
    label: 'bench',
    hash: hashToken(READER),
    readOnly: true,
    createdAt: START,
  })
  for (const [id, counts] of Object.entries(LISTS)) {
    const team = `team-${id}`
    await store.insert(organizations, { ...organization, id, emailDomains: [] })
    await store.insert(teams, { ...{ id: team, organization: id, title: 'Team', createdAt: START } })
    await store.insert(teamMembers, { id: `${team}:reader`, organization: id, team, user: 'reader', role: 'member' })
    await addMember(store, id, 'reader', 'read', 0)
    await inBatches(store, counts.members - 1, async (tx, n) => {
      const user = `${id}-${n}`
      await tx.insert(users, {
        id: user,
        email: `${user}@example.org`,
        displayName: `Member ${n}`,
        createdAt: START,
        proof: 'operator',
      })
      await addMember(tx, id, user, 'edit', n)
    })
    await inBatches(store, counts.spaces, async (tx, n) => {
      const made = { ...space, id: `${id}-${n}`, organization: id, title: `Space ${n}`, createdAt: secondsLater(n) }
      await tx.insert(spaces, { ...made, comments: n === 0 ? counts.comments : 0 })
      await tx.insert(grants, {
        id: `space:${made.id}:team:${team}`,
        target: `space:${made.id}`,
        principal: `team:${team}`,
        role: 'edit',
      })
    })
    await addComments(store, id, counts.comments)
    for (let n = 0; n < counts.spaces; n++)
      await cp(join(home, 'repos', `${model}.git`), join(home, 'repos', `${id}-${n}.git`), { recursive: true })
  }
  await store.close()
}

/**
 * Adds copies of the space `model`, each with comments, to a store that no server has open. The spaces' repositories are
 * copies of its repository.
 */
export async function fillSpaces(home: string, model: string, count: number, commentsEach: number): Promise<void> {
  const store = await openStore({ dir: join(home, 'data', 'store'), tables: documentTables, migrations })
  const space = await store.get(spaces, model)
  if (!space) throw new Error('nothing to copy from')
  await inBatches(store, count, async (tx, n) => {
    const made = { ...space, id: `${model}-${n}`, title: `Space ${n}`, createdAt: secondsLater(n) }
    await tx.insert(spaces, { ...made, comments: commentsEach })
  })
  for (let n = 0; n < count; n++) {
    await addCommentsOf(store, `${model}-${n}`, commentsEach)
    await cp(join(home, 'repos', `${model}.git`), join(home, 'repos', `${model}-${n}.git`), { recursive: true })
  }
  await store.close()
}

async function addMember(
  store: Pick<Transaction, 'insert'>,
  organization: string,
  user: string,
  role: Role,
  n: number,
): Promise<void> {
  const seen = { joinedAt: secondsLater(n), lastSeenAt: secondsLater(n) }
  await store.insert(memberships, {
    id: membershipId(organization, user),
    organization,
    user,
    role,
    ...seen,
    disabled: false,
    sso: false,
  })
}

/** Adds comments by an organization's members to its first space. */
const addComments = (store: Store, organization: string, count: number): Promise<void> =>
  addCommentsOf(store, `${organization}-0`, count, organization)

/** Adds comments to a space, by people whose IDs start with `organization`. */
export async function addCommentsOf(
  store: Store,
  space: string,
  count: number,
  organization = 'people',
): Promise<void> {
  const page = { id: PAGE, title: 'Page', path: 'page', content: '' }
  await inBatches(store, count, async (tx, n) => {
    const said = {
      postedBy: `${organization}-${1 + (n % AUTHORS)}`,
      postedAt: secondsLater(n),
      markdown: `Comment **${n}**.`,
      replies: 0,
      revision: '',
      page,
    }
    await tx.insert(comments, { id: `${space}-${n}`, space, ...said, status: n % 3 === 0 ? 'resolved' : 'open' })
  })
  for (let author = 1; author <= Math.min(AUTHORS, count); author++) {
    const [discussion, user] = [discussionKey({ space }), `${organization}-${author}`]
    await store.insert(commenters, {
      id: commenterId(discussion, user),
      space,
      discussion,
      user,
      posts: Math.ceil((count - author + 1) / AUTHORS),
    })
  }
}

async function inBatches(
  store: Store,
  count: number,
  insert: (tx: Transaction, n: number) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < count; at += 1000) {
    await store.transact(async (tx) => {
      for (let n = at; n < Math.min(count, at + 1000); n++) await insert(tx, n)
    })
  }
}
