import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { type ServerProcess, startServer, TOKEN, until } from '../races/server-process.js'
import { commitIn } from '../simulation/two-sided/admin.js'
import { Api } from '../simulation/two-sided/api.js'
import { startGitHttp } from '../support/git-http.js'
import { filesOf } from '../support/files-of.js'
import { git } from '../support/hermetic-git.js'
import { type MergeStyle, mergeOnRemote } from '../support/people-on-remote.js'
import { suiteWith } from '../support/suite.js'

const page = (...lines: string[]): string => `# Guide\n\n${lines.join('\n\n')}\n`
const docs = { 'README.md': '# Home\n', 'guide.md': page('one', 'two', 'three', 'four'), 'old.md': '# Old\n\ntext\n' }
const ENV = { BINDERY_REMOTE_PROTOCOLS: 'http', BINDERY_ALLOW_PRIVATE_NETWORKS: 'true' }
const DOCS = 'refs/heads/docs'

const [test, here] = await suiteWith('branch pushes without a response', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'bindery-lost-'))
  const remotes = await startGitHttp({ root: join(dir, 'remotes') })
  let server: ServerProcess | undefined
  return {
    dir,
    remotes,
    /** Returns the server, which is started again if it was killed. */
    async server(): Promise<ServerProcess> {
      const { exitCode = 0, signalCode = null } = server?.child ?? {}
      if (server === undefined || exitCode !== null || signalCode !== null) server = await startServer(dir, ENV)
      return server
    },
    async close() {
      await server?.kill('tree')
      await remotes.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
})
let repositories = 0

type Files = Record<string, string | null>
/**
 * The content of the export to the branch, the later local changes, and the expected result once the branch is merged
 * there and main is imported.
 */
const cases: { told: string; exported: Files; after: Files; expected: Files; held?: boolean }[] = [
  {
    told: 'deleted, exported, restored',
    exported: { 'old.md': null, 'guide.md': page('one', 'two', 'four') },
    after: { 'old.md': docs['old.md'], 'guide.md': docs['guide.md'] },
    expected: { 'old.md': docs['old.md'], 'guide.md': docs['guide.md'] },
  },
  {
    told: 'added, exported, deleted',
    exported: { 'new.md': '# New\n', 'guide.md': page('one', 'two', 'more', 'three', 'four') },
    after: { 'new.md': null, 'guide.md': docs['guide.md'] },
    expected: { 'new.md': null, 'guide.md': docs['guide.md'] },
    // A squash is an inference, so the import removes none of its text without a decision.
    held: true,
  },
  {
    told: 'edited, exported, edited again',
    exported: { 'guide.md': page('one', 'TWO', 'three', 'four') },
    after: { 'guide.md': page('one', 'TWO again', 'three', 'four') },
    expected: { 'guide.md': page('one', 'TWO again', 'three', 'four') },
  },
]

/**
 * Imports, exports to a branch without a response, merges it there, and imports again. Returns the local files of
 * main.
 */
async function story(
  lost: 'response' | 'server',
  style: MergeStyle,
  { exported, after, held = false }: (typeof cases)[number],
  moved: boolean,
): Promise<Map<string, string>> {
  const { dir, remotes } = here
  let server = await here.server()
  try {
    const remote = await remotes.createRepository(`docs-${++repositories}.git`, { files: docs })
    const api = (): Api => new Api(() => server.url, TOKEN)
    const { id } = await api().ask('POST', `/v1/orgs/${server.organization}/spaces`, { title: 'Docs' })
    const repo = join(dir, 'repos', `${id}.git`)
    const idle = (count: number) =>
      until(async () => {
        const { items } = await api().ask('GET', `/v1/spaces/${id}/git/history`)
        return items.length >= count &&
          items.every(({ state }: { state: string }) => state !== 'queued' && state !== 'running')
          ? items[0]
          : null
      })
    const start = (direction: string, ref: string) =>
      api().ask('POST', `/v1/spaces/${id}/git/${direction}`, {
        url: remote.url,
        ref,
        ...(direction === 'export' ? { commitMessage: 'Publish' } : {}),
      })
    await start('import', 'refs/heads/main')
    await idle(1)
    await commitIn(repo, 'refs/heads/main', exported, 'Before the export', 1_700_000_000)
    const hook = join(remote.path, 'hooks', 'post-receive')
    if (lost === 'response') remotes.behaviour.losePushResponses = true
    else {
      await writeFile(hook, `#!/bin/sh\nkill -KILL ${server.child.pid}\nexec sleep 1\n`)
      await chmod(hook, 0o755)
    }
    await start('export', DOCS)
    if (lost === 'response') assert.is((await idle(2)).state, 'failure')
    else await server.ended
    assert.ok(await until(() => remote.head(DOCS)), 'it arrived')
    remotes.behaviour.losePushResponses = false
    await commitIn(repo, 'refs/heads/main', after, 'After the export', 1_700_000_060)
    if (moved) await remote.commit({ 'other.md': '# Other\n' })
    await mergeOnRemote(remote, 'docs', style)
    await git(remote.path, ['update-ref', '-d', DOCS])
    if (lost === 'server') {
      await rm(hook)
      server = await here.server()
      await idle(2)
    }
    await start('import', 'refs/heads/main')
    const run = await idle(3)
    assert.is(run.state, held && style === 'squash' ? 'conflict' : 'success', run.error)
    return await filesOf(repo, 'main')
  } finally {
    remotes.behaviour.losePushResponses = false
  }
}

for (const [at, one] of cases.entries())
  for (const lost of ['response', 'server'] as const) {
    // Alternates between squash and merge, with and without news on the remote.
    const style: MergeStyle = (at + (lost === 'response' ? 0 : 1)) % 2 === 0 ? 'merge' : 'squash'
    const moved = at > 0
    test(`a lost push has no lasting effect: ${one.told} (${style}${moved ? ', after the remote moved on' : ''}, ${lost === 'response' ? 'the response lost' : 'the server killed while it pushed'})`, async () => {
      const files = await story(lost, style, one, moved)
      for (const [path, text] of Object.entries(one.expected)) assert.is(files.get(path) ?? null, text, path)
      assert.is(files.has('other.md'), moved && !(one.held && style === 'squash'))
    })
  }

test.run()
