import { remoteOperations } from '../../support/remote-operations.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'

// Run by remote-orphans.test.ts in its own process: pushes to (or fetches from) a remote that never responds, and
// waits to be killed.
const [operation, repository = '', url = '', commit = ''] = process.argv.slice(2)
const operations = remoteOperations({ allowedProtocols: ['http'], allowPrivateNetworks: true })
const main = 'refs/heads/main' as RefName
const limits = { maxBlobBytes: 1_000_000, maxPackBytes: 10_000_000, maxEntries: 1000, timeoutMs: 600_000 }
if (operation === 'push')
  await operations.push(repository, { url }, { ref: main, commit: commit as CommitId, expected: null })
else await operations.fetch(repository, { url }, main, limits)
