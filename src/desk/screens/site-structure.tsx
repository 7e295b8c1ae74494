/** The structure of a site: sections, groups, variants and links, moved by dragging and by keyboard. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { put, useData } from '../api/data.js'
import { AddPart } from '../admin/structure-add.js'
import { PartSettings } from '../admin/structure-part.js'
import { listRows, type Move, moveByDrop, moveByKey, moveRow, type Row, titleOf } from '../admin/structure.js'
import { AddButton, parameter } from '../admin/lists.js'
import { PublishButton, type Site, SiteFrame, sitePath, useSite } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { setQuery } from '../route.js'
import { Icon, type IconName } from '../shell/icons.js'
import { Chip, Empty, Show } from '../shell/notes.js'
import { attempt } from '../shell/toast.js'
import { fill } from '../words/index.js'

const useStructure = (site: Site | undefined) =>
  useData(site ? `sites/${site.id}/structure` : null, () =>
    body(
      api.GET('/v1/orgs/{organizationId}/sites/{siteId}/structure', {
        params: { path: site ? sitePath(site) : { organizationId: '', siteId: '' }, query: {} },
      }),
    ),
  )

export function SiteStructure({ site: id = '' }: { site?: string }) {
  const w = adminWords().structure
  const [isAdding, setAdding] = useState(false)
  const site = useSite(id).value
  const structure = useStructure(site)
  const rows = structure.value ? listRows(structure.value) : []
  const chosen = rows.find((row) => row.id === parameter('part'))
  return (
    <SiteFrame
      id={id}
      part="structure"
      end={(one) => (
        <>
          <PublishButton site={one} />
          {one.permissions.edit && <AddButton text={w.add} onClick={() => setAdding(true)} />}
        </>
      )}
      {...(chosen && site
        ? {
            rail: <PartSettings key={chosen.id} site={site} row={chosen} />,
            railLabel: fill(w.selected, { title: titleOf(chosen) }),
          }
        : {})}
    >
      {(one) => (
        <div class="wide stack">
          <Show data={structure}>
            {(value) => <Rows site={one} rows={listRows(value)} chosen={chosen?.id ?? null} />}
          </Show>
          {isAdding && structure.value && (
            <AddPart site={one} rows={rows} structure={structure.value} onClose={() => setAdding(false)} />
          )}
        </div>
      )}
    </SiteFrame>
  )
}

/** The position at which a dragged row would be dropped. */
interface Drop {
  id: string
  where: 'before' | 'after' | 'into'
}

function Rows({ site, rows, chosen }: { site: Site; rows: readonly Row[]; chosen: string | null }) {
  const w = adminWords().structure
  const [said, setSaid] = useState('')
  const [isSaved, setSaved] = useState(false)
  const [dragged, setDragged] = useState<Row | null>(null)
  const [drop, setDrop] = useState<Drop | null>(null)
  // The handle of the moved row keeps the focus.
  const focus = useRef<string | null>(null)
  useEffect(() => {
    if (focus.current === null) return
    document.getElementById(`grip-${focus.current}`)?.focus()
    focus.current = null
  }, [rows])
  const apply = (row: Row, move: Move | null) => {
    if (move === null) return setSaid(fill(w.cannot, { title: titleOf(row) }))
    void attempt(async () => {
      setSaved(false)
      const after = await moveRow(site, row, move)
      focus.current = row.id
      put(`sites/${site.id}/structure`, after)
      setSaved(true)
      const moved = listRows(after).find(({ id }) => id === row.id)
      if (!moved) return
      const position = moved.siblings.findIndex(({ id }) => id === row.id) + 1
      const values = { title: titleOf(moved), position, count: moved.siblings.length }
      const place = moved.group?.title ?? moved.section?.title
      setSaid(place === undefined ? fill(w.movedTop, values) : fill(w.moved, { ...values, place }))
    })
  }
  const mayEdit = site.permissions.edit
  if (rows.length === 0)
    return (
      <>
        <h1 class="title">{adminWords().site.parts.structure}</h1>
        <Empty icon="list" title={w.emptyTitle}>
          {w.empty}
        </Empty>
      </>
    )
  return (
    <>
      <div class="row wrap">
        <h1 class="title grow">{adminWords().site.parts.structure}</h1>
        <span class="save" role="status">
          {isSaved && (
            <>
              <Icon name="check" />
              {site.published ? w.savedLive : w.saved}
            </>
          )}
        </span>
      </div>
      {mayEdit && (
        <p class="ink2 sm hide-s">
          {w.how} <kbd>Alt</kbd> <kbd>↑</kbd> <kbd>↓</kbd> <kbd>←</kbd> <kbd>→</kbd>
        </p>
      )}
      <ul class="struct t">
        {rows.map((row) => (
          <RowItem
            key={row.id}
            row={row}
            mayEdit={mayEdit}
            isChosen={row.id === chosen}
            drop={drop?.id === row.id ? drop.where : null}
            onKey={(key) => apply(row, moveByKey(rows, row, key))}
            onDrag={(isDragging) => setDragged(isDragging ? row : null)}
            onOver={(where) => dragged && setDrop(moveByDrop(dragged, row, where) ? { id: row.id, where } : null)}
            onDrop={() => {
              if (dragged && drop) apply(dragged, moveByDrop(dragged, row, drop.where))
              setDrop(null)
              setDragged(null)
            }}
          />
        ))}
      </ul>
      <p class="vh" role="status">
        {said}
      </p>
    </>
  )
}

