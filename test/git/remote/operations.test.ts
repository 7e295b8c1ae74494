import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { RefName } from '../../../src/kernel/ids.js'
import { git } from '../../support/hermetic-git.js'
import { suite } from '../../support/suite.js'
import { adopt, commitId, inWorld, limits, MAIN, NEXT, refusedFetch, remoteError, snapshot } from './fixture.js'

const test = suite('remote operations')
const auth = { username: 'joe', password: 's3cr3t/with@signs' }

for (const [title, setting] of [
  ['without', {}],
  ['with', { auth }],
] as const) {
  test(
    `head, fetch and push work ${title} a credential`,
    inWorld(setting, async ({ operations, ours, theirs, remote }) => {
      const head = commitId(await theirs.head())
      assert.is(await operations.remoteHead(ours.path, remote, MAIN), head)
      assert.is(await operations.remoteHead(ours.path, remote, NEXT), null)
      assert.equal(await operations.fetch(ours.path, remote, MAIN, limits), { head, objects: 3 })
      assert.is(await ours.head(), null, 'no ref of ours moves')
      assert.not.ok(existsSync(join(ours.path, 'FETCH_HEAD')))
      await adopt(ours, head)
      const mine = commitId(await ours.commit({ 'new.md': 'new' }))
      await operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head })
      assert.is(await theirs.head(), mine)
      await operations.push(ours.path, remote, { ref: NEXT, commit: mine, expected: null })
      assert.is(await theirs.head(NEXT), mine)
      assert.is(await git(ours.path, ['fsck', '--strict']), '')
    }),
  )
}

test(
  'an empty remote repository has no head',
  inWorld({}, async ({ operations, ours, server }) => {
    const { url } = await server.createRepository('empty.git')
    assert.is(await operations.remoteHead(ours.path, { url }, MAIN), null)
  }),
)

test(
  'a fetch only transfers missing objects',
  inWorld(
    { files: { 'big.bin': Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i * 31) % 251)), 'a.md': 'a' } },
    async (world) => {
      const { operations, ours, theirs, remote, server } = world
      await theirs.commit({
        'random.bin': randomBytes(200_000),
      })
      const sent = (): number => server.requests.splice(0).reduce((sum, request) => sum + request.sent, 0)
      const first = await operations.fetch(ours.path, remote, MAIN, limits)
      assert.ok(sent() > 200_000)
      await adopt(ours, first.head, 'refs/bindery/incoming/x')
      const head = commitId(await theirs.commit({ 'b.md': 'b' }))
      const second = await operations.fetch(ours.path, remote, MAIN, limits)
      assert.is(second.head, head)
      assert.ok(
        second.objects >= 3 && second.objects <= 4,
        'commit, tree, blob, perhaps the tree that the pack builds on',
      )
      assert.ok(sent() < 5000)
      await adopt(ours, head, 'refs/bindery/incoming/x')
      assert.equal(await operations.fetch(ours.path, remote, MAIN, limits), { head, objects: 0 })
      const strict = { ...limits, maxEntries: 0 }
      assert.equal(
        await operations.fetch(ours.path, remote, MAIN, { ...strict, known: head }),
        { head, objects: 0 },
        'a known head is not checked again',
      )
      await remoteError(
        'too-large',
        operations.fetch(ours.path, remote, MAIN, { ...strict, known: commitId('1'.repeat(40)) }),
      )
      assert.is(await git(ours.path, ['fsck', '--strict']), '')
    },
  ),
)

test(
  'parallel fetches do not disturb each other, and leave no quarantine',
  inWorld({}, async ({ operations, ours, theirs, remote }) => {
    await theirs.commit({ 'next.md': 'next' }, { ref: NEXT })
    const refs = [MAIN, NEXT, MAIN, NEXT]
    const results = await Promise.all(refs.map((ref) => operations.fetch(ours.path, remote, ref, limits)))
    assert.equal(
      results.map(({ head }) => head),
      await Promise.all(refs.map(async (ref) => commitId(await theirs.head(ref)))),
    )
    assert.equal((await readdir(join(ours.path, 'objects'))).sort(), ['info', 'pack'])
    for (const { head } of results) assert.is(await git(ours.path, ['cat-file', '-t', head]), 'commit')
  }),
)

