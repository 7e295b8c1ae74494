import * as assert from 'uvu/assert'
import { suite } from './suite.js'

const test = suite('suite')
test('the suite runs a test', () => assert.ok(true))
test.run()
