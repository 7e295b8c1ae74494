import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { joinChunks, linesOf, type MergeChunk, mergeChunks } from '../../../src/content/edit/merge-chunks.js'
import { pageChunks } from '../../../src/content/edit/merge-page.js'
import { suite } from '../../support/suite.js'

const test = suite('merge chunks')

/** The lines of each chunk in the three versions. */
function parts(chunks: readonly MergeChunk[], texts: readonly [string, string, string]) {
  const [base, ours, theirs] = texts.map(linesOf) as [string[], string[], string[]]
  return chunks.map((chunk) => ({
    kind: chunk.kind,
    base: base.splice(0, chunk.base).join(''),
    ours: ours.splice(0, chunk.ours).join(''),
    theirs: theirs.splice(0, chunk.theirs).join(''),
    left: base.length + ours.length + theirs.length,
  }))
}

const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '<<<<<<< x\n', '=======\n', 'd')
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''))

test('the chunks contain every line once, and their kinds state who changed what', () => {
  fc.assert(
    fc.property(text, text, text, (base, ours, theirs) => {
      const chunks = mergeChunks(base, ours, theirs) ?? []
      const all = parts(chunks, [base, ours, theirs])
      assert.is(all.at(-1)?.left ?? 0, 0)
      for (const one of all) {
        if (one.kind === 'same') assert.ok(one.base === one.ours && one.base === one.theirs)
        if (one.kind === 'ours') assert.ok(one.base === one.theirs && one.base !== one.ours)
        if (one.kind === 'theirs') assert.ok(one.base === one.ours && one.base !== one.theirs)
        if (one.kind === 'both') assert.is(one.ours, one.theirs)
        if (one.kind === 'conflict') assert.is.not(one.ours, one.theirs)
      }
    }),
    { numRuns: 2_000 },
  )
})

test('changes on only one side merge to that side', () => {
  fc.assert(
    fc.property(text, text, (base, changed) => {
      const chunks = mergeChunks(base, changed, base) ?? []
      assert.is(joinChunks(chunks, changed, base), changed)
      assert.is(joinChunks(mergeChunks(base, base, changed) ?? [], base, changed), changed)
    }),
    { numRuns: 500 },
  )
})

test('lines that both sides added are compared with each other', () => {
  const chunks = mergeChunks('', 'one\nshared\nmine\n', 'two\nshared\n') ?? []
  assert.equal(
    chunks.map(({ kind, ours, theirs }) => [kind, ours, theirs]),
    [
      ['conflict', 1, 1],
      ['both', 1, 1],
      ['conflict', 1, 0],
    ],
  )
})

test('front matter that can be merged by key is one chunk with the merged text', () => {
  const page = (keys: string, body: string) => `---\ntitle: A\n${keys}---\n\n${body}\n`
  const chunks = pageChunks(page('', 'text'), page('icon: sun\n', 'mine'), page('layout: wide\n', 'other')) ?? []
  assert.is(chunks[0]?.kind, 'merged')
  assert.match(chunks[0]?.text ?? '', /icon: sun\n/)
  assert.match(chunks[0]?.text ?? '', /layout: wide\n/)
  assert.equal(
    chunks.slice(1).map(({ kind }) => kind),
    ['same', 'conflict'],
  )
})

test('texts with too many different lines are not compared', () => {
  const many = (word: string) => `${word}\nx\n`.repeat(100_000)
  assert.is(mergeChunks(many('a'), many('b'), many('c')), null)
})

test.run()
