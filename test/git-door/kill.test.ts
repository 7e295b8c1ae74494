import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type Call, caller } from '../races/client.js'
import { PlainGit } from '../races/plain-git.js'
import { type Reach, startServer, TOKEN } from '../races/server-process.js'
import { runCommand } from '../support/commands.js'
import { git, hermeticEnv } from '../support/hermetic-git.js'
import { runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { PAGES } from './fixture.js'

/** The number of kills. `PUSH_KILLS=30` is a long run. */
const KILLS = runs(2, 50)
const test = suite('kill -9 while clients push')

interface Pushed {
  topic: string
  commit: string
}

test(
  `acknowledged pushes survive ${KILLS} kills, and other pushes can be repeated`,
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'bindery-push-kill-'))
    const work = join(dir, 'work')
    const acknowledged: Pushed[] = []
    let open: Pushed[] = []
    let space = ''
    let topics = 0
    const address = (url: string) => `${url.replace('http://', `http://git:${TOKEN}@`)}/git/${space}.git`
    const push = async (url: string, one: Pushed): Promise<void> => {
      const { code, stderr } = await runCommand(
        'git',
        ['push', address(url), `${one.commit}:refs/for/main/${one.topic}`],
        { cwd: work, env: hermeticEnv },
      )
      if (code !== 0) assert.not.match(stderr, /\[remote rejected\]/)
      else acknowledged.push(one)
    }
    for (let kill = 0; kill <= KILLS; kill++) {
      const server = await startServer(dir)
      const call = caller(server.url, TOKEN)
      if (space === '') {
        space = (await call('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs', editMode: 'live' })).body
          .id
        assert.is((await call('POST', `/v1/spaces/${space}/content`, { changes: PAGES })).status, 200)
        await git(dir, ['clone', '--quiet', address(server.url), work])
      }
      const plain = new PlainGit(join(dir, 'repos', `${space}.git`))
      for (const one of open.splice(0)) await push(server.url, one)
      await agree(call, plain, space, acknowledged)
      if (kill === KILLS) {
        server.child.kill('SIGTERM')
        assert.is(await server.ended, 0)
        assert.is(await plain.fsck(), '')
        assert.is(new Set(acknowledged.map(({ topic }) => topic)).size, topics, 'each was taken in the end')
        break
      }
      const made: Pushed[] = []
      for (let count = 0; count < 4; count++) {
        const topic = `topic-${++topics}`
        const blob = await git(work, ['hash-object', '-w', '--stdin'], `# ${topic}\n`)
        const tree = await git(
          work,
          ['mktree'],
          `${await git(work, ['ls-tree', 'HEAD'])}\n100644 blob ${blob}\t${topic}.md\n`,
        )
        made.push({ topic, commit: await git(work, ['commit-tree', tree, '-p', 'HEAD', '-m', topic]) })
      }
      const before = acknowledged.length
      const pushing = Promise.all(made.map((one) => push(server.url, one)))
      await Promise.race([pushing, wait(100 + Math.random() * 900)])
      await server.kill((['server', 'group', 'tree'] as const satisfies readonly Reach[])[kill % 3] as Reach)
      await pushing
      const taken = new Set(acknowledged.slice(before))
      open = made.filter((one) => !taken.has(one))
    }
    rmSync(dir, { recursive: true, force: true })
  },
  { timeoutMs: 300_000 },
)

/**
 * Checks that documents and branches agree, and that each acknowledged commit is the head of exactly one change
 * request.
 */
async function agree(call: Call, plain: PlainGit, space: string, acknowledged: readonly Pushed[]): Promise<void> {
  const { body } = await call('GET', `/v1/spaces/${space}/change-requests?status=open&limit=1000`)
  const all: { number: number; revision: string }[] = body.items
  const refs = (await plain.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/change-requests/']))
    .split('\n')
    .filter(Boolean)
  assert.equal(
    refs.sort(),
    all.map(({ number, revision }) => `refs/heads/change-requests/${number} ${revision}`).sort(),
  )
  for (const { topic, commit } of acknowledged)
    assert.is(all.filter(({ revision }) => revision === commit).length, 1, `change requests of ${topic}`)
  assert.is(new Set(all.map(({ revision }) => revision)).size, all.length, 'a commit was put up for review twice')
}

test.run()
