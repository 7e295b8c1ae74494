/** The broken links of a space by page, as a work list. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import type { Parameters } from '../screen.js'
import { Waiting } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Empty, Show } from '../shell/notes.js'
import { SpaceFrame } from '../space/space-frame.js'
import { type Space, useSpace } from '../space/space.js'
import { fill, plural, words } from '../words/index.js'
import { moreWords } from '../words/more.js'

/** Links that are loaded at a time. */
const STEP = 200

/** The broken links of one page or other file. */
interface Source {
  key: string
  title: string
  /** The ID of the page; null for another place, for example the table of contents. */
  page: string | null
  /** The file that contains the links. */
  file: string | undefined
  links: Link[]
}

const load = (spaceId: string, limit: number) =>
  body(api.GET('/v1/spaces/{spaceId}/links', { params: { path: { spaceId }, query: { status: 'broken', limit } } }))

type Link = Awaited<ReturnType<typeof load>>['items'][number]

export function LinksScreen({ space: spaceId = '' }: Parameters) {
  const space = useSpace(spaceId)
  if (!space.value) return <Waiting title={moreWords().links.screen} data={[space]} />
  return <Broken space={space.value} />
}

function Broken({ space }: { space: Space }) {
  const w = moreWords().links
  const [limit, setLimit] = useState(STEP)
  const links = useData(`space/${space.id}/main/broken/${limit}`, () => load(space.id, limit))
  return (
    <SpaceFrame space={space} title={w.screen} tab="links">
      <div class="wide stack l">
        <h1 class="title">{w.screen}</h1>
        <Show data={links}>
          {({ items, count, stats }) =>
            count === 0 ? (
              <div class="panel">
                <Empty icon="check" title={w.none}>
                  {plural(w.checked, stats.total)}
                </Empty>
              </div>
            ) : (
              <>
                <p class="ink2" role="status">
                  {plural(w.count, count)} {plural(w.checked, stats.total)}
                </p>
                {bySource(items).map((source) => (
                  <SourceLinks key={source.key} space={space} source={source} />
                ))}
                {items.length < count && (
                  <div>
                    <button type="button" class="btn" onClick={() => setLimit(Math.min(limit + STEP, 1000))}>
                      {words().common.more}
                    </button>
                  </div>
                )}
              </>
            )
          }
        </Show>
      </div>
    </SpaceFrame>
  )
}

/** Groups links by the page that contains them. */
function bySource(links: readonly Link[]): Source[] {
  const found = new Map<string, Source>()
  for (const link of links)
    for (const at of link.locationReferences) {
      const page = at.kind === 'page' ? at.page : null
      const key = page?.id ?? at.kind
      const source = found.get(key) ?? {
        key,
        title: page?.title ?? (at.kind === 'reusable-content' ? at.reusableContent.title : moreWords().links.contents),
        page: page?.id ?? null,
        file: link.file,
        links: [],
      }
      source.links.push(link)
      found.set(key, source)
    }
  return [...found.values()]
}

function SourceLinks({ space, source }: { space: Space; source: Source }) {
  const w = moreWords().links
  const mayEdit = space.permissions.edit && space.editMode !== 'locked'
  const editor = source.page !== null && mayEdit ? `/s/${space.id}/p/${source.page}/edit` : null
  return (
    <section class="stack s" aria-label={source.title}>
      <div class="row">
        <h2 class="h grow">
          {source.page === null ? source.title : <a href={`/s/${space.id}/p/${source.page}`}>{source.title}</a>}{' '}
          <span class="count">{source.links.length}</span>
        </h2>
        {editor !== null && (
          <a class="btn small" href={editor}>
            <Icon name="edit" />
            {words().space.edit}
          </a>
        )}
      </div>
      <ul class="list panel">
        {source.links.map((link) => (
          <li key={link.target}>
            <Icon name="broken" />
            <div class="grow">
              <code>{link.target === '' ? w.emptyTarget : link.target}</code>
              <div class="d">{link.problem}</div>
              {link.file !== undefined && <Lines link={link} editor={editor} />}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where a link is written. Each line opens the editor there. */
function Lines({ link: { file = '', lines = [] }, editor }: { link: Link; editor: string | null }) {
  const w = moreWords().links
  return (
    <div class="row wrap sm">
      <code class="muted">{file}</code>
      {lines.map((line) => {
        const text = fill(w.line, { line: String(line) })
        return editor === null ? (
          <span key={line}>{text}</span>
        ) : (
          <a key={line} href={`${editor}?line=${line}`}>
            {text}
          </a>
        )
      })}
    </div>
  )
}
