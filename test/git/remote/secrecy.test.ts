import { randomBytes } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { startGitHttp } from '../../support/git-http.js'
import { processTexts } from '../../support/processes.js'
import { suite } from '../../support/suite.js'
import {
  adopt,
  bothWays,
  commitId,
  inWorld,
  limits,
  MAIN,
  NEXT,
  refusedFetch,
  remoteError,
  snapshot,
} from './fixture.js'

const test = suite('secrets and processes of remote operations')
const testBothWays = bothWays(test)
const auth = { username: 'Zq-user-token', password: 'Zq/s3cr3t@token%41' }
const forms = [
  auth.password,
  encodeURIComponent(auth.password),
  auth.username,
  Buffer.from(`${auth.username}:${auth.password}`).toString('base64'),
]

test(
  'the credential is in no argument, environment or file during an operation',
  inWorld({ auth }, async (world) => {
    const { operations, ours, theirs, remote, server } = world
    const leaks: string[] = []
    let seen = 0
    server.behaviour.onRequest = async () => {
      const texts = processTexts()
      const files = await Promise.all(
        (await snapshot(ours.path)).map((line) =>
          readFile(line.slice(0, line.lastIndexOf(' ')), 'latin1').catch(() => ''),
        ),
      )
      if (texts.some((text) => text.includes(theirs.url))) seen++
      leaks.push(...[...texts, ...files].filter((text) => forms.some((form) => text.includes(form))))
    }
    const { head } = await operations.fetch(ours.path, remote, MAIN, limits)
    await adopt(ours, head)
    await operations.push(ours.path, remote, {
      ref: MAIN,
      commit: commitId(await ours.commit({ 'a.md': 'a' })),
      expected: head,
    })
    assert.ok(seen >= 6, 'the processes were looked at while they ran')
    assert.equal(leaks, [])
  }),
)

test(
  'a credential in the URL is used but not passed to processes',
  inWorld({ auth }, async ({ operations, ours, theirs, server }) => {
    const url = theirs.url.replace('http://', `http://${auth.username}:${encodeURIComponent(auth.password)}@`)
    let seen = ''
    server.behaviour.onRequest = () => {
      seen += processTexts().join('\n')
    }
    assert.is(await operations.remoteHead(ours.path, { url }, MAIN), await theirs.head())
    assert.not.ok(forms.some((form) => seen.includes(form)))
  }),
)

test(
  'no error contains the credential',
  inWorld({ auth }, async ({ operations, ours, remote, server, theirs }) => {
    const wrong = {
      ...remote,
      password: `${auth.password}x`,
      url: remote.url.replace('http://', `http://${auth.username}:${encodeURIComponent(auth.password)}@`),
    }
    const errors = [
      await remoteError('unauthorized', operations.remoteHead(ours.path, wrong, MAIN)),
      await remoteError('unauthorized', operations.fetch(ours.path, wrong, MAIN, limits)),
      await remoteError('unauthorized', operations.fetch(ours.path, wrong, MAIN, { ...limits, unrelated: true })),
      await remoteError(
        'not-a-repository',
        operations.remoteHead(ours.path, { ...remote, url: `${server.url}/no.git` }, MAIN),
      ),
      // The path repeats the secret, so Git's own message contains it.
      await remoteError(
        'not-a-repository',
        operations.remoteHead(
          ours.path,
          { ...remote, url: `${server.url}/${encodeURIComponent(auth.password)}.git` },
          MAIN,
        ),
      ),
      await remoteError(
        'refused-url',
        operations.remoteHead(ours.path, { url: `gopher://${auth.username}:${auth.password}@host/x` }, MAIN),
      ),
    ]
    await theirs.rejectPushes(forms.join('\n'))
    errors.push(
      await remoteError(
        'rejected',
        operations.push(ours.path, remote, {
          ref: NEXT,
          commit: commitId(await ours.commit({ a: 'a' })),
          expected: null,
        }),
      ),
    )
    for (const error of errors) {
      const all = `${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}`
      assert.not.ok(
        [auth.password, encodeURIComponent(auth.password)].some((form) => all.includes(form)),
        all,
      )
    }
  }),
)

testBothWays(
  'a redirect is not followed, and nothing reaches its target',
  inWorld({ auth }, async (world) => {
    const target = await startGitHttp({ root: world.folder })
    try {
      world.server.behaviour.redirectTo = target.url
      const { operations, ours, remote } = world
      assert.match(
        (await remoteError('refused-url', operations.remoteHead(ours.path, remote, MAIN))).message,
        /redirects/,
      )
      await refusedFetch(world, 'refused-url')
      await remoteError(
        'refused-url',
        operations.push(ours.path, remote, {
          ref: MAIN,
          commit: commitId(await ours.commit({ a: 'a' })),
          expected: null,
        }),
      )
      assert.equal(target.requests, [])
    } finally {
      await target.close()
    }
  }),
)

for (const neverResponds of ['all', 'pack'] as const) {
  testBothWays(
    `a server that never responds (${neverResponds}) causes a timeout and leaves no process`,
    inWorld({}, async (world) => {
      world.server.behaviour.neverResponds = neverResponds
      await refusedFetch(world, 'timeout', { timeoutMs: 1500 })
      assert.ok(world.server.requests.length > 0)
      assert.equal(
        processTexts().filter((text) => text.includes(world.theirs.url)),
        [],
      )
    }),
  )
}

testBothWays(
  'a connection that breaks within the pack leaves nothing, and the next try succeeds',
  inWorld({ files: { 'a.bin': randomBytes(400_000) } }, async (world) => {
    world.server.behaviour.cutAfter = 150_000
    await refusedFetch(world, 'unreachable')
    delete world.server.behaviour.cutAfter
    assert.is(
      (await world.operations.fetch(world.ours.path, world.remote, MAIN, limits)).head,
      await world.theirs.head(),
    )
  }),
)

test(
  'ssh uses the pinned address and a safe command, and Git works through it',
  inWorld(
    { options: { allowPrivateNetworks: ['127.0.0.0/8'], sshKeyFile: '/keys/one' } },
    async ({ folder, operations, ours, theirs }) => {
      // Replaces ssh: records its arguments, and runs the remote command here.
      const bin = join(folder, 'bin')
      await mkdir(bin)
      await writeFile(
        join(bin, 'ssh'),
        `#!/bin/sh\nprintf '%s\\n' "$@" >>'${folder}/ssh.log'\nfor last; do :; done\nunset GIT_DIR; exec sh -c "$last"\n`,
      )
      await chmod(join(bin, 'ssh'), 0o755)
      const path = process.env.PATH
      process.env.PATH = `${bin}:${path}`
      try {
        const remote = { url: `ssh://git@127.0.0.1:2222${realpathSync(theirs.path)}` }
        const { head } = await operations.fetch(ours.path, remote, MAIN, limits)
        assert.is(head, await theirs.head())
        await adopt(ours, head)
        const mine = commitId(await ours.commit({ 'a.md': 'a' }))
        await operations.push(ours.path, remote, { ref: MAIN, commit: mine, expected: head })
        assert.is(await theirs.head(), mine)
        const args = await readFile(join(folder, 'ssh.log'), 'utf8')
        for (const wanted of ['HostName=127.0.0.1', 'HostKeyAlias=[127.0.0.1]:2222', 'BatchMode=yes', 'git@127.0.0.1'])
          assert.ok(args.includes(`${wanted}\n`), wanted)
      } finally {
        process.env.PATH = path
      }
    },
  ),
)
test.run()
