import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { Clone, newSpace } from './fixture.js'

const [test, here] = await suiteWith('concurrent pushes', startService)
/** `PUSH_CLONES=100 PUSH_ROUNDS=1 TEST_FILE_MINUTES=60 npm test -- git-door/races` runs with one hundred people. */
const CLONES = Number(process.env.PUSH_CLONES ?? 3)
const ROUNDS = Number(process.env.PUSH_ROUNDS ?? 3)
/** Edits through the API at the same time. */
const EDITS = Math.max(ROUNDS * 2, CLONES)

const repository = (space: string) => join(here.dir, 'repos', `${space}.git`)
const lines = (who: number) => Array.from({ length: ROUNDS }, (_, round) => `Line ${round} of ${who}.`)

/**
 * All push at once. Those who have to fetch first merge on this machine. In practice they use their own machines, so
 * only this many merge at a time.
 */
const merging: Promise<unknown>[] = Array.from({ length: 6 }, () => Promise.resolve())
let next = 0

async function inTurn(work: () => Promise<void>): Promise<void> {
  const at = next++ % merging.length
  const done = (merging[at] as Promise<unknown>).then(work)
  merging[at] = done.catch(() => undefined)
  await done
}

/** Pushes to main until it is accepted. Fetches and merges other changes first. */
async function pushToMain(clone: Clone): Promise<void> {
  if (await isTaken(clone)) return
  await inTurn(async () => {
    for (let tries = 0; tries < 200; tries++) {
      await clone.git('pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main')
      if (await isTaken(clone)) return
    }
    throw new Error('main was never free')
  })
}

async function isTaken(clone: Clone): Promise<boolean> {
  const { code, text } = await clone.see('push', 'origin', 'HEAD:main')
  if (code !== 0) assert.match(text, /fetch first|non-fast-forward|rejected/)
  return code === 0
}

test('every concurrent API edit and push to main is applied, or the push has to fetch first', pushesAndEdits, {
  timeoutMs: 60_000 * Math.max(5, CLONES * ROUNDS),
})

async function pushesAndEdits(): Promise<void> {
  const space = await newSpace(here)
  const people = await Promise.all(
    Array.from({ length: CLONES }, async () => Clone.of(here, space, await here.caller('edit'))),
  )
  const pages = (await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)).body.pages as {
    id: string
    path: string
  }[]
  const guide = pages.find(({ path }) => path === 'guide')?.id
  const pushing = people.map(async (clone, who) => {
    for (const [round, line] of lines(who).entries()) {
      await clone.commit(
        {
          [`pages/${who}.md`]: `# Page ${who}\n\n${lines(who)
            .slice(0, round + 1)
            .join('\n')}\n`,
        },
        line,
      )
      await pushToMain(clone)
    }
  })
  const editing = async (): Promise<void> => {
    for (let round = 0; round < EDITS; round++) {
      const change = { operation: 'update_page', page: guide, document: { markdown: `# Guide\n\nEdit ${round}.\n` } }
      await here.admin.call('post', `/v1/spaces/${space}/content`, { changes: [change] }).expect(200)
    }
  }
  await Promise.all([...pushing, editing()])
  for (let who = 0; who < CLONES; who++) {
    const text = await git(repository(space), ['show', `main:pages/${who}.md`])
    assert.equal(text.split('\n').slice(2), lines(who))
  }
  const subjects = (await git(repository(space), ['log', '--format=%s', 'main'])).split('\n')
  for (let who = 0; who < CLONES; who++)
    for (const line of lines(who)) assert.is(subjects.filter((one) => one === line).length, 1, line)
  assert.match(await git(repository(space), ['show', 'main:guide.md']), `Edit ${EDITS - 1}.`)
  assert.equal(await git(repository(space), ['fsck', '--strict', '--no-dangling', '--no-progress']), '')
}

test('concurrent pushes for review each create a change request with all their commits', async () => {
  const space = await newSpace(here)
  const clone = await Clone.of(here, space, await here.caller('edit'))
  const topics = Array.from({ length: CLONES * ROUNDS }, (_, index) => `topic-${index}`)
  const commits: string[] = []
  for (const topic of topics) {
    await clone.git('checkout', '--quiet', '-b', topic, 'origin/main')
    commits.push(await clone.commit({ [`pages/${topic}.md`]: `# ${topic}\n` }, topic))
  }
  const seen = await Promise.all(
    topics.map((topic, index) => clone.see('push', 'origin', `${commits[index]}:refs/for/main/${topic}`)),
  )
  for (const { code, text } of seen) assert.is(code, 0, text)
  const { body } = await here.admin
    .call('get', `/v1/spaces/${space}/change-requests?status=open&limit=1000`)
    .expect(200)
  assert.equal(body.items.map((one: { revision: string }) => one.revision).sort(), [...commits].sort())
  assert.equal(await git(repository(space), ['fsck', '--strict', '--no-dangling', '--no-progress']), '')
})

test('two concurrent pushes of one topic create one change request', async () => {
  const space = await newSpace(here)
  const clone = await Clone.of(here, space, await here.caller('edit'))
  const commit = await clone.commit({ 'guide.md': '# Guide\n\nOnce.\n' })
  const seen = await Promise.all([1, 2, 3].map(() => clone.see('push', 'origin', `${commit}:refs/for/main/once`)))
  for (const { code, text } of seen) assert.is(code, 0, text)
  const { body } = await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)
  assert.equal(
    body.items.map((one: { revision: string }) => one.revision),
    [commit],
  )
})

test.run()
