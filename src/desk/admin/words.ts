/** The texts of the settings, and of everything that an admin does. */
import { wordsOf } from '../words/index.js'
import en from '../words/admin/en.json'

/** The texts. English is complete and decides the keys. */
export type AdminWords = typeof en
/** Returns the texts. Components that read them render again when the language changes. */
export const adminWords = await wordsOf(en, () => import('../words/admin/de.json'))
