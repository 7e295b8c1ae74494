/** A page of a site. */
import type { ComponentChildren } from 'preact'
import type { Frame } from '../frame.js'
import type { SiteLink } from '../links.js'
import type { Navigation } from '../navigation.js'
import type { Variant } from '../variants.js'
import type { Words } from '../words/index.js'
import { Footer } from './footer.js'
import { type PastModel, PastNotice, type SinceModel, SinceNotice } from './history-notices.js'
import { Announcement, Header, Sections } from './header.js'
import { Icon } from './icons.js'
import { Themed } from './link.js'
import { type Heading, type MarginKey, OutlineColumn } from './outline.js'
import { SearchDialog } from './search-form.js'
import { PageHead, type PageHeadModel } from './page-head.js'
import { Tree } from './tree.js'

export type PagerLink = Required<Pick<SiteLink, 'title' | 'href'>>

/** The parts of a page that its front matter or the customization can hide. */
export interface PageModel {
  head: PageHeadModel
  html: string
  outline: readonly Heading[]
  /** Absent if the margin shows no changes. */
  marginKey?: MarginKey
  cover?: { light: string; dark: string; part: number; isHero: boolean }
  /** The address of the page in the latest version, if it belongs to an old one. */
  latest?: string
  /** Set if it is shown as it was, or with its changes marked. */
  past?: PastModel
  since?: SinceModel
  /** The subpages, if the page has no text. */
  subpages: readonly (SiteLink & { description?: string })[]
  previous?: PagerLink
  next?: PagerLink
  /** The address for feedback, and the page that it is about. */
  feedback?: { action: string; page: string }
  navigation: Navigation
  variants: readonly Variant[]
  /** Whether wide screens show the page tree. */
  hasTree: boolean
  isWide: boolean
}

/** The top, the navigation and the footer around the main part of a page. */
export const Surroundings = ({
  frame,
  navigation,
  variants,
  hasTree = true,
  hasOutline = true,
  children,
}: {
  frame: Frame
  navigation: Navigation
  variants: readonly Variant[]
  hasTree?: boolean
  hasOutline?: boolean
  children: ComponentChildren
}) => {
  const tree = <Tree frame={frame} navigation={navigation} variants={variants} isHidden={!hasTree} />
  return (
    <>
      <a class="skip vh" href="#ui~main">
        {frame.words.skip}
      </a>
      {frame.llms === undefined ? null : (
        <a hidden href={frame.llms}>
          llms.txt
        </a>
      )}
      <Announcement frame={frame} />
      <Header frame={frame} />
      <Sections frame={frame} />
      {hasTree ? null : tree}
      <div class={`frame cols${hasOutline ? ' three' : ''}${hasTree ? '' : ' alone'}`}>
        {/* Programs and screen readers get the text before the tree. The style sheet puts the tree at the side. */}
        {children}
        {hasTree ? tree : null}
      </div>
      <Footer frame={frame} />
      <SearchDialog frame={frame} />
    </>
  )
}

const Cover = ({ cover }: { cover: NonNullable<PageModel['cover']> }) => (
  <div class={`page-cover y${cover.part}${cover.isHero ? ' hero' : ''}`}>
    <Themed light={cover.light} dark={cover.dark} alt="" />
  </div>
)

const Subpages = ({ pages, words }: { pages: PageModel['subpages']; words: Words }) =>
  pages.length === 0 ? null : (
    <nav class="cards subpages wide" aria-label={words.subpages}>
      {pages.map(({ title, href, description }) => (
        <div class="card">
          <div class="card-in">
            <p class="card-title">{href === undefined ? title : <a href={href}>{title}</a>}</p>
            {description === undefined ? null : <p>{description}</p>}
          </div>
        </div>
      ))}
    </nav>
  )

const OldVersion = ({ href, words: { versions } }: { href: string; words: Words }) => (
  <aside class="hint warning old-version">
    <Icon name="warn" />
    <div>
      <p>
        {versions.isOld} <a href={href}>{versions.openLatest}</a>
      </p>
    </div>
  </aside>
)

const Pager = ({ model: { previous, next }, words }: { model: PageModel; words: Words }) =>
  !previous && !next ? null : (
    <nav class="pager" aria-label={words.pager}>
      {previous ? (
        <a href={previous.href} rel="prev">
          <span>
            <Icon name="prev" flip />
            {words.previous}
          </span>
          {previous.title}
        </a>
      ) : null}
      {next ? (
        <a class="next" href={next.href} rel="next">
          <span>
            {words.next}
            <Icon name="next" flip />
          </span>
          {next.title}
        </a>
      ) : null}
    </nav>
  )

const Feedback = ({ feedback, words }: { feedback: NonNullable<PageModel['feedback']>; words: Words }) => (
  <form class="ending" method="post" action={feedback.action} data-feedback="">
    <input type="hidden" name="page" value={feedback.page} />
    <fieldset>
      <legend>{words.feedback.question}</legend>
      <button type="submit" class="btn" name="helpful" value="yes">
        {words.feedback.yes}
      </button>
      <button type="submit" class="btn" name="helpful" value="no">
        {words.feedback.no}
      </button>
    </fieldset>
  </form>
)

export const PageLayout = ({ frame, model }: { frame: Frame; model: PageModel }) => {
  const { head, html, outline, marginKey, cover, latest, past, since, subpages, feedback } = model
  const { navigation, variants, hasTree, isWide } = model
  const hasOutline = outline.length > 0
  return (
    <Surroundings
      frame={frame}
      navigation={navigation}
      variants={variants}
      hasTree={hasTree}
      hasOutline={hasTree || hasOutline}
    >
      <main id="ui~main" class={isWide ? 'broad' : undefined}>
        <article>
          {cover ? <Cover cover={cover} /> : null}
          <PageHead model={head} frame={frame} outline={outline} />
          {latest === undefined ? null : <OldVersion href={latest} words={frame.words} />}
          {past === undefined ? null : <PastNotice past={past} words={frame.words} />}
          {since === undefined ? null : <SinceNotice since={since} words={frame.words} />}
          <div class="prose" dangerouslySetInnerHTML={{ __html: html }} />
          <Subpages pages={subpages} words={frame.words} />
          <Pager model={model} words={frame.words} />
          {feedback ? <Feedback feedback={feedback} words={frame.words} /> : null}
        </article>
      </main>
      <OutlineColumn headings={outline} marginKey={marginKey} words={frame.words} />
    </Surroundings>
  )
}
