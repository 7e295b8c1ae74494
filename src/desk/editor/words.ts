/** The texts of the editor. */
import { wordsOf } from '../words/index.js'
import en from '../words/editor/en.json'

/** The texts. English is complete and decides the keys. */
export type EditorWords = typeof en
/** Returns the texts. Components that read them render again when the language changes. */
export const editorWords = await wordsOf(en, () => import('../words/editor/de.json'))
