// @embedded-only: plain-git
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { issueToken } from '../../../src/domain/accounts/accounts.js'
import { openDesk } from '../../commits/fixture.js'
import { pick, random } from '../../simulation/two-sided/random.js'
import { handClock } from '../../support/hand-clock.js'
import { git } from '../../support/hermetic-git.js'
import { startService, type TestService } from '../../support/service.js'
import { seeds, size } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { comparable, header, read, readAnew, renewed, sentAsKept, type WireResponse } from './both-ways.js'
import { CONTENT_FILES, commitByHand, FIRST, SPEC } from './hostile-git.js'
import { readBothWays, readOnCopy, someOf } from './hostile-reads.js'
import { look, type Space, step, type World } from './hostile-steps.js'

// Cached responses while users change everything they can through the API and with plain Git, and while reads are
// in progress.

const STEPS = size(8, 100)
const STEPS_PER_START = 3
const EDITS = 40
const READERS = 6
const FILES = {
  'SUMMARY.md': '* [Start](README.md)\n* [A](a/README.md)\n  * [One](a/one.md)\n  * [Two](a/two.md)\n',
  'README.md': '# Start\n',
  'a/README.md': '# A\n',
  'a/one.md': '# One\n',
  'a/two.md': '# Two\n',
}

const test = suite('renewed responses, against an adversary')

async function newWorld(seed: number): Promise<World> {
  const clock = handClock()
  const next = random(seed)
  const here = await startService({ overrides: { clock } })
  const collection = (
    await here.admin.call('post', `/v1/orgs/${here.organization}/collections`, { title: 'Shelf' }).expect(201)
  ).body.id as string
  const began = Math.floor(clock.now().getTime() / 1000)
  const spaces: Space[] = []
  for (const title of ['Docs', 'Other docs']) {
    const { body } = await here.admin.call('post', `/v1/orgs/${here.organization}/spaces`, { title }).expect(201)
    await here.admin.call('patch', `/v1/spaces/${body.id}`, { editMode: 'live' }).expect(200)
    const repository = join(here.dir, 'repos', `${body.id}.git`)
    const head = await git(repository, ['rev-parse', 'main'])
    await commitByHand(repository, { parents: [head], tree: head, changes: FIRST, authored: began, committed: began })
    spaces.push({
      id: body.id,
      repository,
      heads: [head],
      pages: new Set(),
      paths: new Set(),
      files: new Set(),
      reusable: new Set(),
      requests: [],
      comments: [],
    })
  }
  const reader = await here.caller('read')
  const { token, secret } = await issueToken(here.service.app, reader.user, { label: 'first' })
  const org = `/v1/orgs/${here.organization}`
  const site = (await here.admin.call('post', `${org}/sites`, { title: 'Site', spaces: [spaces[0]?.id] }).expect(201))
    .body.id as string
  const specification = async (title: string) => {
    await here.admin.call('put', `${org}/openapi/pets`, { source: { text: SPEC(title) } })
    await here.service.idle()
  }
  await specification('Pets')
  const files =
    next(2) === 0 ? CONTENT_FILES : Array.from({ length: 4 + next(4) }, () => pick(next, CONTENT_FILES) as string)
  const weights = Array.from({ length: 7 }, (_, index) => (index === 0 ? 1 : (pick(next, [0, 1, 1, 1, 3]) as number)))
  const world: World = {
    here,
    next,
    clock,
    collection,
    site,
    specification,
    spaces,
    reader,
    readerToken: { id: token.id, secret },
    began,
    said: [],
    files,
    weights,
  }
  for (const space of spaces) await look(world, space)
  return world
}

for (const seed of seeds(1, 10))
  test(`cached reads equal fresh reads and reads of a new service for seed ${seed}`, async () => {
    const world = await newWorld(seed)
    const { url } = world.here
    try {
      await readBothWays(world, someOf(world, 8))
      for (let at = 1; at <= STEPS; at++) {
        const space = await step(world)
        // Before another read loads the new data.
        const asked = someOf(world, 10)
        const responses = await readBothWays(world, asked)
        if (at % STEPS_PER_START === 0) await readOnCopy(world, asked, responses, at % 2 === 0)
        await look(world, space)
      }
      const counts = { seed, renewed: await renewed(url), kept: await sentAsKept(url) }
      assert.ok(counts.renewed > 0 && counts.kept > counts.renewed, JSON.stringify(counts))
      console.log('renewed-hostile:', JSON.stringify(counts))
    } catch (error) {
      console.log(`seed ${seed}, ${STEPS} steps, the last ones:\n${world.said.slice(-12).join('\n')}`)
      throw error
    } finally {
      await world.here.close()
    }
  })

