/** Scrolls the source and the preview together, in both directions: the one that the writer scrolls leads. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Writing } from './writing.js'

/** The height of the bar of the preview, in pixels. */
const BAR = 48
/** A scroll of the window that is further from where the preview put it is one of the writer, by its scroll bar. */
const NEAR = 100

type Pane = { current: HTMLElement | null }

/** Connects both sides while `isOn`. */
export function useScrollTogether(writing: Writing, pane: Pane, isOn: boolean): void {
  const leader = useRef<'source' | 'preview'>('source')
  useEffect(() => {
    const element = pane.current
    if (!isOn || !element) return
    let frame = 0
    let expected = scrollY
    const next = (run: () => void): void => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(run)
    }
    const lead = ({ target }: Event): void => {
      leader.current = target instanceof Node && element.contains(target) ? 'preview' : 'source'
    }
    const onWindow = (): void => {
      if (leader.current === 'preview' && Math.abs(scrollY - expected) > NEAR) leader.current = 'source'
      if (leader.current === 'source') next(() => scrollPreview(writing, element))
    }
    const onPane = (): void => {
      if (leader.current !== 'preview') return
      next(() => {
        scrollSource(writing, element)
        expected = scrollY
      })
    }
    const inputs = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const
    for (const name of inputs) addEventListener(name, lead, { passive: true, capture: true })
    addEventListener('scroll', onWindow, { passive: true })
    element.addEventListener('scroll', onPane, { passive: true })
    return () => {
      cancelAnimationFrame(frame)
      for (const name of inputs) removeEventListener(name, lead, { capture: true })
      removeEventListener('scroll', onWindow)
      element.removeEventListener('scroll', onPane)
    }
  }, [writing, isOn])
  useSignalEffect(() => {
    const { value } = writing.line
    const block = blocksIn(pane.current).find(
      ({ dataset }) => Number(dataset.from) <= value && value <= Number(dataset.to),
    )
    if (isOn && block && pane.current) reveal(block, pane.current)
  })
}

const blocksIn = (pane: HTMLElement | null): HTMLElement[] => [...(pane?.querySelectorAll<HTMLElement>('.tx') ?? [])]
/** Returns the scroll position of the preview at which a block is right below its bar. */
const topOf = (block: HTMLElement, pane: HTMLElement): number =>
  block.getBoundingClientRect().top - pane.getBoundingClientRect().top + pane.scrollTop - BAR
/** The bottom of what covers the source: the header of the app and the bar of the editor. */
const coveredBy = ({ view }: Writing): number =>
  view.dom.closest('.src')?.querySelector('.bar')?.getBoundingClientRect().bottom ?? 0
/** The first line of a block, and the number of its lines. */
const linesOf = ({ dataset }: HTMLElement): [number, number] => [
  Number(dataset.from),
  Math.max(1, Number(dataset.to) - Number(dataset.from) + 1),
]

/** Scrolls the preview to the first visible line of the source. */
function scrollPreview(writing: Writing, pane: HTMLElement): void {
  const { view } = writing
  if (!view.dom.checkVisibility()) return
  const height = coveredBy(writing) - view.documentTop
  const shown = view.lineBlockAtHeight(height)
  const part = Math.min(1, Math.max(0, (height - shown.top) / shown.height))
  const line = view.state.doc.lineAt(shown.from).number + part
  const block = blocksIn(pane).findLast(({ dataset }) => Number(dataset.from) <= line)
  if (!block) {
    pane.scrollTop = 0
    return
  }
  const [from, count] = linesOf(block)
  pane.scrollTop = topOf(block, pane) + Math.min(1, (line - from) / count) * block.offsetHeight
}

/** Scrolls the source to the first visible block of the preview. */
function scrollSource(writing: Writing, pane: HTMLElement): void {
  const { view } = writing
  if (!view.dom.checkVisibility()) return
  const block = blocksIn(pane).find((one) => topOf(one, pane) + one.offsetHeight > pane.scrollTop)
  if (!block) return
  const [from, count] = linesOf(block)
  const part = Math.max(0, pane.scrollTop - topOf(block, pane)) / block.offsetHeight
  const line = from + part * count
  const { doc } = view.state
  const shown = view.lineBlockAt(doc.line(Math.min(doc.lines, Math.floor(line))).from)
  const top = shown.top + (line - Math.floor(line)) * shown.height
  const isAtStart = pane.scrollTop === 0
  scrollTo({ top: isAtStart ? 0 : scrollY + view.documentTop + top - coveredBy(writing), behavior: 'instant' })
}

function reveal(block: HTMLElement, pane: HTMLElement): void {
  const [box, outer] = [block.getBoundingClientRect(), pane.getBoundingClientRect()]
  if (box.bottom < outer.top + BAR || box.top > outer.bottom) pane.scrollTop += box.top - outer.top - outer.height / 3
}
