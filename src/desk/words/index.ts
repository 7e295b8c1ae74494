/** The texts of the app in the language of the reader. One file per language, with the same keys. */
import { effect, signal } from '@preact/signals'
import en from './en.json'

/** The texts of a language. English is complete and decides the keys. */
export type Words = typeof en
/** A text that depends on a number, by the plural categories of its language. `{count}` is the number. */
export type Plural = Readonly<{ other: string } & Partial<Record<Intl.LDMLPluralRule, string>>>

/** The languages of the app, with their own names. */
export const LANGUAGES: Readonly<Record<string, string>> = { en: 'English', de: 'Deutsch' }
const STORED = 'bindery-language'

const loaded = signal<Words>(en)
/** The language tag of the texts. */
export const language = signal('en')

/** The texts. Components that read them render again when the language changes. */
export const words = (): Words => loaded.value

/** Fills the placeholders of a text: `fill('Hello {name}', { name })`. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name]
    return value === undefined ? whole : typeof value === 'number' ? value.toLocaleString(language.value) : value
  })

/** Returns the form of a text for a number. */
export function plural(forms: Plural, count: number, values: Readonly<Record<string, string | number>> = {}): string {
  const rule = new Intl.PluralRules(language.value).select(count)
  return fill(forms[rule] ?? forms.other, { count, ...values })
}

/** Loads the texts of the language that the reader chose, or of the browser. */
export async function loadWords(): Promise<void> {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages]
  const tag = wanted.map((one) => one?.split('-')[0] ?? '').find((one) => one in LANGUAGES)
  await setLanguage(tag ?? 'en')
}

/** Shows the app in another language and remembers it. */
export async function setLanguage(tag: string, { remember = false } = {}): Promise<void> {
  // A language may lack new texts. English replaces them.
  loaded.value = tag === 'de' ? (complete((await import('./de.json')).default, en) as Words) : en
  language.value = tag
  document.documentElement.lang = tag
  if (remember) localStorage.setItem(STORED, tag)
}

/** Returns the texts of a language, with the English ones in place of those that it lacks. */
function complete(given: unknown, english: unknown): unknown {
  if (typeof english !== 'object' || english === null) return given ?? english
  const own = new Map(typeof given === 'object' && given !== null ? Object.entries(given) : [])
  // Plural forms differ by language.
  if ('other' in english) return own.has('other') ? given : english
  return Object.fromEntries(Object.entries(english).map(([key, value]) => [key, complete(own.get(key), value)]))
}

/**
 * Loads the texts of an optional part of the app. Resolves when those in the reader's language are
 * there, so that no other language flashes. Returns the function that reads them.
 */
export async function wordsOf<T>(english: T, german: () => Promise<{ default: unknown }>): Promise<() => T> {
  const texts = signal(english)
  const load = async (tag: string): Promise<void> => {
    texts.value = tag === 'de' ? (complete((await german()).default, english) as T) : english
  }
  await load(language.value)
  effect(() => void load(language.value))
  return () => texts.value
}