test('a read after an acknowledged edit shows the edit, and a response has one revision', async () => {
  const here = await startService()
  try {
    await readWhileEdited(here)
  } finally {
    await here.close()
  }
})

async function readWhileEdited(here: TestService): Promise<void> {
  const desk = await openDesk(here, FILES)
  await here.admin.call('patch', desk.url, { editMode: 'live' }).expect(200)
  const [start, parent, one, two] = await Promise.all(['readme', 'a', 'a/one', 'a/two'].map((path) => desk.id(path)))
  const paths = [
    'pages',
    `page/${start}`,
    `page/${parent}`,
    `page/${one}`,
    `page/${one}?format=document`,
    `page/${two}`,
  ].map((path) => `${desk.url}/content/${path}`)
  const token = here.admin.token
  /** Heads of main in order. The edits of these heads are acknowledged. */
  const heads = [await desk.git('rev-parse', 'refs/heads/main')]
  /** The reads, with the number of the newest head whose edit was acknowledged before. A 304 has no response. */
  const reads: { path: string; tag: string; acknowledged: number; response: WireResponse | null }[] = []
  let writing = true

  const reader = async (number: number): Promise<void> => {
    const next = random(number)
    const last = new Map<string, string>()
    while (writing) {
      const path = pick(next, paths) as string
      const [before, acknowledged] = [last.get(path), heads.length - 1]
      const conditional = before !== undefined && next(3) === 0
      const headers = conditional ? { 'if-none-match': before } : {}
      const response = await read({ url: here.url, path, token, headers })
      const isUnchanged = conditional && response.status === 304
      assert.is(response.status, isUnchanged ? 304 : 200)
      const tag = header(response, 'etag') as string
      reads.push({ path, tag, acknowledged, response: isUnchanged ? null : response })
      last.set(path, tag)
    }
  }

  const writer = async (): Promise<void> => {
    for (let edit = 1; edit <= EDITS; edit++) {
      const head = heads.at(-1) as string
      const text = `# One\n\nEdit ${edit}.\n`
      if (edit % 4 === 0) {
        const changes = new Map([[edit % 8 === 0 ? 'a/two.md' : 'unrelated.txt', { text: `${edit}\n` }]])
        // Each has the same dates, and some replace the previous one.
        const parents = edit % 3 === 0 ? [heads.at(-2) as string] : [head]
        heads.push(
          await commitByHand(desk.repo, {
            parents,
            tree: head,
            changes,
            authored: 1_700_000_000,
            committed: 1_700_000_000,
          }),
        )
      } else {
        const page = edit % 4 === 1 ? one : start
        heads.push((await desk.write([{ operation: 'update_page', page, document: { markdown: text } }])).revision)
      }
      await sleep(edit % 5)
    }
    writing = false
  }

  const done = Array.from({ length: READERS }, (_, number) => reader(number))
  await Promise.all([writer(), ...done].map((work) => work.finally(() => (writing = false))))
  assert.ok((await renewed(here.url)) > EDITS / 2, 'responses were renewed')
  // The tag of a response names its commit, so it belongs to one head.
  const fresh = new Map<string, { at: number; response: WireResponse }>()
  for (const [at, head] of heads.entries()) {
    await desk.git('update-ref', 'refs/heads/main', head)
    for (const path of paths) {
      const response = await readAnew({ url: here.url, path, token })
      fresh.set(`${path} ${header(response, 'etag')}`, { at, response })
    }
  }
  assert.ok(new Set(reads.map(({ path, tag }) => `${path} ${tag}`)).size > EDITS, 'reads met the edits')
  for (const { path, tag, acknowledged, response } of reads) {
    const of = fresh.get(`${path} ${tag}`)
    assert.ok(of, `${path} was never like ${tag}`)
    assert.ok(of.at >= acknowledged, `${path} is of head ${of.at} although ${acknowledged} was acknowledged`)
    if (response) assert.equal(comparable(response), comparable(of.response), `${path} at head ${of.at}`)
  }
}

test.run()
