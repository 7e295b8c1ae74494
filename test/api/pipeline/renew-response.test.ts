import * as assert from 'uvu/assert'
import { renewResponse } from '../../../src/api/pipeline/renew-response.js'
import { type Comparable, Recording } from '../../../src/kernel/recording.js'
import { suite } from '../../support/suite.js'
import { read, readAnew } from './both-ways.js'
import { begin } from './response-cache-story.js'

const test = suite('renewal of cached responses')

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string]
const BODY = Buffer.from('{"title":"Page"}')

/** A cached response at commit `A`, and the inputs that it was made from. */
function kept(options: { isSame?: boolean } = {}) {
  const things: Record<string, Comparable> = { main: A, token: 1, 'spaces 1': 1 }
  const recording = new Recording()
  for (const [name, value] of Object.entries(things))
    recording.recordValue(name, value, () => things[name] as Comparable)
  recording.seal()
  const evidence = recording.finish()
  assert.ok(evidence)
  const asked: string[] = []
  const isSameAt = async (_: unknown, commit: string) => asked.push(commit) > 0 && (options.isSame ?? true)
  const renewable = {
    commit: A,
    mayChange: ['spaces 1'],
    tagAt: (commit: string) => `tag of ${commit}`,
    isSameAt,
  }
  return {
    things,
    asked,
    response: {
      headers: ['X-Request-Id', '', 'ETag', `"tag of ${A}"`],
      body: BODY,
      reads: evidence,
      tag: `tag of ${A}`,
      renewable,
    },
  }
}
const without = { app: null, bytes: undefined }

test('a renewed response has the new commit in its ETag, and can be renewed again', async () => {
  const { things, asked, response } = kept()
  things.main = B
  const next = await renewResponse(response, without)
  assert.is(next?.body, BODY)
  assert.equal(next?.headers, ['X-Request-Id', '', 'ETag', `"tag of ${B}"`])
  assert.is(next?.reads.areUnchanged(), true)
  things.main = C
  assert.is((await renewResponse(next as NonNullable<typeof next>, without))?.tag, `tag of ${C}`)
  assert.equal(asked, [B, C])
})

test('a renewal reuses bytes that other requests have computed', async () => {
  const { things, response } = kept()
  things.main = B
  const bytes = Buffer.from(BODY)
  const next = await renewResponse(response, {
    app: null,
    bytes: { get: (tag) => (tag === `tag of ${B}` ? bytes : undefined) },
  })
  assert.is(next?.body, bytes)
})

test('a response is unchanged if only volatile values have changed', async () => {
  const { things, response } = kept()
  things['spaces 1'] = 2
  const next = await renewResponse(response, without)
  assert.is(next?.body, response.body)
  assert.is(next?.tag, response.tag)
  assert.is(next?.reads.areUnchanged(), true)
})

for (const [what, change, options = {}] of [
  ['if anything else has changed', { main: B, token: 2 }],
  ['if only something else has changed', { token: 2 }],
  ['if the branch is gone', { main: null }],
  ['if the branch cannot be read', { main: 'unreadable' }],
  ['if it says something else there', { main: B }, { isSame: false }],
] as [string, Record<string, Comparable>, Parameters<typeof kept>[0]?][])
  test(`a response is not renewed ${what}`, async () => {
    const { things, response } = kept(options)
    Object.assign(things, change)
    assert.is(await renewResponse(response, without), null)
  })

test('a conditional response is not renewed, because its result depends on the commit', async () => {
  const { here, paths, tokens, changes } = await begin()
  try {
    const asked = {
      url: here.url,
      path: paths.find((path) => path.includes('/content/page/')) as string,
      token: tokens.admin as string,
    }
    const tagOf = ({ headers }: { headers: readonly string[] }) => headers[headers.indexOf('ETag') + 1] as string
    const at =
      (index: number) =>
      <T>(from: readonly T[]): T =>
        from.at(index) as T
    await changes['a text']?.(at(-1))
    const then = tagOf(await readAnew(asked))
    await changes['a text']?.(at(-1))
    const conditional = { ...asked, headers: { 'if-none-match': then } }
    for (let n = 0; n < 2; n++) assert.is((await read(conditional)).status, 200)
    await changes['update-ref']?.(at(-2))
    assert.is((await read(conditional)).status, 304)
  } finally {
    await here.close()
  }
})

test('evaluated content is not renewed if an included value has changed', async () => {
  const { here, paths, tokens, changes } = await begin()
  try {
    const asked = {
      url: here.url,
      path: paths.find((path) => path.includes('evaluated=true')) as string,
      token: tokens.admin as string,
    }
    const shared = <T>(from: readonly T[]): T =>
      from.find((one) => String(one).endsWith('shared.md')) ?? (from.includes('' as T) ? ('' as T) : (from[0] as T))
    const said = new Set<string>()
    for (let n = 0; n < 3; n++) {
      await changes['a file by hand']?.(shared)
      for (let again = 0; again < 2; again++) {
        const text = Buffer.from((await read(asked)).body, 'base64').toString()
        assert.match(text, /By hand \d+/)
        said.add(text)
      }
    }
    assert.is(said.size, 3)
  } finally {
    await here.close()
  }
})

test.run()
