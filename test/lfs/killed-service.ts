// The process that killed.test.ts runs: connects a space, reports when one object is complete and another has started
// to arrive, and waits to be killed.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { lfsObjects } from '../../src/model/index.js'
import { startService } from '../support/service.js'

const [dir, url] = process.argv.slice(2) as [string, string]
const here = await startService({ dir, env: { BINDERY_CONNECTION_POLL_SECONDS: '0' } })
const { admin, organization } = here
const space = (
  await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs', editMode: 'live' }).expect(201)
).body.id
await admin
  .call('post', `/v1/spaces/${space}/git/connections`, { url, ref: 'refs/heads/main', direction: 'import' })
  .expect(201)
const folder = join(dir, 'data', 'lfs', 'drafts')

/** Whether one object is recorded and a byte of the other has arrived. */
async function isHalf(): Promise<boolean> {
  const drafts = await readdir(folder)
  const sizes = await Promise.all(
    drafts.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.length === 1 && sizes[0] === 1 && (await here.service.app.store.all(lfsObjects)).length === 1
}
while (!(await isHalf())) await wait(20)
console.log('half')
setInterval(() => {}, 1000)
