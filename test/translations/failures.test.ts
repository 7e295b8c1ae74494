import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { capitals } from './engine-server.js'
import { translationService } from './fixture.js'

const [test, here] = await suiteWith('translations/failures', () =>
  translationService('libretranslate', { BINDERY_TRANSLATION_CHARACTERS: '2000' }),
)
const base = () => `/v1/orgs/${here.organization}/translations`

const fresh = (): void => {
  here.engine.translate = capitals
  here.engine.texts.length = 0
  here.engine.faults.length = 0
}

test('impossible translation requests are rejected with the reason', async () => {
  fresh()
  const source = await here.source({ one: '# One\n' })
  const ask = (body: object) => here.admin.call('post', base(), body)
  assert.match(
    (await ask({ language: 'ja', source: { space: source } }).expect(400)).body.error.details[0].message,
    'en → ja',
  )
  assert.is(
    (await ask({ language: 'en', source: { space: source } }).expect(400)).body.error.details[0].path,
    '/language',
  )
  assert.is(
    (await ask({ language: 'es', source: { space: 'nowhere' } }).expect(400)).body.error.details[0].path,
    '/source/space',
  )
  assert.is((await ask({ language: 'es' }).expect(400)).body.error.details[0].path, '/source')
  await ask({ language: 'es', source: { space: source }, engine: 'deepl' }).expect(400)
  const long = {
    object: 'document',
    data: { schemaVersion: 1 },
    nodes: [{ object: 'block', nodes: [{ object: 'text', leaves: [{ text: 'x'.repeat(10_001) }] }] }],
  }
  await ask({ language: 'es', source: { space: source }, instructions: long }).expect(400)
})

test('each role allows exactly its translation operations', async () => {
  fresh()
  const source = await here.source({ one: '# One\n' })
  const made = await here.create(source)
  const path = `${base()}/${made.id}`
  const [reader, editor, creator] = [await here.caller('read'), await here.caller('edit'), await here.caller('create')]
  await reader.call('get', path).expect(200)
  assert.equal((await reader.call('get', path).expect(200)).body.permissions, { view: true, edit: false })
  for (const one of [reader, editor]) {
    await one.call('put', path, { automatic: null }).expect(403)
    await one.call('post', `${path}/run`).expect(403)
    await one.call('delete', path).expect(403)
    await one.call('post', base(), { language: 'de', source: { space: source } }).expect(403)
  }
  await here.admin.call('patch', `/v1/spaces/${made.result.space}`, { defaultLevel: null }).expect(200)
  await reader.call('get', path).expect(404)
  assert.not(
    (await creator.call('get', base()).expect(200)).body.items.some((one: { id: string }) => one.id === made.id),
  )
  await (await here.caller()).call('get', path).expect(404)
})

test('a run over the limit is rejected before anything is sent', async () => {
  fresh()
  const source = await here.source({ one: `# One\n\n${'Many words. '.repeat(300)}\n` })
  const made = await here.create(source)
  assert.is(made.error?.code, 'budget')
  assert.equal(here.engine.texts, [])
})

test('an engine failure commits nothing, and paid translations are not sent again', async () => {
  fresh()
  const blocks = Array.from({ length: 60 }, (_, n) => `Block number ${n}.`)
  const source = await here.source({ one: `# One\n\n${blocks.join('\n\n')}\n` })
  let sent = 0
  here.engine.translate = (text) => {
    if (++sent === 25) here.engine.faults.push({ status: 403 })
    return capitals(text)
  }
  const made = await here.create(source)
  assert.is(made.error?.code, 'engine')
  assert.not.match(JSON.stringify(made), 'secret-key')
  const first = [...here.engine.texts]
  assert.is(first.length, 25)
  here.engine.texts.length = 0
  const ran = await here.run(made.id)
  assert.is(ran.status, 'completed')
  assert.equal(
    here.engine.texts.filter((text) => first.includes(text)),
    [],
  )
  assert.match(JSON.stringify(await here.pages(made.result.space)), 'BLOCK NUMBER 59.')
})

