/** The page tree: variants, pages, and on small screens the links of the header. */
import type { Frame, SectionItem } from '../frame.js'
import type { Navigation, NavigationItem, NavigationLevel } from '../navigation.js'
import type { Variant } from '../variants.js'
import type { Words } from '../words/index.js'
import { Icon } from './icons.js'
import { Link } from './link.js'
import { Moved } from './moved.js'

const Entry = ({ item, words }: { item: NavigationItem; words: Words }) => {
  const { id, title, emoji, icon, href, isCurrent, isChanged, isExternal, isClosed, below } = item
  const text = emoji === undefined ? title : `${emoji} ${title}`
  if (href === undefined) return <GroupEntry item={item} words={words} />
  return (
    <li>
      <a
        href={href}
        aria-current={isCurrent ? 'page' : undefined}
        {...(isExternal ? { rel: 'noopener' } : {})}
        {...(isClosed || below ? { 'aria-expanded': below ? 'true' : 'false' } : {})}
        data-nav={isClosed ? id : undefined}
      >
        {icon === undefined ? null : <Icon name={`fa~${icon}`} />}
        {text}
        {isChanged ? <Moved words={words} /> : null}
        {isClosed || below ? <Icon name="right" flip /> : null}
      </a>
      {below ? <TreeLevel level={below} words={words} /> : null}
    </li>
  )
}

/** A group within a branch. */
const GroupEntry = ({ item, words }: { item: NavigationItem; words: Words }) => (
  <li>
    <p class="group">{item.title}</p>
    {item.below ? <TreeLevel level={item.below} words={words} /> : null}
  </li>
)

/** One level of the page tree. */
export const TreeLevel = ({ level, words }: { level: NavigationLevel; words: Words }) => (
  <ul>
    {level.before === undefined ? null : <Cut href={level.before} title={words.earlierPages} />}
    {level.items.map((item) => (
      <Entry item={item} words={words} />
    ))}
    {level.after === undefined ? null : <Cut href={level.after} title={words.laterPages} />}
  </ul>
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

/** A link to a page beyond the entries that are shown. */
const Cut = ({ href, title }: { href: string; title: string }) => (
  <li>
    <a class="cut" href={href}>
      <span aria-hidden="true">…</span> {title}
    </a>
  </li>
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
