import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { requestRefresh } from '../../src/git/index.js'
import { changeRequests, spaces } from '../../src/model/index.js'
import { onPostgres } from '../support/on-postgres.js'
import { openDocuments } from '../support/stored-documents.js'
import { isSoak, runs } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { type Call, caller } from './client.js'
import { type Point, POINTS, reached } from './kill-points.js'
import { PlainGit } from './plain-git.js'
import { type Reach, type ServerProcess, startServer, TOKEN, until } from './server-process.js'
import { type Ledger, newLedger, startWriters } from './writers.js'

/** At least one of each reach. */
const KILLS = runs(3, 10_000)
/** A long history would make each comparison slower than the last. */
const KILLS_PER_SERVICE = 100
const WRITERS = 8
/** Generous: the value is reported, and a shared machine must not fail the test. */
const READY_MS = 30_000

/** The file to which a soak appends its figures after each service. */
const FIGURES = process.env.SOAK_FIGURES ?? join(tmpdir(), 'races-kill.jsonl')

const test = suite('kill -9')

test(
  `everything acknowledged survives ${KILLS} kills under ${WRITERS} writing clients`,
  async () => {
    const found: Found = {
      ready: [],
      processor: [],
      failures: [],
      repairs: new Map(),
      points: new Map(),
      acknowledged: 0,
    }
    for (let done = 0; done < KILLS; done += KILLS_PER_SERVICE) {
      const kills = Math.min(KILLS - done, KILLS_PER_SERVICE)
      await killOne(kills, found)
      // The run of all kills takes hours. If it is stopped, the last line states how far it came.
      if (isSoak) appendFileSync(FIGURES, `${JSON.stringify(figuresOf(done + kills, found))}\n`)
    }
    console.log('races/kill:', JSON.stringify(figuresOf(KILLS, found)))
    assert.equal(found.failures, [])
    assert.ok(Math.max(...found.ready) < READY_MS)
    assert.ok(found.acknowledged > KILLS * 4, `only ${found.acknowledged} writes were acknowledged`)
  },
  { timeoutMs: isSoak ? 48 * 3_600_000 : 580_000 },
)

/** The findings of a run. */
interface Found {
  /** Milliseconds from each start until the server was ready. */
  ready: number[]
  /** Milliseconds of processor time that each start took until then. Other work on the machine does not change it. */
  processor: number[]
  failures: string[]
  repairs: Map<string, number>
  /** Number of kills at each point. Those at which it did not come count as random. */
  points: Map<Point, number>
  acknowledged: number
}

function figuresOf(kills: number, { ready, processor, failures, repairs, points, acknowledged }: Found): object {
  return {
    kills,
    acknowledged,
    failures: failures.length,
    readyMs: { ...spread(ready), above2s: ready.filter((ms) => ms > 2_000).length },
    processorMs: spread(processor),
    repairs: Object.fromEntries(repairs),
    points: Object.fromEntries(points),
  }
}

function spread(values: readonly number[]): object {
  const sorted = [...values].sort((a, b) => a - b)
  return {
    worst: sorted.at(-1),
    p99: sorted[Math.floor(sorted.length * 0.99)],
    median: sorted[sorted.length >> 1],
  }
}

