/** The texts of screens that are seldom opened first: the inbox, the settings, the search and the list of links. */
import en from './more/en.json'
import { wordsOf } from './index.js'

/** Returns the texts. Components that read them render again when the language changes. */
export const moreWords = await wordsOf(en, () => import('./more/de.json'))
