import * as assert from 'uvu/assert'
import { suite } from './suite.js'

const test = suite('the suite itself')
test('runs a test', () => assert.ok(true))
test.run()
