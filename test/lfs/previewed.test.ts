// Tests previews of pull requests with Git LFS pictures: existing objects are shown, and a proposal triggers no fetch.
import { randomBytes } from 'node:crypto'
import * as assert from 'uvu/assert'
import type { FakePull } from '../support/hosts/repository.js'
import { DOCS, POLL_MS, startPreviewing } from '../pull-previews/fixture.js'
import { git } from '../support/hermetic-git.js'
import { startLfs } from '../support/lfs-server.js'
import { suiteWith } from '../support/suite.js'

const [test, here] = await suiteWith('lfs: previewed', async () => {
  const lfs = await startLfs()
  const previewing = await startPreviewing({ BINDERY_ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8' })
  previewing.remotes.behaviour.lfs = lfs.handler
  const close = async (): Promise<void> => {
    await previewing.close()
    await lfs.close()
  }
  return { ...previewing, lfs, close }
})

const page = (...names: string[]): string =>
  `# Guide\n\n## Start\n\n${names.map((name) => `![](.gitbook/assets/${name})`).join('\n\n')}\n`

for (const directory of [undefined, 'docs'])
  test(`a preview shows existing LFS pictures and leaves new ones to the merge${directory ? ': of a folder' : ''}`, async () => {
    const [old, fresh] = [here.lfs.put(randomBytes(500)), here.lfs.put(randomBytes(600))]
    const at = (files: Record<string, string>) =>
      Object.fromEntries(Object.entries(files).map(([path, text]) => [directory ? `${directory}/${path}` : path, text]))
    const files = {
      ...(DOCS as Record<string, string>),
      'guide.md': page('old.png'),
      '.gitbook/assets/old.png': old.pointer,
    }
    const docs = await here.connected('github', { files: at(files), ...(directory ? { directory } : {}) })
    await here.forward(1000)
    const number = await docs.open(
      at({ 'guide.md': page('old.png', 'new.png'), '.gitbook/assets/new.png': fresh.pointer }),
    )
    await here.forward(POLL_MS)
    const preview = await docs.preview(number)
    assert.equal([preview.state, preview.status.state, preview.counts?.failing ?? 0], ['ready', 'success', 0])
    const filesAt = async (of: string) => {
      const { body } = await here.admin.call('get', `/v1/spaces/${docs.space}/${of}/files?metadata=true`).expect(200)
      return Object.fromEntries(
        body.items.map((one: { name: string; lfs: { oid: string; state: string } }) => [
          one.name,
          [one.lfs.oid, one.lfs.state],
        ]),
      )
    }
    assert.equal(await filesAt(`revisions/${preview.revision}`), {
      'old.png': [old.oid, 'present'],
      'new.png': [fresh.oid, 'waiting'],
    })
    assert.not.ok(
      here.lfs.downloads.some(({ oid }) => oid === fresh.oid),
      'who proposes something fills no space',
    )

    await git(docs.bare.path, [
      'update-ref',
      'refs/heads/main',
      (await docs.bare.head(`refs/heads/topic-${number}`)) as string,
    ])
    Object.assign(docs.host.repository.pulls[number - 1] as FakePull, { state: 'merged' })
    await here.forward(2 * POLL_MS)
    assert.equal(await filesAt('content'), { 'old.png': [old.oid, 'present'], 'new.png': [fresh.oid, 'present'] })
  })

test.run()
