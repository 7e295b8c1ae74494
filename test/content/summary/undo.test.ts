import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { moveEntry, retargetEntry, retitleEntry } from '../../../src/content/summary/edit.js'
import { runs } from '../../support/soak.js'
import { suite } from '../../support/suite.js'
import { at, type Model, modelOf, paths, summaryText } from './model.js'

const test = suite('content: edits of SUMMARY.md and their reversal')

/**
 * A table of contents like those of docs teams: groups with anchors, odd titles, escapes, link titles, links, a rule,
 * an entry without a file.
 */
const real = `# Table of contents

* [Introduction](README.md)
* [What's new & old in 2.0?](whats-new.md)

## Getting started <a href="#start" id="start"></a>

* [Install](getting-started/install/README.md "Install it")
  * [On Linux & macOS](getting-started/install/on-linux.md)
  * [hash_join](getting-started/install/hash_join.md)
* [A \\[beta\\] feature](<getting-started/with (1) spaces.md>)
* [Draft]()

***

* [API](api/README.md)
  * [Authentication](api/authentication.md)
    * [Tokens](api/authentication/tokens.md)
* [Status page](https://status.example.org)
* [FAQ](faq.md#top)
`

const linked = (model: readonly Model[]): number[][] =>
  paths(model).filter((path) => at(model, path).type !== 'group' && at(model, path).href)

/** Each entry gets another title, another target and another position among its siblings, and back. */
function undone(text: string): void {
  const model = modelOf(text)
  for (const path of linked(model)) {
    const { title, href } = at(model, path)
    assert.is(retitleEntry(retitleEntry(text, path, 'Another [title] _here_'), path, title), text, `title of ${path}`)
    assert.is(retargetEntry(retargetEntry(text, path, 'other (1).md'), path, href as string), text, `target of ${path}`)
    const parent = path.length === 1 ? null : path.slice(0, -1)
    const siblings = parent ? at(model, parent).children : model
    const [index, next] = [path.at(-1) as number, (path.at(-1) as number) + 1]
    if (siblings[next] === undefined || siblings[next].type === 'group') continue
    const moved = moveEntry(text, path, { parent, at: next })
    assert.is(moveEntry(moved, [...(parent ?? []), next], { parent, at: index }), text, `place of ${path}`)
  }
}

test('a reversed edit of a realistic file restores the same bytes and line ends', () => {
  for (const text of [real, real.replaceAll('\n', '\r\n'), `\ufeff${real.trimEnd()}`, real.replaceAll('* [', '- [')])
    undone(text)
})

test('a reversed edit of titles and targets restores the same bytes of any file', () => {
  fc.assert(
    fc.property(summaryText, (text) => {
      const model = modelOf(text)
      for (const path of linked(model)) {
        const { title, href } = at(model, path)
        assert.is(retitleEntry(retitleEntry(text, path, 'Another'), path, title), text)
        assert.is(retargetEntry(retargetEntry(text, path, 'other.md'), path, href as string), text)
      }
    }),
    { numRuns: runs(100, 1_500) },
  )
})

test.run()
