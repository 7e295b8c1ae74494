import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { onPostgres } from '../support/on-postgres.js'
import { startService } from '../support/service.js'
import { size } from '../support/soak.js'
import { suite } from '../support/suite.js'
import { type Call, caller, insertPage, untilAccepted, updatePage } from './client.js'
import { PlainGit } from './plain-git.js'

const CLIENTS = size(12, 50)
const SHARED = 10
const MAIN = 'refs/heads/main'
const BRANCH = 'refs/heads/change-requests/1'
const APPENDS = 2
const REWRITES = 2

/** A write that the server has acknowledged. */
interface Acknowledged {
  ref: string
  revision: string
  page: string
  /** The content that the page's file must have at that revision. */
  holds: string
}

const test = suite('racing edits')

test(
  `${CLIENTS} clients, an admin with plain Git, pack-refs and gc lose no acknowledged edit`,
  async () => {
    const started = performance.now()
    const service = await startService()
    const failures: string[] = []
    const call = caller(service.url, service.admin.token, (status, { body }, what) => {
      if (status >= 500) failures.push(`${status} ${what} ${JSON.stringify(body)}`)
    })
    const space = (await call('POST', `/v1/orgs/${service.organization}/spaces`, { title: 'Race' })).body.id as string
    const base = `/v1/spaces/${space}`
    const shared = await call('POST', `${base}/content`, {
      changes: Array.from({ length: SHARED }, (_, i) => ({
        operation: 'insert_page',
        title: `Shared ${i}`,
        document: { markdown: `# Shared ${i}\n` },
      })),
    })
    const sharedPages = shared.body.changes.map((one: { page: string }) => one.page) as string[]
    assert.is((await call('POST', `${base}/change-requests`, { subject: 'Race' })).body.number, 1)

    const acknowledged: Acknowledged[] = []
    const counts = { refused: 0, stale: 0, admin: 0, gc: 0, packed: 0 }
    const work = (number: number) =>
      client(number, { call, base, shared: sharedPages[number % SHARED] as string, acknowledged, counts })
    const git = new PlainGit(join(service.dir, 'repos', `${space}.git`))
    let racing = true
    const admin = adminWork(git, () => racing, counts)
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => work(number)))
    racing = false
    const seconds = Math.round((performance.now() - started) / 1000)
    const byAdmin = await admin

    assert.equal(failures, [])
    assert.is(acknowledged.length, CLIENTS * (APPENDS + 2 * (1 + REWRITES)))
    assert.ok(onPostgres || byAdmin.length >= CLIENTS / 5, `the admin made only ${byAdmin.length} commits`)
    // It is random whether the admin meets a moved branch (stale), because one move publishes all waiting edits.
    assert.ok(counts.refused > 0 && counts.gc > 0 && counts.packed > 0, JSON.stringify(counts))
    await everythingIsThere(git, call, base, acknowledged, byAdmin)

    // With no writers left, also run the prune that deletes everything unreachable.
    await git.run(['gc', '--quiet', '--prune=now'])
    await git.run(['pack-refs', '--all', '--prune'])
    await everythingIsThere(git, call, base, acknowledged, byAdmin)

    const merged = await call('POST', `${base}/change-requests/1/merge`)
    assert.is(merged.status, 200, JSON.stringify(merged.body))
    const onMain = await git.commits(MAIN)
    for (const one of acknowledged) assert.ok(onMain.has(one.revision), `${one.revision} of ${one.ref}`)
    assert.is(await git.fsck(), '')
    console.log('races/edits:', JSON.stringify({ ...counts, seconds, acknowledged: acknowledged.length }))
    await service.close()
  },
  { timeoutMs: 240_000 },
)

interface Place {
  call: Call
  base: string
  shared: string
  acknowledged: Acknowledged[]
  counts: { refused: number }
}

