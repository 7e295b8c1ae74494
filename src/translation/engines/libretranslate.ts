/** The LibreTranslate engine. */
import { type Engine, EngineError } from '../types.js'
import { askJson, type EngineAccess, textsOf } from './ask.js'
import { asHtml } from './html.js'
import { cachedForMinutes } from './remembered.js'
import { ownMember } from '../../kernel/guards.js'

const NAME = 'LibreTranslate'
/** LibreTranslate's language codes where they differ from Bindery's codes, the newest first. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  'pt-br': ['pt-BR', 'pb'],
  zh: ['zh', 'zh-Hans'],
  no: ['nb', 'no'],
}
const codesOf = (language: string): readonly string[] => CODES[language] ?? [language]

/** Returns the engine at a URL. `key` is '' if it needs none. */
export function libreTranslate(access: EngineAccess, url: string, key: string): Engine {
  const base = url.replace(/\/+$/, '')
  const languages = cachedForMinutes(async (signal?: AbortSignal) => {
    const list = await askJson(access, { engine: NAME, url: `${base}/languages`, signal })
    if (!Array.isArray(list)) throw new EngineError('bad-answer', `${NAME} did not return its languages.`)
    return new Map(list.map((one) => [String(ownMember(one, 'code')), targetsOf(one)]))
  })
  async function pairOf(
    from: string,
    to: string,
    signal?: AbortSignal,
  ): Promise<{ source: string; target: string } | null> {
    const known = await languages(signal)
    for (const source of codesOf(from))
      for (const target of codesOf(to)) if (known.get(source)?.has(target) ?? false) return { source, target }
    return null
  }
  return {
    name: 'libretranslate',
    model: 'libretranslate',
    guided: { instructions: false, glossary: false },
    batch: { texts: 25, characters: 5_000 },
    async refusal({ from, to }, signal) {
      return (await pairOf(from, to, signal)) ? null : `${NAME} has no languages installed for ${from} → ${to}.`
    },
    async translate(texts, { from, to }, _guidance, signal) {
      const pair = await pairOf(from, to, signal)
      const body = { q: texts.map(asHtml), ...pair, format: 'html', ...(key === '' ? {} : { api_key: key }) }
      return textsOf(
        ownMember(await askJson(access, { engine: NAME, url: `${base}/translate`, body, signal }), 'translatedText'),
        NAME,
      )
    },
  }
}

/** Returns the targets of a language. Old versions do not list them; then every language is a target. */
function targetsOf(language: unknown): { has(code: string): boolean } {
  const targets = ownMember(language, 'targets')
  return Array.isArray(targets) ? new Set(targets.map(String)) : { has: () => true }
}
