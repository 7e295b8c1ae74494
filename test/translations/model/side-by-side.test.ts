/** Tests parallel and chained translations, on change requests, and with a limited budget. */
import * as assert from 'uvu/assert'
import { git } from '../../support/hermetic-git.js'
import { commitPlainly } from '../../support/plain-edit.js'
import { suiteWith } from '../../support/suite.js'
import { BLOCKS, dice, sourceOf, translationOf, turned, wording } from './marked.js'
import { modelService } from './model-service.js'
import { answer } from './turning-engine.js'

const [test, here] = await suiteWith('translations/model/side-by-side', () =>
  modelService({ BINDERY_TRANSLATION_CHARACTERS: '20000' }),
)
const words = wording(dice(77))
const read = (repository: string, path: string, ref = 'refs/heads/main') =>
  git(repository, ['cat-file', '-p', `${ref}:${path}`])
const page = () => `# «${words()}»\n\n${BLOCKS.map((make) => make(words)).join('\n\n')}\n`

/** A space with one page of each kind of block. */
async function sourceSpace() {
  const source = await here.space('Source')
  const marked = page()
  await commitPlainly(source.repository, { 'README.md': sourceOf(marked) })
  return { ...source, marked }
}

test('two translations of one source run at once and are corrected separately', async () => {
  const source = await sourceSpace()
  const [french, spanish] = [await here.translate(source.id, 'fr'), await here.translate(source.id, 'es')]
  const added = `«${words()}»`
  const right = translationOf(added)
  await commitPlainly(source.repository, { 'README.md': `${sourceOf(source.marked)}\n${sourceOf(added)}\n` })
  await Promise.all([here.run(french.id), here.run(spanish.id)])
  await commitPlainly(french.repository, { 'README.md': `${translationOf(source.marked)}\nEn bon français.\n` })
  await commitPlainly(source.repository, {
    'README.md': `${sourceOf(source.marked)}\n${sourceOf(added)}\n\n«x»\n`.replace('«x»', 'again'),
  })
  for (const { status } of await Promise.all([here.run(french.id), here.run(spanish.id)]))
    assert.is(status, 'completed')
  assert.is(
    await read(french.repository, 'README.md'),
    `${translationOf(source.marked)}\nEn bon français.\n\n${turned('again')}`,
  )
  assert.is(
    await read(spanish.repository, 'README.md'),
    `${translationOf(source.marked)}\n${right}\n\n${turned('again')}`,
  )
})

test('a correction in a translated space reaches the translation of that space', async () => {
  const source = await sourceSpace()
  const french = await here.translate(source.id, 'fr')
  const german = await here.translate(french.result.space, 'de', {
    source: { space: french.result.space, language: 'fr' },
  })
  assert.is(german.status, 'completed', JSON.stringify(german.error))
  // After two translations, everything is as before, except that the lines of a paragraph are one.
  const unwrapped = translationOf(source.marked.replace(/«([^»]*)»/g, (_, text: string) => `«${turned(text)}»`))
  assert.is(await read(german.repository, 'README.md'), unwrapped.trim())
  const title = translationOf(source.marked).split('\n')[0] as string
  const first = translationOf(source.marked).split('\n\n')[1] as string
  await commitPlainly(french.repository, {
    'README.md': translationOf(source.marked).replace(first, 'Corrected here.'),
  })
  const sent = here.engine.sent.length
  await here.run(german.id)
  assert.equal(here.engine.sent.slice(sent), ['Corrected here.'])
  assert.is(
    await read(german.repository, 'README.md'),
    unwrapped.replace(turned(first), turned('Corrected here.')).trim(),
  )
  assert.match(await read(german.repository, 'README.md'), turned(title).trim())
})

test('a translation into its own source is rejected or ends', async () => {
  const source = await sourceSpace()
  const french = await here.translate(source.id, 'fr')
  const back = await here.service.admin.call('post', `/v1/orgs/${here.service.organization}/translations`, {
    language: 'fr',
    source: { space: french.result.space, language: 'fr' },
  })
  assert.is(back.status, 400)
})

