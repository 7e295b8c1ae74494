import * as assert from 'uvu/assert'
import { type RecordedReads, Recording } from '../../src/kernel/recording.js'
import { suite } from '../support/suite.js'
import { SharedReads } from '../../src/api/pipeline/response-cache.js'

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
      recording.recordValue(
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

function evidenceOf(note: (recording: Recording) => void): RecordedReads {
  const recording = new Recording()
  note(recording)
  recording.seal()
  const evidence = recording.finish()
  assert.ok(evidence)
  return evidence
}

test('a recorded read is only compared again if its source has a new version', () => {
  const table = source()
  let ref = 'one'
  let refReads = 0
  const evidence = evidenceOf((recording) => {
    table.note(recording, 'a')
    recording.recordValue('ref', ref, () => {
      refReads++
      return ref
    })
  })
  assert.equal([table.reads, refReads], [1, 1])
  assert.is(evidence.areUnchanged(), true)
  assert.equal([table.reads, refReads], [1, 2], 'what has no version is read each time')
  table.set('b', 3)
  assert.is(evidence.areUnchanged(), true)
  assert.is(table.reads, 2)
  table.set('a', 9)
  assert.is(evidence.areUnchanged(), false)
  assert.is(evidence.areUnchanged(), false, 'what was found to be changed is not taken for compared')
  table.set('a', 1)
  assert.is(evidence.areUnchanged(), true)
  ref = 'two'
  assert.is(evidence.areUnchanged(), false)
})

test('responses from the same values of the same objects share their recorded reads', () => {
  const table = source()
  const shared = new SharedReads()
  const of = (...names: string[]) =>
    evidenceOf((recording) => names.forEach((name) => void table.note(recording, name)))
  const first = of('a', 'b')
  assert.equal(shared.shared(first), { reads: first, isShared: false })
  const second = shared.shared(of('a', 'b'))
  assert.is(second.reads, first)
  assert.is(second.isShared, true)
  assert.is.not(shared.shared(of('a')).reads, first)
  table.set('a', 5)
  const later = of('a', 'b')
  assert.is(shared.shared(later).reads, later)
  assert.is(first.areUnchanged(), false)
  assert.is(later.areUnchanged(), true)
})

test('recorded reads of a text and of an equal number are different', () => {
  const of = (value: string | number) => evidenceOf((recording) => recording.recordValue('x', value, () => value))
  assert.is.not(of(1).key, of('1').key)
})

test.run()
