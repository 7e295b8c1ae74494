// Run by killed.test.ts in its own process: connects a space, edits it, reports when the export is due, and waits to
// be killed.
import { startService } from '../support/service.js'

const [dir, url] = process.argv.slice(2)
const here = await startService({
  dir: dir as string,
  env: { BINDERY_CONNECTION_QUIET_SECONDS: '3600', BINDERY_CONNECTION_POLL_SECONDS: '0' },
})
const { admin, organization } = here
const space = (
  await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs', editMode: 'live' }).expect(201)
).body.id
await admin.call('post', `/v1/spaces/${space}/git/connections`, { url, ref: 'refs/heads/main' }).expect(201)
await here.service.idle()
const changes = [{ operation: 'insert_page', title: 'Due', document: { markdown: '# Due\n' } }]
await admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
console.log('due')
setInterval(() => {}, 1000)