const increase = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Starts and kills the server of one folder this often, and compares what it has with what it acknowledged. */
async function killOne(kills: number, found: Found): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'bindery-kill-'))
  let ledger: Ledger | null = null
  for (let kill = 0; kill <= kills; kill++) {
    const server = await startServer(dir)
    found.ready.push(server.readyMs)
    found.processor.push(server.processorMs)
    for (const [, what = ''] of server.output().matchAll(/"what":"([a-z ]+)/g)) increase(found.repairs, what)
    const call = caller(server.url, TOKEN, (status, { body }, what) => {
      // A server that is stopping rejects writes.
      if (status >= 500 && !(status === 503 && server.isStopping))
        found.failures.push(`${status} ${what} ${JSON.stringify(body)} ${server.output().slice(-2000)}`)
    })
    ledger ??= await newLedger(call, server.organization)
    const git = new PlainGit(join(dir, 'repos', `${ledger.space}.git`))
    assert.equal(locks(dir), [], `locks after kill ${kill}`)
    if (onPostgres) await untilRepaired(call, git, ledger.space)
    await agree(call, git, ledger, kill)
    // A node finishes the entries of a killed one an hour later.
    if (!onPostgres) await entriesAgree(call, server.organization, ledger, kill)
    if (kill < kills) {
      await killWhileWriting(server, call, { dir, ledger, kill }, found)
      continue
    }
    server.stop()
    assert.is(await server.ended, 0)
    assert.is(await git.fsck(), '')
    await countersAgree(dir, ledger.space)
    found.acknowledged += ledger.acknowledged
  }
  rmSync(dir, { recursive: true, force: true })
}

async function killWhileWriting(
  server: ServerProcess,
  call: Call,
  { dir, ledger, kill }: { dir: string; ledger: Ledger; kill: number },
  { points }: Found,
): Promise<void> {
  const begun = ledger.acknowledged
  const writers = startWriters(call, ledger, WRITERS)
  // Writes wait for the leases of the killed node.
  if (onPostgres) await until(() => ledger.acknowledged >= begun + WRITERS || null)
  // A test run has fewer kills than points, so it starts at another one each time.
  const point = POINTS[(firstPoint + kill) % POINTS.length] ?? 'random'
  // On a node, the folders show nothing of a write.
  const came = await reached(onPostgres ? 'random' : point, dir, ledger, server.stop)
  increase(points, came && !onPostgres ? point : 'random')
  await server.kill(REACHES[kill % REACHES.length] ?? 'server')
  await writers
}

const REACHES: readonly Reach[] = ['server', 'group', 'tree']
const firstPoint = Date.now() % POINTS.length

const locks = (dir: string): string[] =>
  readdirSync(join(dir, 'repos'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'))

interface Request {
  id: string
  number: number
  status: string
  subject: string
  revision: string
  revisionInitial: string
  revisionMerged?: string
}

async function changeRequestsOf(call: Call, base: string): Promise<Request[]> {
  const all: Request[] = []
  for (const status of ['draft', 'open', 'archived', 'merged']) {
    for (let next = ''; ; ) {
      const { body } = await call(
        'GET',
        `${base}/change-requests?limit=100&status=${status}${next === '' ? '' : `&page=${next}`}`,
      )
      all.push(...body.items)
      if (body.next === undefined) break
      next = body.next.page
    }
  }
  return all
}

async function branchesOf(git: PlainGit): Promise<Map<string, string>> {
  const lines = (
    await git.run(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads/change-requests/'])
  ).split('\n')
  return new Map(lines.map((line) => line.split(' ') as [string, string]))
}

/**
 * A node repairs the incomplete work of another node only after that one counts as dead, seconds after the kill. Before
 * that, a change request may lack its branch or the record on main.
 */
async function untilRepaired(call: Call, git: PlainGit, space: string): Promise<void> {
  await until(async () => {
    const all = await changeRequestsOf(call, `/v1/spaces/${space}`)
    assert.is(await requestRefresh(dirname(git.path), space), null)
    const branches = await branchesOf(git)
    const main = await git.commits('refs/heads/main')
    const isWhole = ({ number, status, revision, revisionInitial }: Request): boolean =>
      branches.get(`refs/heads/change-requests/${number}`) === revision &&
      (status === 'merged' || revision === revisionInitial || !main.has(revision))
    return all.every(isWhole) || null
  })
}

/** The server and plain Git now return the writes that the ledger lists as acknowledged. */
async function agree(call: Call, git: PlainGit, ledger: Ledger, kill: number): Promise<void> {
  const base = `/v1/spaces/${ledger.space}`
  const at = `after kill ${kill}`
  const main = await git.commits('refs/heads/main')
  const firstParents = await git.commits('refs/heads/main', '--first-parent')
  for (const revision of ledger.onMain) assert.ok(main.has(revision), `${revision} is not on main ${at}`)
  const space = (await call('GET', base)).body
  for (const [field, setting] of Object.entries(ledger.settings)) {
    assert.ok([setting.acknowledged, setting.asked].includes(space[field]), `${field} is ${space[field]} ${at}`)
    // The next run may end before a write is acknowledged. It must start with the present values, acknowledged or only
    // requested.
    setting.acknowledged = space[field]
  }
  for (const token of ledger.tokens.splice(0)) {
    const response = await fetch(`${call.url}/v1/user`, { headers: { Authorization: `Bearer ${token}` } })
    assert.is(response.status, 200, `a token is gone ${at}`)
  }

  const all = await changeRequestsOf(call, base)
  assert.is(space.changeRequests, all.length, at)
  for (const status of ['open', 'draft'] as const) {
    assert.is(
      space[status === 'open' ? 'changeRequestsOpen' : 'changeRequestsDraft'],
      all.filter((one) => one.status === status).length,
      `${status} ${at}`,
    )
  }
  const branches = await branchesOf(git)
  const byId = new Map(all.map((one) => [one.id, one]))
  assert.is(new Set(all.map((one) => one.number)).size, all.length, `a number is there twice ${at}`)
  for (const one of all) {
    assert.is(
      branches.get(`refs/heads/change-requests/${one.number}`),
      one.revision,
      `the branch of ${one.number} ${at}`,
    )
    if (one.status === 'merged')
      assert.ok(firstParents.has(one.revisionMerged as string), `${one.number} says it is merged, main does not ${at}`)
    else
      assert.ok(
        one.revision === one.revisionInitial || !main.has(one.revision),
        `${one.number} is merged on main and ${one.status} in its document ${at}`,
      )
  }
  for (const [id, known] of ledger.changeRequests) {
    const found = byId.get(id)
    assert.ok(found, `change request ${known.number} is gone ${at}`)
    assert.equal({ number: found.number, subject: found.subject }, { number: known.number, subject: known.subject }, at)
    if (known.merged !== null)
      assert.equal([found.status, found.revisionMerged], ['merged', known.merged], `the merge of ${known.number} ${at}`)
    const unchecked = known.edits.splice(0)
    if (unchecked.length === 0) continue
    const commits = await git.commits(`refs/heads/change-requests/${known.number}`)
    for (const revision of unchecked)
      assert.ok(commits.has(revision), `${revision} is not on change request ${known.number} ${at}`)
  }
}

/** The audit log has one entry for each stored document, acknowledged or not. */
async function entriesAgree(call: Call, organization: string, { space }: Ledger, kill: number): Promise<void> {
  const entries = async (operation: string): Promise<number> => {
    const query = `operation=${operation}&outcome=succeeded&limit=0`
    return (await call('GET', `/v1/orgs/${organization}/audit-log?${query}`)).body.count
  }
  const made = (await changeRequestsOf(call, `/v1/spaces/${space}`)).length
  assert.is(await entries('createChangeRequestInSpace'), made, `change requests after kill ${kill}`)
  // The admin has the token of the first start as well.
  const { count } = (await call('GET', '/v1/user/tokens?limit=0')).body
  assert.is(await entries('createUserToken'), count - 1, `tokens after kill ${kill}`)
}

/** The documents themselves, read without a server. */
async function countersAgree(dir: string, id: string): Promise<void> {
  const store = await openDocuments(dir)
  const space = await store.get(spaces, id)
  const all = await store.find(changeRequests, 'space', id)
  assert.is(space?.changeRequests, all.length)
  assert.is(space?.changeRequestsDraft, all.filter((one) => one.status === 'draft').length)
  assert.ok((space?.nextChangeRequest ?? 0) > Math.max(...all.map((one) => one.number)))
  await store.close()
}

test.run()
