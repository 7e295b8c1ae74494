import * as assert from 'uvu/assert'
import { join } from 'node:path'
import { git } from '../support/hermetic-git.js'
import { commitPlainly } from '../support/plain-edit.js'
import { suiteWith } from '../support/suite.js'
import { translationService } from './fixture.js'

const [test, here] = await suiteWith('translations/step', () => translationService('openai'))

test('only changed blocks are sent, with existing corrections as examples', async () => {
  const source = await here.source({
    guide: '# Guide\n\nFirst block.\n\nSecond block.\n\n* one item\n* two items\n',
    other: '# Other\n\nOther block.\n',
  })
  const made = await here.create(source)
  const { space } = made.result
  const { guide } = await here.pages(space)
  assert.ok(guide)
  const corrected = guide.markdown
    .replace('SECOND BLOCK.', 'Segundo bloque.\n\nNota de la traductora.')
    .replace('TWO ITEMS', 'dos cosas')
  await here.edit(space, [{ operation: 'update_page', page: guide.id, document: { markdown: corrected } }])
  const before = (await here.pages(source)).guide
  assert.ok(before)
  await here.edit(source, [
    {
      operation: 'update_page',
      page: before.id,
      document: {
        markdown: before.markdown
          .replace('First block.', 'First block, changed.')
          .replace('* one item\n', '* one item\n* new item\n'),
      },
    },
  ])
  here.engine.texts.length = 0
  const ran = await here.run(made.id)
  assert.is(ran.status, 'completed', JSON.stringify(ran.error))
  assert.equal([...here.engine.texts].sort(), ['First block, changed.', 'new item'])
  assert.is(
    await here.markdown(space, guide.id),
    corrected.replace('FIRST BLOCK.', 'FIRST BLOCK, CHANGED.').replace('* ONE ITEM\n', '* ONE ITEM\n* NEW ITEM\n'),
  )
  assert.equal([ran.stats.latestPages, ran.stats.latestWords, ran.stats.runs], [1, 5, 2])
  const prompt = JSON.stringify(here.engine.requests.at(-1)?.body)
  assert.match(prompt, 'Segundo bloque.')
  assert.match(prompt, 'dos cosas')
  const again = await here.run(made.id)
  assert.equal([again.stats.latestPages, again.result.revision], [0, ran.result.revision])
  assert.is(here.engine.texts.length, 2)
})

test('pages are renamed, moved and deleted by ID, while corrections and added pages stay', async () => {
  const source = await here.source({ a: '# A\n\nText of a.\n', b: '# B\n\nText of b.\n', c: '# C\n\nText of c.\n' })
  const made = await here.create(source)
  const { space } = made.result
  const pages = await here.pages(space)
  const [a, b, c] = [pages.a, pages.b, pages.c].map((page) => page?.id as string)
  await here.edit(space, [
    { operation: 'update_page', page: a, document: { markdown: '# A\n\nTexto corregido.\n' } },
    { operation: 'insert_page', title: 'Solo aquí', slug: 'solo', document: { markdown: '# Solo aquí\n' } },
  ])
  await here.edit(source, [
    { operation: 'update_page', page: a, slug: 'renamed', into: c },
    { operation: 'delete_page', page: b },
    { operation: 'insert_page', title: 'D', slug: 'd', document: { markdown: '# D\n\nText of a.\n' } },
  ])
  here.engine.texts.length = 0
  const ran = await here.run(made.id)
  assert.is(ran.status, 'completed', JSON.stringify(ran.error))
  const after = await here.pages(space)
  assert.is(after['c/renamed']?.id, a)
  assert.is(after['c/renamed']?.markdown.trim(), '# A\n\nTexto corregido.')
  assert.not(Object.values(after).some(({ id }) => id === b))
  assert.ok(after.solo)
  assert.is(after.d?.markdown.trim(), '# D\n\nTEXT OF A.')
  assert.equal(here.engine.texts.sort(), ['D'])
})

