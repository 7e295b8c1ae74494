/**
 * Tests that an invalid engine response never reaches a page, and that the next run with a working engine repairs the
 * result. `TRANSLATION_GARBAGE=all` plays all cases. A run of all tests plays some.
 */
import * as assert from 'uvu/assert'
import { git } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { suiteWith } from '../../support/suite.js'
import { BLOCKS, dice, sourceOf, translationOf, wording } from './marked.js'
import { modelService } from './model-service.js'
import { answer } from './turning-engine.js'

const [test, here] = await suiteWith('translations/model/garbage', () => modelService())
const isAll = process.env['TRANSLATION_GARBAGE'] === 'all'
const SOME = new Set(['every placeholder twice, or a strange element', 'objects', 'a heading and a list in new lines'])
const each = (change: (text: string) => unknown) => (texts: string[]) => texts.map(change)

/** The fault in every response, and whether some result is allowed. */
const GARBAGE: Record<string, [(texts: string[]) => unknown, 'refused' | 'text']> = {
  empty: [each(() => ''), 'refused'],
  blanks: [each(() => ' \n\t '), 'refused'],
  'without placeholders, or with a strange one': [
    each((text) => (text.includes('<') ? answer(text).replace(/<[^>]*>/g, '') : `${answer(text)}<x id="99"/>`)),
    'refused',
  ],
  'every placeholder twice, or a strange element': [
    each((text) => (text.includes('<') ? answer(text) + answer(text) : `<b>${answer(text)}</b>`)),
    'refused',
  ],
  huge: [each((text) => 'very '.repeat(text.length * 20)), 'refused'],
  'control characters': [each((text) => `${answer(text)}\u0000\u001b[31m`), 'refused'],
  'a script': [each((text) => `${answer(text)}<script>alert(1)</script>`), 'refused'],
  numbers: [each(() => 12), 'refused'],
  nulls: [each(() => null), 'refused'],
  objects: [() => ({ text: 'x' }), 'refused'],
  'one less': [(texts) => texts.slice(1).map(answer), 'refused'],
  // Invalid lists are halved down to single texts, which have one response.
  'one more': [(texts) => [...texts.map(answer), 'more'], 'text'],
  'a heading and a list in new lines': [each((text) => `${answer(text)}\n\n# Heading\n\n- item`), 'text'],
  'the beginning of a block': [each((text) => `# - 1. > ${answer(text)} | x`), 'text'],
  'a tag and an expression': [each((text) => `{% include "x" %} {{ x }} ${answer(text)} {% endhint %}`), 'text'],
  'a link and code': [each((text) => `[x](javascript:alert) \`code\` ${answer(text)} ![x](y) *a* $$b$$`), 'text'],
  'escaped twice': [each((text) => `${answer(text)} &amp;lt;script&amp;gt; &amp;amp; &lt;i&gt;`), 'text'],
  quotes: [each((text) => `"${answer(text)}' ">`), 'text'],
}

type Node = { object: string; type?: string; nodes?: Node[]; leaves?: unknown }

/** A block tree without its texts. */
const shape = ({ object, type, nodes = [] }: Node): unknown => (object === 'text' ? 'text' : [type, nodes.map(shape)])

async function shapeOf(space: string): Promise<unknown> {
  const { body } = await here.service.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  const { id } = body.pages[0]
  const page = await here.service.admin
    .call('get', `/v1/spaces/${space}/content/page/${id}?format=document`)
    .expect(200)
  return [id, page.body.icon, shape(page.body.document)]
}

for (const [name, [mischief, kind]] of Object.entries(GARBAGE)) {
  if (!isAll && !SOME.has(name)) continue
  test(`a page stays valid if the engine response is faulty: ${name}`, async () => {
    const words = wording(dice(name.length * 1_000 + name.charCodeAt(0)))
    const marked = `---\ndescription: «${words()}»\nicon: gear\n---\n\n# «${words()}»\n\n${BLOCKS.map((make) => make(words)).join('\n\n')}\n`
    const summary = `# «Summary ${words()}»\n\n* [«${words()}»](README.md)\n`
    const source = await here.space('Source')
    await commitPlainly(source.repository, { 'README.md': sourceOf(marked), 'SUMMARY.md': sourceOf(summary) })
    here.engine.mischief = mischief
    const made = await here.translate(source.id, 'fr')
    here.engine.mischief = null
    const text = () => git(made.repository, ['cat-file', '-p', 'refs/heads/main:README.md'])
    if (made.status === 'failed') assert.is(made.error?.code, 'engine', JSON.stringify(made.error))
    else {
      assert.equal(await shapeOf(made.result.space), await shapeOf(source.id))
      if (kind === 'refused') assert.is(await text(), sourceOf(marked).trim())
      if (kind === 'refused') assert.ok((made.diagnostics ?? []).length > 0, 'nothing is said')
    }
    const after = await here.run(made.id)
    assert.is(after.status, 'completed', JSON.stringify(after.error))
    assert.equal(after.diagnostics ?? [], [])
    if (kind === 'refused') assert.is(await text(), translationOf(marked).trim())
  })
}

for (const status of isAll ? [400, 401, 403, 404, 429, 456, 500, 503] : [401, 503]) {
  test(`no page contains invalid text if the engine answers ${status}`, async () => {
    const words = wording(dice(status))
    const source = await here.space('Source')
    const marked = `# «${words()}»\n\n«${words()}»\n`
    await commitPlainly(source.repository, { 'README.md': sourceOf(marked) })
    here.engine.mischief = () => {
      throw status
    }
    const made = await here.translate(source.id, 'fr')
    here.engine.mischief = null
    assert.is(made.status, 'failed')
    assert.is(made.error?.code, 'engine')
    assert.is((await here.run(made.id)).status, 'completed')
    assert.is(await git(made.repository, ['cat-file', '-p', 'refs/heads/main:README.md']), translationOf(marked).trim())
  })
}

test.run()