/** One client: its own page on main, one on the change request, and lines that it adds to a shared page. */
async function client(number: number, { call, base, shared, acknowledged, counts }: Place): Promise<void> {
  const own = async (ref: string, place: string): Promise<void> => {
    const text = (round: number) => `# Own\n\nClient ${number}, round ${round}, ${ref}\n`
    const { response, refused } = await untilAccepted(() =>
      call(
        'POST',
        `${base}${place}/content${ref === MAIN ? '' : '?compat=false'}`,
        insertPage(`Page ${number} of ${ref === MAIN ? 'main' : 'branch'}`, text(0)),
      ),
    )
    counts.refused += refused
    assert.is(response.status, 200, JSON.stringify(response.body))
    const page = response.body.changes[0].page as string
    acknowledged.push({
      ref,
      page,
      revision: response.body.revision ?? response.body.changeRequest.revision,
      holds: text(0),
    })
    for (let round = 1; round <= REWRITES; round++) {
      const { response: written, refused: again } = await untilAccepted(() =>
        call('POST', `${base}${place}/content`, updatePage(page, text(round))),
      )
      counts.refused += again
      assert.is(written.status, 200, JSON.stringify(written.body))
      acknowledged.push({ ref, page, revision: written.body.revision, holds: text(round) })
    }
  }
  const append = async (): Promise<void> => {
    for (let round = 1; round <= APPENDS; round++) {
      const line = `Line ${round} of client ${number}.`
      const { response, refused } = await untilAccepted(async () => {
        const revision = (await call('GET', base)).body.revision as string
        const { markdown } = (await call('GET', `${base}/revisions/${revision}/page/${shared}?format=markdown`)).body
        return call('POST', `${base}/content`, updatePage(shared, `${markdown.trimEnd()}\n\n${line}\n`), {
          'If-Match': `"${revision}"`,
        })
      })
      counts.refused += refused
      assert.is(response.status, 200, JSON.stringify(response.body))
      acknowledged.push({ ref: MAIN, page: shared, revision: response.body.revision, holds: line })
    }
  }
  await Promise.all([own(MAIN, ''), own(BRANCH, '/change-requests/1'), append()])
}

/**
 * The admin commits to both branches, packs refs and collects garbage with Git's default of two weeks. `--prune=now`
 * deletes objects that another Git process has written and not yet named, as its manual warns, so that mode guarantees
 * nothing.
 */
async function adminWork(
  git: PlainGit,
  racing: () => boolean,
  counts: { stale: number; admin: number; gc: number; packed: number },
) {
  const made: { ref: string; commit: string; name: string; text: string }[] = []
  for (let turn = 0; racing(); turn++) {
    const ref = turn % 2 === 0 ? MAIN : BRANCH
    const [name, text] = [`admin-${turn}.txt`, `By hand, ${turn}\n`]
    // On a node, whose folder is a copy, a commit by hand would be set aside. The admin only packs and collects there.
    const commit = onPostgres ? null : await git.addFile(ref, name, text)
    if (commit) made.push({ ref, commit, name, text })
    else counts.stale++
    if (turn % 3 === 0)
      counts.packed += await git.run(['pack-refs', '--all', '--prune']).then(
        () => 1,
        () => 0,
      )
    if (turn % 20 === 5)
      counts.gc += await git.run(['gc', '--quiet']).then(
        () => 1,
        () => 0,
      )
    await sleep(150)
  }
  counts.admin = made.length
  return made
}

async function everythingIsThere(
  git: PlainGit,
  call: Call,
  base: string,
  acknowledged: readonly Acknowledged[],
  byAdmin: Awaited<ReturnType<typeof adminWork>>,
): Promise<void> {
  assert.is(await git.fsck(), '')
  for (const [ref, place] of [
    [MAIN, ''],
    [BRANCH, '/change-requests/1'],
  ] as const) {
    const order = [...(await git.commits(ref, '--topo-order'))].reverse()
    const position = new Map(order.map((commit, index) => [commit, index]))
    const writes = acknowledged.filter((one) => one.ref === ref)
    for (const one of writes)
      assert.ok(position.has(one.revision), `the write ${one.revision} (${one.holds}) is not on ${ref}`)
    const byHand = byAdmin.filter((made) => made.ref === ref)
    for (const { commit } of byHand) assert.ok(position.has(commit), `the admin's commit ${commit} is not on ${ref}`)
    assert.equal(
      await git.texts(byHand.map(({ name }) => `${ref}:${name}`)),
      byHand.map(({ text }) => text.trim()),
    )
    // Added lines stay. A page with one editor has the text of that client's last write.
    for (const page of new Set(writes.map((one) => one.page))) {
      const mine = writes
        .filter((one) => one.page === page)
        .sort((a, b) => (position.get(a.revision) ?? 0) - (position.get(b.revision) ?? 0))
      const { body } = await call('GET', `${base}${place}/content/page/${page}?format=markdown`)
      const expected = mine[0]?.holds.startsWith('# Own') ? mine.slice(-1) : mine
      for (const { holds } of expected)
        assert.ok(
          body.markdown.includes(holds),
          `page ${page} of ${ref} lacks ${JSON.stringify(holds)}:\n${body.markdown}`,
        )
    }
  }
}

test.run()
