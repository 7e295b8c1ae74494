/**
 * The texts of the settings and of everything that an admin does. They are apart from the other texts, so that readers
 * and writers do not load them.
 */
import { effect, signal } from '@preact/signals'
import { complete, language } from '../words/index.js'
import en from '../words/admin/en.json'

/** The texts of a language. English is complete and decides the keys. */
export type AdminWords = typeof en

const loaded = signal<AdminWords>(en)

/** The texts. Components that read them are drawn again when the language changes. */
export const adminWords = (): AdminWords => loaded.value

async function load(tag: string): Promise<void> {
  loaded.value = tag === 'de' ? (complete((await import('../words/admin/de.json')).default, en) as AdminWords) : en
}

// The first screen waits for its language, so that no other one flashes.
await load(language.value)
effect(() => void load(language.value))
