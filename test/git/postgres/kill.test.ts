/**
 * Nodes that write the same branches at once and are killed at random times: each acknowledged commit exists once, on
 * all nodes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { newId, type RefName } from '../../../src/kernel/ids.js'
import { moduleArguments } from '../../support/own-process.js'
import { startPostgres } from '../../support/postgres.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { admin } from '../fixture.js'
import { fsck, openNode, refsOf, refsOnDisk } from './fixture.js'

const test = suite('nodes that are killed during writes')
const postgres = await startPostgres()
test.after(() => postgres.close())

const KILLS = runs(6, 100)
const REFS = ['refs/heads/main', 'refs/heads/one', 'refs/heads/two'] as RefName[]

interface Told {
  ref: RefName
  to: string
  seen: boolean
  notice?: string
}

test('no acknowledged commit is lost or duplicated, and every copy is sound', async () => {
  const url = await postgres.database()
  const judge = await openNode(url)
  const name = newId()
  await judge.git.create(name)
  const told: Told[] = []
  const notices: string[] = []
  const dirs = [0, 1, 2].map(() => mkdtempSync(join(tmpdir(), 'bindery-killed-')))
  const begin = (dir: string): ChildProcess => {
    const child = spawn(
      process.execPath,
      [...moduleArguments('./writer.js', import.meta.url), url, dir, name, ...REFS],
      {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      },
    )
    child.on('message', (message) =>
      'notice' in (message as Told) ? notices.push((message as Told).notice as string) : told.push(message as Told),
    )
    return child
  }
  const nodes = dirs.map(begin)
  for (let kill = 0; kill < KILLS; kill++) {
    const at = kill % nodes.length
    const child = nodes[at] as ChildProcess
    for (let messages = 1 + Math.floor(Math.random() * 6); messages > 0; messages--) await once(child, 'message')
    await new Promise((done) => setTimeout(done, Math.random() * 20))
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (kill % 5 === 4) rmSync(join(dirs[at] as string, `${name}.git`), { recursive: true, force: true })
    if (kill < KILLS - nodes.length) nodes[at] = begin(dirs[at] as string)
  }
  for (const dir of dirs) {
    const node = await openNode(url, { dir })
    await node.git.refresh(name)
    assert.is(fsck(node, name), '')
    assert.equal(refsOnDisk(node, name), await refsOf(judge, name))
    assert.equal(node.aside, [])
    await node.close()
    rmSync(dir, { recursive: true })
  }
  assert.ok(told.length >= KILLS && told.every(({ seen }) => seen))
  assert.equal(notices, [])
  await judge.git.refresh(name)
  for (const ref of REFS.filter((one) => told.some((move) => move.ref === one))) {
    const history = admin({ path: judge.path(name) }, ['rev-list', ref]).split('\n')
    for (const move of told)
      if (move.ref === ref) assert.is(history.filter((id) => id === move.to).length, 1, `${move.to} on ${ref}`)
  }
  const [row] = await judge.database.query<{ moves: number; last: number }>(
    'SELECT (SELECT count(*)::int FROM repository_moves WHERE name = $1) AS moves, (SELECT sequence::int FROM repositories WHERE name = $1) AS last',
    [name],
  )
  assert.is(row?.moves, row?.last)
  await judge.close()
})

test.run()
