import * as assert from 'uvu/assert'
import { optionsOf, shuffled, toRepeat } from './options.js'
import { suite } from './suite.js'

const test = suite('options of a test run')

test('options and path words are distinguished', () => {
  assert.equal(optionsOf(['content/', '--costs', 'git/merge']), {
    wanted: ['content/', 'git/merge'],
    costs: true,
    shuffle: null,
  })
  assert.is(optionsOf(['--shuffle=7']).shuffle, 7)
  assert.throws(() => optionsOf(['--slow']), /--slow is unknown/)
})

test('a seed always gives the same order', () => {
  const items = Array.from({ length: 100 }, (_, i) => i)
  assert.equal(shuffled(items, 7), shuffled(items, 7))
  assert.not.equal(shuffled(items, 7), shuffled(items, 8))
  assert.equal(
    shuffled(items, 7).sort((a, b) => a - b),
    items,
  )
})

test('the repeat command contains the file, and the seed of the run if there is one', () => {
  const { FC_SEED } = process.env
  try {
    process.env['FC_SEED'] = '12'
    assert.match(toRepeat('git/merge.test.ts'), /^FC_SEED=12 npm test -- .*git\/merge$/)
  } finally {
    if (FC_SEED === undefined) delete process.env['FC_SEED']
    else process.env['FC_SEED'] = FC_SEED
  }
})

test.run()
