import { makeCommit } from '../../src/domain/commits/make-commit.js'
import { moveBranch } from '../../src/domain/commits/move-branch.js'
import { unguarded } from '../../src/domain/commits/guards.js'
import { MAIN } from '../../src/domain/context/refs.js'
import { requestExport, requestImport } from '../../src/domain/git-sync/request.js'
import { overridesAt } from '../../src/domain/revisions/identity.js'
import { createSpace } from '../../src/domain/spaces/spaces.js'
import type { FolderScratch, Git, Repository } from '../../src/git/index.js'
import type { CommitId } from '../../src/kernel/ids.js'
import { startWorker } from '../../src/jobs/worker.js'
import { spaces } from '../../src/model/index.js'
import { anyLease } from '../support/lease.js'
import { insertOrganization, openApp } from '../support/sync-fixture.js'

// Run by folder-exports.test.ts in its own process: exports a folder, and kills itself before or after a call that
// writes or contacts the remote.
const [root, url, exportMode, step] = process.argv.slice(2) as [string, string, 'single' | 'commits', string]
const { app: plain, close } = await openApp(root, [])
let calls = 0
let counting = false

const pass = (): void => {
  if (counting && ++calls === Number(step)) process.kill(process.pid, 'SIGKILL')
}
const STEPS = new Set(['move', 'write', 'push', 'fetchFolder', 'fetch', 'settle'])

/**
 * Returns the same object, but the process may die before and after each call of the methods above, and of the
 * objects that they return.
 */
function mortal<T extends object>(target: T, group = ''): T {
  return new Proxy(target, {
    get(it, member) {
      const value: unknown = Reflect.get(it, member)
      if (['refs', 'objects', 'remote'].includes(String(member)) && typeof value === 'object' && value !== null)
        return mortal(value, String(member))
      if (typeof value !== 'function') return value
      if (member === 'stage') return () => mortal((value as Repository['objects']['stage']).call(it))
      if (member === 'onScratch')
        return (...[remote, hold, work]: Parameters<Repository['remote']['onScratch']>) =>
          (value as Repository['remote']['onScratch']).call(it, remote, hold, (scratch: FolderScratch) =>
            work(mortal(scratch)),
          )
      if (!STEPS.has(String(member)) && `${group}.${String(member)}` !== 'remote.head') return value.bind(it)
      return async (...all: unknown[]) => {
        pass()
        const result: unknown = await value.apply(it, all)
        pass()
        return result
      }
    },
  })
}
const opened = new Map<string, Repository>()
const git = new Proxy(plain.git, {
  get(it, member) {
    const value: unknown = Reflect.get(it, member)
    if (member !== 'open') return typeof value === 'function' ? value.bind(it) : value
    return async (name: string) => {
      if (!opened.has(name)) opened.set(name, mortal(await it.open(name)))
      return opened.get(name)
    }
  },
}) as Git
const app = { ...plain, git }
const worker = startWorker(app)
app.wakes.connect({ jobs: worker.wake })
const { organization, actor } = await insertOrganization(app)
const space = await createSpace(app, actor, organization, {})
const link = { url, ref: 'refs/heads/main', repoProjectDirectory: 'docs' }
await requestImport(app, actor, space, link)
await worker.idle()
for (const text of ['One', 'Two'])
  await moveBranch(space.repo, { ref: MAIN, reason: 'edit', guard: unguarded, lease: anyLease }, async (head) =>
    makeCommit(app, space, {
      parents: [head as CommitId],
      changes: [{ path: 'page.md', content: Buffer.from(`# ${text}\n`) }],
      message: 'Edit\n',
      author: actor.user,
      overrides: await overridesAt(app, space, head as CommitId),
    }),
  )
counting = true
const doc = (await app.store.get(spaces, space.doc.id)) ?? space.doc
await requestExport(app, actor, { ...space, doc }, { ...link, commitMessage: 'Publish', exportMode })
await worker.idle()
counting = false
await worker.stop()
await close()
console.log(`done after ${calls} calls`)
process.exit(0)
