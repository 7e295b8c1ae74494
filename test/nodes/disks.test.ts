import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { PlainGit } from '../races/plain-git.js'
import { suiteWith } from '../support/suite.js'
import { newJudge, startCluster } from './cluster.js'
import type { Node } from './node.js'

/** Tests damage to the disks of nodes and to the database folder. */
const judge = newJudge()
const [test, cluster] = await suiteWith('nodes: disks', () =>
  startCluster({ judge, nodes: 2, env: { BINDERY_RATE_LIMIT_PER_MINUTE: '0' } }),
)
const [one, two] = cluster.nodes as [Node, Node]
const admin = cluster.asker('the admin')

async function done(node: Node, method: string, path: string, body?: unknown, expect = [200, 201]): Promise<any> {
  for (;;) {
    const answer = await admin.ask(node, { method, path, body, expect })
    if (answer.status !== 0 && answer.status !== 503) return answer.body
    await wait(50)
  }
}

async function newSpace(): Promise<string> {
  const { id } = await done(one, 'POST', `/v1/orgs/${cluster.organization}/spaces`, { title: 'Docs', editMode: 'live' })
  return id
}
const insert = (node: Node, space: string, slug: string) =>
  done(node, 'POST', `/v1/spaces/${space}/content`, {
    changes: [{ operation: 'insert_page', title: slug, slug, document: { markdown: `# ${slug}\n` } }],
  })
const titles = async (node: Node, space: string): Promise<string[]> =>
  (await done(node, 'GET', `/v1/spaces/${space}/content/pages`)).pages
    .map(({ title }: { title: string }) => title)
    .sort()
const gitOf = (node: Node, space: string): PlainGit => new PlainGit(join(node.dir, 'repos', `${space}.git`))

test('a ref that was moved by hand on a node is set aside, never lost and never served', async () => {
  const space = await newSpace()
  for (const [round, node] of [one, two, one].entries()) {
    await insert(one, space, `page-${round}`)
    await titles(node, space)
    const git = gitOf(node, space)
    const byHand = await git.addFile('refs/heads/main', `by-hand-${round}.md`, '# By hand\n')
    assert.ok(byHand, 'the ref could be moved')
    for (let again = 0; again < 5; again++)
      for (const asked of cluster.nodes) {
        const { revision } = await done(asked, 'GET', `/v1/spaces/${space}`)
        assert.is.not(revision, byHand, `${asked.name} serves what was moved by hand on ${node.name}`)
      }
    await insert(two, space, `after-${round}`)
    // The node looks for it when it next opens the repository.
    for (let tries = 0; ; tries++) {
      await titles(node, space)
      const named = await git.run(['for-each-ref', '--contains', byHand as string, '--format=%(refname)'])
      const main = await git.run(['rev-parse', 'refs/heads/main'])
      if (named !== '' && !named.includes('refs/heads/main') && main !== byHand) break
      assert.ok(tries < 400, `set aside: ${named || 'no ref'}; main is ${main}, moved by hand to ${byHand}`)
      await wait(50)
    }
    assert.is(await git.fsck(), '')
    for (const asked of cluster.nodes)
      assert.not.ok((await titles(asked, space)).some((title) => /by hand/i.test(title)))
    assert.match(node.output(), byHand as string, 'the log names it')
  }
})

test('refs that are created, deleted or reset by hand do not change served content', async () => {
  const space = await newSpace()
  await insert(one, space, 'first')
  const { number } = await done(one, 'POST', `/v1/spaces/${space}/change-requests`, { subject: 'Of hands' })
  await insert(one, space, 'second')
  await titles(two, space)
  const git = gitOf(two, space)
  const branch = `refs/heads/change-requests/${number}`
  const before = await git.run(['rev-parse', branch])
  await git.run(['update-ref', '-d', branch])
  await git.run(['update-ref', 'refs/heads/main', 'refs/heads/main~1'])
  await git.run(['update-ref', 'refs/heads/mine', 'refs/heads/main'])
  assert.equal(
    (await titles(two, space)).filter((title) => title === 'second'),
    ['second'],
  )
  const seen = await done(two, 'GET', `/v1/spaces/${space}/change-requests/${number}`)
  assert.is(seen.revision, before)
  await insert(two, space, 'third')
  for (const node of cluster.nodes)
    assert.equal(
      (await titles(node, space)).filter((title) => /second|third/.test(title)),
      ['second', 'third'],
    )
  assert.is(await git.fsck(), '')
})

test('a node whose disk was lost or is empty serves all content', async () => {
  const space = await newSpace()
  for (const slug of ['a', 'b', 'c']) await insert(one, space, slug)
  const expected = await titles(one, space)
  await two.kill()
  two.wipe()
  two.start()
  await two.ready()
  assert.equal(await titles(two, space), expected)
  await insert(two, space, 'd')
  assert.ok((await titles(one, space)).includes('d'))
  assert.ok(existsSync(join(two.dir, 'repos', `${space}.git`)))
})

test('a database that was reset to an earlier time is served and accepts new writes', async () => {
  const space = await newSpace()
  await insert(one, space, 'kept')
  const kept = await titles(two, space)
  await cluster.postgres.crash()
  await cluster.postgres.keep()
  await cluster.postgres.start()
  for (const slug of ['gone-1', 'gone-2', 'gone-3']) await insert(one, space, slug)
  assert.ok((await titles(two, space)).includes('gone-3'))
  await cluster.postgres.crash()
  await cluster.postgres.restore()
  await cluster.postgres.start()
  for (const node of cluster.nodes) assert.equal(await titles(node, space), kept, node.name)
  // As many as are gone, and more. A number alone would claim that the copy of the other node is up to date.
  for (const slug of ['new-1', 'new-2', 'new-3', 'new-4']) await insert(two, space, slug)
  const now = await titles(two, space)
  assert.equal(
    now.filter((title) => title.startsWith('gone')),
    [],
  )
  assert.equal(await titles(one, space), now)
  for (const node of cluster.nodes) assert.is(await gitOf(node, space).fsck(), '', node.name)
})

test('no node returned a response that is not allowed', () => {
  assert.equal(judge.faults, [])
})

test.run()