const ICONS: Record<Row['type'], IconName> = {
  'site-section': 'book',
  'site-section-group': 'folder',
  'site-space': 'lang',
  'site-external-link': 'arrow',
}

/** "/studio · Elsa Studio" */
function noteOf({ part }: Row): string {
  const w = adminWords().structure
  if (part.object === 'site-section-group') return w.group
  if (part.object === 'site-external-link') return part.target
  const space = part.object === 'site-space' ? part.space.title : part.siteSpaces[0]?.space.title
  return [`/${part.default ? '' : part.path}`, ...(space === undefined ? [] : [space])].join(' · ')
}

/** A third of the height at each end means before or after; the middle means into. */
function whereIn(event: { currentTarget: Element; clientY: number }, row: Row): Drop['where'] {
  const { top, height } = event.currentTarget.getBoundingClientRect()
  const at = (event.clientY - top) / height
  if (row.type !== 'site-section-group') return at < 0.5 ? 'before' : 'after'
  return at < 0.33 ? 'before' : at > 0.66 ? 'after' : 'into'
}

function RowItem({
  row,
  mayEdit,
  isChosen,
  drop,
  onKey,
  onDrag,
  onOver,
  onDrop,
}: {
  row: Row
  mayEdit: boolean
  isChosen: boolean
  drop: Drop['where'] | null
  onKey: (key: string) => void
  onDrag: (isDragging: boolean) => void
  onOver: (where: Drop['where']) => void
  onDrop: () => void
}) {
  const w = adminWords().structure
  const title = titleOf(row)
  const level = Math.min(row.level, 2)
  return (
    <>
      {drop === 'before' && <li class={`in${level} drop`} aria-hidden="true" />}
      <li
        class={`in${level} ${isChosen || drop === 'into' ? 'lift' : ''}`}
        draggable={mayEdit}
        onDragStart={(event) => {
          event.dataTransfer?.setData('text/plain', title)
          onDrag(true)
        }}
        onDragEnd={() => onDrag(false)}
        onDragOver={(event) => {
          event.preventDefault()
          onOver(whereIn(event, row))
        }}
        onDrop={(event) => {
          event.preventDefault()
          onDrop()
        }}
      >
        {mayEdit && (
          <button
            type="button"
            class="icb s grip"
            id={`grip-${row.id}`}
            aria-label={fill(w.grip, { title })}
            onKeyDown={(event) => {
              if (!event.altKey || !event.key.startsWith('Arrow')) return
              event.preventDefault()
              onKey(event.key)
            }}
          >
            <Icon name="grip" />
          </button>
        )}
        <Icon name={ICONS[row.type]} />
        <span class="grow">
          <b>{title}</b> <span class="sm muted hide-s">{noteOf(row)}</span>
        </span>
        {row.isDefault && row.type !== 'site-space' && (
          <Chip tone="on" icon="star">
            {w.start}
          </Chip>
        )}
        {row.type === 'site-space' && <Chip icon="lang">{row.isDefault ? w.firstVariant : w.variant}</Chip>}
        {'condition' in row.part && row.part.condition !== undefined && <Chip icon="eye">{w.conditional}</Chip>}
        {'draft' in row.part && row.part.draft && (
          <Chip tone="wait" icon="edit">
            {w.draft}
          </Chip>
        )}
        <button
          type="button"
          class="btn small"
          aria-pressed={isChosen}
          aria-label={fill(w.settingsOf, { title })}
          onClick={() => setQuery({ part: isChosen ? null : row.id })}
        >
          {w.settings}
        </button>
      </li>
      {drop === 'after' && <li class={`in${level} drop`} aria-hidden="true" />}
    </>
  )
}
