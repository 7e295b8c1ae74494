/** The languages of the interface: words, dates and the direction of text. */
import { de } from './de.js'
import { en, type Words } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { ja } from './ja.js'
import { nl } from './nl.js'
import { no } from './no.js'
import { ptBr } from './pt-br.js'
import { ru } from './ru.js'
import { zh } from './zh.js'

export type { Words }

/** The words by language, in lowercase. Related languages share one entry. */
const WORDS: Readonly<Record<string, Words>> = {
  en,
  fr,
  es,
  zh,
  ja,
  de,
  nl,
  no,
  nb: no,
  nn: no,
  'pt-br': ptBr,
  pt: ptBr,
  ru,
}

/** The languages that have words. */
export const LANGUAGES = Object.keys(WORDS)

/** Returns the words of a language, such as `pt-br`; English if there are none. */
export function wordsFor(locale: string): Words {
  const name = locale.toLowerCase()
  return WORDS[name] ?? WORDS[name.split('-')[0] ?? ''] ?? en
}

/** The languages that are written from right to left. */
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur'])

/** Returns the direction of text in a language. */
export const directionOf = (language: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.has(language.toLowerCase().split('-')[0] ?? '') ? 'rtl' : 'ltr'

/** Returns a function that formats times in a language. */
function formatter(options: Intl.DateTimeFormatOptions): (seconds: number, locale: string) => string {
  // bound: the languages of spaces and interfaces
  const formats = new Map<string, Intl.DateTimeFormat>()
  return (seconds, locale) => {
    const format = formats.get(locale) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    formats.set(locale, format)
    return format.format(seconds * 1000)
  }
}

/** Formats the day of a time, such as "Nov 12, 2026". */
export const formatDay = formatter({ dateStyle: 'medium' })
/** Formats the day of a time without its year, such as "Nov 12". */
export const formatShortDay = formatter({ month: 'short', day: 'numeric' })

/** Returns the language tag with its usual capitalization, such as `pt-BR`. */
export const languageTag = (language: string): string => Intl.getCanonicalLocales(language)[0] ?? language

/** Returns the language's own name, such as "日本語". */
export function nameOfLanguage(language: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
