/** The texts of the screen on which conflicts are resolved. */
import { wordsOf } from '../words/index.js'
import en from '../words/conflicts/en.json'

/** The texts. English is complete and decides the keys. */
export type ConflictWords = typeof en
/** Returns the texts. Components that read them render again when the language changes. */
export const conflictWords = await wordsOf(en, () => import('../words/conflicts/de.json'))
