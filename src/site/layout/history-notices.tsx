/** The notices above a page as it was, and above a page with marked changes. */
import type { Words } from '../words/index.js'
import { Icon } from './icons.js'

/** The day of a page as it was, and the address of its newest version. */
export interface PastModel {
  day: string
  date: string
  href: string
}

/** The changes of a page and of its site. */
export interface SinceModel {
  /** Absent if the point in time is unknown. */
  title?: string
  /** The changes of the page, as texts. */
  summary: readonly string[]
  /** The changed pages of the site; null if the point in time is unknown. */
  pages: {
    count: number
    shown: readonly { title: string; href: string; isNew: boolean; date: string; day: string }[]
  } | null
  /** The address of the page without marks. */
  close: string
}

export const PastNotice = ({ past: { day, date, href }, words }: { past: PastModel; words: Words }) => {
  const [before = '', after = ''] = words.past.notice('\n').split('\n')
  return (
    <aside class="hint warning old-version">
      <Icon name="warn" />
      <div>
        <p>
          {before}
          <time datetime={date}>{day}</time>
          {after} <a href={href}>{words.past.open}</a>
        </p>
      </div>
    </aside>
  )
}

const ChangedPages = ({ pages, words }: { pages: NonNullable<SinceModel['pages']>; words: Words }) =>
  pages.count === 0 ? (
    <p>{words.since.noPages}</p>
  ) : (
    <details>
      <summary>{words.since.pages(pages.count)}</summary>
      <ul>
        {pages.shown.map(({ title, href, isNew, date, day }) => (
          <li>
            <a href={href} rel="nofollow">
              {title}
            </a>{' '}
            <small>
              <time datetime={date}>{day}</time>
              {isNew ? ` · ${words.since.marks.added}` : null}
            </small>
          </li>
        ))}
      </ul>
    </details>
  )

export const SinceNotice = ({ since, words }: { since: SinceModel; words: Words }) => {
  const { title, summary, pages, close } = since
  return (
    <aside class={`hint ${title === undefined ? 'warning' : 'info'} since`}>
      <Icon name={title === undefined ? 'warn' : 'info'} />
      <div class="flow">
        {title === undefined ? null : (
          <p>
            <b>{title}</b>
          </p>
        )}
        <p>{summary.join(' · ')}</p>
        {pages === null ? null : <ChangedPages pages={pages} words={words} />}
        <p>
          <a href={close}>{words.since.close}</a>
        </p>
      </div>
    </aside>
  )
}
