import * as assert from 'uvu/assert'
import { parseDocument } from '../../../src/content/blocks/parse.js'
import { suite } from '../../support/suite.js'
import { fixtures } from './fixtures.js'
import { outlineOf } from './support.js'

const test = suite('block types')

for (const [name, markdown, expected] of fixtures)
  test(`a page has the right block tree: ${name}`, () => assert.equal(outlineOf(parseDocument(markdown)), expected))

test.run()
