import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { openTranslation } from '../../src/translation/index.js'
import { askEngine, type Engine, EngineError, type TranslationOrder } from '../../src/translation/index.js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { capitals, type EngineServer, serveEngines } from './engine-server.js'

const APERTIUM = '/usr/bin/apertium'
const GUIDANCE = {
  instructions: 'Be brief.',
  glossary: [{ source: 'page', target: 'página' }],
  examples: [{ source: 'Hi.', target: 'Hola.' }],
}

interface Engines {
  server: EngineServer
  engine(name: string): Engine
  ask(name: string, texts: readonly string[]): Promise<Map<string, string>>
  notices: string[]
  close(): Promise<void>
}

async function open(): Promise<Engines> {
  const [server, dir] = [await serveEngines(), await mkdtemp(join(tmpdir(), 'bindery-engines-'))]
  const notices: string[] = []
  const { engines, memory, close } = openTranslation({
    deepl: { url: `${server.url}/`, key: 'secret-one' },
    libreTranslate: { url: server.url, key: 'secret-two' },
    openAi: { url: `${server.url}/v1`, key: 'secret-three', model: 'm' },
    apertium: existsSync(APERTIUM) ? APERTIUM : null,
    timeoutMs: 2_000,
    agent: 'Bindery/test',
    memory: { file: join(dir, 'memory.db'), maxBytes: 1024 * 1024, notice: (message) => notices.push(message) },
  })
  const engine = (name: string): Engine => {
    const found = engines.find((one) => one.name === name)
    if (!found)
      throw new Error(`The engine ${name} is not installed: install the packages apertium and apertium-eng-spa.`)
    return found
  }
  return {
    server,
    engine,
    notices,
    ask: (name, texts) => askEngine(memory, orderOf(engine(name)), texts, new AbortController().signal),
    async close() {
      await close()
      await server.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

const orderOf = (engine: Engine): TranslationOrder => ({ engine, pair: { from: 'en', to: 'es' }, guidance: GUIDANCE })

const [test, here] = await suiteWith('translations/engines', open)

const TEXTS = ['Open the <g id="1">page</g> with <x id="2"/>.', 'Fish &amp; chips &lt; 5']

const fresh = (): void => {
  Object.assign(here.server, { translate: capitals, count: (n: number) => n })
  here.server.faults.length = 0
  here.server.texts.length = 0
  here.server.requests.length = 0
}

for (const [name, path, key] of [
  ['deepl', '/v2/translate', 'DeepL-Auth-Key secret-one'],
  ['libretranslate', '/translate', 'secret-two'],
  ['openai', '/v1/chat/completions', 'Bearer secret-three'],
] as const) {
  test(`${name}: texts are sent in one request with key, languages and markup`, async () => {
    fresh()
    const answers = await here.ask(name, TEXTS)
    assert.is(answers.size, 2)
    assert.match([...answers.values()][0] as string, /^OPEN THE <\w+ id="1">PAGE<\/\w+> WITH <\w+ id="2"/)
    const sent = here.server.requests.filter((one) => one.path === path)
    assert.is(sent.length, 1)
    assert.match(JSON.stringify([sent[0]?.headers.authorization, sent[0]?.body.api_key]), key)
    if (name === 'deepl')
      assert.equal(
        [sent[0]?.body.source_lang, sent[0]?.body.target_lang, sent[0]?.body.tag_handling, sent[0]?.body.glossary_id],
        ['EN', 'ES', 'xml', 'g-1'],
      )
    if (name === 'libretranslate')
      assert.equal([sent[0]?.body.source, sent[0]?.body.target, sent[0]?.body.format], ['en', 'es', 'html'])
    if (name === 'openai')
      for (const told of ['Be brief.', 'page = página', 'Hola.'])
        assert.match(JSON.stringify(sent[0]?.body.messages), told)
  })

  test(`${name}: 429 and 503 are retried after Retry-After, and a rejected key is not`, async () => {
    fresh()
    here.server.faults.push(
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503, headers: { 'retry-after': '0' } },
    )
    assert.is((await here.ask(name, TEXTS)).size, 2)
    assert.is(here.server.requests.filter((one) => one.path === path).length, 3)
    here.server.faults.push({ status: 403, body: 'secret words' })
    const refused = await failure(here.ask(name, TEXTS))
    assert.is(refused.kind, 'refused')
    assert.not.match(refused.message, 'secret')
    assert.is(here.server.requests.filter((one) => one.path === path).length, 4)
    here.server.faults.push({ status: 429, headers: { 'retry-after': '86400' } })
    assert.match((await failure(here.ask(name, TEXTS))).message, '86400 seconds')
  })

  test(`${name}: an invalid list is retried in halves, and texts that stay invalid are omitted`, async () => {
    fresh()
    here.server.count = (n) => (n === 1 ? 1 : n + 1)
    assert.is((await here.ask(name, ['One', 'Two', 'Three'])).size, 3)
    for (const body of ['{"no":1}', 'no JSON', 'x'.repeat(5 * 1024 * 1024)]) {
      here.server.faults.push({ status: 200, body })
      assert.is((await here.ask(name, ['One'])).size, 0)
    }
  })

  test(`${name}: a redirect is not followed`, async () => {
    fresh()
    here.server.faults.push({ status: 302, headers: { location: 'http://127.0.0.1:1/' } })
    assert.is((await failure(here.ask(name, ['One']))).kind, 'refused')
  })
}

test('a translation request that hangs is aborted at its timeout and retried', async () => {
  fresh()
  here.server.faults.push(null)
  assert.is((await here.ask('libretranslate', ['One'])).size, 1)
})

test('an exhausted quota at DeepL is reported', async () => {
  fresh()
  here.server.faults.push({ status: 456 })
  assert.match((await failure(here.ask('deepl', ['One']))).message, 'quota')
})

test('unsupported language pairs of an engine have a reason', async () => {
  fresh()
  assert.match((await here.engine('deepl').refusal({ from: 'en', to: 'ja' })) ?? '', 'into ja')
  assert.match((await here.engine('libretranslate').refusal({ from: 'en', to: 'ja' })) ?? '', 'en → ja')
  assert.is(await here.engine('openai').refusal({ from: 'en', to: 'ja' }), null)
})

test('Apertium translates English and Spanish, and keeps markup', async () => {
  fresh()
  const texts = ['The cat eats <g id="1">the mouse</g> <x id="2"/>.', 'You must restart the server.']
  const answers = [...(await here.ask('apertium', texts)).values()]
  assert.match(answers[0] as string, /gato/i)
  assert.match(answers[0] as string, /<span id="1">.*<\/span>/)
  assert.match(answers[0] as string, '<i id="2"></i>')
  assert.match(answers[1] as string, /servidor/)
  assert.is(
    [...(await here.ask('apertium', ['<g id="1">Activity Library</g>: a set.'])).values()][0]?.match(/id="1"/g)?.length,
    1,
  )
  assert.match((await here.engine('apertium').refusal({ from: 'en', to: 'ja' })) ?? '', 'en → ja')
})

async function failure(work: Promise<unknown>): Promise<EngineError> {
  try {
    await work
  } catch (error) {
    assert.instance(error, EngineError)
    return error as EngineError
  }
  throw new Error('it did not fail')
}

test.run()
