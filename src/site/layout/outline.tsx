/** The outline of a page: a disclosure on small screens, a column on wide ones. */
import type { Rendered } from '../../render/index.js'
import { Icon } from './icons.js'

/** A heading in the outline, with the headings one level below it. */
export interface Heading {
  id: string
  title: string
  below: Heading[]
}

/** Maximum number of headings in an outline. */
const MAX_HEADINGS = 150

/** Returns the outline of a page: the headings of its two highest levels. */
export function outlineOf(headings: Rendered['headings']): Heading[] {
  const shown = headings.filter(({ text }) => text.trim() !== '')
  const levels = [...new Set(shown.map(({ level }) => level))].sort((a, b) => a - b)
  const [high, low] = levels
  const outline: Heading[] = []
  for (const { id, level, text } of shown
    .filter((one) => one.level === high || one.level === low)
    .slice(0, MAX_HEADINGS)) {
    const heading = { id, title: text, below: [] }
    const last = outline.at(-1)
    if (level === low && last) last.below.push(heading)
    else outline.push(heading)
  }
  return outline
}

const Entries = ({ headings }: { headings: readonly Heading[] }) => (
  <ul>
    {headings.map(({ id, title, below }) => (
      <li>
        <a href={`#${encodeURIComponent(id)}`}>
          <span>{title}</span>
        </a>
        {below.length > 0 ? <Entries headings={below} /> : null}
      </li>
    ))}
  </ul>
)

export const OutlineDisclosure = ({ headings, title }: { headings: readonly Heading[]; title: string }) =>
  headings.length === 0 ? null : (
    <details class="outline">
      <summary>
        {title}
        <Icon name="down" />
      </summary>
      <Entries headings={headings} />
    </details>
  )

export const OutlineColumn = ({ headings, title }: { headings: readonly Heading[]; title: string }) =>
  headings.length === 0 ? null : (
    <nav class="toc" aria-labelledby="ui~toc">
      <h2 class="toc-title" id="ui~toc">
        {title}
      </h2>
      <Entries headings={headings} />
    </nav>
  )
