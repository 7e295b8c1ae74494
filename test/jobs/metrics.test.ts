import { readFile } from 'node:fs/promises'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { createLog } from '../../src/kernel/log.js'
import { startConnected } from '../connections/connected.js'
import { as, organization } from '../people/fixture.js'
import { startSmtp } from '../support/smtp.js'
import { suiteWith } from '../support/suite.js'

const lines: Record<string, unknown>[] = []
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
const [test, { here, smtp }] = await suiteWith('metrics and log of background work', async () => {
  const smtp = await startSmtp()
  const here = await startConnected({
    env: { BINDERY_SMTP_URL: smtp.url, BINDERY_MAIL_FROM: 'docs@example.org' },
    overrides: { log },
  })
  return { here, smtp, close: () => Promise.all([here.close(), smtp.close()]) }
})
const A_POLL = 400_000

const metrics = async (): Promise<string> => (await fetch(`${here.service.url}/metrics`)).text()
/** Returns the value of a metric with these labels, or 0 if there is none yet. */
const sampleOf = async (sample: string): Promise<number> => {
  const line = (await metrics()).split('\n').find((one) => one.startsWith(`${sample} `))
  return line === undefined ? 0 : Number(line.slice(sample.length + 1))
}
const warnings = (connection: string): Record<string, unknown>[] =>
  lines.filter((line) => line.level === 'warn' && line.connection === connection)

test('docs/administration.md lists exactly the served metrics, with their types and labels', async () => {
  const text = await readFile('docs/administration.md', 'utf8')
  const rows = [...text.matchAll(/^\| `(bindery_[a-z_]+)` \| (\w+) \| ([^|]*)\|/gm)].map(
    ([, name, type, labels = '']) => ({
      name: name as string,
      type: type as string,
      labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label as string).sort(),
    }),
  )
  const served = await metrics()
  const types = [...served.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({
    name: name as string,
    type: type as string,
  }))
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
  assert.equal(
    rows.map(({ name, type }) => ({ name, type })).sort(byName),
    types.filter(({ name }) => name.startsWith('bindery_')).sort(byName),
  )
  assert.equal(
    types.filter(({ name }) => !/^(bindery|process|nodejs)_/.test(name)),
    [],
  )
  for (const { name, labels } of rows) {
    const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(served)
    if (sample) assert.equal([...(sample[1] ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label).sort(), labels, name)
  }
})

test('alerts and the dashboard use only served metrics, with labels that they have', async () => {
  const served = await metrics()
  const names = new Set([...served.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name]) => name))
  const { groups } = parse(await readFile('deploy/prometheus-rules.yaml', 'utf8'))
  const { panels } = JSON.parse(await readFile('deploy/grafana-dashboard.json', 'utf8'))
  const rules: string[] = groups[0].rules.map(({ expr }: { expr: string }) => expr)
  const shown: string[] = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  assert.ok(rules.length > 8 && shown.length > 15)
  const used = [...rules, ...shown].flatMap((expr) => expr.match(/\b(?:bindery|process|nodejs)_\w+/g) ?? [])
  assert.equal(
    used.filter((name) => !names.has(name.replace(/_bucket$/, ''))),
    [],
  )
  // Every counter and gauge of the service is on the dashboard.
  const own = [...names].filter((name) => name?.startsWith('bindery_'))
  assert.equal(
    own.filter((name) => !shown.some((expr) => expr.includes(String(name)))),
    [],
  )
  for (const { annotations } of groups[0].rules) assert.ok(annotations.summary && annotations.description)
})

test('gauges show the version, the disk and the spaces', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  assert.is(await sampleOf(`bindery_build_info{version="${version}"}`), 1)
  for (const folder of ['data', 'repos']) assert.ok((await sampleOf(`bindery_disk_free_bytes{folder="${folder}"}`)) > 0)
  assert.match(await metrics(), /^bindery_spaces\{state="active"\} \d+$/m)
  assert.is(await sampleOf('bindery_jobs_queued{kind="git-import"}'), 0)
})

test('a failed run of a connection logs a warning without secrets and is counted by outcome', async () => {
  const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
  const credential = { kind: 'basic', username: 'someone', password: 'very-secret' }
  const { id, base } = await here.connect(space, { url: theirs.url, direction: 'import', credential })
  assert.is(await sampleOf('bindery_syncs_total{direction="import",outcome="success"}'), 1)
  here.remotes.behaviour.auth = { username: 'other', password: 'other' }
  await here.service.admin.call('post', `${base}/run`, {}).expect(202)
  await here.idle()
  assert.is(await sampleOf('bindery_syncs_total{direction="import",outcome="failure"}'), 1)
  assert.ok((await sampleOf('bindery_jobs_total{kind="git-import",outcome="failed"}')) >= 1)
  assert.ok((await sampleOf('bindery_job_duration_seconds_count{kind="git-import"}')) >= 2)
  const [line, ...more] = warnings(id)
  assert.equal(more, [])
  assert.equal([line?.space, line?.direction, line?.cause], [space, 'import', 'unauthorized'])
  assert.match(String(line?.reason), /credential|user name|password/)
  await here.forward(A_POLL)
  assert.ok((await sampleOf('bindery_polls_total{outcome="failure"}')) >= 1)
  delete here.remotes.behaviour.auth
  assert.not.match(JSON.stringify(lines), /very-secret/)
})

test('emails and webhook deliveries are counted by outcome', async () => {
  const org = await organization(here.service)
  const { admin } = here.service
  await admin
    .call('post', `/v1/orgs/${org}/webhooks`, { url: `${here.remotes.url}/none`, events: ['space.created'] })
    .expect(201)
  await admin.call('post', `/v1/orgs/${org}/spaces`, { title: 'Docs' }).expect(201)
  await as(here.service, null, 'post', '/v1/sign-in', { email: 'counted@example.org' })
  await admin.call('post', `/v1/orgs/${org}/invites`, { emails: ['counted@example.org'] }).expect(200)
  await smtp.mailTo('counted@example.org')
  while ((await sampleOf('bindery_mails_total{outcome="sent"}')) < 1) await new Promise((done) => setTimeout(done, 20))
  while ((await sampleOf('bindery_webhook_deliveries_total{outcome="retried"}')) < 1)
    await new Promise((done) => setTimeout(done, 20))
})

test.run()
