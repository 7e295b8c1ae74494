import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { RefName } from '../../../src/kernel/ids.js'
import { remoteOperations } from '../../support/remote-operations.js'
import { startGitHttp } from '../../support/git-http.js'
import { suite } from '../../support/suite.js'

const test = suite('names of remote hosts')

test('names are resolved by the service, and not by threads that write files', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bindery-names-'))
  const remotes = await startGitHttp({ root })
  try {
    const { url } = await remotes.createRepository('docs.git', { files: { 'README.md': '# Docs\n' } })
    const asked: string[] = []
    const { remoteHead } = remoteOperations({
      allowedProtocols: ['http'],
      allowPrivateNetworks: true,
      resolve: async (host) => {
        asked.push(host)
        return [{ address: '127.0.0.1' }]
      },
    })
    const head = await remoteHead(root, { url: url.replace('127.0.0.1', 'docs.invalid') }, 'refs/heads/main' as RefName)
    assert.match(String(head), /^[0-9a-f]{40}$/)
    assert.equal(asked, ['docs.invalid'])
  } finally {
    await remotes.close()
    await rm(root, { recursive: true, force: true })
  }
})

test.run()
