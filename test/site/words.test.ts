import * as assert from 'uvu/assert'
import { SiteCustomization } from '../../src/model/index.js'
import { wordsFor } from '../../src/site/words/index.js'
import { suite } from '../support/suite.js'

const test = suite('site/words')

const LANGUAGES: string[] = SiteCustomization.properties.internationalization.properties.locale['enum']

/** Values for functions, by name: they must appear in the text. */
const GIVEN: Record<string, (string | number)[]> = {
  windowTitle: ['«page»', '«site»'],
  lastChanged: ['«author»'],
  count: [42],
}

const placeholders = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort()

/** Returns all texts by their place; a function as its text for given values. */
function textsOf(words: object, above = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([name, value]: [string, unknown]): [string, string][] => {
      if (typeof value === 'string') return [[above + name, value]]
      const made = typeof value === 'function' ? value(...(GIVEN[name] ?? [])) : value
      if (typeof made === 'string') return [[above + name, made]]
      return Object.entries(textsOf(made as object, `${above}${name}.`))
    }),
  )
}

test('the interface exists in the ten languages of the customization', () => {
  assert.is(LANGUAGES.length, 10)
  const all = LANGUAGES.map((language) => wordsFor(language))
  assert.is(new Set(all).size, 10)
  assert.is(wordsFor('pt'), wordsFor('pt-br'))
  assert.is(wordsFor('nb-NO'), wordsFor('no'))
  assert.is(wordsFor('xx'), wordsFor('en'))
})

for (const language of LANGUAGES)
  test(`${language} has all words, with the placeholders of English`, () => {
    const [english, texts] = [textsOf(wordsFor('en')), textsOf(wordsFor(language))]
    assert.equal(Object.keys(texts), Object.keys(english))
    for (const [name, text] of Object.entries(texts)) {
      const isEmpty = text.trim() === '' && english[name]?.trim() !== ''
      assert.not(isEmpty, `${name} is empty`)
      assert.equal(placeholders(text), placeholders(english[name] ?? ''), name)
      const given = GIVEN[name.split('.').at(-1) ?? ''] ?? []
      for (const value of given) assert.ok(text.includes(String(value)), `${name} contains ${value}`)
    }
    const { before, after } = wordsFor(language).lastChanged('«author»')
    assert.ok(before.trim() !== '' && after.includes('«author»'))
    const same = Object.keys(texts).filter((name) => texts[name] === english[name] && (english[name] ?? '').length > 11)
    if (language !== 'en') assert.equal(same, ['windowTitle'], 'texts that are still in English')
  })

test('Russian has all plural forms', () => {
  const { count } = wordsFor('ru').searching
  assert.equal([1, 2, 5, 21].map(count), ['1 результат', '2 результата', '5 результатов', '21 результат'])
})

test.run()
