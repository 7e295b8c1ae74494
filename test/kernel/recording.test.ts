import * as assert from 'uvu/assert'
import { SharedEvidence } from '../../src/api/pipeline/recorded-reads.js'
import { type Evidence, Recording } from '../../src/kernel/recording.js'
import { suite } from '../support/suite.js'

const test = suite('recorded reads of a response')

/** A table of numbers that counts its reads. */
function source() {
  const values: Record<string, number> = { a: 1, b: 2 }
  const table = {
    version: 0,
    reads: 0,
    set(name: string, value: number) {
      values[name] = value
      table.version++
    },
    note: (recording: Recording, name: string) =>
      recording.note(
        name,
        values[name] as number,
        () => {
          table.reads++
          return values[name] as number
        },
        table,
      ),
  }
  return table
}

function evidenceOf(note: (recording: Recording) => void): Evidence {
  const recording = new Recording()
  note(recording)
  recording.seal()
  const evidence = recording.evidence()
  assert.ok(evidence)
  return evidence
}

test('a recorded read is only compared again if its source has a new version', () => {
  const table = source()
  let ref = 'one'
  let refReads = 0
  const evidence = evidenceOf((recording) => {
    table.note(recording, 'a')
    recording.note('ref', ref, () => {
      refReads++
      return ref
    })
  })
  assert.equal([table.reads, refReads], [1, 1])
  assert.is(evidence.holds(), true)
  assert.equal([table.reads, refReads], [1, 2], 'what has no version is read each time')
  table.set('b', 3)
  assert.is(evidence.holds(), true)
  assert.is(table.reads, 2)
  table.set('a', 9)
  assert.is(evidence.holds(), false)
  assert.is(evidence.holds(), false, 'what was found to be changed is not taken for compared')
  table.set('a', 1)
  assert.is(evidence.holds(), true)
  ref = 'two'
  assert.is(evidence.holds(), false)
})

test('responses from the same values of the same objects share their recorded reads', () => {
  const table = source()
  const shared = new SharedEvidence()
  const of = (...names: string[]) =>
    evidenceOf((recording) => names.forEach((name) => void table.note(recording, name)))
  const first = of('a', 'b')
  assert.equal(shared.shared(first), { evidence: first, isShared: false })
  const second = shared.shared(of('a', 'b'))
  assert.is(second.evidence, first)
  assert.is(second.isShared, true)
  assert.is.not(shared.shared(of('a')).evidence, first)
  table.set('a', 5)
  const later = of('a', 'b')
  assert.is(shared.shared(later).evidence, later)
  assert.is(first.holds(), false)
  assert.is(later.holds(), true)
})

test('recorded reads of a text and of an equal number are different', () => {
  const of = (value: string | number) => evidenceOf((recording) => recording.note('x', value, () => value))
  assert.is.not(of(1).key, of('1').key)
})

test.run()
