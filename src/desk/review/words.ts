/** The texts of reviews and of the history. */
import { wordsOf } from '../words/index.js'
import en from '../words/review/en.json'

/** The texts. English is complete and decides the keys. */
export type ReviewWords = typeof en
/** Returns the texts. Components that read them render again when the language changes. */
export const reviewWords = await wordsOf(en, () => import('../words/review/de.json'))