test('a source that returns to an earlier text is translated from the memory', async () => {
  const source = await here.source({ one: '# One\n\nBefore words.\n' })
  const made = await here.create(source)
  const id = (await here.pages(source)).one?.id as string
  const put = (text: string) =>
    here.edit(source, [{ operation: 'update_page', page: id, document: { markdown: `# One\n\n${text}\n` } }])
  await put('After words.')
  await here.run(made.id)
  here.engine.texts.length = 0
  await put('Before words.')
  const ran = await here.run(made.id)
  assert.equal(here.engine.texts, [])
  assert.match(await here.markdown(made.result.space, id), 'BEFORE WORDS.')
  assert.is(ran.stats.latestWords, 2)
})

test('with required approvals, all runs build on one open change request', async () => {
  const source = await here.source({ one: '# One\n\nSome words.\n' })
  const made = await here.create(source)
  const { space } = made.result
  await here.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 1 }).expect(200)
  const id = (await here.pages(source)).one?.id as string
  const main = await here.markdown(space, id)
  for (const word of ['first', 'second']) {
    await here.edit(source, [
      { operation: 'update_page', page: id, document: { markdown: `# One\n\nThe ${word} change.\n` } },
    ])
    const ran = await here.run(made.id)
    assert.is(ran.status, 'completed', JSON.stringify(ran.error))
    assert.is(await here.markdown(space, id), main)
    const { body } = await here.admin.call('get', `/v1/spaces/${space}/change-requests`).expect(200)
    assert.equal(
      body.items.map((one: { id: string }) => one.id),
      [ran.result.changeRequest],
    )
    const page = await here.admin
      .call('get', `/v1/spaces/${space}/change-requests/${ran.result.changeRequest}/content/page/${id}`)
      .expect(200)
    assert.match(page.body.markdown, `THE ${word.toUpperCase()} CHANGE.`)
  }
  await here.admin.call('patch', `/v1/spaces/${space}`, { requiredApprovals: 0 }).expect(200)
  const waiting = (await here.get(made.id)).result.changeRequest
  await here.admin.call('post', `/v1/spaces/${space}/change-requests/${waiting}/merge`).expect(200)
  await here.edit(source, [
    { operation: 'update_page', page: id, document: { markdown: '# One\n\nThe third change.\n' } },
  ])
  here.engine.texts.length = 0
  assert.is((await here.run(made.id)).result.changeRequest, undefined)
  assert.equal(here.engine.texts, ['The third change.'])
  assert.match(await here.markdown(space, id), 'THE THIRD CHANGE.')
})

test('a copied file that a person changed in the result keeps the change', async () => {
  const source = await here.source({ a: '# A\n\nText of a.\n' })
  const at = (space: string): string => join(here.dir, 'repos', `${space}.git`)
  const shown = (space: string, path: string): Promise<string> => git(at(space), ['show', `main:${path}`])
  await commitPlainly(at(source), {
    'figure.svg': '<svg>Hello</svg>',
    'plain.svg': '<svg>1</svg>',
    'later.svg': '<svg>Later</svg>',
  })
  const made = await here.create(source)
  const { space } = made.result
  await commitPlainly(at(space), { 'figure.svg': '<svg>Hola</svg>', 'later.svg': '<svg>Luego</svg>' })
  await commitPlainly(at(source), { 'figure.svg': '<svg>Hello!</svg>', 'plain.svg': '<svg>2</svg>' })
  const ran = await here.run(made.id)
  assert.is(ran.status, 'completed', JSON.stringify(ran.error))
  assert.equal(await Promise.all(['figure.svg', 'plain.svg', 'later.svg'].map((path) => shown(space, path))), [
    '<svg>Hola</svg>',
    '<svg>2</svg>',
    '<svg>Luego</svg>',
  ])
  assert.equal(
    ran.diagnostics.map(({ path, reason }) => [path, /is not (changed|replaced)/.test(reason)]),
    [['figure.svg', true]],
  )
  // Once a person accepts the source's version, the file follows the source again.
  await commitPlainly(at(space), { 'figure.svg': '<svg>Hello!</svg>' })
  await commitPlainly(at(source), { 'plain.svg': '<svg>3</svg>' })
  assert.equal((await here.run(made.id)).diagnostics, [])
  await commitPlainly(at(source), { 'figure.svg': '<svg>Hello!!</svg>' })
  assert.is((await here.run(made.id)).status, 'completed')
  assert.is(await shown(space, 'figure.svg'), '<svg>Hello!!</svg>')
})

test.run()
