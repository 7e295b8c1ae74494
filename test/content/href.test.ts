import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { hrefFault, isSitePath } from '../../src/content/href.js'
import { suite } from '../support/suite.js'
import { unicodeText } from '../support/unicode-text.js'

const test = suite('content: addresses on sites')

const pieces = [
  '/',
  '\\',
  'https:',
  'http:',
  'javascript:',
  'data:',
  '//',
  '@',
  ':',
  '\t',
  '\n',
  ' ',
  '.',
  '..',
  '%2f',
  '#',
  '?',
  'a',
  'evil.example',
  '[',
  ']',
  '\u0000',
  '\u2028',
  '\u3000',
  'é',
  'xn--',
  '１',
]

test('an accepted address uses https or http, and a path never leaves the site', () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join('')),
    fc.webUrl(),
    fc.string(),
    unicodeText(),
  )
  fc.assert(
    fc.property(text, (href) => {
      if (hrefFault(href) !== null) return
      const url = new URL(href, 'https://docs.example/guides/')
      assert.ok(['https:', 'http:'].includes(url.protocol), url.protocol)
      assert.is(url.username + url.password, '')
      if (isSitePath(href)) assert.is(url.origin, 'https://docs.example')
    }),
    { numRuns: 5000 },
  )
})

for (const href of [
  'https://example.org',
  'HTTP://example.org:8080/a?b=c#d',
  '/',
  '/guides/first#install',
  '/%5C',
  'https://example.org/@me',
])
  test(`an address is accepted: ${href}`, () => assert.is(hrefFault(href), null))

test.run()
