/**
 * Plays random edits, hidden pages, merges, plain Git and restarts: readers find each word where it is, and nowhere
 * else.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { pick, pickWeighted, type Random, random } from '../simulation/two-sided/random.js'
import { type Caller, startService, type TestService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { Shelf } from './model.js'
import { Words } from './words.js'

const test = suite('stories of searches')
const STEPS = size(40, 200)
/** The maximum delay until written content is found. */
const LAG_MS = Number(process.env.SEARCH_LAG_MS ?? 120_000)

interface Story {
  here: TestService
  next: Random
  words: Words
  shelves: Shelf[]
  /** A guest, who sees only what they are given a role on. */
  guest: Caller
  granted: Set<string>
}

type Step = (story: Story, shelf: Shelf) => Promise<string>

const someWords = ({ next, words }: Story): string[] => Array.from({ length: 3 + next(2) }, () => words.one())
const aPage = ({ next }: Story, shelf: Shelf): string => pick(next, [...shelf.pages.keys()]) as string

const insert: Step = async (story, shelf) => {
  await shelf.insert(story.words.one(), someWords(story), story.next(4) === 0)
  return 'insert'
}

const rewrite: Step = async (story, shelf) => {
  const text = someWords(story)
  const page = aPage(story, shelf)
  await shelf.rewrite(page, text)
  shelf.rewritten(page, text)
  return `rewrite ${page}`
}

const retitle: Step = async (story, shelf) => {
  await shelf.retitle(aPage(story, shelf), story.words.one())
  return 'retitle'
}

const hide: Step = async (story, shelf) => {
  const page = aPage(story, shelf)
  await shelf.hide(page, !shelf.pages.get(page)?.hidden)
  return `hide or show ${page}`
}

const remove: Step = async (story, shelf) => {
  if (shelf.pages.size < 4) return insert(story, shelf)
  await shelf.delete(aPage(story, shelf))
  return 'delete'
}

const plainly: Step = async (story, shelf) => {
  await shelf.rewritePlainly(aPage(story, shelf), someWords(story))
  return 'plain Git'
}

/** Content of a change request is not found on main before the merge, and is found right after it. */
const merge: Step = async (story, shelf) => {
  const { admin } = story.here
  const { body } = await admin.call('post', `${shelf.url}/change-requests`, { subject: 'Words' }).expect(201)
  const request = `${shelf.url}/change-requests/${body.id}`
  const page = aPage(story, shelf)
  const text = someWords(story)
  await shelf.rewrite(page, text, request)
  await admin.call('get', `${request}/content/page/${page}`).expect(200)
  assert.equal(
    await found(admin, `${shelf.url}/search`, text[0] as string),
    [],
    'a word of a change request is found on main',
  )
  await admin.call('post', `${request}/merge`).expect(200)
  shelf.rewritten(page, text)
  return `merge ${page}`
}

const grant: Step = async (story, shelf) => {
  const { here, guest, granted } = story
  if (granted.delete(shelf.id))
    await here.admin.call('delete', `${shelf.url}/permissions/users/${guest.user}`).expect(204)
  else {
    await here.admin.call('post', `${shelf.url}/permissions`, { role: 'read', users: [guest.user] }).expect(204)
    granted.add(shelf.id)
  }
  return 'grant or revoke'
}

/** A restart, sometimes with the derived data deleted. */
const restart: Step = async ({ here, next }) => {
  if (next(2) === 0) {
    await here.restart()
    return 'restart'
  }
  await here.service.close()
  for (const name of ['facts.db', 'search.db'])
    for (const end of ['', '-wal', '-shm']) await rm(join(here.dir, 'data', name + end), { force: true })
  await here.restart().catch(() => here.restart())
  return 'restart without the indexes'
}

const steps: readonly (readonly [number, Step])[] = [
  [4, insert],
  [6, rewrite],
  [3, retitle],
  [4, hide],
  [2, remove],
  [3, plainly],
  [4, merge],
  [2, grant],
  [1, restart],
]

/** The IDs of the pages that a search finds, also from an organization's response. */
async function found(caller: Caller, url: string, query: string): Promise<string[]> {
  const { body } = await caller.call('get', `${url}?query=${encodeURIComponent(query)}`).expect(200)
  assert.is(body.count, body.items.length, `count of ${query}`)
  const pages: { id: string }[] = body.items.flatMap((item: { pages?: { id: string }[] }) => item.pages ?? [item])
  return pages.map(({ id }) => id).sort()
}

/** Repeats the search until the response is right, for as long as an index may lag behind. */
async function mustFind(caller: Caller, url: string, query: string, wanted: string[], told: string): Promise<void> {
  const until = Date.now() + LAG_MS
  let last = await found(caller, url, query)
  while (Date.now() < until && JSON.stringify(last) !== JSON.stringify(wanted)) {
    await setTimeout(50)
    last = await found(caller, url, query)
  }
  assert.equal(last, wanted, told)
}

async function check(story: Story, told: string): Promise<void> {
  const { here, next, shelves, guest, granted } = story
  const everywhere = `/v1/orgs/${here.organization}/search`
  for (const shelf of shelves) {
    const words = shelf.words()
    for (let i = 0; i < 4; i++) {
      const word = pick(next, words) as string
      const at = shelf.where(word)
      const wanted = at === null ? [] : [at]
      const why = `${word} after ${told}`
      // The start of the word, in other letters, must lead to the same page.
      const asked = [word, word.slice(0, 7), word.toUpperCase()][next(3)] as string
      await mustFind(here.admin, `${shelf.url}/search`, asked, wanted, `in the space: ${asked}, ${why}`)
      await mustFind(here.admin, everywhere, asked, wanted, `everywhere: ${asked}, ${why}`)
      await mustFind(guest, everywhere, asked, granted.has(shelf.id) ? wanted : [], `by the guest: ${asked}, ${why}`)
      if (!granted.has(shelf.id)) await guest.call('get', `${shelf.url}/search?query=${word}`).expect(404)
    }
  }
}

async function begin(seed: number): Promise<Story> {
  const here = await startService()
  const next = random(seed)
  const shelves: Shelf[] = []
  for (const title of ['One', 'Two']) {
    const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)
    shelves.push(new Shelf(here, body.id))
  }
  const story: Story = {
    here,
    next,
    words: new Words(next),
    shelves,
    guest: await here.caller(null),
    granted: new Set(),
  }
  for (const shelf of shelves) for (let i = 0; i < 3; i++) await insert(story, shelf)
  return story
}

for (const seed of seeds(1, 20))
  test(
    `search finds each word where it is after random edits (seed ${seed})`,
    async () => {
      const story = await begin(seed)
      const told: string[] = []
      try {
        for (let step = 0; step < STEPS; step++) {
          const shelf = pick(story.next, story.shelves) as Shelf
          told.push(await pickWeighted(story.next, steps)(story, shelf))
          if (step % 3 === 0 || step === STEPS - 1) await check(story, told.slice(-6).join(', '))
        }
      } finally {
        await story.here.close()
      }
    },
    { timeoutMs: 300_000 },
  )
test.run()
