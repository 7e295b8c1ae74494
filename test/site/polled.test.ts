/**
 * A visitor reads all outputs of a site, again and again, while a writer hides, moves and rewrites its pages and takes it
 * offline, and while the server is killed. After the response of a change, no output shows what it has hidden.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type ApiResponse, type Call, caller } from '../races/client.js'
import { type ServerProcess, startServer, TOKEN } from '../races/server-process.js'
import { pick, type Random, random } from '../simulation/two-sided/random.js'
import { firstSeed, runs, size } from '../support/soak.js'
import { freePort } from '../support/sshd.js'
import { suite } from '../support/suite.js'
import { newWord, wordsIn } from './gate/canaries.js'
import { unzip } from './unzip.js'

const CHANGES = runs(14, 400)
/** The server is killed during one change in this many. */
const KILLS = size(7, 20)
const PAGES = 4

interface Polled {
  id: string
  title: string
  path: string
  text: string
  isHidden: boolean
}

interface Story {
  next: Random
  dir: string
  port: number
  server: ServerProcess
  call: Call
  space: string
  /** The path of the site in the API, and for readers. */
  api: string
  base: string
  isPublished: boolean
  pages: Polled[]
  /** Words that no output may contain, with the number of the change that hid them. Others may or may not be shown. */
  hidden: Map<string, number>
  changes: number
  polls: number
  /** Whether the server is being restarted. */
  isDown: boolean
  isOver: boolean
}

const test = suite('site: polled while it changes')

