/** The texts of the app: all languages have the same ones, and each action of the audit log has a name. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { endpoints } from '../../src/api/index.js'
import { suite } from '../support/suite.js'

const test = suite('desk/words')
/** Names that are the same in all languages. English stands in for them. */
const PROPER_NAMES = /^\.(?:connection\.hosts|customize\.locales)\./
const FOLDERS = ['', 'admin', 'editor', 'review', 'conflicts', 'more']

const textsOf = (folder: string, language: string): any =>
  JSON.parse(readFileSync(join(process.cwd(), 'src/desk/words', folder, `${language}.json`), 'utf8'))

/** The keys of texts. Plural forms differ by language, so they count as one text. */
const keysOf = (texts: object, above = ''): string[] =>
  'other' in texts && typeof texts.other === 'string'
    ? [above]
    : Object.entries(texts).flatMap(([key, value]) =>
        typeof value === 'object' && value !== null ? keysOf(value, `${above}.${key}`) : [`${above}.${key}`],
      )

/** The places for values in a text, by the key of the text. */
const placesOf = (texts: object, above = ''): Record<string, string> =>
  Object.assign(
    {},
    ...Object.entries(texts).map(([key, value]) =>
      typeof value === 'object' && value !== null
        ? placesOf(value, `${above}.${key}`)
        : { [`${above}.${key}`]: [...new Set(String(value).match(/\{\w+\}/g))].sort().join(' ') },
    ),
  )

test('both languages have the same texts with the same places', () => {
  for (const folder of FOLDERS) {
    const [en, de] = [textsOf(folder, 'en'), textsOf(folder, 'de')]
    const own = new Set(keysOf(de))
    assert.equal(
      keysOf(en).filter((key) => !own.delete(key) && !PROPER_NAMES.test(key)),
      [],
      folder,
    )
    assert.equal([...own], [], folder)
    const places = placesOf(de)
    for (const [key, wanted] of Object.entries(placesOf(en)))
      if (key in places) assert.is(places[key], wanted, `${folder} ${key}`)
  }
})

test('each action that the audit log records has a name', () => {
  const audited = Object.entries(endpoints).filter(([, one]) => one.method !== 'GET' && one.audited !== false)
  assert.ok(audited.length > 100)
  const names = textsOf('admin', 'en').audit.operations
  assert.equal(
    audited.map(([name]) => name).filter((name) => !(name in names)),
    [],
  )
})

test.run()
