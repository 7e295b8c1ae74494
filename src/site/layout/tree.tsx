/** The page tree: variants, pages, and on small screens the links of the header. */
import { renderToString } from 'preact-render-to-string'
import type { Frame, SectionItem } from '../frame.js'
import type { Navigation, NavigationItem, NavigationLevel } from '../navigation.js'
import type { Variant } from '../variants.js'
import type { Words } from '../words/index.js'
import { Icon } from './icons.js'
import { Link } from './link.js'
import { Moved } from './moved.js'

/** Matches the characters that cannot be written in texts and attributes. */
const SPECIAL = /[&<"]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(SPECIAL, (one) => ENTITIES[one] ?? one)

const CHEVRON = renderToString(<Icon name="right" flip />)

/** Returns the HTML of an entry. A tree has hundreds of entries, for which components would take most of the time of a page. */
function entryHtml(item: NavigationItem, words: Words): string {
  const { id, title, emoji, icon, href, isCurrent, isChanged, isExternal, isClosed, below } = item
  const level = below ? levelHtml(below, words) : ''
  if (href === undefined) return `<li><p class="group">${escaped(title)}</p>${level}</li>`
  const attributes = [
    `href="${escaped(href)}"`,
    isCurrent ? ' aria-current="page"' : '',
    isExternal ? ' rel="noopener"' : '',
    isClosed || below ? ` aria-expanded="${below ? 'true' : 'false'}"` : '',
    isClosed ? ` data-nav="${escaped(id)}"` : '',
  ].join('')
  const before = icon === undefined ? '' : renderToString(<Icon name={`fa~${icon}`} />)
  const text = escaped(emoji === undefined ? title : `${emoji} ${title}`)
  const mark = isChanged ? renderToString(<Moved words={words} />) : ''
  return `<li><a ${attributes}>${before}${text}${mark}${isClosed || below ? CHEVRON : ''}</a>${level}</li>`
}

/** Returns the HTML of a link to a page beyond the entries that are shown. */
const cutHtml = (href: string | undefined, title: string): string =>
  href === undefined
    ? ''
    : `<li><a class="cut" href="${escaped(href)}"><span aria-hidden="true">…</span> ${escaped(title)}</a></li>`

const entriesHtml = ({ items, before, after }: NavigationLevel, words: Words): string =>
  [
    cutHtml(before, words.earlierPages),
    ...items.map((item) => entryHtml(item, words)),
    cutHtml(after, words.laterPages),
  ].join('')

/** Returns the HTML of one level of the page tree. */
export const levelHtml = (level: NavigationLevel, words: Words): string => `<ul>${entriesHtml(level, words)}</ul>`

const TreeLevel = ({ level, words }: { level: NavigationLevel; words: Words }) => (
  <ul dangerouslySetInnerHTML={{ __html: entriesHtml(level, words) }} />
)

/** Splits the entries of the top level into lists, with the groups between them. */
function runsOf({ items }: NavigationLevel): (NavigationItem | NavigationItem[])[] {
  const runs: (NavigationItem | NavigationItem[])[] = []
  for (const item of items) {
    const last = runs.at(-1)
    if (item.href === undefined) runs.push(item)
    else if (Array.isArray(last)) last.push(item)
    else runs.push([item])
  }
  return runs
}

/** The top level of the page tree. Groups are headings, and their pages are not indented. */
const TopLevel = ({ level, words }: { level: NavigationLevel; words: Words }) => (
  <>
    {level.before === undefined ? null : <TreeLevel level={{ items: [], before: level.before }} words={words} />}
    {runsOf(level).map((run) =>
      Array.isArray(run) ? (
        <TreeLevel level={{ items: run }} words={words} />
      ) : (
        <>
          <p class="group">{run.title}</p>
          {run.below ? <TopLevel level={run.below} words={words} /> : null}
        </>
      ),
    )}
    {level.after === undefined ? null : <TreeLevel level={{ items: [], after: level.after }} words={words} />}
  </>
)

/** The tag of a version. */
const Age = ({ age, words: { versions } }: { age: Variant['age']; words: Words }) =>
  age === undefined ? null : <span class={age === 'old' ? 'tag warning' : 'tag plain'}>{versions[age]}</span>

const Switcher = ({ variants, words }: { variants: readonly Variant[]; words: Words }) => {
  const current = variants.find(({ isCurrent }) => isCurrent)
  if (!current) return null
  return (
    <>
      <button
        type="button"
        class="switch"
        popovertarget="ui~variant"
        aria-label={`${words.variants}: ${current.title}`}
      >
        <Icon name={current.language === undefined ? 'stack' : 'globe'} />
        <span lang={current.lang}>{current.title}</span>
        <Age age={current.age} words={words} />
        <Icon name="down" />
      </button>
      <div class="menu" id="ui~variant" popover="auto">
        {variants.map(({ title, lang, language, age, href, isCurrent }) => (
          <a href={href} lang={lang} hreflang={lang} aria-current={isCurrent ? 'true' : undefined}>
            <span>
              {title}
              {language === undefined || language === title ? null : <small>{language}</small>}
            </span>
            <Age age={age} words={words} />
          </a>
        ))}
      </div>
    </>
  )
}

const sectionLinks = (sections: readonly SectionItem[]): SectionItem[] =>
  sections.flatMap((item) => (item.items ? sectionLinks(item.items) : [item]))

/** The links that the header shows only on wide screens. */
const Drawer = ({ frame: { sections, links, primary, look } }: { frame: Frame }) => {
  const all = [
    ...sectionLinks(sections),
    ...links.flatMap((link) => [link, ...link.links]),
    ...(primary ? [primary] : []),
  ]
  const followed = all.filter(({ href }) => href !== undefined)
  if (followed.length === 0) return null
  return (
    <div class="only-small drawer">
      <hr />
      <ul>
        {followed.map((link) => (
          <li>
            <Link link={link} target={look.externalLinks.target} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The page tree. With `isHidden`, wide screens do not show it. */
export const Tree = ({
  frame,
  navigation,
  variants,
  isHidden = false,
}: {
  frame: Frame
  navigation: Navigation
  variants: readonly Variant[]
  isHidden?: boolean
}) => (
  <nav
    class={isHidden ? 'tree only-small' : 'tree'}
    id="ui~tree"
    popover="auto"
    aria-label={frame.words.pages}
    data-nav-source={navigation.source}
  >
    {variants.length > 1 ? <Switcher variants={variants} words={frame.words} /> : null}
    <TopLevel level={navigation} words={frame.words} />
    <Drawer frame={frame} />
  </nav>
)