async function expectOk(asked: Promise<ApiResponse>): Promise<any> {
  const { status, body } = await asked
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`)
  return body
}

async function start(seed: number): Promise<Story> {
  const next = random(seed)
  const dir = mkdtempSync(join(tmpdir(), 'bindery-polled-'))
  const port = await freePort()
  const server = await startServer(dir, { BINDERY_SITES_PORT: String(port) })
  const call = caller(server.url, TOKEN)
  const above = `/v1/orgs/${server.organization}`
  const { id: space } = await expectOk(call('POST', `${above}/spaces`, { title: 'Guide' }))
  const pages = Array.from({ length: PAGES }, (): Polled => {
    const title = newWord(next)
    return { id: '', title, path: title, text: newWord(next), isHidden: false }
  })
  const inserts = [{ title: 'Start', text: 'Nothing.' }, ...pages].map(({ title, text }) => ({
    operation: 'insert_page',
    title,
    document: { markdown: textWith(text) },
  }))
  await expectOk(call('POST', `/v1/spaces/${space}/content`, { changes: inserts }))
  const listed = (await expectOk(call('GET', `/v1/spaces/${space}/content/pages`))).pages as Polled[]
  for (const page of pages) page.id = listed.find(({ title }) => title === page.title)?.id as string
  const { id } = await expectOk(call('POST', `${above}/sites`, { title: 'Docs', spaces: [space] }))
  const api = `${above}/sites/${id}`
  await expectOk(call('PATCH', api, { visibility: 'public', agentsContext: 'included' }))
  const { urls } = await expectOk(call('POST', `${api}/publish`))
  const { pathname: base } = new URL(urls.published)
  const unknown = { isPublished: true, hidden: new Map(), changes: 0, polls: 0, isDown: false, isOver: false }
  return { next, dir, port, server, call, space, api, base, pages, ...unknown }
}

const textWith = (word: string): string => `Common zebrafish text.\n\nOnly here: ${word}.\n`

/** The words that the site shows now. */
const wordsShown = ({ isPublished, pages }: Story): string[] =>
  pages.flatMap(({ isHidden, title, path, text }) => (isPublished && !isHidden ? [title, path, text] : []))

/** Makes a change until the server acknowledges it. Then nothing that it hides may be shown. */
async function change(story: Story): Promise<void> {
  const { next, space, api } = story
  const page = pick(next, story.pages) as Polled
  const before = wordsShown(story)
  const update = (members: object) => () =>
    story.call('POST', `/v1/spaces/${space}/content`, {
      changes: [{ operation: 'update_page', page: page.id, ...members }],
    })
  const kind = next(5)
  let send: () => Promise<ApiResponse>
  if (kind < 2) {
    page.isHidden = !page.isHidden
    send = update({ condition: page.isHidden ? 'visitor.claims.no' : null })
  } else if (kind === 2) {
    page.path = newWord(next)
    send = update({ slug: page.path })
  } else if (kind === 3) {
    page.text = newWord(next)
    send = update({ document: { markdown: textWith(page.text) } })
  } else {
    story.isPublished = !story.isPublished
    send = () => story.call('POST', `${api}/${story.isPublished ? 'publish' : 'unpublish'}`)
  }
  const after = wordsShown(story)
  for (const word of after) story.hidden.delete(word)
  if (story.changes % KILLS === KILLS - 1) await killDuring(story, send)
  else await expectOk(send())
  story.changes++
  for (const word of before) if (!after.includes(word)) story.hidden.set(word, story.changes)
}

/** Kills the server while it makes a change, which is sent again then. */
async function killDuring(story: Story, send: () => Promise<ApiResponse>): Promise<void> {
  story.isDown = true
  const first = send().catch(() => null)
  await sleep(story.next(60))
  await story.server.kill('tree')
  await first
  story.server = await startServer(story.dir, { BINDERY_SITES_PORT: String(story.port) })
  story.call = caller(story.server.url, TOKEN)
  await expectOk(send())
  story.isDown = false
}

const tool = (name: string, given: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
})

type Output = (page: Polled) => [path: string, init?: RequestInit]

const OUTPUTS: readonly Output[] = [
  () => [''],
  ({ path }) => [`/${path}`],
  ({ path }) => [`/${path}.md`],
  ({ path }) => [`/${path}`, { headers: { Accept: 'text/markdown' } }],
  ({ path }) => [`/${path}x`],
  ({ path }) => [`/${path}/feed.xml`],
  ({ id }) => [`/~nav/${id}`],
  ({ text }) => [`/~search?q=${text.slice(0, 8)}&format=json`],
  () => ['/~search?q=zebrafish&format=json'],
  () => ['/~search?q=zebrafish'],
  () => ['/feed.xml'],
  () => ['/sitemap.xml'],
  () => ['/llms.txt'],
  () => ['/llms-full.txt'],
  () => ['/~mcp', tool('search', { query: 'zebrafish' })],
  () => ['/~mcp', tool('list', {})],
  () => ['/~mcp', tool('changes', { since: '2000-01-01' })],
  ({ id }) => ['/~mcp', tool('read', { page: id })],
  () => ['/~bundle'],
]

/** Reads outputs in turn until the story is over. */
async function poll(story: Story): Promise<void> {
  for (let at = 0; !story.isOver; at++) {
    const page = story.pages[at % PAGES] as Polled
    const [path, init] = (OUTPUTS[at % OUTPUTS.length] as Output)(page)
    const asked = wordsIn(`${path}${typeof init?.body === 'string' ? init.body : ''}`)
    const hidden = new Map(story.hidden)
    let told: string
    try {
      const response = await fetch(`http://127.0.0.1:${story.port}${story.base}${path}`, {
        redirect: 'manual',
        ...init,
      })
      const body = Buffer.from(await response.arrayBuffer())
      const isArchive = path === '/~bundle' && response.status === 200
      told = isArchive ? [...(await unzip(body))].flat().join('\n') : `${response.headers.get('location')}\n${body}`
      if (response.status >= 500 && !story.isDown) assert.unreachable(`${response.status} ${path}`)
    } catch (error) {
      if (!story.isDown && !(error instanceof TypeError)) throw error
      await sleep(10)
      continue
    }
    story.polls++
    for (const word of wordsIn(told)) {
      const isLeak = !asked.has(word) && hidden.has(word) && story.hidden.get(word) === hidden.get(word)
      assert.not.ok(isLeak, `${path} shows ${word}, which change ${hidden.get(word)} of ${story.changes} has hidden`)
    }
  }
}

test(
  'no output shows what an acknowledged change has hidden, also after kills',
  async () => {
    const story = await start(firstSeed(42))
    try {
      const readers = [poll(story), poll(story)]
      const failed = Promise.race(readers)
      for (let count = 0; count < CHANGES; count++) {
        await Promise.race([change(story), failed])
        // Each reader sees the state between two changes.
        const { polls } = story
        while (story.polls < polls + 8) await Promise.race([sleep(5), failed])
      }
      story.isOver = true
      await Promise.all(readers)
      if (!story.isPublished) await expectOk(story.call('POST', `${story.api}/publish`))
      const all = await (await fetch(`http://127.0.0.1:${story.port}${story.base}/llms-full.txt`)).text()
      for (const { isHidden, text } of story.pages) assert.is(wordsIn(all).has(text), !isHidden, text)
    } finally {
      story.isOver = true
      await story.server.kill('tree')
      rmSync(story.dir, { recursive: true, force: true })
    }
  },
  { timeoutMs: 580_000 },
)

test.run()