test(
  'a branch that does not exist is a missing ref, and so is an invalid ref name',
  inWorld({}, async (world) => {
    await refusedFetch(world, 'missing-ref', {}, NEXT)
    for (const ref of [
      'main',
      '--upload-pack=x',
      'refs/heads/*',
      'refs/heads/a..b',
      'refs/heads/a:refs/heads/b',
      '+refs/heads/main',
      'refs/heads/x.lock',
      'refs/heads/-x',
      'refs/heads/a\nb',
      '^refs/heads/main',
    ]) {
      await refusedFetch(world, 'missing-ref', {}, ref as RefName)
      await remoteError('missing-ref', world.operations.remoteHead(world.ours.path, world.remote, ref as RefName))
    }
  }),
)

test(
  'a missing repository, a missing server and a wrong password are different errors',
  inWorld({ auth }, async ({ operations, ours, remote, server }) => {
    await remoteError(
      'not-a-repository',
      operations.remoteHead(ours.path, { ...remote, url: `${server.url}/nothing.git` }, MAIN),
    )
    await remoteError('unreachable', operations.remoteHead(ours.path, { url: 'http://127.0.0.1:9/a.git' }, MAIN))
    await remoteError('unauthorized', operations.remoteHead(ours.path, { url: remote.url }, MAIN))
    await remoteError('unauthorized', operations.fetch(ours.path, { ...remote, password: 'wrong' }, MAIN, limits))
    await remoteError('unauthorized', operations.remoteHead(ours.path, { ...remote, password: 'a\nusername=b' }, MAIN))
  }),
)

test(
  'a stale push changes nothing, and a repeated one succeeds',
  inWorld({}, async ({ operations, ours, theirs, remote }) => {
    const { head } = await operations.fetch(ours.path, remote, MAIN, limits)
    await adopt(ours, head)
    const mine = commitId(await ours.commit({ 'mine.md': 'mine' }))
    const other = await theirs.commit({ 'theirs.md': 'theirs' })
    await remoteError('stale', operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head }))
    await remoteError('stale', operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: null }))
    assert.is(await theirs.head(), other)
    await operations.push(ours.path, remote, { ref: NEXT, commit: mine, expected: null })
    await operations.push(ours.path, remote, { ref: NEXT, commit: mine, expected: null })
    await git(theirs.path, ['update-ref', '-d', NEXT])
    await remoteError(
      'stale',
      operations.push(ours.path, remote, {
        ref: NEXT,
        commit: commitId(await ours.commit({ 'more.md': 'more' })),
        expected: mine,
      }),
    )
    assert.is(await theirs.head(NEXT), null)
  }),
)

test(
  "a push never rewrites the remote's history, even with a valid lease",
  inWorld({}, async ({ operations, ours, theirs, remote }) => {
    const { head } = await operations.fetch(ours.path, remote, MAIN, limits)
    const unrelated = commitId(await ours.commit({ 'unrelated.md': 'unrelated' }))
    const refused = async () =>
      assert.match(
        (
          await remoteError(
            'rejected',
            operations.push(ours.path, remote, { ref: MAIN, commit: unrelated, expected: head }),
          )
        ).message,
        /never rewritten/,
      )
    await refused()
    await git(ours.path, ['replace', '--graft', unrelated, head])
    await refused()
    assert.is(await theirs.head(), head)
  }),
)

test(
  "a rejected push has the remote's message without the credential",
  inWorld({ auth }, async ({ operations, ours, theirs, remote, server }) => {
    const { head } = await operations.fetch(ours.path, remote, MAIN, limits)
    await adopt(ours, head)
    const mine = commitId(await ours.commit({ 'mine.md': 'mine' }))
    await theirs.rejectPushes(
      `GH006: Protected branch update failed for ${auth.password} and ${encodeURIComponent(auth.password)}.`,
    )
    const error = await remoteError(
      'rejected',
      operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head }),
    )
    assert.match(error.message, /pre-receive hook declined/)
    assert.match(error.message, 'GH006: Protected branch update failed for *** and ***.')
    await theirs.rejectPushes(null)
    server.behaviour.pushStatus = 403
    await remoteError('unauthorized', operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head }))
    server.behaviour.pushStatus = 503
    await remoteError('unreachable', operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head }))
    assert.is(await theirs.head(), head)
  }),
)

test(
  'a push leaves no trace in the local repository, and large pushes are streamed',
  inWorld({ auth }, async ({ operations, ours, theirs, remote, server }) => {
    const mine = commitId(
      await ours.commit({
        'big.bin': randomBytes(3_000_000),
      }),
    )
    const before = await snapshot(ours.path)
    await operations.push(ours.path, remote, { ref: NEXT, commit: mine, expected: null })
    assert.equal(await snapshot(ours.path), before)
    assert.is(await theirs.head(NEXT), mine)
    assert.ok(server.requests.some(({ received }) => received > 3_000_000))
  }),
)
test.run()
