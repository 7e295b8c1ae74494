/** The texts of reviews and of the history. They are apart from the other texts, so that the first screen stays small. */
import { effect, signal } from '@preact/signals'
import { complete, language } from '../words/index.js'
import en from '../words/review/en.json'

/** The texts of a language. English is complete and decides the keys. */
export type ReviewWords = typeof en

const loaded = signal<ReviewWords>(en)

/** The texts. Components that read them are drawn again when the language changes. */
export const reviewWords = (): ReviewWords => loaded.value

async function load(tag: string): Promise<void> {
  loaded.value = tag === 'de' ? (complete((await import('../words/review/de.json')).default, en) as ReviewWords) : en
}

// The first screen waits for its language, so that no other one flashes.
await load(language.value)
effect(() => void load(language.value))
