/** The outline of a page: a disclosure on small screens, a column on wide ones. */
import type { Rendered } from '../../render/index.js'
import type { Words } from '../words/index.js'
import { Icon } from './icons.js'
import { Moved } from './moved.js'

/** A heading in the outline, with the headings one level below it. */
export interface Heading {
  id: string
  title: string
  /** Whether its section changed with the last changes of the page. */
  isChanged: boolean
  below: Heading[]
}

/** The legend for the bars in the margin. */
export interface MarginKey {
  /** The first day whose changes have a wide bar. */
  since: string
  /** Whether there are earlier changes. */
  hasOld: boolean
}

/** Maximum number of headings in an outline. */
const MAX_HEADINGS = 150

/** Returns the outline of a page: the headings of its two highest levels. */
export function outlineOf(headings: Rendered['headings']): Heading[] {
  const shown = headings.filter(({ text }) => text.trim() !== '')
  const levels = [...new Set(shown.map(({ level }) => level))].sort((a, b) => a - b)
  const [high, low] = levels
  const outline: Heading[] = []
  for (const { id, level, text, isChanged = false } of shown
    .filter((one) => one.level === high || one.level === low)
    .slice(0, MAX_HEADINGS)) {
    const heading = { id, title: text, isChanged, below: [] }
    const last = outline.at(-1)
    if (level === low && last) last.below.push(heading)
    else outline.push(heading)
  }
  return outline
}

const Entries = ({ headings, words }: { headings: readonly Heading[]; words: Words }) => (
  <ul>
    {headings.map(({ id, title, isChanged, below }) => (
      <li>
        <a href={`#${encodeURIComponent(id)}`}>
          <span>{title}</span>
          {isChanged ? <Moved words={words} /> : null}
        </a>
        {below.length > 0 ? <Entries headings={below} words={words} /> : null}
      </li>
    ))}
  </ul>
)

export const OutlineDisclosure = ({ headings, words }: { headings: readonly Heading[]; words: Words }) =>
  headings.length === 0 ? null : (
    <details class="outline">
      <summary>
        {words.onThisPage}
        <Icon name="down" />
      </summary>
      <Entries headings={headings} words={words} />
    </details>
  )

const Key = ({ marginKey: { since, hasOld }, words }: { marginKey: MarginKey; words: Words }) => (
  <p class="key">
    <i />
    <span>{words.changedSince(since)}</span>
    {hasOld ? (
      <>
        <i class="old" />
        <span>{words.changedBefore}</span>
      </>
    ) : null}
  </p>
)

export const OutlineColumn = ({
  headings,
  marginKey,
  words,
}: {
  headings: readonly Heading[]
  marginKey: MarginKey | undefined
  words: Words
}) =>
  headings.length === 0 ? null : (
    <nav class="toc" aria-labelledby="ui~toc">
      <h2 class="toc-title" id="ui~toc">
        {words.onThisPage}
      </h2>
      <Entries headings={headings} words={words} />
      {marginKey ? <Key marginKey={marginKey} words={words} /> : null}
    </nav>
  )
