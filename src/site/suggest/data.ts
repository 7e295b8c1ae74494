/** The data that the script of suggestions gets. */

/** The words of suggestions. */
export interface SuggestWords {
  action: string
  choose: string
  none: string
  text: string
  send: string
  asMember: string
  memberNote: string
  guest: string
  name: string
  mail: string
  privacy: string
  sent: string
  sentNote: string
  confirmTitle: string
  confirm: string
  thanks: string
  thanksNote: string
  over: string
  stale: string
  unchanged: string
  misleading: string
  notSent: string
  invalid: string
  tooLong: string
  tooMany: string
  openApp: string
  openAppNote: string
  cancel: string
}

/** The names of the texts that explain why a suggestion was not taken. */
export type SuggestFault = 'stale' | 'unchanged' | 'misleading' | 'invalid' | 'tooLong' | 'tooMany' | 'over'

/** The blocks of a page that its reader may change. */
export interface SuggestData {
  blocks: readonly { id: string; number: number; source: string }[]
  /** Whether guests may send suggestions. */
  guests: boolean
  words: SuggestWords
}
