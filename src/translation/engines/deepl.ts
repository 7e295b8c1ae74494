/** The DeepL engine, API version 2. */
import { type Engine, EngineError, type GlossaryEntry, type LanguagePair } from '../types.js'
import { askJson, type EngineAccess, textsOf } from './ask.js'
import { cachedForMinutes } from './remembered.js'
import { defined } from '../../kernel/defined.js'
import { ownMember } from '../../kernel/guards.js'

const NAME = 'DeepL'
const REASONS = {
  456: 'reports that its character quota is used up (status 456). Wait for the next period, or upgrade the plan.',
}
/** DeepL's language codes as source and as target, where they differ from Bindery's codes. */
const SOURCES: Readonly<Record<string, string>> = { 'pt-br': 'PT', no: 'NB' }
const TARGETS: Readonly<Record<string, readonly string[]>> = {
  en: ['EN-US', 'EN'],
  pt: ['PT-PT', 'PT'],
  no: ['NB'],
  zh: ['ZH-HANS', 'ZH'],
}

const sourceCode = (language: string): string => SOURCES[language] ?? language.toUpperCase()
const targetCodes = (language: string): readonly string[] => TARGETS[language] ?? [language.toUpperCase()]

type Ask = (path: string, body?: unknown, signal?: AbortSignal) => Promise<unknown>

/** Returns the source or target languages of the account, as DeepL's codes. */
async function codesOf(ask: Ask, type: 'source' | 'target', signal?: AbortSignal): Promise<Set<string>> {
  const list = await ask(`/v2/languages?type=${type}`, undefined, signal)
  if (!Array.isArray(list)) throw new EngineError('bad-answer', `${NAME} did not return its languages.`)
  return new Set(list.map((one) => String(ownMember(one, 'language')).toUpperCase()))
}

/** Uploads a glossary and returns its ID. */
async function glossaryId(
  ask: Ask,
  { from, to }: LanguagePair,
  glossary: readonly GlossaryEntry[],
  signal: AbortSignal,
): Promise<string> {
  const entries = glossary.map(({ source, target }) => `${flat(source)}\t${flat(target)}`).join('\n')
  const body = {
    name: 'Bindery',
    source_lang: sourceCode(from).toLowerCase(),
    target_lang: to.slice(0, 2),
    entries,
    entries_format: 'tsv',
  }
  const id = ownMember(await ask('/v2/glossaries', body, signal), 'glossary_id')
  if (typeof id !== 'string') throw new EngineError('bad-answer', `${NAME} did not accept the glossary.`)
  return id
}

/** Returns the engine at a URL, with the key of an account. */
export function deepl(access: EngineAccess, url: string, key: string): Engine {
  const base = url.replace(/\/+$/, '')
  const headers = { authorization: `DeepL-Auth-Key ${key}` }
  const ask: Ask = (path, body, signal) =>
    askJson(access, { engine: NAME, url: base + path, headers, reasons: REASONS, ...defined({ body }), signal })
  const languages = cachedForMinutes(async (signal?: AbortSignal) => ({
    sources: await codesOf(ask, 'source', signal),
    targets: await codesOf(ask, 'target', signal),
  }))
  const targetOf = async (to: string, signal?: AbortSignal): Promise<string | undefined> => {
    const { targets } = await languages(signal)
    return targetCodes(to).find((code) => targets.has(code))
  }
  // Size limit: one glossary
  let cached: { key: string; id: string } | null = null

  return {
    name: 'deepl',
    model: 'deepl',
    guided: { instructions: false, glossary: true },
    batch: { texts: 50, characters: 30_000 },
    async refusal({ from, to }, signal) {
      const { sources } = await languages(signal)
      if (!sources.has(sourceCode(from))) return `${NAME} does not translate from ${from}.`
      return (await targetOf(to, signal)) === undefined ? `${NAME} does not translate into ${to}.` : null
    },
    async translate(texts, pair, { glossary }, signal) {
      const target = await targetOf(pair.to, signal)
      const own = JSON.stringify([pair, glossary])
      if (glossary.length > 0 && cached?.key !== own)
        cached = { key: own, id: await glossaryId(ask, pair, glossary, signal) }
      const answer = await ask(
        '/v2/translate',
        {
          text: texts,
          source_lang: sourceCode(pair.from),
          target_lang: target,
          tag_handling: 'xml',
          preserve_formatting: true,
          ...(glossary.length > 0 && cached ? { glossary_id: cached.id } : {}),
        },
        signal,
      )
      const list = ownMember(answer, 'translations')
      return textsOf(Array.isArray(list) ? list.map((one) => ownMember(one, 'text')) : list, NAME)
    },
  }
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim()