test('blocks with damaged markup keep the source text and can be retried', async () => {
  fresh()
  const source = await here.source({ one: '# One\n\nA [link](x.md) stays.\n\nGood words.\n' })
  here.engine.translate = (text) => (text.includes('stays') ? '<script>alert(1)</script> STAYS' : capitals(text))
  const made = await here.create(source)
  assert.is(made.status, 'completed')
  const id = (await here.pages(source)).one?.id as string
  assert.is((await here.markdown(made.result.space, id)).trim(), '# ONE\n\nA [link](x.md) stays.\n\nGOOD WORDS.')
  assert.match(made.diagnostics[0]?.reason ?? '', 'A [link](x.md) stays.')
  here.engine.translate = capitals
  here.engine.texts.length = 0
  const ran = await here.run(made.id)
  assert.equal(here.engine.texts.length, 1)
  assert.match(await here.markdown(made.result.space, id), 'A [LINK](x.md) STAYS.')
  assert.equal(ran.diagnostics, [])
})

test('engine responses are text, and nothing in them is markup', async () => {
  fresh()
  const source = await here.source({ one: '# One\n\nPlain words.\n\n| Cell |\n| --- |\n| here |\n' })
  here.engine.translate = (text) =>
    text === 'Plain words.'
      ? '# {% hint %} **x** &lt;img src=x onerror=y&gt; `a` [b](c) | $$d$$'
      : text === 'here'
        ? 'a | b'
        : capitals(text)
  const made = await here.create(source)
  const id = (await here.pages(source)).one?.id as string
  const { body } = await here.admin
    .call('get', `/v1/spaces/${made.result.space}/content/page/${id}?format=document`)
    .expect(200)
  const text = JSON.stringify(body.document)
  assert.match(text, '# {% hint %} **x** <img src=x onerror=y> `a` [b](c) | $$d$$')
  assert.match(text, 'a | b')
})

test('a response of 100,000 characters is rejected, and the rest of the page is translated', async () => {
  fresh()
  const source = await here.source({ one: '# One\n\nShort words.\n\nGood words.\n' })
  here.engine.translate = (text) => (text.startsWith('Short') ? 'x'.repeat(100_000) : capitals(text))
  const made = await here.create(source)
  const id = (await here.pages(source)).one?.id as string
  assert.is((await here.markdown(made.result.space, id)).trim(), '# ONE\n\nShort words.\n\nGOOD WORDS.')
})

test('a locked result and a deleted source fail with their reasons until repaired', async () => {
  fresh()
  const source = await here.source({ one: '# One\n\nSome words.\n' })
  const made = await here.create(source)
  const id = (await here.pages(source)).one?.id as string
  await here.edit(source, [{ operation: 'update_page', page: id, document: { markdown: '# One\n\nOther words.\n' } }])
  const { space } = made.result
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'locked' }).expect(200)
  here.engine.texts.length = 0
  assert.is((await here.run(made.id)).error?.code, 'locked')
  assert.equal(here.engine.texts, [])
  await here.admin.call('patch', `/v1/spaces/${space}`, { editMode: 'live' }).expect(200)
  assert.is((await here.run(made.id)).status, 'completed')
  await here.admin.call('delete', `/v1/spaces/${source}`).expect(204)
  await here.admin.call('post', `${base()}/${made.id}/run`).expect(409)
  await here.admin.call('delete', `${base()}/${made.id}`).expect(204)
  await here.admin.call('get', `${base()}/${made.id}`).expect(404)
  await here.admin.call('get', `/v1/spaces/${space}`).expect(200)
})

test('automatic runs follow the source within their budget', async () => {
  fresh()
  const source = await here.source({ one: '# One\n\nSome words.\n' })
  const made = await here.create(source)
  const id = (await here.pages(source)).one?.id as string
  await here.admin.call('put', `${base()}/${made.id}`, { automatic: { charactersPerMonth: 60 } }).expect(200)
  const put = (text: string) =>
    here.edit(source, [{ operation: 'update_page', page: id, document: { markdown: `# One\n\n${text}\n` } }])
  const runs = async (least: number) => {
    for (;;) {
      const found = await here.get(made.id)
      if (found.status === 'failed' || (found.status === 'completed' && (found.stats.runs ?? 0) >= least)) return found
      await new Promise((go) => setTimeout(go, 20))
    }
  }
  await put('New words.')
  assert.is((await runs(2)).stats.runs, 2)
  assert.match(await here.markdown(made.result.space, id), 'NEW WORDS.')
  here.engine.texts.length = 0
  await put('These are far too many words for the budget of this translation.')
  const failed = await runs(3)
  assert.is(failed.error?.code, 'budget')
  assert.equal(here.engine.texts, [])
  assert.is((await here.run(made.id)).status, 'completed')
})

test.run()
