// The process that kill.test.ts runs: connects a space with previews of its pull requests, and waits to be killed.
import { startService } from '../support/service.js'

const [dir, url, apiUrl, token] = process.argv.slice(2)
const { admin, organization } = await startService({
  dir: dir as string,
  env: { BINDERY_CONNECTION_POLL_SECONDS: '0' },
})
const space = (
  await admin.call('post', `/v1/orgs/${organization}/spaces`, { title: 'Docs', editMode: 'live' }).expect(201)
).body.id
const body = {
  url,
  ref: 'refs/heads/main',
  provider: 'github',
  apiUrl,
  credential: { kind: 'token', token },
  pullRequests: { preview: true },
}
await admin.call('post', `/v1/spaces/${space}/git/connections`, body).expect(201)
setInterval(() => {}, 1000)
