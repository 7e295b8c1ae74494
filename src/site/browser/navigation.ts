/** The page tree and the outline: branches that open in place, the scroll position of the tree, and the current heading. */
import { isRightToLeft, store, stored } from './page.js'

const tree = document.querySelector<HTMLElement>('.tree')

/** Loads the subpages of a closed entry. Returns whether it has them now. */
async function load(link: HTMLAnchorElement): Promise<boolean> {
  const id = link.dataset.nav
  if (id === undefined) return link.nextElementSibling !== null
  const response = await fetch((tree?.dataset.navSource ?? '') + id)
  if (!response.ok) return false
  const part = document.createElement('template')
  part.innerHTML = await response.text()
  if (link.dataset.nav === undefined) return true
  for (const symbol of part.content.querySelectorAll('symbol')) if (document.getElementById(symbol.id)) symbol.remove()
  delete link.dataset.nav
  link.after(part.content)
  return true
}

async function open(link: HTMLAnchorElement, isOpen: boolean): Promise<void> {
  // An entry that cannot be opened here opens as a page.
  if (isOpen && !(await load(link).catch(() => false))) return link.click()
  link.setAttribute('aria-expanded', String(isOpen))
  const below = link.nextElementSibling
  if (below instanceof HTMLElement) below.hidden = !isOpen
}

function startTree(shown: HTMLElement): void {
  shown.addEventListener('click', (event) => {
    const chevron = event.target instanceof Element ? event.target.closest('a[aria-expanded] > .i') : null
    const link = chevron?.closest('a')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    void open(link, link.getAttribute('aria-expanded') !== 'true')
  })
  shown.addEventListener('keydown', (event) => {
    const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[aria-expanded]') : null
    const forward = isRightToLeft(shown) ? 'ArrowLeft' : 'ArrowRight'
    if (!link || !/^Arrow(?:Left|Right)$/.test(event.key)) return
    event.preventDefault()
    void open(link, event.key === forward)
  })
  keepPlace(shown)
}

/** Keeps the scroll position of the tree from page to page. */
function keepPlace(shown: HTMLElement): void {
  const key = `tree ${shown.dataset.navSource ?? ''}`
  const place = stored('sessionStorage', key)
  if (place !== null) shown.scrollTop = Number(place)
  const current = shown.querySelector<HTMLElement>('[aria-current=page]')
  if (current) {
    const { top, bottom } = current.getBoundingClientRect()
    const frame = shown.getBoundingClientRect()
    if (top < frame.top || bottom > frame.bottom) shown.scrollTop += top - frame.top - frame.height / 2
  }
  addEventListener('pagehide', () => store('sessionStorage', key, String(shown.scrollTop)))
}

/** Distance from the top of the window at which a section counts as current. */
const READ_AT = 140

function startOutline(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.toc a[href^="#"]')].flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return heading ? [{ link, heading }] : []
  })
  if (links.length === 0) return
  let isDue = false
  let current: HTMLAnchorElement | undefined
  const mark = (): void => {
    isDue = false
    const isEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const above = links.findLast(({ heading }) => heading.getBoundingClientRect().top < READ_AT)
    const now = (isEnd && scrollY > 0 ? links.at(-1) : (above ?? links[0]))?.link
    if (now === current) return
    current?.removeAttribute('aria-current')
    now?.setAttribute('aria-current', 'true')
    current = now
  }
  const ask = (): void => {
    if (!isDue) requestAnimationFrame(mark)
    isDue = true
  }
  addEventListener('scroll', ask, { passive: true })
  addEventListener('resize', ask, { passive: true })
  mark()
}

export function startNavigation(): void {
  if (tree) startTree(tree)
  startOutline()
}