test('with required approvals, corrections survive on the change request and on main', async () => {
  const source = await sourceSpace()
  const made = await here.translate(source.id, 'fr')
  const { admin } = here.service
  await admin.call('patch', `/v1/spaces/${made.result.space}`, { requiredApprovals: 1 }).expect(200)
  const before = await read(made.repository, 'README.md')
  const [one, two, three] = [`«${words()}»`, `«${words()}»`, `«${words()}»`]
  const write = (...more: string[]) =>
    commitPlainly(source.repository, {
      'README.md': `${sourceOf(source.marked)}\n${more.map(sourceOf).join('\n\n')}\n`,
    })
  await write(one)
  const first = await here.run(made.id)
  assert.is(await read(made.repository, 'README.md'), before)
  const request = first.result.changeRequest as string
  const at = `/v1/spaces/${made.result.space}/change-requests/${request}`
  const { body: pages } = await admin.call('get', `${at}/content/pages`).expect(200)
  const { body: shown } = await admin.call('get', `${at}/content/page/${pages.pages[0].id}`).expect(200)
  assert.match(shown.markdown, translationOf(one))
  const corrected = shown.markdown.replace(translationOf(one), 'Corrected on the request.')
  await admin
    .call('post', `${at}/content`, {
      changes: [{ operation: 'update_page', page: pages.pages[0].id, document: { markdown: corrected } }],
    })
    .expect(200)
  await write(one, two)
  const second = await here.run(made.id)
  assert.is(second.result.changeRequest, request)
  const after = (await admin.call('get', `${at}/content/page/${pages.pages[0].id}`).expect(200)).body.markdown
  assert.match(after, 'Corrected on the request.')
  assert.match(after, translationOf(two))
  assert.is(await read(made.repository, 'README.md'), before)
  const reviewer = await here.service.caller('admin')
  await reviewer.call('post', `${at}/reviews`, { status: 'approved' }).expect(201)
  await admin.call('post', `${at}/merge`).expect(200)
  await write(one, two, three)
  const sent = here.engine.sent.length
  const third = await here.run(made.id)
  assert.is(here.engine.sent.length, sent + 1)
  assert.is.not(third.result.changeRequest, request)
  const last = `/v1/spaces/${made.result.space}/change-requests/${third.result.changeRequest}`
  const { markdown } = (await admin.call('get', `${last}/content/page/${pages.pages[0].id}`).expect(200)).body
  assert.match(markdown, 'Corrected on the request.')
  assert.match(markdown, translationOf(three))
})

test('the next run replaces an archived change request without loss', async () => {
  const source = await sourceSpace()
  const made = await here.translate(source.id, 'fr')
  const { admin } = here.service
  await admin.call('patch', `/v1/spaces/${made.result.space}`, { requiredApprovals: 1 }).expect(200)
  const one = `«${words()}»`
  await commitPlainly(source.repository, { 'README.md': `${sourceOf(source.marked)}\n${sourceOf(one)}\n` })
  const first = await here.run(made.id)
  await admin
    .call('patch', `/v1/spaces/${made.result.space}/change-requests/${first.result.changeRequest}`, {
      status: 'archived',
    })
    .expect(200)
  const sent = here.engine.sent.length
  const second = await here.run(made.id)
  assert.is(here.engine.sent.length, sent)
  assert.is.not(second.result.changeRequest, first.result.changeRequest)
  const { body } = await admin
    .call('get', `/v1/spaces/${made.result.space}/change-requests/${second.result.changeRequest}/content/pages`)
    .expect(200)
  const shown = await admin
    .call(
      'get',
      `/v1/spaces/${made.result.space}/change-requests/${second.result.changeRequest}/content/page/${body.pages[0].id}`,
    )
    .expect(200)
  assert.match(shown.body.markdown, translationOf(one))
})

test('a run beyond the budget sends and changes nothing, and a smaller source is translated', async () => {
  const source = await sourceSpace()
  const made = await here.translate(source.id, 'fr')
  const before = await git(made.repository, ['rev-parse', 'refs/heads/main'])
  const long = Array.from({ length: 800 }, () => `${words()} and more.`).join('\n\n')
  await commitPlainly(source.repository, { 'README.md': `# Long\n\n${long}\n` })
  const sent = here.engine.sent.length
  const failed = await here.run(made.id)
  assert.is(failed.error?.code, 'budget')
  assert.is(here.engine.sent.length, sent)
  assert.is(await git(made.repository, ['rev-parse', 'refs/heads/main']), before)
  await commitPlainly(source.repository, { 'README.md': `# Long\n\n${long.slice(0, 2_000)}\n` })
  assert.is((await here.run(made.id)).status, 'completed')
  assert.is(await read(made.repository, 'README.md'), turned(`# Long\n\n${long.slice(0, 2_000)}`).trim())
})

test('after an engine fails during a run, its earlier responses are not requested again', async () => {
  const source = await sourceSpace()
  let answered = 0
  here.engine.mischief = (texts) => {
    if (++answered > 1) throw 456
    return texts.map(answer)
  }
  const sent = here.engine.sent.length
  const many = Array.from({ length: 300 }, () => `${words()}.`).join('\n\n')
  await commitPlainly(source.repository, { 'README.md': `# Many\n\n${many}\n` })
  const made = await here.translate(source.id, 'fr')
  assert.is(made.error?.code, 'engine')
  here.engine.mischief = null
  const refused = here.engine.sent.slice(sent)
  assert.is((await here.run(made.id)).status, 'completed')
  assert.is(await read(made.repository, 'README.md'), turned(`# Many\n\n${many}`))
  const twice = here.engine.sent.slice(sent + refused.length).filter((text) => refused.includes(text))
  assert.ok(twice.length < refused.length, `${twice.length} of ${refused.length} were sent twice`)
})

test.run()
