/** The head of a page: breadcrumbs, title, description, last change and actions. */
import type { Frame } from '../frame.js'
import type { SiteLink } from '../links.js'
import type { PageRecord } from '../page-record.js'
import { Icon } from './icons.js'
import { type Heading, OutlineDisclosure } from './outline.js'

/** The actions of a page. An absent action is not offered. */
export interface PageActions {
  edit?: string
  /** The address of the form for suggestions, and of its script and style sheet. */
  suggest?: { href: string; script: string; sheet: string }
  markdown?: string
  pdf?: string
  /** The address of the bundle of the site. */
  bundle?: string
  /** The path of the site, if its pages can mark the changes since the last visit, which only the browser knows. */
  visits?: string
}

/** The head of a page. Absent parts are not shown. */
export interface PageHeadModel {
  breadcrumbs: readonly SiteLink[]
  title: string
  /** The ID that links to the title refer to. */
  titleId?: string
  /** Whether only screen readers get the title. */
  isTitleHidden: boolean
  emoji?: string
  description?: string
  tags: readonly string[]
  record?: PageRecord
  actions: PageActions
}

export const Breadcrumbs = ({ links, label }: { links: readonly SiteLink[]; label: string }) =>
  links.length === 0 ? null : (
    <nav class="crumbs" aria-label={label}>
      <ol class="plain">
        {links.map(({ title, href }) => (
          <li>{href === undefined ? title : <a href={href}>{title}</a>}</li>
        ))}
      </ol>
    </nav>
  )

const ActionMenu = ({ actions, frame: { words } }: { actions: PageActions; frame: Frame }) => {
  const { markdown, pdf, bundle } = actions
  return (
    <div class="menu end" id="ui~actions" popover="auto">
      {markdown === undefined ? null : (
        <>
          <button type="button" data-copy-page={markdown} hidden>
            <Icon name="copy" />
            <span>
              {words.copyMarkdown}
              <small>{words.copyMarkdownPurpose}</small>
            </span>
          </button>
          <a href={markdown} rel="nofollow">
            <Icon name="file" />
            {words.viewMarkdown}
          </a>
        </>
      )}
      {pdf === undefined ? null : (
        <a href={pdf} rel="nofollow">
          <Icon name="get" />
          {words.downloadPdf}
        </a>
      )}
      {bundle === undefined ? null : (
        <a href={bundle} rel="nofollow">
          <Icon name="get" />
          {words.downloadSite}
        </a>
      )}
    </div>
  )
}

const RecordLine = ({ record, words }: { record: PageRecord; words: Frame['words'] }) => {
  const { before, after } = words.lastChanged(record.author)
  return (
    <>
      <span>
        {before}
        <time datetime={record.date}>{record.day}</time>
        {after}
      </span>
      <span>
        {words.commit}{' '}
        {record.address === undefined ? (
          <code dir="ltr">{record.commit}</code>
        ) : (
          <a href={record.address}>
            <code dir="ltr">{record.commit}</code>
          </a>
        )}
      </span>
      {record.provenance === undefined ? null : (
        <a href={record.provenance.href} rel="nofollow">
          {words.signature[record.provenance.signature]}
        </a>
      )}
      {record.versions === undefined ? null : (
        <a href={record.versions} rel="nofollow">
          {words.past.versions}
        </a>
      )}
    </>
  )
}

const hasMenu = ({ markdown, pdf, bundle }: PageActions): boolean =>
  [markdown, pdf, bundle].some((action) => action !== undefined)

const Record = ({ model: { record, actions }, frame }: { model: PageHeadModel; frame: Frame }) => {
  const { words } = frame
  const { edit, suggest, visits } = actions
  const hasActions = edit !== undefined || suggest !== undefined || visits !== undefined || hasMenu(actions)
  if (!record && !hasActions) return null
  return (
    <div class="record">
      {record ? <RecordLine record={record} words={words} /> : null}
      {hasActions ? (
        <span class="acts">
          {visits === undefined ? null : (
            <a class="act" hidden href="?since=" data-visits={visits} rel="nofollow">
              <Icon name="clock" />
              {words.since.lastVisit}
            </a>
          )}
          {suggest === undefined ? null : (
            <a class="act" href={suggest.href} rel="nofollow" data-suggest={suggest.script} data-sheet={suggest.sheet}>
              <Icon name="edit" />
              {words.suggest.action}
            </a>
          )}
          {edit === undefined ? null : (
            <a class="act" href={edit} rel="nofollow noopener">
              <Icon name="edit" />
              {words.edit}
            </a>
          )}
          {hasMenu(actions) ? (
            <button type="button" class="act" popovertarget="ui~actions" aria-label={words.moreActions}>
              <Icon name="more" />
            </button>
          ) : null}
        </span>
      ) : null}
    </div>
  )
}

/** The head of a page, with the outline for small screens. */
export const PageHead = ({
  model,
  frame,
  outline,
}: {
  model: PageHeadModel
  frame: Frame
  outline: readonly Heading[]
}) => {
  const { breadcrumbs, title, titleId, isTitleHidden, emoji, description, tags, actions } = model
  return (
    <div class="head">
      <Breadcrumbs links={breadcrumbs} label={frame.words.breadcrumbs} />
      <h1 id={titleId} dir="auto" class={isTitleHidden ? 'vh' : undefined}>
        {emoji === undefined ? null : <span aria-hidden="true">{emoji} </span>}
        {title}
      </h1>
      {description === undefined ? null : <p class="lead">{description}</p>}
      {tags.length === 0 ? null : (
        <p class="tags">
          {tags.map((tag) => (
            <span class="tag plain">{tag}</span>
          ))}
        </p>
      )}
      <Record model={model} frame={frame} />
      {hasMenu(actions) ? <ActionMenu actions={actions} frame={frame} /> : null}
      <OutlineDisclosure headings={outline} words={frame.words} />
    </div>
  )
}
