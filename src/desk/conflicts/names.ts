/** Names of the sides, files and choices of conflicts. */
import type { IconName } from '../shell/icons.js'
import { inWords } from '../shell/time.js'
import { fill } from '../words/index.js'
import type { Choice } from './decisions.js'
import type { ListedConflict, LoadedConflict } from './work.js'
import { conflictWords } from './words.js'

const HOSTS: Readonly<Record<string, string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  gitea: 'Gitea',
  bitbucket: 'Bitbucket',
}

/** The name of a Git host. */
export const hostName = (host: string): string => HOSTS[host] ?? conflictWords().otherRepository

/** The side of a choice in the order of the keys 0, 1, 2, with its member of a conflict. */
export const SIDES = [
  { choice: 'base', member: 'base', key: '0' },
  { choice: 'main', member: 'theirs', key: '1' },
  { choice: 'change-request', member: 'ours', key: '2' },
] as const

/** The name of a side. `host` is the Git host of a sync. */
export function sideName(choice: (typeof SIDES)[number]['choice'], host: string | undefined): string {
  const w = conflictWords()
  if (choice === 'base') return w.before
  if (choice === 'main') return host === undefined ? w.mainContent : w.inBindery
  return host === undefined ? w.thisRequest : fill(w.onHost, { host: hostName(host) })
}

/** The name of a choice. */
export function choiceName(choice: Choice, host: string | undefined): string {
  const w = conflictWords()
  if (typeof choice === 'object') return w.written
  return choice === 'both' ? w.keepBoth : sideName(choice, host)
}

/** The author and the time of a side. */
export function changeOf(file: LoadedConflict, member: 'base' | 'ours' | 'theirs'): string {
  const w = conflictWords()
  const change = file[member]?.change
  if (member === 'base')
    return change ? fill(w.beforeLead, { date: inWords(change.at) }) : file.base ? w.beforeNothing : w.noEntry
  if (!change) return ''
  return fill(w.change, { author: change.author, when: inWords(change.at), subject: change.subject })
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|ico)$/i

/** Whether a file is shown as a picture. */
export const isPicture = ({ path }: Pick<ListedConflict, 'path'>): boolean => PICTURE.test(path)

/** The name of a file in conflict: the title of a page, or its file name. */
export const fileName = ({ form, page, path }: Pick<ListedConflict, 'form' | 'page' | 'path'>): string =>
  form === 'table-of-contents' ? conflictWords().contents : (page?.title ?? path.split('/').at(-1) ?? path)

/** The change of a file, in a few words. */
export function kindText(conflict: ListedConflict): string {
  const w = conflictWords()
  if (conflict.form === 'table-of-contents') return w.contentsLead
  return conflict.kind === 'binary' && isPicture(conflict) ? w.picture : w.kinds[conflict.kind]
}

/** The change of a file, in one or two words. */
export function shortKind(conflict: ListedConflict): string {
  const w = conflictWords()
  if (conflict.form === 'table-of-contents') return w.shortOrder
  return conflict.kind === 'binary' && isPicture(conflict) ? w.shortPicture : w.short[conflict.kind]
}

/** The icon of a file. */
export const iconOf = (conflict: ListedConflict): IconName =>
  isPicture(conflict) ? 'image' : conflict.form === 'page' ? 'page' : 'list'

/** The heading above a line of a markdown text; null if there is none. */
export function headingAbove(text: string, line: number): string | null {
  const lines = text.split('\n')
  for (let at = Math.min(line, lines.length) - 1; at >= 0; at--) {
    const heading = /^#{1,6}[ \t]+(.+?)[ \t#]*$/.exec(lines[at] ?? '')
    if (heading?.[1]) return heading[1].replaceAll(/[*_`]/g, '')
  }
  return null
}
