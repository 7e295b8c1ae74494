/** The table of contents of a space, as a tree of links with a filter. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useKey } from '../keyboard.js'
import { Icon } from '../shell/icons.js'
import { words } from '../words/index.js'
import { findPage, type Page } from './space.js'

/** The content of the tree. */
export interface TreeProps {
  pages: readonly Page[]
  /** The ID of the open page. */
  current?: string | undefined
  hrefOf: (page: Page) => string
  /** A mark after the title, for example on a changed page. */
  markOf?: (page: Page) => ComponentChildren
}

export function PageTree({ pages, current, hrefOf, markOf }: TreeProps) {
  const w = words().space
  const [filter, setFilter] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const nav = useRef<HTMLElement>(null)
  useKey('/', () => field.current?.focus())
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' })
  }, [current, pages])
  const shown = filter.trim() === '' ? pages : matching(pages, filter.trim().toLowerCase())
  return (
    <>
      <label class="filter">
        <Icon name="filter" />
        <span class="vh">{w.filter}</span>
        <input
          ref={field}
          type="search"
          placeholder={w.filter}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <kbd>/</kbd>
      </label>
      <nav class="tree" aria-label={w.pages} ref={nav} onKeyDown={walk}>
        <Level pages={shown} depth={0} isFiltered={shown !== pages} {...{ current, hrefOf, markOf }} />
        {shown.length === 0 && <p class="sm muted">{w.noMatch}</p>}
      </nav>
    </>
  )
}

interface LevelProps extends Omit<TreeProps, 'markOf'> {
  depth: number
  isFiltered: boolean
  markOf?: TreeProps['markOf'] | undefined
}

const MAX_DEPTH = 3

function Level({ pages, depth, isFiltered, ...rest }: LevelProps) {
  return (
    <ul class="t">
      {pages.map((page) =>
        page.type === 'group' ? (
          <li key={page.id}>
            <div class="nav-h">{page.title}</div>
            <Level pages={page.pages} depth={0} isFiltered={isFiltered} {...rest} />
          </li>
        ) : (
          <Entry key={page.id} page={page} depth={depth} isFiltered={isFiltered} {...rest} />
        ),
      )}
    </ul>
  )
}

function Entry({ page, depth, isFiltered, ...rest }: Omit<LevelProps, 'pages'> & { page: Page }) {
  const { current, hrefOf, markOf } = rest
  const isCurrent = page.id === current
  const holdsCurrent = current !== undefined && findPage(page.pages, current) !== null
  const [isOpen, setOpen] = useState(holdsCurrent)
  useEffect(() => {
    if (holdsCurrent || (isCurrent && page.pages.length > 0)) setOpen(true)
  }, [holdsCurrent, isCurrent])
  const hasPages = page.pages.length > 0
  const isShown = hasPages && (isOpen || isFiltered)
  return (
    <li>
      <a
        class={`d${Math.min(depth, MAX_DEPTH)}`}
        href={hrefOf(page)}
        aria-current={isCurrent ? 'page' : undefined}
        aria-expanded={hasPages ? isShown : undefined}
        onKeyDown={(event) => {
          if (hasPages && event.key === 'ArrowRight' && !isOpen) setOpen(true)
          else if (hasPages && event.key === 'ArrowLeft' && isOpen) setOpen(false)
        }}
      >
        {hasPages ? (
          // The link itself opens and closes with the arrow keys; this is for the pointer.
          <span
            class="tw-hit"
            aria-hidden="true"
            onClick={(event) => {
              event.preventDefault()
              event.stopPropagation()
              setOpen(!isOpen)
            }}
          >
            <Icon name={isShown ? 'down' : 'right'} class="tw" />
          </span>
        ) : (
          <span class="tw-hit" aria-hidden="true" />
        )}
        <span>
          {page.emoji !== undefined && `${emojiOf(page.emoji)} `}
          {page.title}
        </span>
        {page.type === 'link' && <Icon name="sign-out" class="tw" />}
        {markOf?.(page)}
      </a>
      {isShown && <Level pages={page.pages} depth={depth + 1} isFiltered={isFiltered} {...rest} />}
    </li>
  )
}

/** Emojis are stored as hexadecimal code points: `1f600`. */
const emojiOf = (code: string): string =>
  code
    .split('-')
    .map((one) => Number.parseInt(one, 16))
    .filter((one) => one > 0 && one <= 0x10ffff)
    .map((one) => String.fromCodePoint(one))
    .join('')

function matching(pages: readonly Page[], text: string): Page[] {
  return pages.flatMap((page): Page[] => {
    const below = matching(page.pages, text)
    return below.length > 0 || page.title.toLowerCase().includes(text) ? [{ ...page, pages: below }] : []
  })
}

/** Moves the focus with the arrow keys, Home and End. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('a')]
  const at = links.findIndex((link) => link === document.activeElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (to === undefined || event.altKey) return
  event.preventDefault()
  links[Math.max(0, Math.min(to, links.length - 1))]?.focus()
}
