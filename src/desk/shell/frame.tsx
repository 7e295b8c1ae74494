/** The frame of every screen: header, ribbon, side, content, rail. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Loaded } from '../api/data.js'
import { words, fill } from '../words/index.js'
import { Mark } from './mark.js'
import { PATIENCE_MS, Shape, Show } from './notes.js'
import { closeSide } from './side.js'
import { type Crumb, Top } from './top.js'

/** The parts of a screen. */
export interface FrameProps {
  /** The title of the browser window. */
  title: string
  crumbs?: readonly Crumb[]
  ribbon?: ComponentChildren
  /** The navigation on the left, for example the tree of pages. */
  side?: ComponentChildren
  /** Texts about the content, on the right. */
  rail?: ComponentChildren
  railLabel?: string
  /** Whether the ribbon's actions dock at the bottom of narrow windows. */
  hasDock?: boolean
  /** A bar at the end of the content, for example with its keys. */
  foot?: ComponentChildren
  /** Classes of the main element; default `pad`. */
  main?: string
  children: ComponentChildren
}

/** Renders a screen in its frame. */
export function Frame({
  title,
  crumbs = [],
  ribbon,
  side,
  rail,
  railLabel,
  hasDock,
  foot,
  main = 'pad',
  children,
}: FrameProps) {
  const w = words().common
  useEffect(() => {
    document.title = fill(w.windowTitle, { screen: title })
  }, [title, w])
  useEffect(() => {
    hasFrame = true
    document.body.classList.toggle('has-dock', hasDock === true)
    document.body.classList.toggle('has-side', side !== undefined)
    return () => closeSide()
  }, [hasDock, side !== undefined])
  const text = (
    <main id="main" class={main} tabIndex={-1}>
      {children}
    </main>
  )
  return (
    <>
      <a class="skip" href="#main">
        {w.skip}
      </a>
      <Top crumbs={crumbs} hasSide={side !== undefined} />
      {ribbon}
      <div class={`desk ${side === undefined ? 'bare' : ''}`}>
        {side !== undefined && (
          <aside class="side" aria-label={w.navigation}>
            {side}
          </aside>
        )}
        {rail === undefined ? (
          <div class="main">
            {text}
            {foot}
          </div>
        ) : (
          <div class="main cols">
            {text}
            <aside class="rail" aria-label={railLabel}>
              {rail}
            </aside>
          </div>
        )}
      </div>
    </>
  )
}

/** Whether a screen has been shown in its frame. */
let hasFrame = false

/**
 * A screen until its data has arrived, or why it has not. The data of the first screen arrives with its code, so that a
 * frame would be drawn twice: it appears after a short delay.
 */
export function Waiting({ title, data }: { title: string; data: readonly Loaded<unknown>[] }) {
  const [isFramed, setFramed] = useState(hasFrame)
  const failed = data.find(({ value, error }) => value === undefined && error !== undefined)
  useEffect(() => {
    const timer = setTimeout(() => setFramed(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isFramed && !failed)
    return (
      <div class="pad">
        <Shape />
      </div>
    )
  return <Frame title={title}>{failed ? <Show data={failed}>{() => null}</Show> : <Shape isLate={!hasFrame} />}</Frame>
}

/** The bar below the header. It shows the location: the main content, a change request, or a conflict. */
export function Ribbon({
  in: where = 'main',
  head,
  tabs,
  tabsLabel,
  end,
}: {
  in?: 'main' | 'change' | 'conflict'
  head: ComponentChildren
  tabs?: ComponentChildren
  tabsLabel?: string
  end?: ComponentChildren
}) {
  const nav = useRef<HTMLElement>(null)
  // In narrow windows the tabs scroll.
  useEffect(
    () => nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [location.pathname],
  )
  return (
    <section class="ribbon" aria-label={words().common.context} data-in={where}>
      <div class="r-head">{head}</div>
      {tabs !== undefined && (
        <nav class="tabs" aria-label={tabsLabel} ref={nav}>
          {tabs}
        </nav>
      )}
      {end !== undefined && <div class="r-end dock">{end}</div>}
    </section>
  )
}

/** A screen before sign-in: an introduction on the left, a form on the right. */
export function Gate({
  title,
  promise,
  lead,
  children,
}: {
  title: string
  promise: string
  lead: string
  children: ComponentChildren
}) {
  const w = words().common
  useEffect(() => {
    document.title = fill(w.windowTitle, { screen: title })
  }, [title, w])
  return (
    <div class="gate">
      <header class="spine">
        <a class="mark" href="/" aria-label={w.home}>
          <Mark />
          <span>{w.appName}</span>
        </a>
        <div class="stack hide-s">
          <p class="big">{promise}</p>
          <p class="lead">{lead}</p>
        </div>
        <p class="help hide-s">
          <a href="/docs">{words().signIn.reference}</a>
        </p>
      </header>
      <main class="form" id="main">
        <div class="stack l">{children}</div>
      </main>
    </div>
  )
}
